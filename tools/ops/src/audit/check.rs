//! Inspects candidates again until two consecutive inspections agree, plans the repair of what they
//! agree on, and repairs it.

use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;

use futures_util::{StreamExt, TryStreamExt, stream};
use shared::Table;
use tokio::time::sleep;

use super::error::Error;
use super::finding::{Action, Defect, Finding, Resolution};
use super::layout::{Keys, Layout, key};
use super::options::Options;
use super::plan::Plan;
use super::progress::Progress;
use super::read;
use super::report::Report;

/// The maximum number of inspections of a candidate that differs each time.
const MAX_INSPECTIONS: usize = 6;
/// The maximum number of candidates that are inspected or repaired concurrently.
pub(super) const MAX_CONCURRENT_INSPECTIONS: usize = 16;

/// A kind of check: how to inspect a candidate, and how to repair a finding.
pub(super) trait Check {
    /// A possible defect: the place to inspect.
    type Candidate: Ord;
    /// A defect in a state that can be compared and repaired.
    type Finding: Clone + PartialEq + Into<Defect>;

    /// Returns the defect of a candidate at this moment, if it has one.
    async fn inspect(&self, candidate: &Self::Candidate) -> Result<Option<Self::Finding>, Error>;

    /// Repairs a finding. Returns false if the table has changed since the inspection, so that a
    /// condition failed.
    async fn repair(&self, finding: &Self::Finding) -> Result<bool, Error>;
}

/// A function that is called with the progress of an audit. As a type parameter, it would have the
/// whole audit compiled again for each caller.
pub(super) type Watch<'a> = dyn FnMut(Progress<'_>) + 'a;

/// An audit in progress.
pub(super) struct Audit<'a> {
    pub(super) table: Table,
    pub(super) options: Options,
    pub(super) report: Report,
    pub(super) watch: &'a mut Watch<'a>,
}

/// A finding, and the candidate that it was found at.
pub(super) struct Found<C: Check> {
    candidate: C::Candidate,
    finding: C::Finding,
    /// The position of the finding in the report.
    index: usize,
}

/// The outcome of an attempt to repair a finding.
enum Attempt<F> {
    Repaired,
    Gone,
    /// The finding has changed. It has to be confirmed again.
    Changed(F),
}

impl Audit<'_> {
    /// Reads the audited table once, and returns the keys of all malformed items.
    pub(super) async fn scan<E: Layout>(&mut self, add: impl FnMut(Result<E, &Keys>)) -> Result<BTreeSet<Keys>, Error> {
        let table = self.table.clone();
        let (items, malformed) = self.scan_table(&table, add).await?;
        self.report.items = items;
        Ok(malformed)
    }

    /// Reads a table once. Passes each item to `add`, as an entity, or as its keys if it is
    /// malformed. Returns the number of items, and the keys of all malformed ones.
    pub(super) async fn scan_table<E: Layout>(
        &mut self,
        table: &Table,
        mut add: impl FnMut(Result<E, &Keys>),
    ) -> Result<(u64, BTreeSet<Keys>), Error> {
        let mut malformed = BTreeSet::new();
        let add = |keys, entity: anyhow::Result<_>| {
            if let Ok(entity) = entity {
                add(Ok(entity));
            } else {
                add(Err(&keys));
                malformed.insert(keys);
            }
        };
        let segments = self.options.segments.max(1);
        let items = read::scan(table, segments, add, &mut self.watch).await?;
        Ok((items, malformed))
    }

    /// Inspects each candidate until two consecutive inspections agree, and adds what they agree on
    /// to the report.
    pub(super) async fn find<C: Check>(
        &mut self,
        check: &C,
        candidates: impl IntoIterator<Item = C::Candidate>,
    ) -> Result<Vec<Found<C>>, Error> {
        let mut candidates: BTreeMap<C::Candidate, Option<C::Finding>> =
            candidates.into_iter().map(|candidate| (candidate, None)).collect();
        let mut confirmed = vec![];
        for number in 0..MAX_INSPECTIONS {
            if candidates.is_empty() {
                return Ok(confirmed);
            }
            (self.watch)(Progress::Inspecting(candidates.len()));
            if number > 0 {
                sleep(self.options.recheck_delay).await;
            }
            let inspections = std::mem::take(&mut candidates).into_iter().map(async |(candidate, before)| {
                let now = check.inspect(&candidate).await?;
                Ok::<_, Error>((candidate, before, now))
            });
            let mut inspections = stream::iter(inspections).buffered(MAX_CONCURRENT_INSPECTIONS);
            while let Some((candidate, before, now)) = inspections.try_next().await? {
                match now {
                    None => {}
                    Some(finding) if before.as_ref() == Some(&finding) => {
                        let index = self.report.findings.len();
                        let reported = Finding::of(finding.clone());
                        let is_left = self.options.repair && reported.action() == Action::Leave;
                        let resolution = if is_left { Resolution::NeedsManualRepair } else { Resolution::Reported };
                        // A repair shows a finding with what has become of it.
                        if is_left || !self.options.repair {
                            (self.watch)(Progress::Found(&reported, resolution));
                        }
                        self.report.findings.push((reported, resolution));
                        if !is_left {
                            confirmed.push(Found { candidate, finding, index });
                        }
                    }
                    Some(finding) => drop(candidates.insert(candidate, Some(finding))),
                }
            }
        }
        self.report.unconfirmed += candidates.len();
        Ok(confirmed)
    }

    /// Plans the repair of all findings. Returns whether to carry it out, or an error if the plan
    /// deletes too much.
    pub(super) fn plan(&mut self) -> Result<bool, Error> {
        if !self.options.repair {
            return Ok(false);
        }
        let plan = Plan::new(&self.report, &self.options);
        if plan.is_empty() {
            return Ok(false);
        }
        let mut is_approved = true;
        (self.watch)(Progress::Planned(&plan, &mut is_approved));
        match plan.refusal() {
            Some(reason) => Err(Error::Refused(reason.to_owned())),
            None => Ok(is_approved),
        }
    }

    /// Repairs findings of the plan. A finding that has changed since, because of an earlier repair
    /// or of another writer, is confirmed again before, and is repaired only if it is still of the
    /// same kind.
    pub(super) async fn repair<C: Check>(&mut self, check: &C, planned: Vec<Found<C>>) -> Result<(), Error> {
        let mut left = planned;
        for number in 0..MAX_INSPECTIONS {
            if left.is_empty() {
                return Ok(());
            }
            if number > 0 {
                (self.watch)(Progress::Inspecting(left.len()));
                sleep(self.options.recheck_delay).await;
            }
            let attempts = std::mem::take(&mut left).into_iter().map(async |found| {
                let attempt = attempt(check, &found).await?;
                Ok::<_, Error>((found, attempt))
            });
            let mut attempts = stream::iter(attempts).buffered(MAX_CONCURRENT_INSPECTIONS);
            while let Some((found, attempt)) = attempts.try_next().await? {
                let resolution = match attempt {
                    Attempt::Changed(finding) => {
                        left.push(Found { finding, ..found });
                        continue;
                    }
                    Attempt::Repaired => Resolution::Repaired,
                    Attempt::Gone => Resolution::Gone,
                };
                let reported = (Finding::of(found.finding), resolution);
                (self.watch)(Progress::Found(&reported.0, resolution));
                self.report.findings[found.index] = reported;
            }
        }
        for found in &left {
            (self.watch)(Progress::Found(&self.report.findings[found.index].0, Resolution::Reported));
        }
        self.report.unconfirmed += left.len();
        Ok(())
    }
}

async fn attempt<C: Check>(check: &C, found: &Found<C>) -> Result<Attempt<C::Finding>, Error> {
    let Some(now) = check.inspect(&found.candidate).await? else { return Ok(Attempt::Gone) };
    if now != found.finding {
        let [effect, planned] = [&now, &found.finding].map(|finding| Finding::of(finding.clone()).effect());
        // A repair that is not in the plan is left to the next audit.
        return Ok(Attempt::Changed(if effect == planned { now } else { found.finding.clone() }));
    }
    Ok(if check.repair(&now).await.map_err(Error::of_repair)? { Attempt::Repaired } else { Attempt::Changed(now) })
}

/// The check of items that are not valid entities of their table.
pub(super) struct MalformedItems<E> {
    table: Table,
    entity: PhantomData<E>,
}

impl<E> MalformedItems<E> {
    pub(super) fn new(table: &Table) -> Self {
        Self { table: table.clone(), entity: PhantomData }
    }
}

impl<E: Layout> Check for MalformedItems<E> {
    type Candidate = Keys;
    type Finding = Defect;

    async fn inspect(&self, keys: &Keys) -> Result<Option<Defect>, Error> {
        let Some(Err(reason)) = read::entity::<E>(&self.table, key::<E>(keys.clone())).await? else { return Ok(None) };
        let (pk, sk) = keys.clone();
        Ok(Some(Defect::MalformedItem { pk, sk, reason: format!("{reason:#}") }))
    }

    async fn repair(&self, _: &Defect) -> Result<bool, Error> {
        Ok(false)
    }
}

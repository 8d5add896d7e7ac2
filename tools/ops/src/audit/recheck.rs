//! Inspects candidates again until two consecutive inspections agree, and repairs what they agree on.

use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;

use futures_util::{StreamExt, TryStreamExt, stream};
use shared::Table;
use tokio::time::sleep;

use super::error::Error;
use super::finding::{Finding, Resolution};
use super::layout::{Keys, Layout, key};
use super::options::Options;
use super::read;
use super::report::{Progress, Report};

/// The maximum number of inspections of a candidate that differs each time.
const MAX_INSPECTIONS: usize = 6;
/// The maximum number of candidates that are inspected or repaired concurrently.
pub(super) const MAX_CONCURRENT_INSPECTIONS: usize = 16;

/// A kind of check: how to inspect a candidate, and how to repair a finding.
pub(super) trait Check {
    /// A possible defect: the place to inspect.
    type Candidate: Ord;
    /// A defect in a state that can be compared and repaired.
    type Finding: PartialEq + Into<Finding>;

    /// Returns the defect of a candidate at this moment, if it has one.
    async fn inspect(&self, candidate: &Self::Candidate) -> Result<Option<Self::Finding>, Error>;

    /// Repairs a finding. Returns false if the table has changed since the inspection, so that a condition failed.
    async fn repair(&self, finding: &Self::Finding) -> Result<bool, Error>;

    /// Returns whether only a person can decide how to repair this finding.
    fn needs_manual_repair(_: &Self::Finding) -> bool {
        false
    }
}

/// An audit in progress.
pub(super) struct Audit<W> {
    pub(super) table: Table,
    pub(super) options: Options,
    pub(super) report: Report,
    pub(super) watch: W,
}

/// The result of comparing an inspection with the one before.
enum Inspection<F> {
    Sound,
    Confirmed(F, Resolution),
    /// The candidate has to be inspected again, and compared with this finding.
    Again(Option<F>),
}

impl<W: FnMut(Progress<'_>)> Audit<W> {
    /// Reads the audited table once, and returns the keys of all malformed items.
    pub(super) async fn scan<L: Layout>(
        &mut self,
        add: impl FnMut(Result<L::Entity, &Keys>),
    ) -> Result<BTreeSet<Keys>, Error> {
        let table = self.table.clone();
        let (items, malformed) = self.scan_table::<L>(&table, add).await?;
        self.report.items = items;
        Ok(malformed)
    }

    /// Reads a table once. Passes each item to `add`, as an entity, or as its keys if it is malformed. Returns the number
    /// of items, and the keys of all malformed ones.
    pub(super) async fn scan_table<L: Layout>(
        &mut self,
        table: &Table,
        mut add: impl FnMut(Result<L::Entity, &Keys>),
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
        let items = read::scan::<L>(table, segments, add, &mut self.watch).await?;
        Ok((items, malformed))
    }

    /// Inspects each candidate until two consecutive inspections agree, and adds what they agree on to the report.
    pub(super) async fn confirm<C: Check>(
        &mut self,
        check: &C,
        candidates: impl IntoIterator<Item = C::Candidate>,
    ) -> Result<(), Error> {
        let mut candidates: BTreeMap<C::Candidate, Option<C::Finding>> =
            candidates.into_iter().map(|candidate| (candidate, None)).collect();
        for number in 0..MAX_INSPECTIONS {
            if candidates.is_empty() {
                return Ok(());
            }
            (self.watch)(Progress::Inspecting(candidates.len()));
            if number > 0 {
                sleep(self.options.recheck_delay).await;
            }
            let repair = self.options.repair;
            let inspections = std::mem::take(&mut candidates).into_iter().map(async |(candidate, before)| {
                let inspection = inspect(check, repair, &candidate, before).await?;
                Ok::<_, Error>((candidate, inspection))
            });
            let mut inspections = stream::iter(inspections).buffered(MAX_CONCURRENT_INSPECTIONS);
            while let Some((candidate, inspection)) = inspections.try_next().await? {
                match inspection {
                    Inspection::Sound => {}
                    Inspection::Confirmed(finding, resolution) => {
                        let finding = finding.into();
                        (self.watch)(Progress::Found(&finding, resolution));
                        self.report.findings.push((finding, resolution));
                    }
                    Inspection::Again(now) => {
                        candidates.insert(candidate, now);
                    }
                }
            }
        }
        self.report.unconfirmed += candidates.len();
        Ok(())
    }
}

async fn inspect<C: Check>(
    check: &C,
    repair: bool,
    candidate: &C::Candidate,
    before: Option<C::Finding>,
) -> Result<Inspection<C::Finding>, Error> {
    let Some(finding) = check.inspect(candidate).await? else {
        return Ok(Inspection::Sound);
    };
    if before.as_ref() != Some(&finding) {
        return Ok(Inspection::Again(Some(finding)));
    }
    let resolution = match &finding {
        _ if !repair => Resolution::Reported,
        finding if C::needs_manual_repair(finding) => Resolution::NeedsManualRepair,
        finding if check.repair(finding).await? => Resolution::Repaired,
        _ => return Ok(Inspection::Again(None)),
    };
    Ok(Inspection::Confirmed(finding, resolution))
}

/// The check of items that are not valid entities of their table.
pub(super) struct MalformedItems<L> {
    table: Table,
    layout: PhantomData<L>,
}

impl<L> MalformedItems<L> {
    pub(super) fn of(table: &Table) -> Self {
        Self { table: table.clone(), layout: PhantomData }
    }
}

impl<L: Layout> Check for MalformedItems<L> {
    type Candidate = Keys;
    type Finding = Finding;

    async fn inspect(&self, keys: &Keys) -> Result<Option<Finding>, Error> {
        let item = read::get::<L>(&self.table, key::<L>(keys.clone())).await?;
        let (pk, sk) = keys.clone();
        let reason = item.and_then(|item| L::parse(item).err()).map(|reason| format!("{reason:#}"));
        Ok(reason.map(|reason| Finding::MalformedItem { pk, sk, reason }))
    }

    /// The audit does not know what the item is for.
    fn needs_manual_repair(_: &Finding) -> bool {
        true
    }

    async fn repair(&self, _: &Finding) -> Result<bool, Error> {
        Ok(false)
    }
}

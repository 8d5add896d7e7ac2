//! Looks at each suspect until two looks agree, whatever the table.

use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;

use futures_util::{StreamExt, TryStreamExt, stream};
use shared::Table;
use tokio::time::sleep;

use super::finding::{Finding, Outcome};
use super::read::{self, Keys, Layout, key};
use super::{AT_ONCE, Error, Event, LOOKS, Options, Report};

/// What may not be right, and what to do about it.
pub(super) trait Check {
    /// Where to look again.
    type Suspect: Ord;
    /// What is wrong.
    type Finding: PartialEq + Into<Finding>;

    /// What is wrong about a suspect at this moment, if anything is.
    async fn look(&self, suspect: &Self::Suspect) -> Result<Option<Self::Finding>, Error>;

    /// Mends a finding. False if it is not any more as it was found, and nothing was written.
    async fn mend(&self, finding: &Self::Finding) -> Result<bool, Error>;

    /// Whether only a person can tell how to mend it.
    fn needs_a_person(_: &Self::Finding) -> bool {
        false
    }
}

/// An audit under way.
pub(super) struct Audit<W> {
    pub(super) table: Table,
    pub(super) options: Options,
    pub(super) report: Report,
    pub(super) watch: W,
}

/// What a look came to.
enum Look<F> {
    Fine,
    Found(F, Outcome),
    /// It is to be looked at again, and compared with this.
    Again(Option<F>),
}

impl<W: FnMut(Event<'_>)> Audit<W> {
    /// Reads the table once. `add` is told of each item what it is, or only where it is if it is nothing, which it need
    /// not remember.
    pub(super) async fn scan<L: Layout>(
        &mut self,
        mut add: impl FnMut(Result<L::Entity, &Keys>),
    ) -> Result<BTreeSet<Keys>, Error> {
        let mut shapeless = BTreeSet::new();
        let add = |keys, entity: Result<_, String>| {
            if let Ok(entity) = entity {
                add(Ok(entity));
            } else {
                add(Err(&keys));
                shapeless.insert(keys);
            }
        };
        let segments = self.options.segments.max(1);
        self.report.items = read::scan::<L>(&self.table, segments, add, &mut self.watch).await?;
        Ok(shapeless)
    }

    /// Looks at each suspect until two looks agree.
    pub(super) async fn settle<C: Check>(
        &mut self,
        check: &C,
        suspects: impl IntoIterator<Item = C::Suspect>,
    ) -> Result<(), Error> {
        let mut suspects: BTreeMap<C::Suspect, Option<C::Finding>> = suspects.into_iter().map(|s| (s, None)).collect();
        for number in 0..LOOKS {
            if suspects.is_empty() {
                return Ok(());
            }
            (self.watch)(Event::Suspects(suspects.len()));
            if number > 0 {
                sleep(self.options.between_looks).await;
            }
            let repair = self.options.repair;
            let looks = std::mem::take(&mut suspects).into_iter().map(async |(suspect, before)| {
                let look = look(check, repair, &suspect, before).await?;
                Ok::<_, Error>((suspect, look))
            });
            let mut looks = stream::iter(looks).buffered(AT_ONCE);
            while let Some((suspect, look)) = looks.try_next().await? {
                match look {
                    Look::Fine => {}
                    Look::Found(finding, outcome) => {
                        let finding = finding.into();
                        (self.watch)(Event::Found(&finding, outcome));
                        self.report.findings.push((finding, outcome));
                    }
                    Look::Again(now) => {
                        suspects.insert(suspect, now);
                    }
                }
            }
        }
        self.report.unsettled += suspects.len();
        Ok(())
    }
}

async fn look<C: Check>(
    check: &C,
    repair: bool,
    suspect: &C::Suspect,
    before: Option<C::Finding>,
) -> Result<Look<C::Finding>, Error> {
    let Some(finding) = check.look(suspect).await? else {
        return Ok(Look::Fine);
    };
    if before.as_ref() != Some(&finding) {
        return Ok(Look::Again(Some(finding)));
    }
    let outcome = match &finding {
        _ if !repair => Outcome::Reported,
        finding if C::needs_a_person(finding) => Outcome::Left,
        finding if check.mend(finding).await? => Outcome::Repaired,
        _ => return Ok(Look::Again(None)),
    };
    Ok(Look::Found(finding, outcome))
}

/// Items that are none of a table's entities.
pub(super) struct Shapeless<L> {
    table: Table,
    layout: PhantomData<L>,
}

impl<L> Shapeless<L> {
    pub(super) fn of(table: &Table) -> Self {
        Self { table: table.clone(), layout: PhantomData }
    }
}

impl<L: Layout> Check for Shapeless<L> {
    type Suspect = Keys;
    type Finding = Finding;

    async fn look(&self, keys: &Keys) -> Result<Option<Finding>, Error> {
        let item = read::get::<L>(&self.table, key::<L>(keys.clone())).await?;
        let (pk, sk) = keys.clone();
        Ok(item.and_then(|item| L::read(item).err()).map(|reason| Finding::Shapeless { pk, sk, reason }))
    }

    /// Nobody knows what is in there.
    fn needs_a_person(_: &Finding) -> bool {
        true
    }

    async fn mend(&self, _: &Finding) -> Result<bool, Error> {
        Ok(false)
    }
}

//! The plan of a repair: what it would delete and write.

use std::fmt;

use super::finding::{Action, DataSet};
use super::options::Options;
use super::report::{Comparison, Report};

/// The number of findings of each kind that a plan shows.
const MAX_EXAMPLES: usize = 3;
/// The number of items or objects that a repair may always delete, however few it has read.
const MAX_FEW_DELETES: u64 = 10;
/// The share of what it has read that a repair may delete: 1 in this number.
const MIN_READ_PER_DELETE: u64 = 100;

/// The plan of a repair: the findings by what the repair does with them.
///
/// Without [`Options::delete_at_most`], a repair may delete 10 items of the table, 10 objects and
/// 10 items of the feeds, or 1 % of those that it has read if that is more. Many deletions look
/// like a mistake: the wrong table, or one that was restored to an earlier time.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    lines: Vec<Line>,
    refusal: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
struct Line {
    action: Action,
    kind: &'static str,
    number: usize,
    examples: Vec<String>,
}

impl Plan {
    pub(super) fn new(report: &Report, options: &Options) -> Self {
        let mut lines: Vec<Line> = vec![];
        for (finding, _) in &report.findings {
            let (action, kind) = finding.effect();
            let same = lines.iter().position(|line| (line.action, line.kind) == (action, kind));
            let index = same.unwrap_or(lines.len());
            if index == lines.len() {
                lines.push(Line { action, kind, number: 0, examples: vec![] });
            }
            let line = &mut lines[index];
            line.number += 1;
            if line.examples.len() < MAX_EXAMPLES {
                line.examples.push(finding.to_string());
            }
        }
        lines.sort_by_key(|line| line.action);
        Self { lines, refusal: refusal(report, options) }
    }

    /// Returns whether the repair has nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.iter().all(|line| line.action == Action::Leave)
    }

    /// Returns the reason why the audit does not carry out this plan, if it deletes too much.
    #[must_use]
    pub fn refusal(&self) -> Option<&str> {
        self.refusal.as_deref()
    }
}

/// Returns the reason for not repairing at all, if the repair would delete too much.
fn refusal(report: &Report, options: &Options) -> Option<String> {
    let read = |comparison| match comparison {
        Comparison::Compared(number) => number,
        Comparison::None | Comparison::NotCompared => 0,
    };
    let sets = [
        (DataSet::Table, report.items, "items of the table"),
        (DataSet::Objects, read(report.objects), "objects"),
        (DataSet::Feeds, read(report.feeds), "items of the feeds"),
    ];
    let destructive = || report.findings.iter().map(|(finding, _)| finding).filter(|finding| finding.deletes());
    let deletes = |set| destructive().filter(|finding| finding.data_set() == set).count() as u64;
    if let Some(most) = options.delete_at_most {
        let all = destructive().count() as u64;
        return (all > most).then(|| format!("the repair would delete {all}, and --delete-at-most allows {most}"));
    }
    sets.into_iter().find_map(|(set, read, name)| {
        let (number, most) = (deletes(set), MAX_FEW_DELETES.max(read / MIN_READ_PER_DELETE));
        (number > most).then(|| {
            format!(
                "the repair would delete {number} of {read} {name}, which is more than {most}: check that the names belong \
                 together and that the findings are right, and then allow it with --delete-at-most {number}"
            )
        })
    })
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "The repair:")?;
        for Line { action, kind, number, examples } in &self.lines {
            write!(f, "\n- {action} {number} {kind}")?;
            for example in examples {
                write!(f, "\n    {example}")?;
            }
            let more = number - examples.len();
            if more > 0 {
                write!(f, "\n    and {more} more")?;
            }
        }
        Ok(())
    }
}

//! The search through the schedules of a scenario: depth first, and each order of independent
//! requests only once.
//!
//! A schedule is run from its beginning, because the state of a process cannot be copied. The
//! search repeats the steps of the last schedule up to the last step that has another choice left,
//! takes that one, and goes on with the first choice of every further step.
//!
//! # Pruning
//!
//! Two requests are independent if neither writes what the other touches. Then both orders lead to
//! the same state, and one of them is enough. The search is a [dynamic partial order
//! reduction](https://doi.org/10.1145/1040305.1040315): after each schedule it looks for races,
//! which are two dependent requests of which the later one could have come first, and only then
//! adds a choice that reverses them. [Sleep sets](https://doi.org/10.1007/3-540-60761-7) leave out
//! what would only repeat an order that was explored.
//!
//! # Bounds
//!
//! Every outcome of a request that differs from what the embedded engine does is a deviation. The
//! search explores all orders with at most a given number of them. Most errors need one or none,
//! and stale answers are fewer than faults, so [`LEVELS`] begins with those.

use std::collections::BTreeSet;

use crate::chooser::{Choice, Chooser};
use crate::network::ProcessId;
use crate::schedule::{Outcome, Planned, Step};

/// The deviations that a part of the search allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Level {
    /// The maximum number of deviations.
    pub(crate) deviations: usize,
    /// Whether they include faults and repeated records. Otherwise all are stale answers.
    pub(crate) faults: bool,
}

/// The parts of the search, in their order.
pub(crate) const LEVELS: [Level; 4] = [
    Level { deviations: 0, faults: false },
    Level { deviations: 1, faults: false },
    Level { deviations: 1, faults: true },
    Level { deviations: 2, faults: true },
];

/// The search through the schedules of a level.
pub(crate) struct Search {
    level: Level,
    path: Vec<Node>,
    depth: usize,
    /// Whether all schedules have been explored.
    pub(crate) is_complete: bool,
}

/// A request: its process, and its number among those of the process.
type RequestId = (ProcessId, usize);

/// A step of the current schedule, with the choices that it had.
struct Node {
    choices: Vec<Choice>,
    /// The requests to serve at this step, in one branch or another.
    wanted: BTreeSet<RequestId>,
    /// The choices that lead to nothing new: those asleep, and those explored.
    asleep: Vec<Choice>,
    chosen: usize,
    deviations: usize,
}

impl Node {
    fn choice(&self) -> &Choice {
        &self.choices[self.chosen]
    }

    fn deviations_after(&self) -> usize {
        self.deviations + usize::from(self.choice().is_deviation)
    }

    /// Returns a choice that is wanted, awake and within the bound.
    fn next(&self, level: Level) -> Option<usize> {
        self.choices.iter().position(|choice| {
            let is_deviation = choice.is_deviation;
            let is_fault = is_deviation && !matches!(choice.step.outcome, Outcome::Stale(_));
            self.wanted.contains(&id(choice))
                && !is_asleep(&self.asleep, choice)
                && self.deviations + usize::from(is_deviation) <= level.deviations
                && (level.faults || !is_fault)
        })
    }
}

impl Search {
    pub(crate) fn new(level: Level) -> Self {
        Self { level, path: vec![], depth: 0, is_complete: false }
    }

    /// Prepares the next schedule, after one has been run.
    pub(crate) fn advance(&mut self) {
        self.reverse_races();
        self.depth = 0;
        while let Some(mut node) = self.path.pop() {
            let explored = node.choice().clone();
            node.asleep.push(explored);
            if let Some(next) = node.next(self.level) {
                node.chosen = next;
                self.path.push(node);
                return;
            }
        }
        self.is_complete = true;
    }

    /// Wants every race of the last schedule to be reversed.
    fn reverse_races(&mut self) {
        let steps: Vec<Choice> = self.path.iter().map(|node| node.choice().clone()).collect();
        // The steps that happen before each step: what it depends on, and what led to its request.
        let mut before: Vec<Vec<bool>> = vec![];
        for (position, step) in steps.iter().enumerate() {
            let direct = (0..position).filter(|&other| is_cause(other, step) || !is_independent(&steps[other], step));
            let mut of_step = vec![false; position];
            let mut races = vec![];
            for other in direct.rev() {
                if !of_step[other] && !is_cause(other, step) {
                    races.push(other);
                }
                of_step[other] = true;
                for (earlier, happens_before) in before[other].iter().enumerate() {
                    of_step[earlier] |= happens_before;
                }
            }
            before.push(of_step);
            for other in races {
                self.reverse(&steps, &before, other, position);
            }
        }
    }

    /// Wants `later` to come before `earlier`: one of the requests that can begin such an order.
    fn reverse(&mut self, steps: &[Choice], before: &[Vec<bool>], earlier: usize, later: usize) {
        let is_free = |position: usize| position == later || !before[position][earlier];
        let order: Vec<usize> = (earlier + 1..=later).filter(|&position| is_free(position)).collect();
        let first = |position: usize| !order.iter().any(|&other| other < position && before[position][other]);
        let beginnings: Vec<RequestId> =
            order.iter().copied().filter(|&it| first(it)).map(|it| id(&steps[it])).collect();
        let node = &mut self.path[earlier];
        if beginnings.iter().any(|request| node.wanted.contains(request)) {
            return;
        }
        let can_come = |request: &&RequestId| node.choices.iter().any(|choice| id(choice) == **request);
        if let Some(request) = beginnings.iter().find(can_come) {
            node.wanted.insert(*request);
        }
    }
}

impl Chooser for Search {
    fn choose(&mut self, choices: &[Choice]) -> Option<usize> {
        if self.depth == self.path.len() {
            let (asleep, deviations) = match self.path.last() {
                None => (vec![], 0),
                Some(parent) => {
                    let asleep = parent.asleep.iter().filter(|other| is_independent(other, parent.choice()));
                    (asleep.cloned().collect(), parent.deviations_after())
                }
            };
            let mut node = Node { choices: choices.to_vec(), wanted: BTreeSet::new(), asleep, chosen: 0, deviations };
            let first = choices.iter().find(|choice| !is_asleep(&node.asleep, choice))?;
            node.wanted.insert(id(first));
            node.chosen = node.next(self.level)?;
            self.path.push(node);
        }
        let node = &self.path[self.depth];
        let steps = |choices: &[Choice]| choices.iter().map(|choice| choice.step.clone()).collect::<Vec<_>>();
        let is_same = node.choices.iter().map(|choice| &choice.step).eq(choices.iter().map(|choice| &choice.step));
        assert!(
            is_same,
            "a repeated schedule differs at step {}: {:?} became {:?}",
            self.depth + 1,
            steps(&node.choices),
            steps(choices)
        );
        self.depth += 1;
        Some(node.chosen)
    }

    fn allows_deviations(&self) -> bool {
        let used = match self.path.get(self.depth) {
            Some(node) => node.deviations,
            None => self.path.last().map_or(0, Node::deviations_after),
        };
        used < self.level.deviations
    }
}

fn id(choice: &Choice) -> RequestId {
    (choice.step.process, choice.number)
}

fn is_asleep(asleep: &[Choice], choice: &Choice) -> bool {
    asleep.iter().any(|other| id(other) == id(choice) && other.step.outcome == choice.step.outcome)
}

/// Returns whether the step at a position led to a request: every request is sent right after the
/// step that it needs.
fn is_cause(position: usize, choice: &Choice) -> bool {
    choice.sent == position + 1
}

fn is_independent(one: &Choice, other: &Choice) -> bool {
    id(one) != id(other) && !one.footprint.conflicts_with(&other.footprint)
}

/// Takes the steps of a line, and then the first choice of every step.
pub(crate) struct Replay<'a> {
    steps: &'a [Planned],
    /// The steps that did not apply when it was their turn.
    skipped: Vec<&'a Planned>,
}

impl<'a> Replay<'a> {
    pub(crate) fn new(steps: &'a [Planned]) -> Self {
        Self { steps, skipped: vec![] }
    }

    /// Returns the steps that the schedule did not take.
    pub(crate) fn not_taken(&self) -> impl Iterator<Item = &Step> {
        let all = self.skipped.iter().copied().chain(self.steps);
        all.filter(|planned| !planned.is_optional).map(|planned| &planned.step)
    }
}

impl Chooser for Replay<'_> {
    fn choose(&mut self, choices: &[Choice]) -> Option<usize> {
        let find = |step: &Step| choices.iter().position(|choice| choice.step == *step);
        while let Some((planned @ Planned { step, is_awaited, .. }, rest)) = self.steps.split_first() {
            let found = find(step);
            let served = Step { outcome: Outcome::Served, ..step.clone() };
            if let (None, true, Some(position)) = (found, *is_awaited, find(&served)) {
                return Some(position);
            }
            self.steps = rest;
            if found.is_some() {
                return found;
            }
            self.skipped.push(planned);
        }
        Some(0)
    }

    fn allows_deviations(&self) -> bool {
        self.steps.iter().any(|planned| planned.step.outcome.is_deviation())
    }
}

/// Lets every process run to its end before another one begins. Goes through the orders of the
/// requests of sessions; the records of streams come in between, in the order of their writes.
#[derive(Default)]
pub(crate) struct Serial {
    /// The decisions of the current order: which process begins when none is under way.
    turns: Vec<Turn>,
    depth: usize,
    current: Option<ProcessId>,
}

struct Turn {
    candidates: Vec<ProcessId>,
    chosen: usize,
}

impl Serial {
    /// Prepares the next order. Returns `false` if there is none.
    pub(crate) fn advance(&mut self) -> bool {
        (self.depth, self.current) = (0, None);
        while let Some(mut turn) = self.turns.pop() {
            turn.chosen += 1;
            if turn.chosen < turn.candidates.len() {
                self.turns.push(turn);
                return true;
            }
        }
        false
    }
}

impl Chooser for Serial {
    fn choose(&mut self, choices: &[Choice]) -> Option<usize> {
        let of = |process| choices.iter().position(|choice| Some(choice.step.process) == process);
        if let Some(position) = of(self.current) {
            return Some(position);
        }
        if self.depth == self.turns.len() {
            let mut candidates: Vec<ProcessId> = vec![];
            candidates.extend(choices.iter().filter(|choice| choice.is_record).map(|choice| choice.step.process).min());
            let sessions: BTreeSet<ProcessId> =
                choices.iter().filter(|choice| !choice.is_record).map(|choice| choice.step.process).collect();
            candidates.extend(sessions);
            self.turns.push(Turn { candidates, chosen: 0 });
        }
        let turn = &self.turns[self.depth];
        self.depth += 1;
        self.current = Some(turn.candidates[turn.chosen]);
        of(self.current)
    }

    fn allows_deviations(&self) -> bool {
        false
    }
}

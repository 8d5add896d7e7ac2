//! Random schedules by priorities, for scenarios whose schedules are too many for the
//! [search](crate::search).
//!
//! Each process gets a random priority when it begins, and the process with the highest one goes
//! on. At a few random steps, the process that would go on falls behind all others. An error that
//! needs an order of `d` steps is found in a schedule of `n` processes and `k` steps with a
//! probability of at least 1 / (n × k^(d − 1)), if there are `d − 1` such steps ([Burckhardt and
//! others](https://doi.org/10.1145/1736020.1736040)). Deviations come at random steps too, which
//! the bound does not count.

use std::collections::BTreeMap;

use fastrand::Rng;

use crate::chooser::{Choice, Chooser};
use crate::network::ProcessId;

/// The depth of the errors that are looked for: the number of steps that have to be in a certain
/// order.
const DEPTH: u8 = 3;

/// The steps of one random schedule.
pub(crate) struct Priorities {
    random: Rng,
    /// The priorities by process.
    of_processes: BTreeMap<ProcessId, f64>,
    /// The steps at which the process that would go on falls behind.
    falls: Vec<usize>,
    /// The steps at which an outcome deviates.
    deviations: Vec<usize>,
    step: usize,
}

impl Priorities {
    /// Makes a schedule of about `steps` steps with so many deviations. The same seed makes the
    /// same one.
    pub(crate) fn new(seed: u64, steps: usize, deviations: usize) -> Self {
        let mut random = Rng::with_seed(seed);
        let mut some = |number: usize| (0..number).map(|_| random.usize(0..steps.max(1))).collect();
        let (falls, deviations) = (some(usize::from(DEPTH - 1)), some(deviations));
        Self { random, of_processes: BTreeMap::new(), falls, deviations, step: 0 }
    }

    /// Returns the number of processes that have had a step or could have had one.
    pub(crate) fn processes(&self) -> usize {
        self.of_processes.len()
    }

    /// Returns the process with the highest priority among those that can go on.
    fn first(&self, choices: &[Choice]) -> Option<ProcessId> {
        let processes = choices.iter().map(|choice| choice.step.process);
        processes.max_by(|one, other| self.of_processes[one].total_cmp(&self.of_processes[other]))
    }
}

impl Chooser for Priorities {
    fn choose(&mut self, choices: &[Choice]) -> Option<usize> {
        for choice in choices {
            let priority = self.random.f64();
            self.of_processes.entry(choice.step.process).or_insert(priority);
        }
        let mut process = self.first(choices)?;
        if self.falls.contains(&self.step) {
            // The later one falls, the lower it falls.
            #[expect(clippy::cast_precision_loss, reason = "a schedule has some hundred steps")]
            self.of_processes.insert(process, -(self.step as f64));
            process = self.first(choices)?;
        }
        let is_wanted = self.deviations.contains(&self.step);
        self.step += 1;
        let of_process = |is_deviation: bool| -> Vec<usize> {
            let of = |choice: &Choice| choice.step.process == process && choice.is_deviation == is_deviation;
            (0..choices.len()).filter(|&position| of(&choices[position])).collect()
        };
        let wanted = of_process(is_wanted);
        let candidates = if wanted.is_empty() { of_process(!is_wanted) } else { wanted };
        self.random.choice(candidates)
    }

    fn allows_deviations(&self) -> bool {
        self.deviations.contains(&self.step)
    }
}

/// Returns a lower bound of the probability that so many random schedules find an error, if there
/// is one.
pub(crate) fn probability(schedules: usize, processes: usize, steps: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
    let of_one = 1.0 / (processes.max(1) as f64 * (steps.max(1) as f64).powi((DEPTH - 1).into()));
    1.0 - (1.0 - of_one).powi(i32::try_from(schedules).unwrap_or(i32::MAX))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::footprint::Footprint;
    use crate::schedule::{Outcome, Step};

    /// Returns the processes of 20 steps, between which three processes can go on, and the number
    /// of deviations.
    fn order(seed: u64, deviations: usize) -> (Vec<ProcessId>, usize) {
        let choice = |process, outcome: Outcome| Choice {
            step: Step { process, request: 0, outcome },
            number: 1,
            sent: 0,
            footprint: Footprint::default(),
            is_record: false,
            is_deviation: outcome.is_deviation(),
        };
        let mut chooser = Priorities::new(seed, 20, deviations);
        let (mut processes, mut deviated) = (vec![], 0);
        for _ in 0..20 {
            let outcomes =
                if chooser.allows_deviations() { vec![Outcome::Served, Outcome::Lost] } else { vec![Outcome::Served] };
            let choices: Vec<_> =
                (0..3).flat_map(|process| outcomes.iter().map(move |outcome| choice(process, *outcome))).collect();
            let chosen = &choices[chooser.choose(&choices).unwrap()];
            processes.push(chosen.step.process);
            deviated += usize::from(chosen.is_deviation);
        }
        (processes, deviated)
    }

    #[test]
    fn a_seed_gives_the_same_schedule_again_and_others_give_others() {
        let orders: BTreeSet<_> = (0..50).map(|seed| order(seed, 1)).collect();
        assert!(orders.len() > 10, "{orders:?}");
        assert_eq!(order(7, 1), order(7, 1));
    }

    #[test]
    fn a_process_goes_on_until_it_falls_behind_and_deviations_are_bounded() {
        for seed in 0..50 {
            let (processes, deviations) = order(seed, 2);
            let switches = processes.windows(2).filter(|pair| pair[0] != pair[1]).count();
            assert!(switches < usize::from(DEPTH) && deviations <= 2, "{processes:?}");
            assert_eq!(order(seed, 0).1, 0);
        }
    }

    #[test]
    fn more_schedules_find_more() {
        assert!((probability(1, 2, 10) - 1.0 / 200.0).abs() < 1e-12);
        assert!(probability(1000, 2, 10) > 0.99);
        assert!(probability(10, 5, 100) < probability(20, 5, 100));
    }
}

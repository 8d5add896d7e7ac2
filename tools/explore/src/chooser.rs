//! The steps that a schedule can take next, and the choice between them.

use crate::footprint::Footprint;
use crate::schedule::Step;

/// Chooses the steps of a schedule.
pub(crate) trait Chooser {
    /// Returns the position of the next step in `choices`, or `None` to give the schedule up.
    fn choose(&mut self, choices: &[Choice]) -> Option<usize>;

    /// Returns whether outcomes that deviate from the embedded engine's are possible.
    fn allows_deviations(&self) -> bool;
}

/// A step that can come next.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    pub(crate) step: Step,
    /// The number of the request among all that its process has sent, which tells it from others.
    pub(crate) number: usize,
    /// The number of steps before the request was sent.
    pub(crate) sent: usize,
    /// The items that the request touches.
    pub(crate) footprint: Footprint,
    /// Whether the process serves a record of a stream.
    pub(crate) is_record: bool,
    /// Whether the step counts as a deviation. A conflict with a late attempt of the same call
    /// belongs to the lateness.
    pub(crate) is_deviation: bool,
}

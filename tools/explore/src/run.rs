//! The result of a schedule.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::footprint::Footprint;
use crate::push::Push;
use crate::schedule::{ApiRequest, Step};
use crate::screen::Hint;
use crate::store::ItemId;

/// The result of a schedule.
#[derive(Debug, Default)]
pub(crate) struct Run {
    /// The requests of each session with their answers.
    pub(crate) answers: Vec<Vec<Answered>>,
    /// All items in the end.
    pub(crate) items: BTreeMap<ItemId, Value>,
    /// All objects in the end.
    pub(crate) objects: Vec<String>,
    /// The messages that push services got.
    pub(crate) pushes: Vec<Push>,
    /// The messages that live screens got.
    pub(crate) hints: Vec<Hint>,
    /// The connections that are open in the end.
    pub(crate) open: BTreeSet<String>,
    /// The errors that no schedule may lead to, whatever the answers are.
    pub(crate) failures: Vec<String>,
    /// The steps.
    pub(crate) steps: Vec<Step>,
    /// Whether a request arrived late and had an effect when its process did not send it any more.
    /// No serial order has this effect, and docs/concurrency.md says which requests can have it.
    pub(crate) has_late_effect: bool,
    /// Whether the chooser has given the schedule up.
    pub(crate) is_abandoned: bool,
    /// One line for each step and each answer.
    pub(crate) trace: Vec<String>,
    /// The items that requests touched.
    pub(crate) footprint: Footprint,
}

/// A request of a session, and its answer.
#[derive(Debug, Clone)]
pub(crate) struct Answered {
    pub(crate) request: ApiRequest,
    pub(crate) status: u16,
    pub(crate) body: Value,
    /// The number of attempts that got no answer, or one that asks to try again.
    pub(crate) unanswered: usize,
    /// The number of steps before the request was first sent.
    pub(crate) begins: usize,
    /// The number of steps before its first write, if it has written anything to a table.
    pub(crate) written: Option<usize>,
    /// The number of steps before the answer.
    pub(crate) steps: usize,
}

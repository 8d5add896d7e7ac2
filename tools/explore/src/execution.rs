//! One schedule: it starts the processes of a scenario, and asks a [`Chooser`] for every step until nothing is left.

mod records;
mod stale;

use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::task::{Poll, Waker};
use std::time::Instant;

use anyhow::Result;
use aws_smithy_runtime_api::client::result::ConnectorError;
use serde_json::Value;

use crate::chooser::{Choice, Chooser};
use crate::faults::{faults, refusal};
use crate::footprint::Footprint;
use crate::network::{HeldRequest, Network, ProcessId};
use crate::outside::{HOSTILE, Outside};
use crate::process::{Answer, Process};
use crate::run::{Answered, Run};
use crate::schedule::{ApiRequest, Outcome, Scenario, Step, process_name};
use crate::s3;
use crate::store::Change;
use crate::system::System;

/// The maximum number of times that a client sends a request, or Lambda delivers a record.
const MAX_ATTEMPTS: usize = 6;
/// The number of further reads of an index that lags, until it has caught up.
const MAX_STALE_READS: usize = 2;
/// The maximum number of steps of a schedule.
const MAX_STEPS: usize = 600;

struct Execution<'a> {
    system: &'a mut System,
    network: Network,
    explorer: Waker,
    processes: Vec<Running>,
    sessions: Vec<Session>,
    /// The records that wait, by function and by what Lambda keeps in order: a partition, or an item if the mapping has a
    /// `ParallelizationFactor`.
    queues: BTreeMap<(String, String), Queue>,
    /// The indexes that lag.
    lagging: BTreeMap<(String, String), Lag>,
    last: ProcessId,
    run: Run,
    records: usize,
    /// The time at which the last request of a session started.
    started: Instant,
}

/// A process and the requests that it waits for.
struct Running {
    role: Role,
    process: Option<Process>,
    held: Vec<Held>,
    requests: usize,
    /// The call of the SDK whose answers are all lost.
    lost_call: Option<String>,
    /// Whether the process has finished, and its record could be delivered again.
    can_repeat: bool,
    /// The number of steps before the process finished.
    ended: usize,
}

struct Held {
    request: HeldRequest,
    number: usize,
    footprint: Footprint,
    /// The number of writes when the request was sent.
    sent: usize,
    /// The number of steps when the request was sent.
    steps: usize,
}

/// An index that lags.
struct Lag {
    /// The number of writes that it has.
    writes: usize,
    /// The number of reads until it has caught up.
    reads: usize,
}

#[derive(Clone)]
enum Role {
    Session(usize),
    Record((String, String)),
}

struct Session {
    requests: VecDeque<ApiRequest>,
    unanswered: usize,
    /// Whether the SDK has sent a write again that DynamoDB had served.
    is_repeated: bool,
}

#[derive(Default)]
struct Queue {
    records: VecDeque<Value>,
    /// The records that have been served.
    served: Vec<Value>,
    /// Whether those that have been served come again.
    is_repeated: bool,
    is_busy: bool,
    attempts: usize,
}

/// Runs one schedule.
pub(crate) async fn execute(system: &mut System, scenario: &Scenario, chooser: &mut impl Chooser) -> Result<Run> {
    system.reset()?;
    let explorer = poll_fn(|context| Poll::Ready(context.waker().clone())).await;
    let sessions: Vec<Session> = scenario
        .sessions
        .iter()
        .map(|requests| Session { requests: requests.iter().cloned().collect(), unanswered: 0, is_repeated: false })
        .collect();
    let run = Run {
        answers: vec![vec![]; sessions.len()],
        items: BTreeMap::new(),
        objects: vec![],
        failures: vec![],
        steps: vec![],
        is_abandoned: false,
        trace: vec![],
        footprint: Footprint::default(),
    };
    let mut execution = Execution {
        system,
        network: Network::default(),
        explorer,
        processes: vec![],
        sessions,
        queues: BTreeMap::new(),
        lagging: BTreeMap::new(),
        last: 0,
        run,
        records: 0,
        started: Instant::now(),
    };
    for session in 0..execution.sessions.len() {
        execution.start_request(session)?;
    }
    loop {
        execution.advance().await?;
        let choices = execution.choices(chooser.allows_deviations())?;
        if choices.is_empty() {
            break;
        }
        if execution.run.steps.len() >= MAX_STEPS {
            execution.run.failures.push(format!("the schedule does not end within {MAX_STEPS} steps"));
            break;
        }
        let Some(chosen) = chooser.choose(&choices) else {
            execution.run.is_abandoned = true;
            break;
        };
        execution.apply(&choices[chosen])?;
    }
    execution.run.items.clone_from(execution.system.store.items());
    execution.run.objects = execution.system.objects.lines();
    Ok(execution.run)
}

impl Execution<'_> {
    /// Starts a process for the next request of a session. No two start in the same millisecond, because what they make
    /// would be the same then.
    fn start_request(&mut self, session: usize) -> Result<()> {
        let Some(request) = self.sessions[session].requests.front() else { return Ok(()) };
        while self.started.elapsed().as_micros() < 1_100 {
            std::hint::spin_loop();
        }
        let (id, text, explorer) = (self.processes.len(), request.to_string(), self.explorer.clone());
        let mut process = if let Some(outside) = Outside::of(request)? {
            Process::start_outside(outside, self.system.function("process-photo")?, &self.network, id, explorer)
        } else {
            let function = self.system.function_of(request)?;
            let (event, binaries) = (self.system.event(request)?, self.system.binaries.as_deref());
            Process::start(function, event, &self.network, id, explorer, binaries)
        };
        let answer = process.poll();
        self.started = Instant::now();
        self.add(Role::Session(session), process, &text);
        match answer {
            Some(answer) => self.finish(id, answer),
            None => Ok(()),
        }
    }

    fn add(&mut self, role: Role, process: Process, text: &str) {
        self.run.trace.push(format!("{}  begins: {text}", process_name(self.processes.len())));
        let process = Some(process);
        let held = vec![];
        self.processes.push(Running { role, process, held, requests: 0, lost_call: None, can_repeat: false, ended: 0 });
    }

    /// Lets every process run until it waits for a request.
    async fn advance(&mut self) -> Result<()> {
        loop {
            for id in 0.. {
                if id == self.processes.len() {
                    break;
                }
                let answer = self.processes[id].process.as_mut().and_then(Process::poll);
                if let Some(answer) = answer {
                    self.finish(id, answer)?;
                }
            }
            let mut requests = self.network.take();
            // A process may send several at once, in any order.
            requests.sort_by_cached_key(|request| {
                let mut body = request.body.clone();
                // It is random.
                body.as_object_mut().and_then(|body| body.remove("ClientRequestToken"));
                (request.process, request.operation.clone(), body.to_string())
            });
            for request in requests {
                self.hold(request);
            }
            if self.processes.iter().any(|running| running.process.as_ref().is_some_and(Process::is_woken)) {
                continue;
            }
            let is_asleep = |running: &Running| {
                running.process.as_ref().is_some_and(|process| running.held.is_empty() || process.is_busy())
            };
            if !self.processes.iter().any(is_asleep) {
                return Ok(());
            }
            // A process waits before it tries again. The clock of the runtime jumps to that time. A binary may also be
            // at work.
            poll_fn(|_| {
                let is_woken = |running: &Running| running.process.as_ref().is_some_and(Process::is_woken);
                if self.processes.iter().any(is_woken) { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
        }
    }

    fn hold(&mut self, request: HeldRequest) {
        let running = &mut self.processes[request.process];
        if running.lost_call.as_ref() == Some(&request.call) {
            request.fail(ConnectorError::timeout("the answer was lost".into()));
            return;
        }
        let footprint = Footprint::of(&self.system.store, &request.operation, &request.body);
        self.run.footprint.merge(&footprint);
        running.requests += 1;
        let (number, sent, steps) = (running.requests, self.system.store.now(), self.run.steps.len());
        running.held.push(Held { request, number, footprint, sent, steps });
    }

    /// Notes the answer of a process, and starts what follows it.
    fn finish(&mut self, id: ProcessId, answer: Answer) -> Result<()> {
        self.processes[id].process = None;
        match (self.processes[id].role.clone(), answer) {
            (Role::Session(session), Answer::Http { status, body }) => {
                self.run.trace.push(format!("{}  answers {status} {body}", process_name(id)));
                if status == 503 {
                    return self.repeat_request(session);
                }
                let mut unanswered = std::mem::take(&mut self.sessions[session].unanswered);
                let is_repeated = std::mem::take(&mut self.sessions[session].is_repeated);
                if let Some(request) = self.sessions[session].requests.pop_front() {
                    if status == 500 {
                        self.run.failures.push(format!("{request} is answered with 500: {body}"));
                    }
                    // These may be served twice, as any client may repeat them: https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2
                    unanswered += usize::from(is_repeated && matches!(request.method.as_str(), "PUT" | "PATCH"));
                    self.run.answers[session].push(Answered { request, status, body, unanswered });
                }
                self.start_request(session)
            }
            (Role::Record(name), Answer::Record { failed: true }) => {
                self.run.trace.push(format!("{}  reports its record as failed", process_name(id)));
                self.repeat_record(&name)
            }
            (Role::Record(name), Answer::Record { failed: false }) => {
                self.run.trace.push(format!("{}  ends", process_name(id)));
                self.processes[id].can_repeat = true;
                self.processes[id].ended = self.run.steps.len();
                self.end_record(&name)
            }
            (_, answer) => anyhow::bail!("{} has an answer of another kind: {answer:?}", process_name(id)),
        }
    }

    /// Sends a request again that got no answer.
    fn repeat_request(&mut self, session: usize) -> Result<()> {
        self.sessions[session].unanswered += 1;
        if self.sessions[session].unanswered < MAX_ATTEMPTS {
            return self.start_request(session);
        }
        let request = &self.sessions[session].requests[0];
        self.run.failures.push(format!("{request} gets no answer in {MAX_ATTEMPTS} attempts"));
        Ok(())
    }

    /// Returns the steps that can come next: first those of the process of the last step.
    fn choices(&mut self, with_deviations: bool) -> Result<Vec<Choice>> {
        let mut choices = vec![];
        let last = self.last;
        let order = std::iter::once(last).chain((0..self.processes.len()).filter(|&id| id != last));
        for id in order {
            let is_record = matches!(self.processes[id].role, Role::Record(_));
            let mut add = |request, outcome, number, sent, footprint: &Footprint| {
                let step = Step { process: id, request, outcome };
                choices.push(Choice { step, number, sent, footprint: footprint.clone(), is_record });
            };
            for position in 0..self.processes[id].held.len() {
                let held = &self.processes[id].held[position];
                let (number, sent, footprint) = (held.number, held.steps, held.footprint.clone());
                add(position, Outcome::Served, number, sent, &footprint);
                if with_deviations {
                    let views = self.stale_replies(id, position)?.len();
                    for view in 1..=views {
                        add(position, Outcome::Stale(view), number, sent, &footprint);
                    }
                    for outcome in self.faults(id, position) {
                        add(position, outcome, number, sent, &footprint);
                    }
                }
            }
            if with_deviations && self.processes[id].can_repeat {
                let sent = self.processes[id].ended;
                add(0, Outcome::Done, 0, sent, &Footprint::default());
                add(0, Outcome::Again, 0, sent, &Footprint::default());
            }
        }
        Ok(choices)
    }

    /// Takes a step.
    fn apply(&mut self, choice: &Choice) -> Result<()> {
        let Step { process: id, request: position, outcome } = choice.step;
        self.last = id;
        self.run.steps.push(choice.step.clone());
        if let Outcome::Done | Outcome::Again = outcome {
            self.processes[id].can_repeat = false;
            if outcome == Outcome::Again {
                self.run.trace.push(format!("{}  gets its record again", choice.step));
                let Role::Record(name) = self.processes[id].role.clone() else { return Ok(()) };
                return self.deliver_again(&name);
            }
            return Ok(());
        }
        if outcome == Outcome::GoneBefore {
            return self.end_process(id, &choice.step);
        }
        let replies = if let Outcome::Stale(_) = outcome { self.stale_replies(id, position)? } else { vec![] };
        let held = self.processes[id].held.remove(position);
        let HeldRequest { operation, body, .. } = &held.request;
        let description = describe(operation, body);
        let is_read_by_decoder = operation == "GetObject";
        let (status, text) = match (outcome, refusal(outcome, operation, body)) {
            (Outcome::Throttled, _) if s3::is_operation(operation) => {
                let reply = s3::slow_down();
                (reply.status, reply.body)
            }
            (_, Some((status, text))) => (status, text.into_bytes()),
            (Outcome::Stale(number), None) => {
                let Some((view, reply)) = replies.into_iter().nth(number - 1) else {
                    anyhow::bail!("{}: there is no such stale answer", choice.step);
                };
                if let (Some(index), Some(table)) = (body["IndexName"].as_str(), body["TableName"].as_str()) {
                    self.lagging
                        .insert((table.to_owned(), index.to_owned()), Lag { writes: view, reads: MAX_STALE_READS });
                }
                (reply.0, reply.1.into_bytes())
            }
            _ => self.serve(&held)?,
        };
        if let (Role::Session(session), Outcome::Lost | Outcome::Reset | Outcome::Garbled) =
            (&self.processes[id].role, outcome)
        {
            self.sessions[*session].is_repeated = true;
        }
        let step = &choice.step;
        self.run.trace.push(format!("{step}  {description} -> {status} {:.600}", String::from_utf8_lossy(&text)));
        if is_read_by_decoder && text == HOSTILE {
            return self.end_process(id, step);
        }
        match outcome {
            Outcome::Lost => held.request.fail(ConnectorError::timeout("the answer was lost".into())),
            Outcome::LostAlways => {
                self.processes[id].lost_call = Some(held.request.call.clone());
                held.request.fail(ConnectorError::timeout("the answer was lost".into()));
            }
            Outcome::Reset => held.request.fail(ConnectorError::io("the connection was reset".into())),
            Outcome::Garbled => held.request.answer(status, "<html>"),
            Outcome::GoneAfter => return self.end_process(id, step),
            _ => held.request.answer(status, text),
        }
        Ok(())
    }

    /// Serves a request, and makes the records of its changes. A read of an index that lags sees its old state.
    fn serve(&mut self, held: &Held) -> Result<(u16, Vec<u8>)> {
        let HeldRequest { operation, body, .. } = &held.request;
        if s3::is_operation(operation) {
            let reply = self.system.objects.serve(operation, body);
            if let Some(key) = &reply.created {
                self.add_event_of_object(key)?;
            }
            return Ok((reply.status, reply.body));
        }
        if let Some(view) = self.lag(body) {
            let (status, text) = self.system.store.serve_past(operation, body, &view)?;
            return Ok((status, text.into_bytes()));
        }
        let ((status, text), changes) = self.system.store.serve(operation, body);
        for change in changes {
            self.check_picture(&change);
            self.add_records(&change)?;
        }
        Ok((status, text.into_bytes()))
    }

    /// Notes a failure if a change replaces the picture of a photo that is not pending with another one.
    fn check_picture(&mut self, change: &Change) {
        let picture = |item: &Option<Value>| item.as_ref().map_or(Value::Null, |item| item["picture"].clone());
        let (old, new) = (picture(&change.old), picture(&change.new));
        let is_settled = !old.is_null() && old["M"]["status"]["S"] != "pending";
        if is_settled && !new.is_null() && new != old {
            self.run.failures.push(format!("a picture changes from {old} to {new}"));
        }
    }

    /// Returns the faults that a held request can have. DynamoDB has none with what it deletes itself.
    fn faults(&self, id: ProcessId, position: usize) -> Vec<Outcome> {
        let running = &self.processes[id];
        let Role::Session(session) = running.role else { return faults(&running.held[position].request) };
        let request = self.sessions[session].requests.front();
        if request.is_some_and(|request| request.method == "EXPIRE") {
            return vec![];
        }
        faults(&running.held[position].request)
    }

    /// Ends a process without an answer, and repeats what it was to do.
    fn end_process(&mut self, id: ProcessId, step: &Step) -> Result<()> {
        let running = &mut self.processes[id];
        running.process = None;
        running.held.clear();
        self.run.trace.push(format!("{step}  the process is gone"));
        match running.role.clone() {
            Role::Session(session) => self.repeat_request(session),
            Role::Record(name) => self.repeat_record(&name),
        }
    }
}

/// Returns a request in one line.
fn describe(operation: &str, body: &Value) -> String {
    format!("{operation} {body:.900}")
}

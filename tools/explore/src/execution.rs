//! One schedule: it starts the processes of a scenario, and asks a [`Chooser`] for every step until
//! nothing is left.

mod records;
mod stale;
mod step;

use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use aws_smithy_runtime_api::client::result::ConnectorError;
use serde_json::Value;
use shared::dynamodb::transaction::MAX_CONTENDED_ATTEMPTS;
use time::OffsetDateTime;

use crate::chooser::{Choice, Chooser};
use crate::faults::{adds_with_count, refusal};
use crate::footprint::Footprint;
use crate::handshake::connecting;
use crate::network::{HeldRequest, Network, ProcessId};
use crate::outside::{Outside, WAIT};
use crate::process::{Answer, Process};
use crate::push::Claimed;
use crate::run::{Answered, Run};
use crate::schedule::{ApiRequest, Outcome, Scenario, Step, process_name};
use crate::screen::{Claim, Clock, Connections};
use crate::system::System;
use crate::world::World;

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
    /// The records that wait, by function and item.
    queues: BTreeMap<(String, String), Queue>,
    /// The queues whose record comes again when nothing else can go on.
    later: VecDeque<(String, String)>,
    /// The indexes that lag.
    lagging: BTreeMap<(String, String), Lag>,
    last: ProcessId,
    run: Run,
    records: usize,
    /// The time at which the last request of a session started.
    started: Instant,
    /// By how much the clock of API Gateway is ahead of that of the functions.
    skew: time::Duration,
    /// By how much the time at which DynamoDB deletes expired items is ahead of that of the
    /// machine.
    passed: Duration,
    /// The requests that had an effect, without their tokens, each with the process that sent it.
    committed: Vec<(ProcessId, Value)>,
    connections: Connections,
    clock: Clock,
}

/// A process and the requests that it waits for.
#[derive(Default)]
struct Running {
    role: Role,
    process: Option<Process>,
    held: Vec<Held>,
    requests: usize,
    /// The number of transactions that were refused because an item takes too many writes.
    refused: u32,
    /// The call of the SDK whose answers are all lost.
    lost_call: Option<String>,
    /// What the process has read and claimed of a notification.
    claimed: Claimed,
    /// The claim of the process on a message to live screens.
    claim: Claim,
    /// The number of steps before the process began.
    begins: usize,
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

#[derive(Clone, Default)]
enum Role {
    Session(usize),
    Record((String, String)),
    /// An invocation whose record is delivered again meanwhile, or a request that arrives late:
    /// nobody waits for the answer.
    #[default]
    Abandoned,
}

#[derive(Default)]
struct Session {
    requests: VecDeque<ApiRequest>,
    unanswered: usize,
    /// The number of steps before the request was first sent.
    begins: usize,
    /// The number of steps before its first write.
    written: Option<usize>,
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
        .map(|requests| Session { requests: requests.iter().cloned().collect(), ..Session::default() })
        .collect();
    let run = Run { answers: vec![vec![]; sessions.len()], ..Run::default() };
    let mut execution = Execution {
        system,
        network: Network::default(),
        explorer,
        processes: vec![],
        sessions,
        queues: BTreeMap::new(),
        later: VecDeque::new(),
        lagging: BTreeMap::new(),
        last: 0,
        run,
        records: 0,
        started: Instant::now(),
        skew: time::Duration::milliseconds(scenario.skew),
        passed: Duration::ZERO,
        committed: vec![],
        connections: Connections::new(),
        clock: Clock::default(),
    };
    for session in 0..execution.sessions.len() {
        execution.start_request(session)?;
    }
    loop {
        execution.advance().await?;
        let choices = execution.choices(chooser.allows_deviations())?;
        if choices.is_empty() {
            let Some(name) = execution.later.pop_front() else { break };
            execution.start_record(&name)?;
            continue;
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
    execution.run.open = execution.connections.into_open();
    Ok(execution.run)
}

impl Execution<'_> {
    /// Starts a process for the next request of a session. No two start in the same millisecond,
    /// because what they make would be the same then.
    fn start_request(&mut self, session: usize) -> Result<()> {
        let Some(request) = self.sessions[session].requests.front() else { return Ok(()) };
        while self.started.elapsed().as_micros() < 1_100 {
            std::hint::spin_loop();
        }
        let (id, text, explorer) = (self.processes.len(), request.to_string(), self.explorer.clone());
        let is_first = self.sessions[session].unanswered == 0;
        let mut process = if let Some(outside) = Outside::parse(request).with_context(|| request.to_string())? {
            Process::start_outside(outside, self.system.function("process-photo")?, &self.network, id, explorer)
        } else {
            let function = self.system.function_of(request)?;
            let now = OffsetDateTime::now_utc();
            let event = match connecting(request, &self.run.answers[session])? {
                Some(event) => event,
                None => self.system.event(&request.at(now), now + self.skew)?,
            };
            Process::start(function, event, &self.network, id, explorer)
        };
        let answer = process.poll();
        self.started = Instant::now();
        if is_first {
            self.sessions[session].begins = self.run.steps.len();
        }
        self.add(Role::Session(session), process, &text);
        match answer {
            Some(answer) => self.finish(id, answer),
            None => Ok(()),
        }
    }

    fn add(&mut self, role: Role, process: Process, text: &str) {
        self.run.trace.push(format!("{}  begins: {text}", process_name(self.processes.len())));
        let begins = self.run.steps.len();
        self.processes.push(Running { role, process: Some(process), begins, ..Running::default() });
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
            let is_asleep = |running: &Running| running.process.is_some() && running.held.is_empty();
            if !self.processes.iter().any(is_asleep) {
                return Ok(());
            }
            // A process waits before it tries again. The clock of the runtime jumps to that time.
            poll_fn(|_| {
                let is_woken = |running: &Running| running.process.as_ref().is_some_and(Process::is_woken);
                if self.processes.iter().any(is_woken) { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
        }
    }

    fn hold(&mut self, mut request: HeldRequest) {
        let running = &mut self.processes[request.process];
        if running.lost_call.as_ref() == Some(&request.call) {
            request.fail(ConnectorError::timeout("the answer was lost".into()));
            return;
        }
        if self.system.world == World::Hot
            && running.refused < MAX_CONTENDED_ATTEMPTS
            && adds_with_count(&request.operation, &request.body)
        {
            running.refused += 1;
            if let Some((status, body)) = refusal(Outcome::Conflict, &request.operation, &request.body) {
                request.answer(status, body);
            }
            return;
        }
        self.clock.note(&mut running.claim, &request.operation, &request.call, &mut request.body);
        let footprint = Footprint::new(&self.system.store, &request.operation, &request.body);
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
                let written = self.sessions[session].written.take();
                let is_repeated = std::mem::take(&mut self.sessions[session].is_repeated);
                if let Some(request) = self.sessions[session].requests.pop_front() {
                    if status == 500 {
                        self.run.failures.push(format!("{request} is answered with 500: {body}"));
                    }
                    // These may be served twice, as any client may repeat them:
                    // https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2
                    unanswered += usize::from(is_repeated && matches!(request.method.as_str(), "PUT" | "PATCH"));
                    let steps = self.run.steps.len();
                    self.run.answers[session].push(Answered {
                        request,
                        status,
                        body,
                        unanswered,
                        begins: self.sessions[session].begins,
                        written,
                        steps,
                    });
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
            (Role::Abandoned, _) => {
                self.run.trace.push(format!("{}  ends, and nobody waits for it", process_name(id)));
                Ok(())
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

    /// Returns whether another attempt of the same call has yet to arrive.
    fn meets_late(&self, request: &HeldRequest) -> bool {
        let mut others = self.processes.iter().flat_map(|running| &running.held).map(|held| &held.request);
        !request.is_late && others.any(|other| other.is_late && other.call == request.call)
    }

    /// Returns the steps that can come next: first those of the process of the last step.
    fn choices(&mut self, with_deviations: bool) -> Result<Vec<Choice>> {
        let mut choices: Vec<Choice> = vec![];
        let last = self.last;
        let order = std::iter::once(last).chain((0..self.processes.len()).filter(|&id| id != last));
        for id in order {
            let is_record = matches!(self.processes[id].role, Role::Record(_));
            let mut add = |request, outcome, number, sent, footprint: &Footprint, meets_late: bool| {
                let step = Step { process: id, request, outcome };
                let is_deviation = outcome.is_deviation() && !(meets_late && outcome == Outcome::Conflict);
                choices.push(Choice { step, number, sent, footprint: footprint.clone(), is_record, is_deviation });
            };
            for position in 0..self.processes[id].held.len() {
                let held = &self.processes[id].held[position];
                let (number, sent, footprint) = (held.number, held.steps, held.footprint.clone());
                let meets_late = self.meets_late(&held.request);
                let mut add = |outcome| add(position, outcome, number, sent, &footprint, meets_late);
                add(Outcome::Served);
                if with_deviations {
                    let views = self.stale_replies(id, position)?.len();
                    for view in 1..=views {
                        add(Outcome::Stale(view));
                    }
                    for outcome in self.faults(id, position) {
                        add(outcome);
                    }
                } else if meets_late {
                    add(Outcome::Conflict);
                }
            }
            if with_deviations && self.processes[id].can_repeat {
                let sent = self.processes[id].ended;
                add(0, Outcome::Done, 0, sent, &Footprint::default(), false);
                add(0, Outcome::Again, 0, sent, &Footprint::default(), false);
            }
        }
        // Nothing that is under way takes days.
        let is_wait = |choice: &Choice| {
            let Step { process, request, .. } = choice.step;
            self.processes[process].held.get(request).is_some_and(|held| held.request.operation == WAIT)
        };
        if !choices.iter().all(is_wait) {
            choices.retain(|choice| !is_wait(choice));
        }
        Ok(choices)
    }
}

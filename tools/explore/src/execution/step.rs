//! Takes a step: decides what becomes of a request, serves it, and makes what follows from it.

use anyhow::Result;
use aws_smithy_runtime_api::client::result::ConnectorError;
use serde_json::Value;

use super::{Execution, Held, Lag, MAX_STALE_READS, Role};
use crate::chooser::Choice;
use crate::faults::{faults, refusal};
use crate::network::{HeldRequest, ProcessId};
use crate::outside::HOSTILE;
use crate::s3;
use crate::schedule::{Outcome, Step};
use crate::store::Change;

impl Execution<'_> {
    /// Takes a step.
    pub(super) fn apply(&mut self, choice: &Choice) -> Result<()> {
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
        let (status, answer) = match (outcome, refusal(outcome, operation, body)) {
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
        self.run.trace.push(format!("{step}  {description} -> {status} {:.600}", String::from_utf8_lossy(&answer)));
        if outcome == Outcome::Served && answer == HOSTILE {
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
            _ => held.request.answer(status, answer),
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
    pub(super) fn faults(&self, id: ProcessId, position: usize) -> Vec<Outcome> {
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

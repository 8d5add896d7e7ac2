//! Takes a step: decides what becomes of a request, serves it, and makes what follows from it.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result};
use aws_smithy_runtime_api::client::result::ConnectorError;
use serde_json::{Value, json};

use super::{Execution, Held, Lag, MAX_STALE_READS, Role, Running};
use crate::chooser::Choice;
use crate::faults::{faults, refusal, split_batch};
use crate::network::{HeldRequest, ProcessId};
use crate::outside::{HOSTILE, WAIT};
use crate::push::{Push, SEND_MESSAGES};
use crate::s3;
use crate::schedule::{Outcome, Step, process_name};
use crate::screen::{Hint, OPERATIONS};
use crate::store::{Change, Reply};

impl Execution<'_> {
    /// Takes a step.
    pub(super) fn apply(&mut self, choice: &Choice) -> Result<()> {
        let Step { process: id, request: position, outcome } = choice.step;
        self.last = id;
        self.run.steps.push(choice.step.clone());
        match outcome {
            Outcome::Done => {
                self.processes[id].can_repeat = false;
                return Ok(());
            }
            Outcome::Again => return self.repeat(id, &choice.step),
            Outcome::GoneBefore => return self.end_process(id, &choice.step),
            Outcome::Late => {
                self.delay(id, position, &choice.step);
                return Ok(());
            }
            _ => {}
        }
        let replies = if let Outcome::Stale(_) = outcome { self.stale_replies(id, position)? } else { vec![] };
        let held = self.processes[id].held.remove(position);
        let HeldRequest { operation, body, .. } = &held.request;
        let description = describe(operation, body);
        let (status, answer) = match (outcome, refusal(outcome, operation, body)) {
            (Outcome::Unprocessed, None) => self.serve_first(body)?,
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
        if matches!(outcome, Outcome::Lost | Outcome::LostAlways)
            && operation == SEND_MESSAGES
            && let Some(push) = self.run.pushes.last_mut()
        {
            push.is_lost = true;
        }
        let step = &choice.step;
        let text = std::str::from_utf8(&answer).map_or_else(|_| format!("{} bytes", answer.len()), ToOwned::to_owned);
        self.run.trace.push(format!("{step}  {description} -> {status} {text:.600}"));
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
            _ => {
                let etag = self.system.objects.etag(&held.request.body);
                held.request.answer_with_tag(status, answer, etag);
            }
        }
        Ok(())
    }

    /// Serves a request, and makes the records of its changes. A read of an index that lags sees
    /// its old state.
    fn serve(&mut self, held: &Held) -> Result<(u16, Vec<u8>)> {
        let HeldRequest { operation, body, .. } = &held.request;
        if s3::is_operation(operation) {
            let reply = self.system.objects.serve(operation, body);
            if let Some(key) = &reply.created {
                self.add_event_of_object(key)?;
            }
            return Ok((reply.status, reply.body));
        }
        if operation == "SendMessageBatch" {
            return Ok((200, self.add_messages(body)?.to_string().into_bytes()));
        }
        if operation == "SendMessage" {
            let batch = json!({"QueueUrl": body["QueueUrl"], "Entries": [{"MessageBody": body["MessageBody"]}]});
            let answer = self.add_messages(&batch)?["Successful"][0].take();
            return Ok((200, answer.to_string().into_bytes()));
        }
        if operation == SEND_MESSAGES {
            let push = Push::of(body, self.processes[held.request.process].claimed.clone())?;
            let answer = push.answer().to_string();
            self.run.pushes.push(push);
            return Ok((200, answer.into_bytes()));
        }
        if OPERATIONS.contains(&operation.as_str()) {
            let (status, answer, hint) = self.connections.serve(operation, body)?;
            let begins = self.processes[held.request.process].begins;
            self.run.hints.extend(hint.map(|hint| Hint { begins, sent: self.run.steps.len() - 1, ..hint }));
            return Ok((status, answer));
        }
        self.processes[held.request.process].claimed.note(operation, body, self.run.steps.len() - 1);
        if operation == WAIT {
            return self.wait(body["Days"].as_u64().unwrap_or_default());
        }
        if let Some(view) = self.lag(body) {
            let (status, text) = self.system.store.serve_past(operation, body, &view)?;
            return Ok((status, text.into_bytes()));
        }
        let writes = self.system.store.now();
        let (status, text) = self.write(operation, body)?;
        if self.system.store.now() > writes {
            self.note_effect(&held.request);
        }
        let claim = &self.processes[held.request.process].claim;
        Ok((status, self.clock.answer(claim, operation, body, text.into_bytes())))
    }

    /// Serves a request to DynamoDB on the current state, and makes the records of its changes.
    fn write(&mut self, operation: &str, body: &Value) -> Result<Reply> {
        let (reply, changes) = self.system.store.serve(operation, body);
        for change in changes {
            self.check_pictures(&change);
            self.check_counts(&change);
            self.add_records(&change)?;
        }
        Ok(reply)
    }

    /// Serves the first write of a batch, and leaves the others unprocessed. Other requests can
    /// come before those.
    fn serve_first(&mut self, body: &Value) -> Result<(u16, Vec<u8>)> {
        let (first, left) = split_batch(body).context("only a batch of several writes can be left unprocessed")?;
        let (status, text) = self.write("BatchWriteItem", &first)?;
        anyhow::ensure!(status == 200, "DynamoDB refuses a part of a batch: {text}");
        Ok((status, json!({"UnprocessedItems": left}).to_string().into_bytes()))
    }

    /// Lets days pass, and deletes the items whose `ttl` is over then.
    fn wait(&mut self, days: u64) -> Result<(u16, Vec<u8>)> {
        self.passed += Duration::from_hours(24 * days);
        let now = (SystemTime::now() + self.passed).duration_since(SystemTime::UNIX_EPOCH)?.as_secs();
        let ttl = |item: &Value| item["ttl"]["N"].as_str().and_then(|ttl| ttl.parse::<u64>().ok());
        let items = self.system.store.items().iter().filter(|(_, item)| ttl(item).is_some_and(|ttl| ttl < now));
        for (table, key) in items.map(|(id, _)| id.clone()).collect::<Vec<_>>() {
            let key: Value = serde_json::from_str(&key)?;
            self.run.trace.push(format!("   {key} of {table} expires"));
            self.write("DeleteItem", &json!({"TableName": table, "Key": key}))?;
        }
        Ok((200, vec![]))
    }

    /// Lets an attempt time out. Its request becomes one that nobody waits for, and can be served
    /// at any later step.
    fn delay(&mut self, id: ProcessId, position: usize, step: &Step) {
        let mut held = self.processes[id].held.remove(position);
        let HeldRequest { operation, body, .. } = &held.request;
        let name = process_name(self.processes.len());
        self.run.trace.push(format!("{step}  {} is late: it is {name} now", describe(operation, body)));
        if let Role::Session(session) = self.processes[id].role {
            self.sessions[session].is_repeated = true;
        }
        held.request.give_up();
        (held.number, held.steps) = (1, self.run.steps.len());
        self.processes.push(Running { held: vec![held], ..Running::default() });
    }

    /// Notes what the effect of a late request means for the judge. It is a failure if its process
    /// has committed an equal transaction before. If the process does not send an equal request at
    /// this moment, docs/concurrency.md names the case.
    fn note_effect(&mut self, request: &HeldRequest) {
        let (id, effect) = (request.process, (request.process, without_token(&request.body)));
        if request.is_late {
            if request.operation == "TransactWriteItems" && self.committed.contains(&effect) {
                self.run.failures.push(format!("a late attempt of {} commits its transaction again", process_name(id)));
            }
            let mut held = self.processes[id].held.iter();
            self.run.has_late_effect |= !held.any(|held| without_token(&held.request.body) == effect.1);
        }
        if let (Role::Session(session), false) = (&self.processes[id].role, request.is_late) {
            self.sessions[*session].written.get_or_insert(self.run.steps.len() - 1);
        }
        self.committed.push(effect);
    }

    /// Delivers the record of a process to another one. If the process is under way, nobody waits
    /// for it any more.
    fn repeat(&mut self, id: ProcessId, step: &Step) -> Result<()> {
        let running = &mut self.processes[id];
        running.can_repeat = false;
        self.run.trace.push(format!("{step}  gets its record again"));
        let Role::Record(name) = running.role.clone() else { return Ok(()) };
        if running.process.is_none() {
            return self.deliver_again(&name);
        }
        running.role = Role::Abandoned;
        self.deliver_meanwhile(&name)
    }

    /// Notes a failure if a change replaces a picture that is not pending with another one. A moderator
    /// changes its status only, and its sizes stay.
    fn check_pictures(&mut self, change: &Change) {
        let new = pictures(change.new.as_ref());
        for (number, before) in pictures(change.old.as_ref()) {
            let after = new.get(number).filter(|after| after["M"]["sizes"] != before["M"]["sizes"]);
            if let Some(after) = after.filter(|_| before["M"]["status"]["S"] != "pending") {
                self.run.failures.push(format!("a picture changes from {before} to {after}"));
            }
        }
    }

    /// Notes a failure if a change makes a count negative.
    fn check_counts(&mut self, change: &Change) {
        let attributes = change.new.iter().filter_map(Value::as_object).flatten();
        let is_negative = |value: &Value| value["N"].as_str().is_some_and(|number| number.starts_with('-'));
        let counts = attributes.filter(|(_, value)| is_negative(value)).map(|(name, _)| name);
        self.run.failures.extend(counts.map(|name| format!("the count {name} of {} becomes negative", change.key)));
    }

    /// Returns the faults that a held request can have. There are none with what DynamoDB deletes
    /// itself, with time, and with what nobody waits for.
    pub(super) fn faults(&self, id: ProcessId, position: usize) -> Vec<Outcome> {
        let running = &self.processes[id];
        let faults = faults(&running.held[position].request);
        match running.role {
            Role::Session(session) => {
                let request = self.sessions[session].requests.front();
                let is_free = request.is_some_and(|request| ["EXPIRE", "WAIT"].contains(&request.method.as_str()));
                if is_free { vec![] } else { faults }
            }
            Role::Record(_) => faults.into_iter().chain((position == 0).then_some(Outcome::Again)).collect(),
            Role::Abandoned => vec![],
        }
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
            Role::Abandoned => Ok(()),
        }
    }
}

/// Returns the pictures of an item by number. The picture of a photo that was made with one has no number, and other
/// photos have a copy of their first one.
fn pictures(item: Option<&Value>) -> BTreeMap<&str, &Value> {
    let entries = item.iter().filter_map(|item| item["entries"]["L"].as_array()).flatten();
    let numbered = entries.map(|entry| (&entry["M"]["number"], &entry["M"]["picture"]));
    let copy = item.iter().map(|item| (&item["picture"]["M"]["sizes"]["M"]["number"], &item["picture"]));
    let all = numbered.chain(copy).filter(|(_, picture)| !picture.is_null());
    all.map(|(number, picture)| (number["N"].as_str().unwrap_or_default(), picture)).collect()
}

/// Returns the body of a transaction without the token, which can tell equal ones apart.
fn without_token(body: &Value) -> Value {
    let mut body = body.clone();
    body.as_object_mut().and_then(|body| body.remove("ClientRequestToken"));
    body
}

/// Returns a request in one line.
fn describe(operation: &str, body: &Value) -> String {
    format!("{operation} {body:.900}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_known_by_its_number() {
        let numbers = |item: &Value| pictures(Some(item)).into_keys().map(str::to_owned).collect::<Vec<_>>();
        let ready = |sizes: Value| json!({"M": {"status": {"S": "ready"}, "sizes": {"M": sizes}}});
        assert_eq!(numbers(&json!({"picture": ready(json!({}))})), [""]);
        assert_eq!(numbers(&json!({"picture": ready(json!({"number": {"N": "2"}}))})), ["2"]);
        let entry = |number: &str| json!({"M": {"number": {"N": number}, "picture": ready(json!({}))}});
        assert_eq!(numbers(&json!({"entries": {"L": [entry("3"), entry("1")]}})), ["1", "3"]);
        assert_eq!(numbers(&json!({"username": {"S": "ada"}})), [""; 0]);
    }
}

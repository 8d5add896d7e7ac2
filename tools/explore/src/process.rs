//! The processes of functions: each runs a function for one event.
//!
//! A function runs on the thread of the explorer, which polls it. This module stands in for what a
//! process finds in Lambda: environment variables, an event, and clients of AWS services.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, SystemTime};

use lambda_runtime::LambdaEvent;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use shared::runtime::client;
use shared::runtime::connection::{self, Connection};
use shared::runtime::queue::{self, Message};
use shared::runtime::route::Service;
use shared::runtime::schedule::{self, Scheduled};
use shared::runtime::stream::{self, BatchResponse, Record};
use shared::runtime::trigger::SignUp;
use shared::runtime::upload::{self, Upload};
use shared::runtime::visitor::Visitor;
use shared::{BatchHandler, Handler, Route, StartError};

use crate::network::{Network, ProcessId};
use crate::outside::Outside;
use crate::screen::OPEN;

/// A `main` that is running.
type Main = Pin<Box<dyn Future<Output = Result<Answer, StartError>>>>;

/// The answer of a process to its event.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    /// The answer of a function behind a route.
    Http { status: u16, body: Value },
    /// The answer of a stream function, and whether it reports its record as failed. Or the answer
    /// to the event of an upload, and whether it is an error.
    Record { failed: bool },
}

impl Answer {
    fn to_batch(response: &BatchResponse) -> Self {
        Self::Record { failed: !response.batch_item_failures.is_empty() }
    }
}

/// The stand-in for Lambda that a process finds.
struct Lambda {
    environment: BTreeMap<String, String>,
    timeout: Duration,
    network: Network,
    id: ProcessId,
}

impl Lambda {
    fn new(function: &local::template::Function, network: &Network, id: ProcessId) -> Self {
        Self { environment: function.environment.clone(), timeout: function.timeout, network: network.clone(), id }
    }

    /// Reads an event. Its context says that the function has its whole timeout left.
    fn event<T: DeserializeOwned>(&self, event: Value) -> Result<LambdaEvent<T>, lambda_runtime::Error> {
        let mut context = lambda_runtime::Context::default();
        let deadline = SystemTime::now() + self.timeout;
        context.deadline = u64::try_from(deadline.duration_since(SystemTime::UNIX_EPOCH)?.as_millis())?;
        Ok(LambdaEvent::new(serde_json::from_value(event)?, context))
    }

    /// Returns what the process finds when it starts.
    fn process(&self) -> shared::Process {
        let (network, id) = (self.network.clone(), self.id);
        let dynamodb = client::dynamodb(&network.configuration(id));
        let set = [("AWS_ACCESS_KEY_ID", "test"), ("AWS_SECRET_ACCESS_KEY", "test"), ("AWS_REGION", "eu-west-1")];
        let mut variables = self.environment.clone();
        variables.extend(set.map(|(name, value)| (name.to_owned(), value.to_owned())));
        shared::Process::new(variables, dynamodb, move |_| Ok(network.configuration(id)))
    }
}

/// A running process.
pub(crate) struct Process {
    main: Main,
    woken: Arc<Woken>,
}

/// The flag of a process that can go on.
struct Woken {
    flag: AtomicBool,
    explorer: Waker,
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.flag.store(true, Ordering::Relaxed);
        self.explorer.wake_by_ref();
    }
}

impl Process {
    /// Starts the process of a function that gets `event`. It holds its requests in `network` under
    /// this id.
    pub(crate) fn start(
        function: &local::template::Function,
        event: Value,
        network: &Network,
        id: ProcessId,
        explorer: Waker,
    ) -> Self {
        Self::new(start(&function.name, Lambda::new(function, network, id), event), explorer)
    }

    /// Starts a process that sends the requests of `outside` and is none of a function. It has the environment of a
    /// function that uses all services.
    pub(crate) fn start_outside(
        outside: Outside,
        function: &local::template::Function,
        network: &Network,
        id: ProcessId,
        explorer: Waker,
    ) -> Self {
        let lambda = Lambda::new(function, network, id);
        let main = async move {
            let status = if outside.run(&lambda.process(), &lambda.network, id).await.is_ok() { 204 } else { 503 };
            Ok(Answer::Http { status, body: Value::Null })
        };
        Self::new(Box::pin(main), explorer)
    }

    fn new(main: Main, explorer: Waker) -> Self {
        // All processes are one task of the runtime, which would make them wait for each other's
        // turn.
        let main = Box::pin(tokio::task::unconstrained(main));
        Self { main, woken: Arc::new(Woken { flag: AtomicBool::new(true), explorer }) }
    }

    /// Lets the process run until it waits. Returns its answer once it has one.
    pub(crate) fn poll(&mut self) -> Option<Answer> {
        while self.woken.flag.swap(false, Ordering::Relaxed) {
            let polled = self.main.as_mut().poll(&mut Context::from_waker(&Waker::from(Arc::clone(&self.woken))));
            if let Poll::Ready(answer) = polled {
                return Some(answer.unwrap_or_else(|error| panic!("a process fails: {error}")));
            }
        }
        None
    }

    /// Returns whether the process can go on.
    pub(crate) fn is_woken(&self) -> bool {
        self.woken.flag.load(Ordering::Relaxed)
    }
}

/// Returns the event of a stream function that gets one record.
fn batch(record: &Value) -> Value {
    json!({"Records": [record]})
}

/// Starts the function of this name with an event.
fn start(function: &str, lambda: Lambda, event: Value) -> Main {
    let mut starter = Starter { function, input: Some((lambda, event)), main: None };
    for visit in [
        blocks::visit::<Starter>,
        catalogue::visit,
        comments::visit,
        favorites::visit,
        feed::visit,
        follows::visit,
        hashtags::visit,
        links::visit,
        live::visit,
        notifications::visit,
        photos::visit,
        rankings::visit,
        reactions::visit,
        reports::visit,
        transfer::visit,
        users::visit,
        workers::visit,
    ] {
        visit(&mut starter);
    }
    starter.main.unwrap_or_else(|| panic!("there is no function {function}"))
}

/// Starts the function of a name among those that it visits.
struct Starter<'a> {
    function: &'a str,
    /// The input of the function, until it starts.
    input: Option<(Lambda, Value)>,
    main: Option<Main>,
}

impl Starter<'_> {
    /// Keeps what `main` returns if the function has this name.
    fn keep<F: Future<Output = Result<Answer, StartError>> + 'static>(
        &mut self,
        name: &str,
        main: impl FnOnce(Lambda, Value) -> F,
    ) {
        if self.function == name
            && let Some((lambda, event)) = self.input.take()
        {
            self.main = Some(Box::pin(main(lambda, event)));
        }
    }
}

impl Visitor for Starter<'_> {
    fn route<R: Route + 'static>(&mut self) {
        self.keep(R::NAME, async |lambda, event| {
            let service = Service::<R>::start(&lambda.process())?;
            let request = lambda_http::request::from_str(&event.to_string())?;
            let Ok(response) = service.respond(request).await;
            let body = response.body();
            // The page of a link is no JSON.
            let page = |_| Value::from(String::from_utf8_lossy(body));
            let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(body).unwrap_or_else(page) };
            Ok(Answer::Http { status: response.status().as_u16(), body })
        });
    }

    fn records<H: Handler<Event = Record> + 'static>(&mut self) {
        self.keep(H::NAME, async |lambda, record| {
            let handler = H::start(&lambda.process())?;
            let event = lambda.event(batch(&record))?;
            Ok(Answer::to_batch(&stream::respond(async |record| handler.handle(record).await, event).await))
        });
    }

    fn batches<H: BatchHandler + 'static>(&mut self) {
        self.keep(H::NAME, async |lambda, record| {
            let handler = H::start(&lambda.process())?;
            let event = lambda.event(batch(&record))?;
            Ok(Answer::to_batch(&stream::respond_to_batch(async |batch| handler.handle(batch).await, event).await))
        });
    }

    fn messages<M: DeserializeOwned + 'static, H: Handler<Event = Message<M>> + 'static>(&mut self) {
        self.keep(H::NAME, async |lambda, message| {
            let handler = H::start(&lambda.process())?;
            let event = lambda.event(batch(&message))?;
            Ok(Answer::to_batch(&queue::respond(async |message| handler.handle(message).await, event).await))
        });
    }

    fn uploads<H: Handler<Event = Upload> + 'static>(&mut self) {
        self.keep(H::NAME, async |lambda, event| {
            let handler = H::start(&lambda.process())?;
            let event = lambda.event(event)?;
            let failed = upload::respond(async |upload| handler.handle(upload).await, event).await.is_err();
            Ok(Answer::Record { failed })
        });
    }

    fn connections<H: Handler<Event = Connection> + 'static>(&mut self) {
        self.keep(H::NAME, async |lambda, event| {
            let handler = H::start(&lambda.process())?;
            let opened = json!({"ConnectionId": event["requestContext"]["connectionId"]});
            let event = lambda.event(event)?;
            let answer = connection::respond(async |connection| handler.handle(connection).await, event).await;
            // The connection is open when the client has the answer of API Gateway, and not before.
            if answer.status_code == 200 {
                let _ = lambda.network.hold(lambda.id, OPEN, opened, "").await;
            }
            Ok(Answer::Http { status: answer.status_code, body: Value::Null })
        });
    }

    fn schedules<H: Handler<Event = Scheduled> + 'static>(&mut self) {
        self.keep(H::NAME, async |lambda, event| {
            let handler = H::start(&lambda.process())?;
            let event = lambda.event(event)?;
            let failed = schedule::respond(async |event| handler.handle(event).await, event).await.is_err();
            Ok(Answer::Record { failed })
        });
    }

    /// No scenario signs up.
    fn sign_ups<H: Handler<Event = SignUp> + 'static>(&mut self) {}
}

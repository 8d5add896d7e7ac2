//! The queues of the jobs, with the local stack's own code, in virtual time.

use std::rc::Rc;
use std::sync::Arc;

use axum::body::Bytes;
use futures_util::FutureExt as _;
use local::lambda::message_queues::MessageQueues;
use local::lambda::runtime::{Invocation, InvokeError};
use local::template::Template;
use tokio::sync::{mpsc, oneshot};
use tokio::task::spawn_local;

use crate::lambda::Functions;

/// A batch for a function, and where its answer goes.
type Call = (String, Bytes, oneshot::Sender<Result<Invocation, InvokeError>>);

/// The batches of queues, which wait for their functions.
pub(crate) struct Calls(mpsc::UnboundedReceiver<Call>);

/// Returns the queues of a template. Their batches wait until [`Calls::serve`] is called.
pub(crate) fn queues(template: &Template) -> (MessageQueues, Calls) {
    let (calls, received) = mpsc::unbounded_channel();
    let invoke = move |function: &str, _: &str, batch: Bytes| {
        let (answer, answered) = oneshot::channel();
        let _ = calls.send((function.to_owned(), batch, answer));
        async { answered.await.unwrap_or_else(|_| Err(InvokeError::Crashed("the burst is over".to_owned()))) }.boxed()
    };
    (MessageQueues::with_invoke(template, Box::new(invoke), Arc::default()), Calls(received))
}

impl Calls {
    /// Gives each batch to its function, on the current task set.
    pub(crate) fn serve(self, functions: Rc<Functions>) {
        let Self(mut calls) = self;
        spawn_local(async move {
            while let Some((function, batch, answer)) = calls.recv().await {
                let functions = Rc::clone(&functions);
                spawn_local(async move { answer.send(functions.invoke(&function, &batch).await) });
            }
        });
    }
}

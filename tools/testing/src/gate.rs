//! Requests that wait for their turn, with which a test chooses the order in which DynamoDB serves
//! two functions.

use std::sync::Arc;

use aws_sdk_dynamodb::config::{HttpClient as _, SharedHttpClient};
use aws_smithy_runtime_api::client::http::{HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// A gate that holds back the requests of one client.
#[derive(Debug)]
pub struct Gate {
    turns: Arc<Semaphore>,
    served: UnboundedReceiver<()>,
}

impl Gate {
    /// Lets the next request through and waits until it is served. Returns at once if the client is
    /// dropped, because its function has no further request.
    pub async fn serve(&mut self) {
        self.turns.add_permits(1);
        self.served.recv().await;
    }

    /// Lets all further requests through.
    pub fn open(&self) {
        self.turns.close();
    }

    /// Returns an HTTP client behind a gate.
    pub(crate) fn in_front_of(inner: SharedHttpClient) -> (SharedHttpClient, Self) {
        let turns = Arc::new(Semaphore::new(0));
        let (sender, served) = unbounded_channel();
        let gate = Self { turns: Arc::clone(&turns), served };
        let client = http_client_fn(move |settings, components| {
            let inner = inner.http_connector(settings, components);
            SharedHttpConnector::new(Gated { inner, turns: Arc::clone(&turns), served: sender.clone() })
        });
        (client, gate)
    }
}

#[derive(Debug)]
struct Gated {
    inner: SharedHttpConnector,
    turns: Arc<Semaphore>,
    served: UnboundedSender<()>,
}

impl HttpConnector for Gated {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (inner, turns, served) = (self.inner.clone(), Arc::clone(&self.turns), self.served.clone());
        HttpConnectorFuture::new(async move {
            // The gate is open if the semaphore is closed.
            if let Ok(turn) = turns.acquire().await {
                turn.forget();
            }
            let answer = inner.call(request).await;
            // The test may have dropped the gate after it opened it.
            let _ = served.send(());
            answer
        })
    }
}

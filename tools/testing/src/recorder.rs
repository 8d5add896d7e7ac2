//! A DynamoDB endpoint that collects the requests that pass it, with their capacity units.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use local::recorder::{Proxy, Sink};

pub use local::recorder::{Request, TableUnits, Units};

/// The collecting endpoint. It stops when dropped.
pub struct Recorder {
    endpoint: Proxy,
    record: Record,
}

/// The requests that were answered.
#[derive(Clone, Default)]
struct Record(Arc<Mutex<Vec<Request>>>);

impl Sink for Record {
    fn answered(&self, request: Request) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(request);
    }
}

impl Recorder {
    /// Starts an endpoint in front of the DynamoDB at this URL.
    pub fn start(dynamodb: &str) -> io::Result<Self> {
        let record = Record::default();
        let endpoint = local::recorder::start(dynamodb, record.clone())?;
        Ok(Self { endpoint, record })
    }

    /// Returns the URL of the endpoint.
    #[must_use]
    pub fn url(&self) -> &str {
        self.endpoint.url()
    }

    /// Returns the requests that were answered since the last call, in the order of the answers.
    #[must_use]
    pub fn take(&self) -> Vec<Request> {
        std::mem::take(&mut *self.record.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

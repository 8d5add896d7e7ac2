//! DynamoDB: the limiter in front of the embedded engine, as an HTTP client of the SDK. It takes the
//! messages to SQS too.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aws_sdk_dynamodb::config::{HttpClient, RuntimeComponents, SharedHttpClient};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::http::StatusCode;
use dynoxide::Database;
use fastrand::Rng;
use local::lambda::message_queues::MessageQueues;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::count::Count;
use crate::limiter::{Limiter, Refusal, Units};
use crate::request::{Part, Tables};

/// The times that DynamoDB takes to serve a request. Each request takes between a half of its time
/// and one and a half.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ServiceTimes {
    pub(crate) transaction: Duration,
    pub(crate) other: Duration,
}

/// DynamoDB as the functions see it.
#[derive(Clone)]
pub(crate) struct DynamoDb(Arc<Mutex<State>>);

struct State {
    database: Database,
    tables: Tables,
    limiter: Limiter,
    times: ServiceTimes,
    random: Rng,
    count: Count,
    queues: MessageQueues,
    statistics: Statistics,
}

/// The number of requests, by what became of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Statistics {
    pub(crate) requests: usize,
    pub(crate) throttled: usize,
    pub(crate) conflicts: usize,
    /// The requests that were served, by operation.
    pub(crate) served: BTreeMap<String, usize>,
}

impl DynamoDb {
    /// Puts a limiter in front of `database`. `count` is told about every write.
    pub(crate) fn new(
        database: Database,
        tables: Tables,
        limiter: Limiter,
        times: ServiceTimes,
        random: Rng,
        count: Count,
        queues: MessageQueues,
    ) -> Self {
        let statistics = Statistics::default();
        Self(Arc::new(Mutex::new(State { database, tables, limiter, times, random, count, queues, statistics })))
    }

    /// Returns an HTTP client that sends its requests here.
    pub(crate) fn client(&self) -> SharedHttpClient {
        SharedHttpClient::new(self.clone())
    }

    pub(crate) fn statistics(&self) -> Statistics {
        self.state().statistics.clone()
    }

    /// Calls `read` with the count.
    pub(crate) fn with_count<T>(&self, read: impl FnOnce(&Count) -> T) -> T {
        read(&self.state().count)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn serve(self, operation: String, mut body: Value) -> (u16, String) {
        if operation == "SendMessageBatch" {
            let (time, answer) = self.state().send_messages(&body);
            sleep(time).await;
            return (200, answer.to_string());
        }
        let (parts, begun, time) = self.state().begin(&operation, &body);
        sleep(time).await;
        match begun {
            Err(refusal) => refused(&operation, &refusal, parts.len()),
            Ok(()) => self.state().end(&operation, &mut body, &parts),
        }
    }
}

impl State {
    fn begin(&mut self, operation: &str, body: &Value) -> (Vec<Part>, Result<(), Refusal>, Duration) {
        let parts = self.tables.parts(operation, body);
        let begun = self.limiter.begin(operation, &parts, Instant::now());
        self.statistics.requests += 1;
        match begun {
            Ok(()) => *self.statistics.served.entry(operation.to_owned()).or_default() += 1,
            Err(Refusal::Throttled(_)) => self.statistics.throttled += 1,
            Err(Refusal::Conflict(_)) => self.statistics.conflicts += 1,
        }
        let is_transaction = operation.starts_with("Transact") && begun.is_ok();
        let time = if is_transaction { self.times.transaction } else { self.times.other };
        (parts, begun, time.mul_f64(0.5 + self.random.f64()))
    }

    fn send_messages(&mut self, body: &Value) -> (Duration, Value) {
        let queue = body["QueueUrl"].as_str().and_then(|url| url.rsplit('/').next()).unwrap_or_default();
        let sent = body["Entries"].as_array().into_iter().flatten().map(|entry| {
            let message = self.queues.send(queue, entry["MessageBody"].as_str().unwrap_or_default().to_owned());
            json!({"Id": entry["Id"], "MessageId": message})
        });
        let answer = json!({"Successful": sent.collect::<Vec<_>>(), "Failed": []});
        (self.times.other.mul_f64(0.5 + self.random.f64()), answer)
    }

    fn end(&mut self, operation: &str, body: &mut Value, parts: &[Part]) -> (u16, String) {
        body["ReturnConsumedCapacity"] = "INDEXES".into();
        // No answer is lost here, so no transaction comes twice. The engine would search all tokens
        // of the last ten minutes for each transaction, which takes most of the time of a long
        // burst.
        body.as_object_mut().map(|body| body.remove("ClientRequestToken"));
        let (status, text) = explore::serve(&self.database, operation, body);
        let now = Instant::now();
        let units = (status == 200).then(|| Units::from_answer(&serde_json::from_str(&text).unwrap_or_default()));
        self.limiter.end(operation, parts, units, now);
        if status == 200 {
            self.count.note(&self.database, operation, body, now);
        }
        (status, text)
    }
}

/// Returns the answer to a request that is not served.
fn refused(operation: &str, refusal: &Refusal, parts: usize) -> (u16, String) {
    let (reason, exception, causes) = match refusal {
        Refusal::Throttled(causes) => ("ThrottlingError", "ThrottlingException", causes),
        Refusal::Conflict(causes) => ("TransactionConflict", "TransactionConflictException", causes),
    };
    let kind = |name: &str| format!("com.amazonaws.dynamodb.v20120810#{name}");
    let message = "refused by the limiter";
    let body = if operation.starts_with("Transact") {
        let code = |position: usize| if causes.contains(&position) { reason } else { "None" };
        let reasons: Vec<Value> = (0..parts).map(|position| json!({"Code": code(position)})).collect();
        json!({"__type": kind("TransactionCanceledException"), "Message": message, "CancellationReasons": reasons})
    } else {
        json!({"__type": kind(exception), "message": message})
    };
    (400, body.to_string())
}

impl fmt::Debug for DynamoDb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DynamoDb")
    }
}

impl HttpClient for DynamoDb {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for DynamoDb {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
        let body = serde_json::from_slice(request.body().bytes().unwrap_or_default()).unwrap_or_default();
        // A request that was sent is served, also if the sender does not wait for the answer.
        let answer = tokio::spawn(self.clone().serve(operation, body));
        HttpConnectorFuture::new(async move {
            let (status, body) = answer.await.map_err(|error| ConnectorError::other(error.into(), None))?;
            let mut response = HttpResponse::new(StatusCode::try_from(status).expect("a status"), body.into());
            response.headers_mut().insert("content-type", "application/x-amz-json-1.0");
            Ok(response)
        })
    }
}

#[cfg(test)]
mod tests {
    use local::services::dynamodb::create_tables;
    use local::template::Template;
    use scale::assumptions::Assumptions;

    use super::*;
    use crate::count::key;
    use crate::queues::queues;
    use crate::request::Division;

    fn dynamodb() -> DynamoDb {
        let template = Template::read(&Template::find().unwrap()).unwrap();
        let database = Database::memory().unwrap();
        create_tables(&database, &template).unwrap();
        let time = |milliseconds| Duration::from_millis(milliseconds);
        DynamoDb::new(
            database,
            Tables::new(&template, Division::Items),
            Limiter::new(&Assumptions::read().unwrap(), time(1000), false),
            ServiceTimes { transaction: time(8), other: time(4) },
            Rng::with_seed(1),
            Count::new(Value::Null, "", "none"),
            queues(&template).0,
        )
    }

    fn put() -> Value {
        let item = json!({"PK": {"S": "USER#ada"}, "SK": {"S": "PHOTO#ada#1"}});
        json!({"TableName": "quick-photos", "Item": item})
    }

    async fn serve(dynamodb: &DynamoDb, operation: &str, body: &Value) -> (u16, Value) {
        let (status, answer) = dynamodb.clone().serve(operation.to_owned(), body.clone()).await;
        (status, serde_json::from_str(&answer).unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn a_transaction_takes_its_time_and_cancels_the_ones_that_overlap() {
        let dynamodb = dynamodb();
        let mut check = put();
        check.as_object_mut().unwrap().remove("Item");
        check["Key"] = key("quick-photos", &[("PK", "a"), ("SK", "b")])["Key"].take();
        check["ConditionExpression"] = json!("attribute_not_exists(PK)");
        let transaction = json!({"TransactItems": [{"Put": put()}]});
        let other = json!({"TransactItems": [{"ConditionCheck": check}, {"Put": put()}]});
        let (start, put) = (Instant::now(), put());
        let (served, cancelled, refused) = tokio::join!(
            serve(&dynamodb, "TransactWriteItems", &transaction),
            serve(&dynamodb, "TransactWriteItems", &other),
            serve(&dynamodb, "PutItem", &put),
        );
        assert_eq!(served.0, 200);
        assert!((4..=13).contains(&start.elapsed().as_millis()), "{:?}", start.elapsed());
        assert_eq!(cancelled.1["CancellationReasons"], json!([{"Code": "None"}, {"Code": "TransactionConflict"}]));
        assert_eq!(refused.1["__type"], "com.amazonaws.dynamodb.v20120810#TransactionConflictException");
        assert_eq!(serve(&dynamodb, "TransactWriteItems", &other).await.0, 200);
        assert_eq!(dynamodb.statistics().conflicts, 2);
    }

    #[tokio::test(start_paused = true)]
    async fn what_a_partition_cannot_serve_is_throttled() {
        let dynamodb = dynamodb();
        let puts = (0..1001).map(|_| tokio::spawn(dynamodb.clone().serve("PutItem".to_owned(), put())));
        for put in puts.collect::<Vec<_>>() {
            put.await.unwrap();
        }
        let served = dynamodb.statistics().served["PutItem"];
        assert_eq!((served, dynamodb.statistics().throttled), (1000, 1));
        let (status, answer) = serve(&dynamodb, "PutItem", &put()).await;
        assert_eq!((status, answer["__type"].as_str()), (200, None));
    }
}

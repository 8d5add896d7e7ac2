//! The queues of the jobs, and the requests that send records to them.

use aws_sdk_sqs::types::SendMessageBatchRequestEntry;
use futures_util::{StreamExt as _, stream};
use shared::entities::Kind;
use shared::runtime::stream::{Failure, Record};
use shared::{Error, Process, StartError};

use crate::process_changes::job::Job;

/// The maximum number of messages of one `SendMessageBatch`.
/// <https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html>
const MAX_MESSAGES: usize = 10;
/// The maximum size of the messages of one request in bytes. SQS takes 1 MiB together.
const MAX_BYTES: usize = 1_000_000;
/// The maximum number of requests at the same time.
const MAX_CONCURRENT_REQUESTS: usize = 16;

/// The queues of the jobs.
pub(crate) struct Queues {
    client: aws_sdk_sqs::Client,
    /// The URL of the queue of each job, if it has one.
    urls: [Option<String>; Job::ALL.len()],
}

impl Queues {
    pub(crate) fn from_process(process: &Process) -> Result<Self, StartError> {
        let client = aws_sdk_sqs::Client::new(&process.configuration("SQS")?);
        Ok(Self::new(client, Job::ALL.map(|job| process.variable(job.variable()).ok())))
    }

    pub(crate) fn new(client: aws_sdk_sqs::Client, urls: [Option<String>; Job::ALL.len()]) -> Self {
        Self { client, urls }
    }

    /// Returns whether a job has a queue. A job without one has nothing to do.
    pub(crate) fn has(&self, job: Job) -> bool {
        self.urls[job as usize].is_some()
    }

    /// Returns the job of the queue with this ARN, which ends in the name of the queue like its
    /// URL.
    pub(crate) fn job_of(&self, arn: &str) -> Option<Job> {
        let name = arn.rsplit(':').next();
        Job::ALL
            .into_iter()
            .find(|job| self.urls[*job as usize].as_ref().is_some_and(|url| url.rsplit('/').next() == name))
    }

    /// Sends records to the queue of a job. Returns those that it did not take.
    pub(crate) async fn send(&self, job: Job, records: &[&Record]) -> Vec<Failure> {
        let (mut messages, mut failures) = (vec![], vec![]);
        for record in records {
            match message(record) {
                Ok(message) => messages.push((record.id.clone(), message)),
                Err(error) => failures.push(Failure { ids: vec![record.id.clone()], error }),
            }
        }
        let requests = stream::iter(batches(messages)).map(|batch| self.send_batch(job, batch));
        failures.extend(requests.buffer_unordered(MAX_CONCURRENT_REQUESTS).concat().await);
        failures
    }

    /// Sends the messages of one request, each with the id of its record.
    async fn send_batch(&self, job: Job, messages: Vec<(String, String)>) -> Vec<Failure> {
        let entries = messages.iter().enumerate().map(|(number, (_, body))| {
            SendMessageBatchRequestEntry::builder().id(number.to_string()).message_body(body).build()
        });
        let failure = |ids: Vec<String>, error| vec![Failure { ids, error }];
        let all = || messages.iter().map(|(id, _)| id.clone()).collect();
        let entries = match entries.collect::<Result<Vec<_>, _>>() {
            Ok(entries) => entries,
            Err(error) => return failure(all(), Error::internal(error)),
        };
        let send = self.client.send_message_batch().set_queue_url(self.urls[job as usize].clone());
        let output = match send.set_entries(Some(entries)).send().await {
            Ok(output) => output,
            Err(error) => return failure(all(), error.into()),
        };
        let refused = output.failed.into_iter().map(|entry| {
            let message = entry.id.parse::<usize>().ok().and_then(|number| messages.get(number));
            let ids = message.map_or_else(all, |(id, _)| vec![id.clone()]);
            Failure { ids, error: Error::Busy(format!("SQS: {}", entry.code).into()) }
        });
        refused.collect()
    }
}

/// Returns the message with a record. It has no attributes of a profile: no job reads them, and a stream record writes
/// all digits of their numbers, which can be more than SQS takes.
fn message(record: &Record) -> Result<String, Error> {
    if !Kind::User.is_of(&record.keys) {
        return record.message();
    }
    let mut record = record.clone();
    for image in [&mut record.old_image, &mut record.new_image] {
        image.remove("attributes");
    }
    record.message()
}

/// Divides messages into those of one request each.
fn batches(messages: Vec<(String, String)>) -> Vec<Vec<(String, String)>> {
    let mut batches: Vec<Vec<(String, String)>> = vec![];
    let mut bytes = 0;
    for message in messages {
        bytes += message.1.len();
        match batches.last_mut() {
            Some(batch) if batch.len() < MAX_MESSAGES && bytes <= MAX_BYTES => batch.push(message),
            _ => {
                bytes = message.1.len();
                batches.push(vec![message]);
            }
        }
    }
    batches
}

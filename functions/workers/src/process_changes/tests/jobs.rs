//! The jobs of a batch of the stream, and the queues that take what they do not finish.

use super::*;
use crate::process_changes::jobs::Jobs;
use crate::process_changes::queues::Queues;
use aws_sdk_dynamodb::types::AttributeValue::{L, M, N};
use serde_json::json;
use shared::entities::{Key, mark_uncounted};
use std::collections::BTreeSet;
use std::iter::repeat_with;
use std::time::Duration;
use testing::{Fault, Messages, friendship, photo, reaction, user, with};

const TIME: &str = "2025-01-01T00:00:00";
const POISON: &str = "PHOTO#ada#2025-01-09T00:00:00";
/// The time that each job has, far longer than the embedded engine takes.
pub(super) const LONG: Duration = Duration::from_mins(1);

/// A table with ada, whom ben follows in the seed data, and the jobs on its stream.
pub(super) struct Stream {
    pub(super) fixture: Fixture,
    pub(super) messages: Messages,
    jobs: Jobs,
}

impl Stream {
    pub(super) async fn new(timeout: Duration) -> Self {
        Self::with_queues(timeout, &Job::ALL).await
    }

    /// Returns jobs of which these have a queue.
    async fn with_queues(timeout: Duration, jobs: &[Job]) -> Self {
        let fixture = Fixture::new("process-changes").await;
        let messages = Messages::start();
        let url = |job: Job| jobs.contains(&job).then(|| format!("https://sqs.eu-west-1.amazonaws.com/1/{job:?}Queue"));
        messages.connect(&fixture);
        let client = aws_sdk_sqs::Client::new(&fixture.process().configuration("SQS").unwrap());
        let queues = Queues::new(client, Job::ALL.map(url));
        fixture.put(user("ada")).await;
        Self { fixture, messages, jobs: Jobs::new(queues, timeout) }
    }

    pub(super) async fn deliver(&self, event: Value) -> Vec<String> {
        let context = context(&self.fixture.table);
        let handler = async |batch| self.jobs.process(&context, batch).await;
        self.fixture.deliver_batch(handler, event).await
    }

    /// Delivers records while the requests to the table of feeds get no answer.
    async fn deliver_with_hanging_feeds(&self, records: &[Record]) -> Vec<String> {
        let (hanging, _gate) = self.fixture.gated_process();
        let feed = hanging.table("FEED_TABLE_NAME").unwrap();
        let context = Context { feed, ..context(&self.fixture.table) };
        let handler = async |batch| self.jobs.process(&context, batch).await;
        self.fixture.deliver_batch(handler, batch(records)).await
    }

    /// Puts a photo of ada, and returns its record.
    async fn publish(&self, id: &str) -> Record {
        let photo = photo("ada", id);
        self.fixture.put(photo.clone()).await;
        insert(&photo)
    }

    /// Puts an uncounted reaction to the photo of ada, and returns its record.
    async fn react(&self, username: &str) -> Record {
        let reaction = mark_uncounted(reaction(username, "heart", "ada", TIME));
        self.fixture.put(reaction.clone()).await;
        insert(&reaction)
    }

    async fn hearts(&self) -> Value {
        self.fixture.item(Key::photo(&"ada".parse().unwrap(), &TIME.parse().unwrap())).await["reactions"]["heart"]
            .take()
    }

    async fn feed_has(&self, id: &str) -> bool {
        self.fixture.all_items_of(FEED).await.contains_key(&format!("Feed#ben {id}#ada"))
    }

    /// Returns the names of the queues of the messages that were sent, each with the sort key of
    /// its record.
    async fn sent(&self) -> Vec<(String, String)> {
        let key = |record: Value| record["dynamodb"]["Keys"]["SK"]["S"].as_str().unwrap().to_owned();
        self.messages.take().await.into_iter().map(|(queue, record)| (queue, key(record))).collect()
    }
}

fn sent(queue: &str, key: &str) -> (String, String) {
    (queue.to_owned(), key.to_owned())
}

/// A photo that no function writes. It concerns the feeds, the alerts and the hashtags.
fn poison() -> Item {
    let mut item = photo("ada", "2025-01-09T00:00:00");
    item.insert("location".to_owned(), N("1".to_owned()));
    with(item, "caption", "#dawn")
}

#[tokio::test]
async fn without_a_sender_nobody_gets_an_email() {
    let stream = Stream::with_queues(LONG, &[Job::Counts, Job::Feeds, Job::Notifications, Job::Directory]).await;
    assert!(stream.deliver(stream.fixture.sample_event()).await.is_empty());
    assert_eq!(stream.sent().await, []);
}

#[tokio::test]
async fn a_change_of_a_user_and_a_user_without_an_address_get_no_email() {
    let stream = Stream::new(LONG).await;
    let mut ada = user("ada");
    let old = ada.clone();
    ada.insert("email".to_owned(), aws_sdk_dynamodb::types::AttributeValue::S("ada@example.com".to_owned()));
    assert!(stream.deliver(batch(&[insert(&old), record(old, ada)])).await.is_empty());
    assert_eq!(stream.sent().await, []);
}

/// SQS refuses a message of more than 1 MiB, and some characters.
#[tokio::test]
async fn a_message_has_no_attributes_of_a_profile_and_only_characters_that_sqs_takes() {
    let stream = Stream::new(LONG).await;
    let mut user = with(user("dora"), "email", "dora@example.com");
    let number = N(format!("1{}", "0".repeat(125)));
    user.insert("attributes".to_owned(), M([("a".to_owned(), L(vec![number; 10_000]))].into()));
    let comment = with(testing::comment("ben", "2025-01-01T00:00:00.000Z", "ada", TIME), "text", "hi \u{ffff}\u{fffe}");
    assert!(stream.deliver(batch(&[insert(&user), insert(&comment)])).await.is_empty());
    let messages = stream.messages.take().await;
    let image = |queue: &str| {
        let message = messages.iter().find(|(name, _)| name == queue);
        message.unwrap_or_else(|| panic!("{messages:?}")).1["dynamodb"]["NewImage"].clone()
    };
    let welcome = image("WelcomeQueue");
    assert_eq!((&welcome["email"]["S"], &welcome["attributes"]), (&json!("dora@example.com"), &Value::Null));
    assert_eq!(image("PushQueue")["text"]["S"], "hi \u{ffff}\u{fffe}");
}

/// All jobs but the directory and the welcome read a friendship, and only the directory reads a user.
#[tokio::test]
async fn a_poison_record_goes_to_the_queues_of_the_jobs_that_fail_on_it() {
    let stream = Stream::new(LONG).await;
    let malformed = |mut item: Item, attribute: &str| {
        item.insert(attribute.to_owned(), N("1".to_owned()));
        insert(&item)
    };
    let friendship = malformed(mark_uncounted(friendship("ada", "cara")), "timestamp");
    let user = malformed(user("dora"), "name");
    let records = [insert(&poison()), friendship, user, stream.publish(TIME).await, stream.react("ben").await];
    assert!(stream.deliver(batch(&records)).await.is_empty());
    assert_eq!((stream.hearts().await, stream.feed_has(TIME).await), (json!(1), true));
    let of_friendship = ["CountsQueue", "FeedsQueue", "NotificationsQueue", "PushQueue", "LiveQueue"];
    let of_friendship = of_friendship.map(|queue| sent(queue, "#FRIEND#cara"));
    let [reaction, photo] = ["PushQueue", "LiveQueue"].map(|queue| sent(queue, &format!("PHOTO#ada#{TIME}")));
    let poison =
        ["AlertsQueue", "FeedsQueue", "HashtagsQueue", "LiveQueue", "RankingsQueue"].map(|queue| sent(queue, POISON));
    let others = poison.into_iter().chain([sent("DirectoryQueue", "#METADATA#dora"), reaction, photo]);
    let all_sent: BTreeSet<_> = stream.sent().await.into_iter().collect();
    assert_eq!(all_sent, of_friendship.into_iter().chain(others).collect());
}

#[tokio::test]
async fn a_job_that_hangs_delays_the_others_once() {
    let stream = Stream::new(Duration::from_millis(500)).await;
    let photo = stream.publish(TIME).await;
    let records = [photo, stream.react("ben").await];
    assert!(stream.deliver_with_hanging_feeds(&records).await.is_empty());
    assert_eq!((stream.hearts().await, stream.feed_has(TIME).await), (json!(1), false));
    // The inboxes are in the table that hangs too.
    let key = format!("PHOTO#ada#{TIME}");
    let queues = ["FeedsQueue", "LiveQueue", "LiveQueue", "NotificationsQueue", "PushQueue"];
    assert_eq!(stream.sent().await, queues.map(|queue| sent(queue, &key)));

    let later = "2025-01-02T00:00:00";
    let records = [stream.publish(later).await, stream.react("cara").await];
    let _ = stream.fixture.operations();
    assert!(stream.deliver(batch(&records)).await.is_empty());
    assert_eq!(stream.fixture.operations(), ["TransactWriteItems"], "the others get no time in the stream");
    assert_eq!(stream.hearts().await, 2);
    let [of_feeds, of_live] = ["FeedsQueue", "LiveQueue"].map(|queue| sent(queue, &format!("PHOTO#ada#{later}")));
    let of_reaction = ["NotificationsQueue", "PushQueue", "LiveQueue"].map(|queue| sent(queue, &key));
    let expected: BTreeSet<_> = of_reaction.into_iter().chain([of_feeds, of_live]).collect();
    assert_eq!(stream.sent().await.into_iter().collect::<BTreeSet<_>>(), expected);
}

#[tokio::test]
async fn records_wait_in_the_queues_while_dynamodb_throttles() {
    let stream = Stream::new(Duration::from_millis(500)).await;
    let records = [stream.publish(TIME).await, stream.react("ben").await];
    stream.fixture.inject(repeat_with(|| Fault::Error("ThrottlingException")).take(1000));
    assert!(stream.deliver(batch(&records)).await.is_empty());
    let key = format!("PHOTO#ada#{TIME}");
    let queues = ["CountsQueue", "FeedsQueue", "LiveQueue", "LiveQueue", "NotificationsQueue", "PushQueue"];
    assert_eq!(stream.sent().await, queues.map(|queue| sent(queue, &key)));
    stream.fixture.clear_faults();
    for job in [Job::Counts, Job::Feeds] {
        assert!(deliver_to(job, &stream.fixture, &records).await.is_empty());
    }
    assert_eq!((stream.hearts().await, stream.feed_has(TIME).await), (json!(1), true));
}

#[tokio::test]
async fn an_author_with_many_followers_waits_in_the_queue() {
    let stream = Stream::new(LONG).await;
    let mut ada = user("ada");
    ada.insert("followers".to_owned(), N("1001".to_owned()));
    stream.fixture.put(ada).await;
    let records = [stream.publish(TIME).await];
    assert!(stream.deliver(batch(&records)).await.is_empty());
    assert!(!stream.feed_has(TIME).await);
    assert_eq!(stream.sent().await, ["FeedsQueue", "LiveQueue"].map(|queue| sent(queue, &format!("PHOTO#ada#{TIME}"))));
    assert!(deliver_to(Job::Feeds, &stream.fixture, &records).await.is_empty());
    assert!(stream.feed_has(TIME).await);
}

#[tokio::test]
async fn a_record_that_no_queue_takes_comes_again() {
    let stream = Stream::new(LONG).await;
    stream.messages.stop();
    let records = [stream.publish(TIME).await, insert(&poison()), stream.react("ben").await];
    assert_eq!(stream.deliver(batch(&records)).await, ["1", "2", "3"], "what goes to a queue in any case");
    assert_eq!((stream.hearts().await, stream.feed_has(TIME).await), (json!(1), true));
}

#[tokio::test]
async fn a_request_has_ten_messages_at_most() {
    let stream = Stream::new(LONG).await;
    let records = vec![insert(&poison()); 25];
    assert!(stream.deliver(batch(&records)).await.is_empty());
    let queues = ["AlertsQueue", "FeedsQueue", "HashtagsQueue", "LiveQueue", "RankingsQueue"];
    assert_eq!(stream.sent().await, queues.map(|queue| vec![sent(queue, POISON); 25]).concat());
}

#[tokio::test]
async fn a_queue_gives_each_job_its_own_records() {
    let stream = Stream::new(LONG).await;
    let photo = stream.publish(TIME).await;
    let message = |queue: &str, id: &str, record: &Record| {
        json!({"messageId": id, "body": record.message().unwrap(), "eventSource": "aws:sqs",
            "eventSourceARN": format!("arn:aws:sqs:eu-west-1:1:{queue}")})
    };
    let event =
        |queue: &str| json!({"Records": [message(queue, "a", &insert(&poison())), message(queue, "b", &photo)]});
    assert!(stream.deliver(event("CountsQueue")).await.is_empty(), "the counts have nothing to do");
    assert!(!stream.feed_has(TIME).await);
    assert_eq!(stream.deliver(event("FeedsQueue")).await, ["a"]);
    assert!(stream.feed_has(TIME).await);
    assert_eq!(stream.deliver(event("WelcomeQueue")).await, [""; 0]);
    assert_eq!(stream.deliver(event("OtherQueue")).await, ["a", "b"]);
    assert_eq!(stream.sent().await, [], "what fails stays in its queue");
}

//! Full batches of the stream of `quick-photos`: how many records a second process-changes handles.
//!
//! Each batch has the records of one kind of change. Every answer of DynamoDB and SQS comes later,
//! by the time that `assumptions.toml` gives a request on AWS.

use std::net::Ipv4Addr;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use indicatif::ProgressBar;
use local::services::dynamodb;
use local::template::Template;
use local::{listener, sample};
use scale::assumptions::Assumptions;
use scale::batches::{self, Batch};
use scale::csv_file::{self, short};
use scale::durations::WHOLE_CPU_MB;
use serde_json::{Value, json};
use shared::dynamodb::Item;
use shared::entities::{Picture, mark_uncounted};
use shared::runtime::stream::Record;
use terminal::println;
use testing::harness::Harness;
use testing::items::{PNG, friendship, photo_with, reaction, ready, user, with_count};
use testing::{batch, record};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::sleep;

use crate::cpu_quota::CpuQuota;
use crate::deployed;
use crate::functions::tls::Proxy;
use crate::subject::{Subject, WarmProcess};

/// The records of a batch that every job does in its time.
const USUAL: u64 = 100;
/// The users who follow.
const READERS: u64 = 10_000;
const TIME: &str = "2026-01-02T03:04:05";

/// A kind of change, with a batch of its records.
struct Kind {
    name: &'static str,
    /// The items that exist before the batch.
    items: Vec<Item>,
    records: Vec<Record>,
    /// The queue that the batch comes from, in the place of the stream.
    queue: Option<&'static str>,
}

/// Measures a batch of each kind with each of these memory sizes in MB, or with a whole CPU. Adds the
/// figures to batches.csv in the directory `out`.
pub(crate) async fn run(template: &Template, root: &Path, runs: u32, memory: &[u64], out: &Path) -> Result<()> {
    let function =
        template.functions.iter().find(|function| function.name == batches::FUNCTION).context(batches::FUNCTION)?;
    let binaries = deployed::build(root, std::slice::from_ref(function)).await?;
    let memory = if memory.is_empty() { vec![u64::from(WHOLE_CPU_MB)] } else { memory.to_vec() };
    let mapping = &function.mappings[0];
    let max_pushed: u64 = function.environment["MAX_PUSHED_FOLLOWERS"].parse()?;
    let round_trip = Duration::from_secs_f64(Assumptions::read()?.value("round_trip_ms") / 1000.0);

    let mut measured = vec![];
    let progress = ProgressBar::new(u64::from(runs) * 5 * memory.len() as u64);
    for Kind { name, items, records, queue } in kinds(mapping.batch_size as u64, max_pushed) {
        let harness = Harness::empty(binaries.clone())?;
        dynamodb::import(harness.database(), &template.table(sample::QUICK_PHOTOS)?.name, items)?;
        harness.snapshot()?;
        let delay = listen_with_delay(harness.dynamodb(), round_trip)?;
        let proxy = Proxy::start(&delay).context("cannot start the TLS proxy")?;
        let event = event(&records, queue).to_string();
        let mut subject = Subject::new(&harness, function, event.into(), &proxy.endpoint().url);
        subject.environment.insert("SSL_CERT_FILE".to_owned(), proxy.endpoint().roots.display().to_string());
        let sqs = subject.environment.get_mut("AWS_ENDPOINT_URL_SQS").context("the function has no SQS")?;
        *sqs = listen_with_delay(sqs, round_trip)?;
        for &megabytes in &memory {
            let quota = CpuQuota::for_memory(megabytes)?;
            let mut process = WarmProcess::start_on_sample_data(&harness, &subject, Some(&quota)).await?;
            let (cpu, sent) = (process.cpu_time()?, harness.sent_messages());
            let mut times = vec![];
            for _ in 0..runs {
                times.push(process.invoke_on_sample_data().await?);
                progress.inc(1);
            }
            times.sort_unstable();
            let cpu = process.cpu_time()?.saturating_sub(cpu) / runs;
            process.stop().await;
            measured.push(Batch {
                batch: name.to_owned(),
                memory_mb: u32::try_from(megabytes)?,
                records: records.len(),
                ms: short(times[times.len() / 2].as_secs_f64() * 1000.0),
                cpu_ms: short(cpu.as_secs_f64() * 1000.0),
                handed_over: usize::try_from((harness.sent_messages() - sent) / u64::from(runs))?,
            });
        }
    }
    progress.finish_and_clear();
    let file = out.join("batches.csv");
    csv_file::merge(&file, measured, |batch| (batch.batch.clone(), batch.memory_mb))?;
    println!("{}", file.display());
    Ok(())
}

/// Returns the kinds of changes, the largest with so many records in a batch of the stream.
fn kinds(largest: u64, max_pushed: u64) -> Vec<Kind> {
    let photo = |owner: &str| photo_with(owner, TIME, ready(PNG));
    let person = |number: u64| format!("person{number}");
    let people = |number: u64| (0..number).map(person);
    let insert = |item: Item| record(Item::new(), item);
    let publish = |owner: String| record(photo_with(&owner, TIME, Picture::Pending), photo(&owner));
    let with_followers = |owner: &str, first: u64, number: u64| {
        let follow = |position: u64| friendship(owner, &format!("reader{}", (first + position) % READERS));
        let author = with_count(user(owner), "followers", number);
        (0..number).map(follow).chain([author]).collect::<Vec<_>>()
    };

    let hot = people(largest)
        .enumerate()
        .map(|(at, person)| insert(mark_uncounted(reaction(&person, "heart", &format!("person{}", at % 5), TIME))));
    let counts = Kind {
        name: batches::COUNTS,
        items: people(largest).map(|person| user(&person)).chain(people(5).map(|owner| photo(&owner))).collect(),
        records: hot.collect(),
        queue: None,
    };
    let reactions = (0..USUAL).map(|at| insert(reaction(&person((at + 1) % USUAL), "heart", &person(at), TIME)));
    let notifications = Kind {
        name: batches::NOTIFICATIONS,
        items: people(USUAL).flat_map(|person| [user(&person), photo(&person)]).collect(),
        records: reactions.collect(),
        queue: None,
    };
    let followers = u64::from(batches::USUAL_FOLLOWERS);
    let feeds = |name, authors: u64| Kind {
        name,
        items: (0..authors).flat_map(|at| with_followers(&person(at), at * followers, followers)).collect(),
        records: people(authors).map(publish).collect(),
        queue: None,
    };
    let largest_feed = Kind {
        name: batches::LARGEST_FEED,
        items: with_followers("person0", 0, max_pushed),
        records: vec![publish(person(0))],
        queue: Some("FeedsQueue"),
    };
    vec![counts, notifications, feeds(batches::FEEDS, USUAL), feeds(batches::BURST_OF_FEEDS, largest), largest_feed]
}

fn event(records: &[Record], queue: Option<&str>) -> Value {
    let Some(queue) = queue else { return batch(records) };
    let messages = records.iter().enumerate().map(|(number, record)| {
        json!({
            "messageId": number.to_string(),
            "body": record.message().expect("a record of the stream"),
            "eventSource": "aws:sqs",
            "eventSourceARN": format!("arn:aws:sqs:eu-west-1:123456789012:{queue}"),
        })
    });
    json!({"Records": messages.collect::<Vec<_>>()})
}

/// Forwards connections to the HTTP server at the URL `upstream`, whose answers arrive later by
/// `delay`. Returns the URL.
fn listen_with_delay(upstream: &str, delay: Duration) -> Result<String> {
    let address = upstream.trim_start_matches("http://");
    let (address, path) =
        address.split_once('/').map_or((address, String::new()), |(host, path)| (host, format!("/{path}")));
    let address = address.to_owned();
    let listener = listener::bind(Ipv4Addr::LOCALHOST.into(), 0)?;
    let url = format!("{}{path}", listener::url(&listener)?);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let Ok(server) = TcpStream::connect(&address).await else { continue };
            let _ = (client.set_nodelay(true), server.set_nodelay(true));
            let ((mut requests, to_client), (answers, mut to_server)) = (client.into_split(), server.into_split());
            tokio::spawn(async move { copy(&mut requests, &mut to_server).await });
            tokio::spawn(forward_later(answers, to_client, delay));
        }
    });
    Ok(url)
}

/// Forwards answers. A function sends no request on a connection before it has the answer to the
/// last one, so it waits once for each.
async fn forward_later(mut answers: OwnedReadHalf, mut client: OwnedWriteHalf, delay: Duration) -> std::io::Result<()> {
    let mut buffer = vec![0; 1 << 20];
    loop {
        let bytes = answers.read(&mut buffer).await?;
        if bytes == 0 {
            return Ok(());
        }
        sleep(delay).await;
        client.write_all(&buffer[..bytes]).await?;
    }
}

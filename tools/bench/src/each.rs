//! Each function by itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::tls::Proxy;
use indicatif::ProgressBar;
use local::lambda::build;
use local::template::Function;
use testing::harness::Workbench;
use testing::recorder::{Recorder, Request};

use crate::bare::{self, Endpoint};
use crate::peers::Peers;
use crate::quota::Quota;
use crate::run::{Cold, Subject, Warm, cold, once};
use crate::{Arguments, report};

/// The crate of the function that does nothing.
const EMPTY: &str = "empty-function";

/// How often a function and the bare call take turns.
const TURNS: u32 = 10;

/// What was found out about a function.
pub(crate) struct Finding {
    pub(crate) name: String,
    /// The size of the binary, in bytes.
    pub(crate) size: u64,
    /// What it asked of DynamoDB.
    pub(crate) requests: Vec<Request>,
    pub(crate) cold: Vec<Cold>,
    pub(crate) warm: Vec<Duration>,
    /// What CPU a warm request takes.
    pub(crate) warm_cpu: Duration,
    /// The bare SDK call, of functions whose only request is a Query.
    pub(crate) bare: Vec<Duration>,
    pub(crate) others: Vec<Other>,
}

/// What was found out about something else that serves the same event.
pub(crate) struct Other {
    pub(crate) name: String,
    pub(crate) cold: Vec<Cold>,
}

/// Measures those that are named, and writes what it found.
pub(crate) async fn run(root: &Path, arguments: &Arguments) -> Result<(), String> {
    let mut packages = arguments.functions.clone();
    if !packages.is_empty() {
        packages.push(EMPTY.to_owned());
    }
    let binaries = build::deployed(root, &packages).await?;
    let bench = Workbench::new(binaries.clone())?;
    let functions = named(&bench, &arguments.functions)?;
    let proxy = Proxy::start(bench.dynamodb()).map_err(|error| format!("TLS: {error}"))?;
    let endpoint = Endpoint { url: proxy.url().to_owned(), root: proxy.root().to_owned() };
    let peers = if arguments.peers { Some(Peers::find(root)?) } else { None };

    let shares = if arguments.memory.is_empty() {
        vec![(None, None)]
    } else {
        let quota = |megabytes: &u64| Ok((Some(*megabytes), Some(Quota::of(*megabytes)?)));
        arguments.memory.iter().map(quota).collect::<Result<_, String>>()?
    };
    for (megabytes, quota) in &shares {
        let mut subjects = vec![];
        for function in std::iter::once(empty(functions[0])).chain(functions.iter().copied().cloned()) {
            subjects
                .push(Measured::of(&bench, function, &binaries, &endpoint, peers.as_ref(), &arguments.beside).await?);
        }
        measure(&bench, &mut subjects, quota.as_ref(), &endpoint, arguments).await?;
        let findings: Vec<Finding> = subjects.into_iter().map(|subject| subject.finding).collect();
        report::write(&findings, *megabytes, &arguments.out)?;
    }
    Ok(())
}

fn named<'a>(bench: &'a Workbench, names: &[String]) -> Result<Vec<&'a Function>, String> {
    let all = &bench.template().functions;
    if names.is_empty() {
        return Ok(all.iter().collect());
    }
    let find = |name: &String| all.iter().find(|function| function.name == *name);
    names.iter().map(|name| find(name).ok_or_else(|| format!("template.yaml has no function {name}"))).collect()
}

/// The floor, with the event and the settings of another function.
fn empty(like: &Function) -> Function {
    Function { name: EMPTY.to_owned(), ..like.clone() }
}

/// A function, others that serve the same event, and what has been found out so far.
struct Measured {
    subject: Subject,
    others: Vec<Subject>,
    finding: Finding,
}

impl Measured {
    /// Looks what it asks of DynamoDB. After that, nothing stands between the two but TLS.
    async fn of(
        bench: &Workbench,
        function: Function,
        binaries: &Path,
        endpoint: &Endpoint,
        peers: Option<&Peers>,
        builds: &[PathBuf],
    ) -> Result<Self, String> {
        let is_empty = function.name == EMPTY;
        let event = if is_empty { bench.event("get-user")? } else { bench.event(&function.name)? };
        let recorder = Recorder::start(bench.dynamodb()).map_err(|error| error.to_string())?;
        once(bench, &Subject::of(bench, &function, event.clone(), recorder.url())).await?;
        let requests = recorder.take();
        let mut subject = Subject::of(bench, &function, event, &endpoint.url);
        subject.environment.insert("SSL_CERT_FILE".to_owned(), endpoint.root.display().to_string());
        let mut others = vec![];
        if !is_empty {
            others.extend(builds.iter().map(|build| {
                let name = build.file_name().unwrap_or(build.as_os_str()).display().to_string();
                Subject { name, program: build.join(&function.name), ..subject.clone() }
            }));
            if let Some(peers) = peers {
                others.extend(peers.of(&subject, &requests, endpoint)?);
            }
        }
        let binary = binaries.join(&function.name);
        let size = fs::metadata(&binary).map_err(|error| format!("{}: {error}", binary.display()))?.len();
        let finding = Finding {
            name: function.name.clone(),
            size,
            requests,
            cold: vec![],
            warm: vec![],
            warm_cpu: Duration::ZERO,
            bare: vec![],
            others: others.iter().map(|other| Other { name: other.name.clone(), cold: vec![] }).collect(),
        };
        Ok(Self { subject, others, finding })
    }
}

/// One start of each, then the next of each, so that what else the machine does befalls all alike.
async fn measure(
    bench: &Workbench,
    subjects: &mut [Measured],
    quota: Option<&Quota>,
    endpoint: &Endpoint,
    arguments: &Arguments,
) -> Result<(), String> {
    let others: usize = subjects.iter().map(|subject| subject.others.len()).sum();
    let rounds = u64::from(arguments.runs) * (subjects.len() + others) as u64 + subjects.len() as u64;
    let progress = ProgressBar::new(rounds);
    for _ in 0..arguments.runs {
        for measured in &mut *subjects {
            measured.finding.cold.push(cold(bench, &measured.subject, quota).await?);
            progress.inc(1);
            for (other, found) in measured.others.iter().zip(&mut measured.finding.others) {
                found.cold.push(cold(bench, other, quota).await?);
                progress.inc(1);
            }
        }
    }
    for Measured { subject, finding, .. } in subjects {
        warm(bench, subject, finding, quota, endpoint, arguments.requests).await?;
        progress.inc(1);
    }
    progress.finish_and_clear();
    Ok(())
}

/// In turns with the bare call, if there is one, so that both meet the same.
async fn warm(
    bench: &Workbench,
    subject: &Subject,
    finding: &mut Finding,
    quota: Option<&Quota>,
    endpoint: &Endpoint,
    requests: u32,
) -> Result<(), String> {
    let writes = finding.requests.iter().any(|request| request.units.write > 0.0);
    let query = match finding.requests.as_slice() {
        [only] if only.operation == "Query" => Some(only.body.clone()),
        _ => None,
    };
    let mut process = Warm::up(bench, subject, quota).await?;
    for turn in 0..TURNS {
        let times = requests / TURNS + u32::from(turn < requests % TURNS);
        let before = process.cpu()?;
        for _ in 0..times {
            // Tables that were just put back are slower to read, so those that only read are spared that.
            finding.warm.push(if writes { process.again().await? } else { process.ask().await? });
        }
        finding.warm_cpu += process.cpu()?.saturating_sub(before) / requests;
        if let Some(query) = query.clone() {
            let endpoint = endpoint.clone();
            let asked = tokio::task::spawn_blocking(move || bare::query(&endpoint, &query, times)).await;
            finding.bare.extend(asked.map_err(|error| error.to_string())??);
        }
    }
    process.down().await;
    Ok(())
}

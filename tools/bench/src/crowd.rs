//! `measure --crowd`: the time until search finds a new favorite, while another user clips hundreds of favorites whose
//! titles have as many terms as a title can have.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use local::stack::{Options, Stack};
use local::template::Template;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::deployed;
use crate::statistics::{median, milliseconds};

/// The functions that take part.
const FUNCTIONS: [&str; 3] = ["clip-favorite", "index-favorite", "search-favorites"];
/// The number of favorites that one user clips.
const CROWD: u32 = 300;
/// The number of clients with which this user clips them.
const CLIENTS: u32 = 8;
/// The length of their titles in characters, which is the maximum. All characters of a title are different.
const TITLE_CHARS: u32 = 200;
/// The number of favorites that the other user clips while nothing else happens.
const QUIET_CLIPS: u32 = 9;
/// The pause between two searches.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// The time after which a favorite counts as not found.
const TIMEOUT: Duration = Duration::from_mins(5);

/// The figures of one build of the functions.
struct Measurement {
    build: String,
    /// The time from the answer to a clip until search finds the favorite, while nothing else happens.
    quiet: Vec<Duration>,
    /// The same for a clip right after the crowd.
    behind: Duration,
}

/// Measures this build, and those in the directories `beside`. Prints the table and writes it to the directory `out`.
pub(crate) async fn run(template: &Template, root: &Path, beside: &[PathBuf], out: &Path) -> Result<()> {
    let functions: Vec<_> =
        template.functions.iter().filter(|function| FUNCTIONS.contains(&function.name.as_str())).cloned().collect();
    let binaries = deployed::build(root, &functions).await?;
    let mut measurements = vec![measure("this build".to_owned(), binaries).await?];
    for directory in beside {
        measurements.push(measure(directory.display().to_string(), directory.clone()).await?);
    }

    let mut text = format!(
        "The time until search finds a favorite that a user clips, while nothing else happens, and right after another \
         user has clipped {CROWD} favorites with titles of {TITLE_CHARS} different Chinese characters:\n\n\
         | functions | quiet, ms | behind the crowd, ms | ratio |\n|---|---:|---:|---:|\n"
    );
    for Measurement { build, quiet, behind } in &measurements {
        let (quiet, behind) = (median(quiet.iter().copied()), milliseconds(*behind));
        let _ = writeln!(text, "| {build} | {quiet:.0} | {behind:.0} | {:.1} |", behind / quiet);
    }
    print!("{text}");
    let file = out.join("crowd.md");
    fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    println!("\n{}", file.display());
    Ok(())
}

async fn measure(build: String, functions: PathBuf) -> Result<Measurement> {
    let stack = Stack::start(Options { functions: Some(functions), ..Options::default() }).await?;
    let (one, crowd) = (User::new(&stack, "one")?, User::new(&stack, "crowd")?);
    let mut quiet = vec![];
    // The first favorite starts the processes.
    for number in 0..=QUIET_CLIPS {
        quiet.push(one.time_until_found(&format!("quiet{number}")).await?);
    }
    quiet.remove(0);

    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let crowd = crowd.clone();
        clients.spawn(async move {
            for number in (client..CROWD).step_by(CLIENTS as usize) {
                let characters = ('\u{4e00}'..).skip((number * 61) as usize).take(TITLE_CHARS as usize);
                crowd.clip(&characters.collect::<String>()).await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(client) = clients.join_next().await {
        client??;
    }
    let behind = one.time_until_found("behind").await?;
    stack.shutdown().await;
    Ok(Measurement { build, quiet, behind })
}

/// A user with favorites.
#[derive(Clone)]
struct User {
    http: Client,
    favorites: String,
    token: String,
}

impl User {
    fn new(stack: &Stack, username: &str) -> Result<Self> {
        let favorites = format!("{}/users/{username}/favorites", stack.api());
        Ok(Self { http: Client::new(), favorites, token: stack.token(username)? })
    }

    async fn clip(&self, title: &str) -> Result<()> {
        let body = json!({"dataType": "note", "title": title});
        let answer = self.http.post(&self.favorites).bearer_auth(&self.token).json(&body).send().await?;
        ensure!(answer.status() == 201, "POST {} answered {}", self.favorites, answer.status());
        Ok(())
    }

    /// Clips a favorite, and returns the time from the answer until search finds it by its title.
    async fn time_until_found(&self, title: &str) -> Result<Duration> {
        self.clip(title).await?;
        let begin = Instant::now();
        loop {
            let search = format!("{}/search?q={title}", self.favorites);
            let answer = self.http.get(search).bearer_auth(&self.token).send().await?.error_for_status()?;
            let found: Value = answer.json().await?;
            if found["favorites"].as_array().is_some_and(|favorites| !favorites.is_empty()) {
                return Ok(begin.elapsed());
            }
            ensure!(begin.elapsed() < TIMEOUT, "search does not find {title} after {TIMEOUT:?}");
            sleep(POLL_INTERVAL).await;
        }
    }
}

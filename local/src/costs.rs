//! The requests of each access pattern to DynamoDB, and their costs: `functions/NOUN/costs.toml`.
//!
//! The contract test holds the functions to these data, `cargo run --bin scale` makes prices and
//! the tables of the documents of them, and the page shows them beside what it has measured.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};

/// The name of the file of each noun.
const FILE: &str = "costs.toml";

/// The rules by which units grow, which are part of the program.
const RULES: &str = include_str!("../units.toml");

/// The number of requests to DynamoDB and the capacity units that they consume.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Costs {
    /// The number of requests.
    pub requests: usize,
    /// The read units.
    #[serde(default)]
    pub reads: f64,
    /// The write units.
    #[serde(default)]
    pub writes: f64,
}

impl fmt::Display for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "requests {}, reads {}, writes {}", self.requests, self.reads, self.writes)
    }
}

/// The callers that a route admits. A user is named by a parameter of the path, such as `username`
/// or `comment`, whose author is meant, or by a field of the body, such as `body.username`.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Callers {
    /// Every caller with a valid token: `"any"`.
    Any,
    /// Everybody, without a token: `"nobody"`.
    Nobody,
    /// The user that the request names: `{ self = "username" }`.
    #[serde(rename = "self")]
    Owner(String),
    /// Two users that the request names: `{ either = ["follower", "username"] }`.
    Either([String; 2]),
    /// The members of the group `"editors"`.
    Editors,
    /// The members of the group `"moderators"`.
    Moderators,
}

impl fmt::Display for Callers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::Nobody => f.write_str("nobody"),
            Self::Owner(name) => write!(f, "self = {name}"),
            Self::Either([one, other]) => write!(f, "either = {one}, {other}"),
            Self::Editors => f.write_str("editors"),
            Self::Moderators => f.write_str("moderators"),
        }
    }
}

/// Something that the sample event of a function does not have, and that may cost more.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// The owner blocks somebody.
    Blocks,
    /// Only followers may see one of the photos.
    Followers,
    /// The owner approves each follower.
    Requests,
    /// The caller has saved a photo of the app.
    Saved,
    /// The caller blocks somebody, or somebody blocks the caller.
    CallerInBlock,
    /// The request has a cursor.
    LaterPage,
    /// The caller is the owner, with a full bell and thousands of requests.
    Own,
    /// The photo was made with several pictures.
    Pictures,
}

impl Condition {
    /// Returns the words for it.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Blocks => "the owner blocks somebody",
            Self::Followers => "a photo is for followers",
            Self::Requests => "the owner approves followers",
            Self::Saved => "a photo is saved",
            Self::CallerInBlock => "the caller is in a block",
            Self::LaterPage => "a later page",
            Self::Own => "the caller is the owner",
            Self::Pictures => "a photo of several pictures",
        }
    }
}

/// The costs of a request under some conditions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The conditions. If there are none, it is the case that the others are compared with.
    pub when: Vec<Condition>,
    /// The query string of the request.
    #[serde(default)]
    pub query: String,
    /// The costs.
    pub costs: Costs,
}

/// The costs of a request with a further field in its body.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WithField {
    /// The value of the field.
    pub value: serde_json::Value,
    /// The fields of the sample event that exclude it.
    #[serde(default)]
    pub without: Vec<String>,
    /// The costs.
    pub costs: Costs,
}

impl WithField {
    /// Adds the field to the body of an event of the API, which is a JSON object.
    #[must_use]
    pub fn add_to(&self, name: &str, mut event: serde_json::Value) -> serde_json::Value {
        let body = event["body"].as_str().and_then(|body| serde_json::from_str::<serde_json::Value>(body).ok());
        let mut body = body.unwrap_or_default();
        if let Some(fields) = body.as_object_mut() {
            fields.retain(|field, _| !self.without.contains(field));
        }
        body[name] = self.value.clone();
        event["body"] = body.to_string().into();
        event
    }
}

/// The costs for photos whose captions have so many ASCII characters.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Caption {
    /// The number of characters of each caption.
    pub characters: usize,
    /// The costs.
    pub costs: Costs,
}

/// An access pattern: the entry of its function in `costs.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Pattern {
    /// The noun, whose folder has the function.
    #[serde(skip)]
    pub noun: String,
    /// The sentence that says what a function without a route does. The functions behind routes have
    /// theirs in docs/openapi.json.
    pub summary: Option<String>,
    /// The callers that the route admits; none for a function without a route.
    pub who: Option<Callers>,
    /// Whether the answers show nothing of other users. Other routes have a row in [Who sees
    /// what](../../docs/api.md#who-sees-what).
    #[serde(default)]
    pub shows_own: bool,
    /// The statuses of the first answer to the sample event and of the answer to its repetition;
    /// none for a function without a route.
    pub answers: Option<[u16; 2]>,
    /// The requests to DynamoDB for the sample event: each operation with its index, such
    /// as `Query InvertedIndex`, and with `consistent` before a consistent read.
    pub requests: Vec<String>,
    /// Further requests to DynamoDB, which other events may need.
    #[serde(default)]
    pub sometimes: Vec<String>,
    /// The costs of the sample event.
    pub costs: Costs,
    /// The costs of the sample event with such a query string.
    #[serde(default)]
    pub with_query: BTreeMap<String, Costs>,
    /// The costs of the sample event with the header `Idempotency-Key`.
    pub with_idempotency_key: Option<Costs>,
    /// The costs of the sample event with a further field in its body, by the name of the field.
    #[serde(default)]
    pub with_field: BTreeMap<String, WithField>,
    /// The costs in cases that the sample event does not have.
    #[serde(default)]
    pub cases: Vec<Case>,
    /// The costs for photos with captions.
    #[serde(default)]
    pub captions: Vec<Caption>,
    /// The costs of pages of lists of any length, by their paths after `/users/{username}`.
    #[serde(default)]
    pub pages: BTreeMap<String, Costs>,
    /// The fewest and the most bytes that a search in a vector index consumes.
    pub search_bytes: Option<[f64; 2]>,
    /// The fewest and the most bytes that a write into a vector index consumes.
    pub vector_bytes: Option<[f64; 2]>,
}

impl Pattern {
    /// Returns whether the function may ask this of DynamoDB, for any request.
    #[must_use]
    pub fn allows(&self, request: &str) -> bool {
        self.requests.iter().chain(&self.sometimes).any(|allowed| allowed == request)
    }

    /// Returns the number of requests of a page with a cursor.
    #[must_use]
    pub fn requests_of_later_page(&self) -> usize {
        let case = self.cases.iter().find(|case| case.when == [Condition::LaterPage] && case.query.is_empty());
        case.map_or(self.costs.requests, |case| case.costs.requests)
    }
}

/// The rule by which the units of an operation grow.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The operation.
    pub operation: String,
    /// Its units, such as `2 × items + entries`.
    pub units: String,
    /// The things that count.
    pub counts: String,
}

/// Returns all patterns by the names of their functions.
pub fn read(root: &Path) -> Result<BTreeMap<String, Pattern>> {
    let mut all = BTreeMap::new();
    for noun in fs::read_dir(root.join("functions")).context("cannot read functions")? {
        let path = noun?.path();
        let noun = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let of_noun = path.join(FILE);
        let Ok(text) = fs::read_to_string(&of_noun) else { continue };
        let patterns: BTreeMap<String, Pattern> = toml::from_str(&text).with_context(|| file(&noun))?;
        for (function, pattern) in patterns {
            let is_there = path.join(format!("src/bin/{function}.rs")).is_file();
            ensure!(is_there, "{} has an entry for {function}, but the folder has no such program", file(&noun));
            all.insert(function, Pattern { noun: noun.clone(), ..pattern });
        }
    }
    Ok(all)
}

/// Returns the path of the file of a noun, relative to the root of the project.
#[must_use]
pub fn file(noun: &str) -> String {
    format!("functions/{noun}/{FILE}")
}

/// Returns the rules by which the units of the operations grow.
pub fn rules() -> Result<Vec<Rule>> {
    let mut rules: BTreeMap<String, Vec<Rule>> = toml::from_str(RULES).context("units.toml cannot be read")?;
    rules.remove("rule").context("units.toml has no rules")
}

//! Peers: programs in Python and Node that make the DynamoDB requests of a function and do nothing
//! else. `tools/bench/peers/install` installs them into target/peers.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::json;
use testing::recorder::Request;

use super::tls::Endpoint;
use crate::subject::Subject;

/// The root certificates that boto3 trusts by default, relative to target/peers.
const BOTOCORE_ROOTS: &str = "python/roots.pem";

/// A language that a peer is written in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    /// Python with boto3 and awslambdaric.
    Python,
    /// Node with the AWS SDK for JavaScript v3, bundled into one file.
    Node,
}

impl Language {
    const ALL: [Self; 2] = [Self::Python, Self::Node];

    /// The name of the language, which is also the name of the peer in the table.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Python => "Python",
            Self::Node => "Node",
        }
    }
}

/// The installed peers.
pub(super) struct Peers {
    directory: PathBuf,
    installed: Vec<Language>,
}

impl Peers {
    /// Finds the peers in target/peers. Prints a hint for each one that is missing, and fails if
    /// all are.
    pub(super) fn find(root: &Path) -> Result<Self> {
        let directory = root.join("target/peers");
        let is_installed = |language: &Language| match language {
            Language::Python => directory.join("python/venv/bin/python").exists(),
            Language::Node => directory.join("node/dist/runtime.js").exists(),
        };
        let (installed, missing): (Vec<_>, Vec<_>) = Language::ALL.into_iter().partition(is_installed);
        for language in missing {
            eprintln!("the {} peer is not installed; run tools/bench/peers/install to install it", language.name());
        }
        ensure!(
            !installed.is_empty(),
            "no peer is installed; run tools/bench/peers/install, or measure without --peers"
        );
        Ok(Self { directory, installed })
    }

    /// Returns the peers of a function. They will send these recorded requests.
    pub(super) fn subjects(
        &self,
        function: &Subject,
        requests: &[Request],
        endpoint: &Endpoint,
    ) -> Result<Vec<Subject>> {
        let file = self.directory.join(format!("{}.json", function.name));
        let requests = requests.iter().map(|request| json!({"operation": request.operation, "input": request.body}));
        let requests = json!(requests.collect::<Vec<_>>()).to_string();
        fs::write(&file, requests).with_context(|| format!("cannot write {}", file.display()))?;

        // Node adds the endpoint's root to its own. boto3 replaces its own roots, so its bundle
        // contains both: otherwise boto3 would read a shorter file than in the cloud.
        let endpoint_roots =
            fs::read(&endpoint.roots).with_context(|| format!("cannot read {}", endpoint.roots.display()))?;
        let botocore_roots = fs::read(self.directory.join(BOTOCORE_ROOTS)).unwrap_or_default();
        let bundle = self.directory.join("roots.pem");
        fs::write(&bundle, [endpoint_roots, botocore_roots].concat())
            .with_context(|| format!("cannot write {}", bundle.display()))?;

        let subject = |language: Language| {
            let (program, arguments) = match language {
                Language::Python => (
                    self.directory.join("python/venv/bin/python"),
                    ["-m", "awslambdaric", "handler.handler"].map(str::to_owned).to_vec(),
                ),
                Language::Node => {
                    (PathBuf::from("node"), vec![self.directory.join("node/dist/runtime.js").display().to_string()])
                }
            };
            let mut environment = function.environment.clone();
            environment.extend(
                [
                    ("PYTHONPATH", self.directory.join("python").display().to_string()),
                    ("AWS_CA_BUNDLE", bundle.display().to_string()),
                    ("NODE_EXTRA_CA_CERTS", endpoint.roots.display().to_string()),
                    ("AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED", "true".to_owned()),
                    ("PEER_REQUESTS", file.display().to_string()),
                ]
                .map(|(name, value)| (name.to_owned(), value)),
            );
            Subject { name: language.name().to_owned(), program, arguments, environment, ..function.clone() }
        };
        Ok(self.installed.iter().copied().map(subject).collect())
    }
}

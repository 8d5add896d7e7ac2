//! The same access patterns in other languages: programs that make the very requests which a function was seen to make, and
//! nothing else. `tools/bench/peers/install` makes them ready to run.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use testing::recorder::Request;

use crate::bare::Endpoint;
use crate::run::Subject;

/// The roots that boto3 trusts, in the folder of peers.
const BOTOCORE_ROOTS: &str = "python/roots.pem";

/// A language that a peer is written in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// With boto3 and awslambdaric.
    Python,
    /// With the AWS SDK for JavaScript v3, bundled.
    Node,
}

impl Language {
    const ALL: [Self; 2] = [Self::Python, Self::Node];

    /// The name of a subject in it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Python => "Python",
            Self::Node => "Node",
        }
    }
}

/// The peers that are installed.
pub(crate) struct Peers {
    folder: PathBuf,
    installed: Vec<Language>,
}

impl Peers {
    /// Those in target/peers. It says which are missing, and how to come by them.
    pub(crate) fn find(root: &Path) -> Result<Self, String> {
        let folder = root.join("target/peers");
        let is_there = |language: &Language| match language {
            Language::Python => folder.join("python/venv/bin/python").exists(),
            Language::Node => folder.join("node/dist/runtime.js").exists(),
        };
        let (installed, missing): (Vec<_>, Vec<_>) = Language::ALL.into_iter().partition(is_there);
        for language in missing {
            eprintln!("no peer in {}: tools/bench/peers/install makes one", language.name());
        }
        if installed.is_empty() {
            return Err("there is no peer to measure".to_owned());
        }
        Ok(Self { folder, installed })
    }

    /// The function's peers, which will make these requests.
    pub(crate) fn of(
        &self,
        function: &Subject,
        requests: &[Request],
        endpoint: &Endpoint,
    ) -> Result<Vec<Subject>, String> {
        let file = self.folder.join(format!("{}.json", function.name));
        let requests = requests.iter().map(|request| {
            let mut input = request.body.clone();
            if let Some(input) = input.as_object_mut() {
                // The recorder's.
                input.remove("ReturnConsumedCapacity");
            }
            json!({"operation": request.operation, "input": input})
        });
        fs::write(&file, json!(requests.collect::<Vec<_>>()).to_string())
            .map_err(|error| format!("{}: {error}", file.display()))?;
        // Node adds the proxy's root to those that it has; boto3 would have that one instead of its own.
        let own = fs::read(&endpoint.root).map_err(|error| error.to_string())?;
        let others = fs::read(self.folder.join(BOTOCORE_ROOTS)).unwrap_or_default();
        let bundle = self.folder.join("roots.pem");
        fs::write(&bundle, [own, others].concat()).map_err(|error| format!("{}: {error}", bundle.display()))?;
        let subject = |language: Language| {
            let (program, arguments) = match language {
                Language::Python => (
                    self.folder.join("python/venv/bin/python"),
                    ["-m", "awslambdaric", "handler.handler"].map(str::to_owned).to_vec(),
                ),
                Language::Node => {
                    (PathBuf::from("node"), vec![self.folder.join("node/dist/runtime.js").display().to_string()])
                }
            };
            let mut environment = function.environment.clone();
            environment.extend(
                [
                    ("PYTHONPATH", self.folder.join("python").display().to_string()),
                    ("AWS_CA_BUNDLE", bundle.display().to_string()),
                    ("NODE_EXTRA_CA_CERTS", endpoint.root.display().to_string()),
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

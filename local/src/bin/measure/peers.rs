//! The same access patterns in other languages: programs that make the very requests which a function was seen to make, and
//! nothing else. `local/benches/peers/install` makes them ready to run.

use std::fs;
use std::path::{Path, PathBuf};

use axum::body::Bytes;
use local::recorder::Request;
use local::template::Function;
use local::workbench::Workbench;
use serde_json::json;
use tokio::process::Command;

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
    pub(crate) const ALL: [Self; 2] = [Self::Python, Self::Node];

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
            eprintln!("no peer in {}: local/benches/peers/install makes one", language.name());
        }
        if installed.is_empty() {
            return Err("there is no peer to measure".to_owned());
        }
        Ok(Self { folder, installed })
    }

    /// The function's peers, which will make these requests.
    pub(crate) fn of(
        &self,
        bench: &Workbench,
        function: &Function,
        event: &Bytes,
        requests: &[Request],
        endpoint: &Endpoint,
    ) -> Result<Vec<(Language, Subject)>, String> {
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
            let environment: Vec<_> = bench
                .command(function, &endpoint.url)
                .as_std()
                .get_envs()
                .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
                .collect();
            let (folder, root, bundle, file) =
                (self.folder.clone(), endpoint.root.clone(), bundle.clone(), file.clone());
            let command = move || {
                let mut command = match language {
                    Language::Python => {
                        let mut command = Command::new(folder.join("python/venv/bin/python"));
                        command.args(["-m", "awslambdaric", "handler.handler"]);
                        command
                    }
                    Language::Node => {
                        let mut command = Command::new("node");
                        command.arg(folder.join("node/dist/runtime.js"));
                        command
                    }
                };
                command
                    .env_clear()
                    .envs(environment.clone())
                    .env("PYTHONPATH", folder.join("python"))
                    .env("AWS_CA_BUNDLE", &bundle)
                    .env("NODE_EXTRA_CA_CERTS", &root)
                    .env("AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED", "true")
                    .env("PEER_REQUESTS", &file);
                command
            };
            let name = format!("{} in {}", function.name, language.name());
            (language, Subject { name, event: event.clone(), command: Box::new(command) })
        };
        Ok(self.installed.iter().copied().map(subject).collect())
    }
}

//! Builds the functions again when their sources change. The runtime starts the new binaries for
//! the next events, so the tables, the objects and the tokens of the stack remain.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::build;

/// The time without a change after which the functions are built. Editors and tools write several
/// files one after the other.
const QUIET: Duration = Duration::from_millis(50);

/// The folders that have the sources of functions, with all that is in them.
const FOLDERS: [&str; 3] = ["functions", "shared", "pictures"];

/// The name of the files of the tables, the functions and the routes, which the stack reads at its start
/// only.
const TEMPLATE: &str = "template.yaml";

/// Builds the functions of the workspace at `root` whenever their sources change. Returns an error
/// if the sources cannot be watched; else it does not return.
pub async fn functions(root: &Path) -> Result<()> {
    let mut changes = Changes::new(root)?;
    let directory = build::directory()?;
    let built = || -> Result<BTreeMap<String, _>> {
        let names = build::names(root)?.into_iter();
        Ok(names.map(|name| (name.clone(), build::time(&directory.join(name)))).collect())
    };
    loop {
        let paths = changes.next().await?;
        let templates: BTreeSet<_> = paths.iter().filter(|path| is_named(path, TEMPLATE)).collect();
        for template in templates.into_iter().map(|path| path.strip_prefix(root).unwrap_or(path)) {
            let message = format!("{} has changed; start the stack again to use it", template.display());
            terminal::log("local", &message);
        }
        if paths.iter().all(|path| is_named(path, TEMPLATE)) {
            continue;
        }
        let (before, begin) = (built()?, Instant::now());
        if let Err(error) = build::functions(root).await {
            terminal::log("local", &format!("{error:#}; the functions run as they were built before"));
            continue;
        }
        let after = built()?;
        let new: Vec<&str> =
            after.iter().filter(|(name, time)| before.get(*name) != Some(time)).map(|(name, _)| &**name).collect();
        let message = match new[..] {
            [] => "no function has changed".to_owned(),
            [_, ..] if new.len() == after.len() => "all functions are new".to_owned(),
            _ => format!("new: {}", new.join(", ")),
        };
        terminal::log("local", &format!("{message} ({:.1} s)", begin.elapsed().as_secs_f32()));
    }
}

/// The changes of the sources of a workspace.
struct Changes {
    paths: mpsc::UnboundedReceiver<PathBuf>,
    _watcher: RecommendedWatcher,
}

impl Changes {
    /// Starts to watch.
    fn new(root: &Path) -> Result<Self> {
        let (send, paths) = mpsc::unbounded_channel();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let event = event.unwrap_or_default();
            let is_change = matches!(event.kind, EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_));
            for path in event.paths.into_iter().filter(|path| is_change && is_source(path)) {
                let _ = send.send(path);
            }
        })?;
        let failed = || format!("cannot watch {}", root.display());
        // An editor may replace a file by another one, so that the folder is watched and not the
        // file.
        watcher.watch(root, RecursiveMode::NonRecursive).with_context(failed)?;
        for folder in FOLDERS.map(|folder| root.join(folder)).iter().filter(|folder| folder.is_dir()) {
            watcher.watch(folder, RecursiveMode::Recursive).with_context(failed)?;
        }
        Ok(Self { paths, _watcher: watcher })
    }

    /// Waits for the next changes, and until nothing more changes. Returns their paths.
    async fn next(&mut self) -> Result<Vec<PathBuf>> {
        let Some(first) = self.paths.recv().await else { bail!("the watch has ended") };
        let mut changed = vec![first];
        while let Ok(Some(path)) = timeout(QUIET, self.paths.recv()).await {
            changed.push(path);
        }
        Ok(changed)
    }
}

/// Returns whether a file is a source of functions or a [`TEMPLATE`]. The tests of a function are not
/// part of it, but cargo knows that.
fn is_source(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str);
    extension == Some("rs") || ["Cargo.toml", "Cargo.lock", TEMPLATE].iter().any(|name| is_named(path, name))
}

fn is_named(path: &Path, name: &str) -> bool {
    path.file_name() == Some(OsStr::new(name))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The timeout of each step: long enough for a busy machine.
    const TEST_TIMEOUT: Duration = Duration::from_secs(30);

    async fn next(changes: &mut Changes, root: &Path) -> Vec<PathBuf> {
        let paths = timeout(TEST_TIMEOUT, changes.next()).await.unwrap().unwrap();
        let mut names: Vec<_> = paths.iter().map(|path| path.strip_prefix(root).unwrap().to_owned()).collect();
        names.sort();
        names.dedup();
        names
    }

    #[tokio::test]
    async fn tells_which_sources_have_changed() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for folder in ["functions/users/src", "functions/catalogue/src", "shared/src", "local/src"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let mut changes = Changes::new(&root).unwrap();
        let [user, song] = ["functions/users/src/get_user.rs", "functions/catalogue/src/put_song.rs"];
        fs::write(root.join(user), "1").unwrap();
        fs::write(root.join(song), "1").unwrap();
        assert_eq!(next(&mut changes, &root).await, [Path::new(song), Path::new(user)]);

        // The stack itself is not built again, and neither are files that are not sources.
        for other in ["local/src/main.rs", "functions/users/src/get_user.rs~", "README.md"] {
            fs::write(root.join(other), "1").unwrap();
        }
        fs::read(root.join(user)).unwrap();
        // Many editors write another file and give it the name of the old one.
        for file in ["template.yaml", "functions/users/template.yaml", "shared/src/lib.rs"] {
            fs::write(root.join("written"), "2").unwrap();
            fs::rename(root.join("written"), root.join(file)).unwrap();
        }
        let expected = ["functions/users/template.yaml", "shared/src/lib.rs", "template.yaml"];
        assert_eq!(next(&mut changes, &root).await, expected.map(Path::new));
        fs::remove_file(root.join(song)).unwrap();
        assert_eq!(next(&mut changes, &root).await, [Path::new(song)]);
    }
}

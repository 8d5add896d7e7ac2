//! A checkout on Windows, where Git may be told to make CRLF of line ends.

use std::fs;
use std::path::Path;
use std::process::Command;

use tests::stack::root;

/// Runs Git in a folder.
fn git(folder: &Path, arguments: &[&str]) {
    let settings = ["-c", "core.autocrlf=true", "-c", "user.name=test", "-c", "user.email=test@example.com"];
    let mut command = Command::new("git");
    let output = command.current_dir(folder).args(settings).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_checkout_on_windows_changes_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let (made, cloned) = (folder.path().join("made"), folder.path().join("cloned"));
    let files =
        [".gitattributes", "docs/upload.sh", ".ci/run", "docs/images/start-dark.webp", "docs/results/batches.csv"];
    for file in files {
        fs::create_dir_all(made.join(file).parent().unwrap()).unwrap();
        fs::copy(root().join(file), made.join(file)).unwrap();
    }
    git(&made, &["init", "--quiet"]);
    git(&made, &["add", "."]);
    git(&made, &["commit", "--quiet", "--message", "Test"]);
    git(folder.path(), &["clone", "--quiet", "--config", "core.autocrlf=true", "made", "cloned"]);
    for file in files {
        assert!(fs::read(made.join(file)).unwrap() == fs::read(cloned.join(file)).unwrap(), "{file}");
    }
}

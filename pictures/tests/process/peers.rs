//! Pillow makes files that the encoders here cannot make, and reads the results. The environment
//! variable `QUICK_PHOTOS_PYTHON` names a Python that has Pillow.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pictures::process;

use crate::{files, metadata};

/// Returns the Python that has Pillow, or says that there is none.
pub(crate) fn python() -> Option<PathBuf> {
    let Some(python) = std::env::var_os("QUICK_PHOTOS_PYTHON").map(PathBuf::from) else {
        eprintln!("QUICK_PHOTOS_PYTHON is not set: Pillow does not read the pictures.");
        return None;
    };
    if !Command::new(&python).args(["-c", "import PIL"]).status().is_ok_and(|status| status.success()) {
        eprintln!("{} has no Pillow: it does not read the pictures.", python.display());
        return None;
    }
    Some(python)
}

/// Runs `pillow.py`, and returns what it prints.
pub(crate) fn pillow(python: &Path, arguments: &[&Path]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/process/pillow.py");
    let output = Command::new(python).arg(script).args(arguments).output().expect("QUICK_PHOTOS_PYTHON can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn pillow_finds_no_metadata_and_the_same_pixels() {
    let Some(python) = python() else { return };
    let python = &*python;
    let directory = tempfile::tempdir().unwrap();
    let uploads = directory.path().join("uploads");
    let results = directory.path().join("results");
    fs::create_dir(&uploads).unwrap();
    fs::create_dir(&results).unwrap();
    fs::write(uploads.join("talkative.jpg"), metadata::talkative()).unwrap();
    let lossy = files::webp_of(&[(b"VP8 ", &files::lossy_gray(333, 222))]);
    fs::write(uploads.join("gray.webp"), lossy).unwrap();
    pillow(python, &[Path::new("make"), &uploads]);

    let mut count = 0;
    for upload in fs::read_dir(&uploads).unwrap() {
        let upload = upload.unwrap().path();
        let result =
            process(&fs::read(&upload).unwrap()).unwrap_or_else(|error| panic!("{}: {error}", upload.display()));
        let name = upload.file_name().unwrap().to_str().unwrap();
        for (size, jpeg) in [("small", Some(result.small)), ("medium", result.medium), ("large", result.large)] {
            let Some(jpeg) = jpeg else { continue };
            fs::write(results.join(format!("{name}.{size}.jpg")), jpeg).unwrap();
            count += 1;
        }
    }
    let compared = pillow(python, &[Path::new("compare"), &uploads, &results]);
    assert_eq!(compared, format!("{count} results are right\n"));
}

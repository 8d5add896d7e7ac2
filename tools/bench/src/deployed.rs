//! Builds the functions as they are deployed.

use std::fs;
use std::iter::once;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use local::lambda::build;
use local::template::Function;

/// The package of the function that does nothing.
pub(crate) const EMPTY_FUNCTION: &str = "empty-function";

/// Builds these functions and the empty function with the release profile, and returns a directory
/// with [copies](copy) of their binaries.
///
/// The build names the packages of the nouns and no others. Cargo unifies the features of all
/// packages in one build, so building the local tools as well would add their features to the
/// crates that the functions link.
pub(crate) async fn build(root: &Path, functions: &[Function]) -> Result<PathBuf> {
    let target = root.join("target/deployed");
    let names: Vec<&str> =
        functions.iter().map(|function| function.name.as_str()).chain(once(EMPTY_FUNCTION)).collect();
    let nouns = fs::read_dir(root.join("functions")).context("cannot read functions")?;
    let nouns = nouns.map(|noun| Ok(noun?.file_name().to_string_lossy().into_owned()));
    let packages: Vec<String> = nouns.chain(once(Ok(EMPTY_FUNCTION.to_owned()))).collect::<Result<_>>()?;
    let packages = packages.iter().flat_map(|package| ["--package", package]);
    let binaries = names.iter().flat_map(|name| ["--bin", name]);
    let arguments: Vec<&str> = once("--release").chain(packages).chain(binaries).collect();
    build::cargo(root, &arguments, &target).await?;
    let copies = target.join("copies");
    copy(&target.join("release"), &names, &copies)?;
    Ok(copies)
}

/// Copies the binaries with these names from a directory to another one, which it empties first.
///
/// A deployment writes a binary with plain writes, and so does a copy. A linker writes it through a
/// memory map, and as long as the page cache has it in the small pages of that map, a cold start
/// takes 1.1 times as long. So only copies are measured.
pub(crate) fn copy(from: &Path, names: &[&str], to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to).with_context(|| format!("cannot empty {}", to.display()))?;
    }
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for name in names {
        let binary = from.join(name);
        fs::copy(&binary, to.join(name)).with_context(|| format!("cannot copy {}", binary.display()))?;
    }
    Ok(())
}

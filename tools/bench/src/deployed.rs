//! Builds the functions as they are deployed.

use std::path::{Path, PathBuf};

use local::lambda::build;
use local::template::Function;

/// The package of the function that does nothing.
pub(crate) const EMPTY_FUNCTION: &str = "empty-function";

/// Builds these functions and the empty function with the release profile, and returns the
/// directory of their binaries.
///
/// The build names the packages of the functions and no others. Cargo unifies the features of all
/// packages in one build, so building the local tools as well would add their features to the
/// crates that the functions link.
pub(crate) async fn build(root: &Path, functions: &[Function]) -> anyhow::Result<PathBuf> {
    let target = root.join("target/deployed");
    let names = functions.iter().map(|function| function.name.as_str());
    let packages = names.chain([EMPTY_FUNCTION]).flat_map(|name| ["--package", name]);
    let arguments: Vec<&str> = ["--release", "--bins"].into_iter().chain(packages).collect();
    build::cargo(root, &arguments, &target).await?;
    Ok(target.join("release"))
}

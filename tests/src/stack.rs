//! Local stacks on free ports.

use std::path::PathBuf;

use local::lambda::build;
use local::stack::{Options, Stack};
use local::template::Template;
use tokio::sync::OnceCell;

/// Returns the root directory of the repository.
#[must_use]
pub fn root() -> PathBuf {
    let template = Template::find().expect("template.yaml");
    template.parent().expect("a directory").to_owned()
}

/// Builds the functions, once for all tests of a program.
pub async fn build_functions() {
    static BUILT: OnceCell<()> = OnceCell::const_new();
    BUILT.get_or_try_init(async || build::functions(&root()).await).await.expect("the functions build");
}

/// Builds the functions, and starts a stack with these options.
pub async fn start(options: Options) -> Stack {
    build_functions().await;
    Stack::start(options).await.expect("the stack starts")
}

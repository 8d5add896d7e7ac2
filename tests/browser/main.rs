//! The stack as a browser sees it: the page, the API page, and a page of another origin that uses the API, in headless
//! Chromium. Without `chromedriver` on the PATH the tests pass and say so, unless the environment variable
//! `QUICK_PHOTOS_BROWSER` is set.

#![allow(clippy::unwrap_used)]

mod api_page;
mod front_end;
mod page;
mod webdriver;

use local::lambda::build;
use local::stack::{Options, Stack};
use local::template::Template;
use tokio::sync::OnceCell;

use crate::webdriver::Browser;

/// Starts a stack whose API pages of these origins may call.
async fn start_stack(allowed_origins: Option<String>) -> Stack {
    let parameters = allowed_origins.map(|origins| ("AllowedOrigins".to_owned(), origins)).into_iter().collect();
    start_stack_with(Options { parameters, ..Options::default() }).await
}

/// Starts a stack with these options.
async fn start_stack_with(options: Options) -> Stack {
    static BUILT: OnceCell<()> = OnceCell::const_new();
    let root = Template::find().unwrap().parent().unwrap().to_owned();
    BUILT.get_or_try_init(async || build::functions(&root).await).await.expect("the functions build");
    Stack::start(options).await.expect("the stack starts")
}

/// Starts a browser, or returns `None` on a machine without one.
async fn start_browser() -> Option<Browser> {
    let browser = Browser::start().await;
    if browser.is_none() {
        assert!(std::env::var_os("QUICK_PHOTOS_BROWSER").is_none(), "there is no chromedriver on the PATH");
        eprintln!("skipped: there is no chromedriver on the PATH; Debian has it in the package chromium-driver");
    }
    browser
}

//! The stack as a browser sees it: the page, the API page, and a page of another origin that uses
//! the API, in the headless browser at the path in the environment variable
//! `QUICK_PHOTOS_BROWSER`. Without the variable the tests pass and say so. They need `chromedriver`
//! on the PATH; Debian has it in the package chromium-driver.

mod api_page;
mod front_end;
mod page;
mod webdriver;

use local::stack::{Data, Options, Stack};
use tests::stack;
use tests::tools::tool;

use self::webdriver::Browser;

/// Starts a stack whose API pages of these origins may call.
async fn start_stack(allowed_origins: Option<String>) -> Stack {
    let parameters = allowed_origins.map(|origins| ("AllowedOrigins".to_owned(), origins)).into_iter().collect();
    stack::start(Options { parameters, ..Options::default() }).await
}

/// Starts a stack in which ada, ben and cara are the only users.
async fn start_small_stack() -> Stack {
    stack::start(Options { data: Data::Seed, ..Options::default() }).await
}

/// Starts a browser, or returns `None` if no variable names one.
async fn start_browser() -> Option<Browser> {
    Some(Browser::start(&tool("QUICK_PHOTOS_BROWSER")?).await)
}

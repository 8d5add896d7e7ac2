//! A stack that is restarted, and a profile that is deleted, under an open page.

use std::iter;
use std::net::{Ipv4Addr, TcpListener};

use local::stack::{Data, Options, Stack};
use tests::stack::start;

use super::visitor::{HEADLINE, Visitor};
use crate::browser::{start_browser, start_stack};

/// A failed request while there is no stack.
const NO_STACK: &str = "net::ERR_";
/// The answer of the new stack, which does not know the token.
const NO_TOKEN: &str = "status of 401";

/// Waits until the page has all that it asks for, and stops the stack.
async fn stop(visitor: &Visitor, stack: Stack) {
    visitor.see("Nothing here yet").await;
    stack.shutdown().await;
}

/// Returns options with free ports, which stay free while there is no stack. They are below those
/// that the kernel [gives](https://docs.kernel.org/networking/ip-sysctl.html) to whoever asks for
/// any free port (`ip_local_port_range`).
fn options() -> Options {
    let port = || {
        iter::repeat_with(|| rand::random_range(20_000..32_768))
            .find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
            .expect("a free port")
    };
    Options { port: port(), dynamodb_port: port(), s3_port: port(), data: Data::Seed, ..Options::default() }
}

#[tokio::test]
async fn a_user_whom_the_new_stack_has_goes_on() {
    let Some(browser) = start_browser().await else { return };
    let options = options();
    let stack = start(options.clone()).await;
    let visitor = Visitor::enter(browser, &stack, "Ada Marsh").await;
    stop(&visitor, stack).await;
    visitor.see_in(".inspector", "The stack does not answer. Waiting for it.").await;
    visitor.click("Favorites").await;
    visitor.see("The stack cannot be reached. Start it with cargo run, and try again.").await;

    let stack = start(options).await;
    visitor.see_in(".inspector", "The stack was restarted.").await;
    visitor.see("Sunset over Lisbon").await;
    visitor.click_beginning("Your profile").await;
    visitor.see_in(".inspector", "GET /users/ada/profile").await;
    visitor.leave_after_a_pause(&[NO_STACK, NO_TOKEN]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn a_user_who_is_gone_learns_why_and_can_join_again() {
    let Some(browser) = start_browser().await else { return };
    let options = options();
    let stack = start(options.clone()).await;
    let visitor = Visitor::join(browser, &stack, "dora").await;
    stop(&visitor, stack).await;
    visitor.click("Favorites").await;
    visitor.see("The stack cannot be reached.").await;
    let stack = start(options).await;
    visitor.see("There is no profile of dora any more").await;
    visitor.see(HEADLINE).await;
    visitor.fill("name", "Dora Again").await;
    // The page proposes the same name.
    visitor.click("Create the profile").await;
    visitor.see("Nothing here yet").await;
    visitor.click_beginning("Your profile").await;
    visitor.see_in("h1", "Dora Again").await;
    visitor
        .leave_after_a_pause(&[
            NO_STACK,
            NO_TOKEN,
            "/users/me - Failed to load resource: the server responded with a status of 404",
        ])
        .await;
    stack.shutdown().await;
}

#[tokio::test]
async fn a_user_whose_profile_is_deleted_elsewhere_learns_it() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::join(browser, &stack, "dora").await;
    let delete = reqwest::Client::new().delete(format!("{}/users/dora", stack.api()));
    let answer = delete.bearer_auth(stack.token("dora").unwrap()).send().await.unwrap();
    assert_eq!(answer.status(), 204);
    visitor.click_beginning("Your profile").await;
    visitor.see("There is no profile of dora any more").await;
    visitor.leave_after_a_pause(&["/users/dora/profile?order=desc&include=viewer - Failed to load resource: the server responded with a status of 404"]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn a_visitor_who_signs_out_meanwhile_can_try_again() {
    let Some(browser) = start_browser().await else { return };
    let options = options();
    let stack = start(options.clone()).await;
    let visitor = Visitor::enter(browser, &stack, "Ada Marsh").await;
    stop(&visitor, stack).await;
    visitor.click("Sign out ada").await;
    visitor.see("The stack cannot be reached. Start it with cargo run, and try again.").await;
    let stack = start(options).await;
    visitor.click("Try again").await;
    visitor.click("Ben Okafor").await;
    visitor.see_in("h1", "Feed").await;
    // On a busy machine, the bell and the live connection may ask before the first processes of their functions run. And
    // what the window of ada asked before the stop may be sent again to the new stack, which does not know her token.
    let possible = [
        "/users/me?include=counts - Failed",
        "all processes of the function are busy",
        "/screens/",
        "/local/live?",
        "/users/me/feed?limit=1 - Failed to load resource: the server responded with a status of 401",
        "Nobody is signed in",
    ];
    visitor.leave_with(&[NO_STACK], &possible).await;
    stack.shutdown().await;
}

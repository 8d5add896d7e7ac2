//! The program of [`ConnectScreen`].

// It has no tests of its own.
#![cfg(not(test))]

use live::connect_screen::ConnectScreen;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::connection::run::<ConnectScreen>().await
}

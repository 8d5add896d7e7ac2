//! `cargo run`: Quick Photos on this machine.

use std::{net::IpAddr, path::PathBuf, process::ExitCode};

use clap::Parser;
use local::stack::{Options, Stack};
use tokio::signal::unix::{SignalKind, signal};

/// Quick Photos on this machine: the tables, the functions and the HTTP API.
#[derive(Parser)]
#[command(name = "local", version)]
struct Arguments {
    /// Keeps the tables in DIR across runs; without it they are in memory
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Loads FILE (JSON Lines) instead of the sample data
    #[arg(long, value_name = "FILE")]
    items: Option<PathBuf>,
    /// Port of the HTTP API
    #[arg(long, value_name = "N", default_value_t = 3000)]
    port: u16,
    /// Port of the database
    #[arg(long, value_name = "N", default_value_t = 8000)]
    dynamodb_port: u16,
    /// Address to listen on
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
    host: IpAddr,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("local: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> Result<(), String> {
    let no_signals = |error| format!("cannot listen for signals: {error}");
    let mut interrupt = signal(SignalKind::interrupt()).map_err(no_signals)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(no_signals)?;
    let asked_to_stop = async {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    };
    tokio::pin!(asked_to_stop);

    let started = Stack::start(Options {
        host: arguments.host,
        port: arguments.port,
        dynamodb_port: arguments.dynamodb_port,
        data_dir: arguments.data_dir,
        items: arguments.items,
        build: true,
        functions: None,
    });
    let stack = tokio::select! {
        started = started => started?,
        () = &mut asked_to_stop => return Ok(()),
    };
    greet(&stack).await?;
    asked_to_stop.await;
    stack.shutdown().await;
    Ok(())
}

async fn greet(stack: &Stack) -> Result<(), String> {
    let (api, dynamodb, user) = (stack.api(), stack.dynamodb(), stack.somebody().await);
    let token = stack.token(&user)?;
    println!(
        r#"HTTP API  {api}
DynamoDB  {dynamodb}
Outbox    {api}/local/outbox

TOKEN={token}
curl -H "Authorization: Bearer $TOKEN" {api}/users/{user}/profile
curl -H "Authorization: Bearer $TOKEN" {api}/users/{user}/followers
curl -H "Authorization: Bearer $TOKEN" {api}/users/{user}/favorites
curl -H "Authorization: Bearer $TOKEN" -d '{{"format": "jpeg"}}' -H 'Content-Type: application/json' {api}/users/{user}/photos"#
    );
    Ok(())
}

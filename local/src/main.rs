//! `cargo run`: starts the local stack.

use std::{
    convert::Infallible,
    future,
    net::IpAddr,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result};
use clap::Parser;
use local::{
    lambda::{console, watch},
    net,
    stack::{Options, Stack},
    template::Template,
};
use tokio::signal::unix::{SignalKind, signal};

/// Runs Quick Photos on this machine: the HTTP API, the functions, DynamoDB and S3
#[derive(Parser)]
#[command(name = "local", version)]
struct Arguments {
    /// Keep the tables and the objects in this directory across runs [default: none]
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Load the items of this file (JSON Lines) into a new quick-photos, and no sample data
    #[arg(long, value_name = "FILE")]
    items: Option<PathBuf>,
    /// Port of the HTTP API
    #[arg(long, value_name = "N", default_value_t = 3000)]
    port: u16,
    /// Port of DynamoDB
    #[arg(long, value_name = "N", default_value_t = 8000)]
    dynamodb_port: u16,
    /// Port of S3
    #[arg(long, value_name = "N", default_value_t = 9000)]
    s3_port: u16,
    /// Address to listen on
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
    host: IpAddr,
    /// Print only warnings and errors of functions, and not a line for each invocation
    #[arg(long)]
    quiet: bool,
    /// Value of a parameter of template.yaml, such as AllowedOrigins=http://localhost:5173; may be repeated
    #[arg(long = "parameter", value_name = "NAME=VALUE", value_parser = parse_parameter)]
    parameters: Vec<(String, String)>,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("local: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn parse_parameter(text: &str) -> Result<(String, String), &'static str> {
    let (name, value) = text.split_once('=').ok_or("it must be NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

async fn run(arguments: Arguments) -> Result<()> {
    let failed = "cannot listen for signals";
    let mut interrupt = signal(SignalKind::interrupt()).context(failed)?;
    let mut terminate = signal(SignalKind::terminate()).context(failed)?;
    let stop_signal = async {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    };
    tokio::pin!(stop_signal);

    let started = Stack::start(Options {
        host: arguments.host,
        port: arguments.port,
        dynamodb_port: arguments.dynamodb_port,
        s3_port: arguments.s3_port,
        data_dir: arguments.data_dir,
        items: arguments.items,
        build: true,
        functions: None,
        parameters: arguments.parameters.into_iter().collect(),
    });
    let stack = tokio::select! {
        started = started => started?,
        () = &mut stop_signal => return Ok(()),
    };
    if !arguments.host.is_loopback() {
        warn_about(arguments.host);
    }
    print_greeting(&stack).await?;
    if !arguments.quiet {
        console::show_invocations();
    }
    tokio::select! {
        () = stop_signal => {}
        never = rebuild() => match never {},
    }
    stack.shutdown().await;
    Ok(())
}

/// Builds the functions again whenever their sources change.
async fn rebuild() -> Infallible {
    let watched = match Template::find() {
        Ok(template) => watch::functions(template.parent().unwrap_or(Path::new("/"))).await,
        Err(error) => Err(error),
    };
    if let Err(error) = watched {
        net::log("local", &format!("{error:#}; start the stack again after changes of the functions"));
    }
    future::pending().await
}

/// Warns on stderr that others can reach this stack.
fn warn_about(host: IpAddr) {
    let warning =
        "everybody who can reach this machine can get a token of any user, and read and write all tables and buckets";
    net::log("local", &format!("warning: the stack listens on {host}: {warning}"));
}

/// Prints the addresses, and commands to copy and paste into a shell.
async fn print_greeting(stack: &Stack) -> Result<()> {
    let (api, dynamodb, s3) = (stack.api(), stack.dynamodb(), stack.s3().endpoint());
    let user = stack.example_user().await;
    let token = stack.token(&user)?;
    println!(
        r#"Quick Photos is running. Press Ctrl-C to stop it.

Page      {api}/
HTTP API  {api}
API page  {api}/local/docs
DynamoDB  {dynamodb}
S3        {s3}
E-mails   {api}/local/outbox

Try these commands in another terminal. The token is for the user {user}, and valid for 12 hours or until the stack stops.

TOKEN={token}
curl -H "Authorization: Bearer $TOKEN" {api}/users/{user}/profile
curl -H "Authorization: Bearer $TOKEN" {api}/users/{user}/followers
curl -H "Authorization: Bearer $TOKEN" {api}/users/{user}/favorites
curl -H "Authorization: Bearer $TOKEN" -d '{{"format": "jpeg"}}' -H 'Content-Type: application/json' {api}/users/{user}/photos"#
    );
    Ok(())
}

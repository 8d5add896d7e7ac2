//! `cargo run`: starts the local stack.

use std::{
    convert::Infallible,
    future,
    io::{self, IsTerminal as _},
    net::IpAddr,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use anstyle::{Ansi256Color, Style};
use anyhow::{Context as _, Result};
use clap::Parser;
use local::{
    lambda::{console, watch},
    listener::lan_address,
    stack::{Data, Options, Stack},
    template::{Template, cloudformation::Parameters},
};
use qrcode::{EcLevel, QrCode, render::unicode::Dense1x2};
use terminal::{print, println};
use tokio::runtime::Runtime as Tokio;
use tokio::signal::unix::{SignalKind, signal};

/// The number of files and sockets that the stack may have open, if the system allows it. With one
/// process of each function it has 400. The default of a shell is 256 on macOS and mostly 1,024 on
/// Linux.
const MAX_OPEN_FILES: u64 = 10_240;

/// Runs Quick Photos on this machine: the HTTP API, the functions, DynamoDB and S3
#[derive(Parser)]
#[command(name = "local", version)]
#[allow(clippy::struct_excessive_bools)] // each is a flag
struct Arguments {
    /// Keep the tables and the objects in this directory across runs [default: none]
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Load the items of this file (JSON Lines) into a new quick-photos, and no sample data
    #[arg(long, value_name = "FILE")]
    items: Option<PathBuf>,
    /// Create no quick-photos and no sample data
    #[arg(long, conflicts_with = "items")]
    empty: bool,
    /// Port of the HTTP API
    #[arg(long, value_name = "N", default_value_t = 3000)]
    port: u16,
    /// Port of DynamoDB
    #[arg(long, value_name = "N", default_value_t = 8000)]
    dynamodb_port: u16,
    /// Port of S3
    #[arg(long, value_name = "N", default_value_t = 9000)]
    s3_port: u16,
    /// Address to listen on; that of a network is one beside 127.0.0.1 and `::1`
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
    host: IpAddr,
    /// Let phones in the network of this machine use the stack: --host with its address there, as a
    /// QR code
    #[arg(long, conflicts_with = "host")]
    phone: bool,
    /// Run the functions that lie beside this program, without cargo, and watch no sources
    #[arg(long)]
    no_build: bool,
    /// Print only warnings and errors of functions, and not a line for each invocation
    #[arg(long)]
    quiet: bool,
    /// Value of a parameter of template.yaml, such as AllowedOrigins=http://localhost:5173; may be
    /// repeated
    #[arg(long = "parameter", value_name = "NAME=VALUE", value_parser = parse_parameter)]
    parameters: Vec<(String, String)>,
}

/// The time that the end of the program waits for a start that a signal has ended.
const STOP_TIMEOUT: Duration = Duration::from_millis(500);

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let ended = Tokio::new().context("cannot start").and_then(|tokio| {
        let ended = tokio.block_on(run(arguments));
        // A thread of the start may wait for a pipe.
        tokio.shutdown_timeout(STOP_TIMEOUT);
        ended
    });
    terminal::exit_code("local", ended)
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

    // A lower limit is no error before it is reached.
    let _ = rlimit::increase_nofile_limit(MAX_OPEN_FILES);

    let host = if arguments.phone {
        lan_address().context("this machine seems to be in no network; name its address with --host ADDR")?
    } else {
        arguments.host
    };
    let parameters: Parameters = arguments.parameters.into_iter().collect();
    Template::check(&Template::find()?, parameters.clone())?;
    // In a task of its own, it cannot keep this one from hearing the signal.
    let mut starting = tokio::spawn(Stack::start(Options {
        host,
        port: arguments.port,
        dynamodb_port: arguments.dynamodb_port,
        s3_port: arguments.s3_port,
        data_dir: arguments.data_dir,
        data: match arguments.items {
            _ if arguments.empty => Data::Empty,
            Some(items) => Data::Items(items),
            None => Data::Sample,
        },
        schedules: true,
        build: !arguments.no_build,
        functions: None,
        parameters,
    }));
    let stack = tokio::select! {
        started = &mut starting => started.context("the start has ended")??,
        () = &mut stop_signal => {
            starting.abort();
            return Ok(());
        }
    };
    if !host.is_loopback() {
        warn_about(host);
    }
    print_addresses(&stack);
    if arguments.empty {
        print_commands_for_table(&stack);
    } else {
        print_commands(&stack).await?;
    }
    if arguments.phone {
        print_qr_code(&stack)?;
    }
    if !arguments.quiet {
        console::show_invocations();
    }
    tokio::select! {
        () = stop_signal => {}
        never = rebuild(arguments.no_build) => match never {},
    }
    stack.shutdown().await;
    Ok(())
}

/// Builds the functions again whenever their sources change, unless the user builds them.
async fn rebuild(no_build: bool) -> Infallible {
    let watch = async { watch::functions(Template::find()?.parent().unwrap_or(Path::new("/"))).await };
    if !no_build && let Err(error) = watch.await {
        terminal::log("local", &format!("{error:#}; start the stack again after changes of the functions"));
    }
    future::pending().await
}

/// Warns on stderr that others can reach this stack.
fn warn_about(host: IpAddr) {
    let warning =
        "everybody who can reach this machine can get a token of any user, and read and write all tables and buckets";
    terminal::log("local", &format!("warning: the stack listens on {host}: {warning}"));
}

/// Prints the addresses of the services.
fn print_addresses(stack: &Stack) {
    let (api, dynamodb, s3) = (stack.api(), stack.dynamodb(), stack.s3().endpoint());
    println!(
        r"Quick Photos is running. Press Ctrl-C to stop it.

Page      {api}/
HTTP API  {api}
API page  {api}/local/docs
DynamoDB  {dynamodb}
S3        {s3}
E-mails   {api}/local/outbox
"
    );
}

/// Prints the address of the page for a phone, and in a terminal also as a QR code.
fn print_qr_code(stack: &Stack) -> Result<()> {
    let page = format!("{}/", stack.api());
    println!("\nOpen {page} on a phone in the same network.");
    if io::stdout().is_terminal() {
        print!("\n{}", qr_code(&page)?);
    }
    Ok(())
}

/// Returns a QR code that terminals show in black on white, whatever their own colors are.
fn qr_code(text: &str) -> Result<String> {
    let code = QrCode::with_error_correction_level(text, EcLevel::L)?.render::<Dense1x2>().build();
    let style = Style::new().fg_color(Some(Ansi256Color(16).into())).bg_color(Some(Ansi256Color(231).into()));
    let lines: Vec<_> = code.lines().map(|line| format!("{style}{line}{style:#}\n")).collect();
    Ok(lines.concat())
}

/// Prints commands to copy and paste into a shell.
async fn print_commands(stack: &Stack) -> Result<()> {
    let api = stack.api();
    let user = stack.example_user().await;
    let token = stack.token(&user)?;
    println!(
        r#"Try these commands in another terminal. The token is for the user {user}, and valid for 12 hours or until the stack stops.

TOKEN={token}
curl -H "Authorization: Bearer $TOKEN" {api}/users/{user}/profile
curl -H "Authorization: Bearer $TOKEN" {api}/users/{user}/followers
curl -H "Authorization: Bearer $TOKEN" {api}/users/{user}/favorites
curl -H "Authorization: Bearer $TOKEN" -d '{{"format": "jpeg"}}' -H 'Content-Type: application/json' {api}/users/{user}/photos"#
    );
    Ok(())
}

/// Prints commands to copy and paste into a shell that is to create quick-photos.
fn print_commands_for_table(stack: &Stack) {
    let dynamodb = stack.dynamodb();
    println!(
        r"The stack has not created quick-photos. The AWS CLI and the SDKs use this DynamoDB in a shell with these variables, and docs/lab.md goes on from here.

export AWS_ENDPOINT_URL_DYNAMODB={dynamodb} AWS_DEFAULT_REGION=eu-west-1 AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local
aws dynamodb list-tables"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_qr_code_is_black_on_white_with_a_white_margin() {
        let code = qr_code("http://192.168.178.123:3000/").unwrap();
        let mut rows: Vec<String> = vec![];
        for line in code.lines() {
            let line =
                line.strip_prefix("\u{1b}[38;5;16m\u{1b}[48;5;231m").and_then(|line| line.strip_suffix("\u{1b}[0m"));
            let half =
                |dark: [char; 2]| line.unwrap().chars().map(|c| if dark.contains(&c) { '#' } else { '.' }).collect();
            rows.extend([half(['█', '▀']), half(['█', '▄'])]);
        }
        // Version 2 has 25 modules, and the margin 4 on each side.
        assert!(rows.len() >= 33 && rows.iter().all(|row| row.chars().count() == 33), "{rows:#?}");
        assert!(rows[..4].iter().chain(&rows[29..]).all(|row| !row.contains('#')), "{rows:#?}");
        assert!(rows.iter().all(|row| row.starts_with("....") && row.ends_with("....")), "{rows:#?}");
        let finder = ["#######.", "#.....#.", "#.###.#.", "#.###.#.", "#.###.#.", "#.....#.", "#######.", "........"];
        assert!(rows[4..].iter().zip(finder).all(|(row, part)| row[4..].starts_with(part)), "{rows:#?}");
    }
}

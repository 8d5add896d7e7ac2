//! Changes the items of a table that a condition selects: `backfill --table quick-photos --where …
//! --update …`.

use std::collections::HashMap;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Parser;
use ops::backfill::{self, Change, Event, Options, Totals};
use ops::{client, progress_bar};
use shared::document;
use shared::dynamodb::Item;
use shared::values::DocumentFormat;
use terminal::println;

const ABOUT: &str = "\
Changes the items of a table in AWS or in a local DynamoDB that fulfil a condition, for example to
add an attribute or the key of a new index to a table in use.

A Scan with --where as its filter finds the items. A conditional write with the same expression
changes each of them, so the backfill creates no item, and leaves alone what others have changed
meanwhile. Both options are expressions of DynamoDB. --where has to be false for an item that
--update has changed. Then a backfill may be interrupted and run again.

Each item whose write fails is printed on stderr, and the totals on stdout. The exit code is 0 if no
write failed, 1 if some did, and 2 if the backfill ended early.";

#[derive(Parser)]
#[command(name = "backfill", version, about = ABOUT, after_help = client::CREDENTIALS)]
struct Arguments {
    /// The table whose items to change.
    #[arg(long)]
    table: String,
    /// The endpoint of a DynamoDB other than that of AWS, such as `http://127.0.0.1:8000`.
    #[arg(long, value_name = "URL")]
    endpoint_url: Option<String>,
    /// The condition of the items to change.
    #[arg(long = "where", value_name = "EXPRESSION")]
    condition: String,
    /// The update expression.
    #[arg(long, value_name = "EXPRESSION")]
    update: String,
    /// The names of the expressions, such as {"#name": "status"}.
    #[arg(long, value_name = "JSON")]
    names: Option<String>,
    /// The values of the expressions, such as {":zero": {"N": "0"}}.
    #[arg(long, value_name = "DYNAMODB_JSON")]
    values: Option<String>,
    /// Count the items that fulfil the condition, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// The number of segments in which to read the table concurrently.
    #[arg(long, value_name = "N", default_value_t = Options::default().segments)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1024))]
    segments: u16,
    /// The maximum number of items to change per second.
    #[arg(long, value_name = "N", default_value_t = Options::default().rate)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000))]
    rate: u32,
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match backfill(&arguments).await {
        Ok(Totals { read, found, .. }) if arguments.dry_run => {
            println!("{read} items read, {found} would be changed");
            ExitCode::SUCCESS
        }
        Ok(Totals { read, found: _, updated, changed_meanwhile, failed }) => {
            println!(
                "{read} items read, {updated} changed, {changed_meanwhile} changed by others meanwhile, {failed} failed"
            );
            if failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) }
        }
        Err(error) => terminal::exit_code("backfill", Err(error)),
    }
}

async fn backfill(arguments: &Arguments) -> anyhow::Result<Totals> {
    let names: HashMap<String, String> = match &arguments.names {
        Some(names) => serde_json::from_str(names).context("--names")?,
        None => HashMap::new(),
    };
    let values = match &arguments.values {
        Some(values) => document::read(DocumentFormat::DynamoDb, values).context("--values")?,
        None => Item::new(),
    };
    let change = Change { condition: arguments.condition.clone(), update: arguments.update.clone(), names, values };
    let options = Options { dry_run: arguments.dry_run, segments: arguments.segments, rate: arguments.rate };
    let client = client::connect(arguments.endpoint_url.as_deref()).await?;
    let bar = progress_bar::spinner();
    let totals = backfill::run(&client, &arguments.table, change, options, |event| match event {
        Event::Progress(Totals { read, updated, .. }) => {
            bar.set_message(format!("{read} items read, {updated} changed"));
        }
        Event::Failed(key, reason) => bar.suspend(|| eprintln!("{}: {reason}", shown(key))),
    })
    .await;
    bar.finish_and_clear();
    totals
}

/// Returns the key of an item in DynamoDB JSON.
fn shown(key: &Item) -> String {
    document::write(DocumentFormat::DynamoDb, key).map_or_else(|_| format!("{key:?}"), |json| json.get().to_owned())
}

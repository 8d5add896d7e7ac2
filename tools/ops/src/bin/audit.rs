//! Audits a table and repairs it: `audit --table quick-photos [--endpoint-url URL] [--repair]`.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use ops::audit;
use ops::audit::{Finding, Options, Plan, Progress, RelatedData, Report, Resolution};
use ops::{client, progress_bar};
use shared::values::Username;
use terminal::println;

const ABOUT: &str = "\
Audits a table of Quick Photos in AWS or in a local DynamoDB. The audit compares every count with
the items that it counts, checks that the items that every item refers to exist, checks index keys,
search terms and tag name reservations, and reports unfinished deletions. With --bucket, it compares
the photos with the objects of their pictures, and with --feed-table, the home feeds with the photos
and the friendships, and the directory with the users.

The audit prints one line for each finding on stdout, and the totals on the last line. It can run
while others write to the table: it inspects each candidate twice, --recheck-delay apart, and reports
it only if both inspections agree.

With --repair, it prints a plan first: how much it would delete and write, with examples. On a
terminal it asks, and elsewhere it needs --yes. It refuses to repair anything if the bucket or the
table of feeds does not belong to the table: at least half of their contents have to refer to it. It
also refuses to delete more than 10 items or objects, or than 1 % of those that it has read if that
is more, without --delete-at-most.

A repair corrects counts, index keys and feeds, adds missing terms and reservations, deletes items
that belong to nothing by conditional writes, moves such objects to the prefix orphans/, and
restarts unfinished deletions and uploads. It reports malformed items, missing objects, tags with
the same name, and the items of users who do not exist, but does not change them.

The exit code is 0 without findings, 1 with findings, repaired or not, and 2 if the table could not
be read or written, or if the audit refuses to repair it.";

#[derive(Parser)]
#[command(name = "audit", version, about = ABOUT, after_help = client::CREDENTIALS)]
struct Arguments {
    /// The table to audit.
    #[arg(long)]
    table: String,
    /// The endpoint of a DynamoDB other than that of AWS, such as `http://127.0.0.1:8000`.
    #[arg(long, value_name = "URL")]
    endpoint_url: Option<String>,
    /// The bucket of the pictures, with which the photos are compared. Without it, they are not
    /// compared.
    #[arg(long, value_name = "NAME")]
    bucket: Option<String>,
    /// The endpoint of an S3 other than that of AWS, such as `http://127.0.0.1:9000`.
    #[arg(long, value_name = "URL")]
    s3_endpoint_url: Option<String>,
    /// The table of the home feeds and of the directory, such as dev.Feed. Without it, they are not
    /// compared.
    #[arg(long, value_name = "NAME")]
    feed_table: Option<String>,
    /// The table of the favorites, such as dev.Favorite, in which nothing may be left of deleted
    /// users. Without it, the audit does not look there. It is audited by itself with --table.
    #[arg(long, value_name = "NAME")]
    favorite_table: Option<String>,
    /// Repair the findings.
    #[arg(long)]
    repair: bool,
    /// Carry out the plan of the repair without asking.
    #[arg(long, requires = "repair")]
    yes: bool,
    /// The maximum number of items and objects that the repair deletes, if more are to be deleted
    /// than by default.
    #[arg(long, value_name = "N", requires = "repair")]
    delete_at_most: Option<u64>,
    /// Erase all items of this user, who does not exist, instead of leaving them. May be repeated.
    #[arg(long, value_name = "USERNAME", requires = "repair")]
    erase: Vec<Username>,
    /// The number of segments in which to read the table concurrently.
    #[arg(long, value_name = "N", default_value_t = Options::default().segments)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1024))]
    segments: u16,
    /// The time between the two inspections of a candidate. It has to be longer than an index is
    /// behind its table.
    #[arg(long, value_name = "SECONDS", default_value_t = Options::default().recheck_delay.as_secs())]
    recheck_delay: u64,
    /// The age from which a reaction or a friendship that is not counted yet is a finding, and a
    /// photo or a friendship that is not in the feeds yet.
    #[arg(long, value_name = "SECONDS", default_value_t = Options::default().min_age.as_secs())]
    min_age: u64,
    /// The age from which a deletion that is not finished is a finding. Use 0 for restored tables,
    /// whose streams are empty.
    #[arg(long, value_name = "SECONDS", default_value_t = Options::default().min_deletion_age.as_secs())]
    min_deletion_age: u64,
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match audit(&arguments).await {
        Ok(report) => {
            println!("{report}");
            if report.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
        }
        Err(error) => terminal::exit_code("audit", Err(error)),
    }
}

async fn audit(arguments: &Arguments) -> anyhow::Result<Report> {
    let client = client::connect(arguments.endpoint_url.as_deref()).await?;
    let bucket = match &arguments.bucket {
        Some(bucket) => Some(client::bucket(bucket, arguments.s3_endpoint_url.as_deref()).await?),
        None => None,
    };
    let bar = progress_bar::spinner();
    let options = Options {
        repair: arguments.repair,
        delete_at_most: arguments.delete_at_most,
        erase: arguments.erase.iter().cloned().collect(),
        segments: arguments.segments,
        recheck_delay: Duration::from_secs(arguments.recheck_delay),
        min_age: Duration::from_secs(arguments.min_age),
        min_deletion_age: Duration::from_secs(arguments.min_deletion_age),
        ..Options::default()
    };
    let related = RelatedData {
        bucket: bucket.as_ref(),
        feed_table: arguments.feed_table.as_deref(),
        favorite_table: arguments.favorite_table.as_deref(),
    };
    let mut declined = None;
    let report = audit::run_with(&client, &arguments.table, related, options, |event| match event {
        Progress::Scanned { items } => bar.set_message(format!("{items} items read")),
        Progress::Listed { objects } => bar.set_message(format!("{objects} objects listed")),
        Progress::Inspecting(candidates) => bar.set_message(format!("{candidates} candidates to inspect")),
        Progress::Planned(plan, is_approved) => bar.suspend(|| {
            println!("{plan}");
            declined = reason_to_decline(plan, arguments.yes);
            *is_approved = declined.is_none();
        }),
        Progress::Found(finding, resolution) => {
            bar.suspend(|| println!("{finding}{}", suffix(finding, resolution)));
        }
    })
    .await;
    bar.finish_and_clear();
    let report = report?;
    match declined {
        Some(reason) => Err(anyhow::anyhow!("nothing was changed: {reason}")),
        None => Ok(report),
    }
}

/// Asks whether to carry out a plan. Returns the reason why not.
fn reason_to_decline(plan: &Plan, yes: bool) -> Option<&'static str> {
    // A plan that is refused anyway needs no answer.
    if yes || plan.refusal().is_some() {
        return None;
    }
    if !io::stdin().is_terminal() {
        return Some("--repair asks on a terminal, and without one it needs --yes");
    }
    eprint!("Repair? [y/N] ");
    let mut answer = String::new();
    let is_read = io::stderr().flush().and_then(|()| io::stdin().read_line(&mut answer)).is_ok();
    let is_yes = is_read && matches!(answer.trim(), "y" | "Y" | "yes");
    (!is_yes).then_some("the answer was not y")
}

/// Returns the end of a finding's line, which tells how the finding was resolved.
fn suffix(finding: &Finding, resolution: Resolution) -> &'static str {
    match resolution {
        Resolution::Reported => "",
        Resolution::Repaired if finding.starts_function() => " (a function is started that does the rest)",
        Resolution::Repaired => " (repaired)",
        Resolution::Gone => " (gone before the repair)",
        Resolution::NeedsManualRepair => " (left for manual repair)",
    }
}

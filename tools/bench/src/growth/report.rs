//! The table and the chart of all functions by table size.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::chart::{self, Row};
use super::data_set::{PAGE_SIZE, collection_size, deletion_size};
use super::measurement::{Measurement, Samples};
use super::tables::Tables;
use crate::statistics::median;

/// The ratio of the median latency at the last size to that at the first from which the latency counts as growing.
/// Smaller ratios occur by chance.
const MIN_GROWTH_RATIO: f64 = 1.5;

/// Prints the table, and writes it and the chart to the directory `out`.
pub(super) fn write(sizes: &[Tables], measurements: &[Measurement], out: &Path) -> Result<()> {
    let summaries: Vec<Summary> = measurements.iter().map(Summary::new).collect();
    let text = table(sizes, &summaries);
    print!("\n{text}");
    let file = out.join("growth.md");
    fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    println!("\n{}", file.display());

    let file = out.join("growth.svg");
    let items: Vec<String> = sizes.iter().map(|tables| grouped(tables.items as u128)).collect();
    let rows: Vec<Row> = summaries.iter().map(Summary::row).collect();
    chart::draw(&file, &items, &rows).with_context(|| format!("cannot draw {}", file.display()))?;
    println!("{}", file.display());
    Ok(())
}

/// The figures of one function, for each table size in ascending order.
struct Summary<'a> {
    name: &'a str,
    /// The number of DynamoDB requests of one event.
    requests: Vec<f64>,
    read_units: Vec<f64>,
    write_units: Vec<f64>,
    /// The median warm latency.
    milliseconds: Vec<f64>,
}

impl<'a> Summary<'a> {
    fn new(measurement: &'a Measurement) -> Self {
        let by_size = |figure: &dyn Fn(&Samples) -> f64| measurement.by_size.iter().map(figure).collect();
        Self {
            name: &measurement.name,
            requests: by_size(&|samples| samples.requests.iter().map(|_| 1.0).sum()),
            read_units: by_size(&|samples| samples.requests.iter().map(|request| request.units.read).sum()),
            write_units: by_size(&|samples| samples.requests.iter().map(|request| request.units.write).sum()),
            milliseconds: by_size(&|samples| median(samples.warm.iter().copied())),
        }
    }

    /// The median latency at the last size divided by that at the first.
    fn ratio(&self) -> f64 {
        self.milliseconds.last().unwrap_or(&0.0) / self.milliseconds.first().unwrap_or(&0.0)
    }

    fn row(&self) -> Row<'_> {
        let figures =
            [("requests", &self.requests), ("read units", &self.read_units), ("write units", &self.write_units)];
        let growing = figures.into_iter().filter(|(_, figures)| !is_flat(figures)).map(|(name, _)| name);
        let growing = growing.collect::<Vec<_>>().join(", ");
        Row {
            name: self.name,
            milliseconds: &self.milliseconds,
            ratio: self.ratio(),
            is_flat: growing.is_empty() && self.ratio() < MIN_GROWTH_RATIO,
            growing,
        }
    }
}

/// Returns whether a figure is the same at all sizes.
fn is_flat(figures: &[f64]) -> bool {
    figures.iter().all(|figure| figure.total_cmp(&figures[0]).is_eq())
}

fn table(sizes: &[Tables], summaries: &[Summary]) -> String {
    let mut text = "Every function on tables of increasing size:\n\n".to_owned();
    for &Tables { items, loading, .. } in sizes {
        let rate = items as u128 * 1_000_000 / loading.as_micros().max(1);
        let [items, collection, deletion, rate] =
            [items as u128, collection_size(items) as u128, deletion_size(items) as u128, rate].map(grouped);
        let seconds = loading.as_secs_f64();
        let _ = writeln!(
            text,
            "- {items} items, loaded in {seconds:.1} s ({rate} items per second). \
             A list returns {PAGE_SIZE} of {collection} entries. \
             A deletion leaves {deletion} items for a stream function to clean up.",
        );
    }
    let _ = writeln!(
        text,
        "
The requests and capacity units are those of one event. The latency is the median (p50) of the warm requests to one
process, without TLS. A figure that grows with the tables is in bold: requests and capacity units that differ between
sizes, and a last p50 of at least {MIN_GROWTH_RATIO} times the first.
"
    );

    text += "| function | DynamoDB requests | read units | write units |";
    for tables in sizes {
        let _ = write!(text, " p50 at {} items, ms |", grouped(tables.items as u128));
    }
    text += " last p50 ÷ first |\n|---|---|---|---|";
    text += &"---:|".repeat(sizes.len() + 1);
    text += "\n";
    for summary in summaries {
        let _ = write!(text, "| {} |", summary.name);
        for figures in [&summary.requests, &summary.read_units, &summary.write_units] {
            let _ = if is_flat(figures) {
                write!(text, " {} |", figures[0])
            } else {
                let figures: Vec<String> = figures.iter().map(ToString::to_string).collect();
                write!(text, " **{}** |", figures.join(" → "))
            };
        }
        for milliseconds in &summary.milliseconds {
            let _ = write!(text, " {milliseconds:.2} |");
        }
        let bold = if summary.ratio() < MIN_GROWTH_RATIO { "" } else { "**" };
        let _ = writeln!(text, " {bold}{:.2}{bold} |", summary.ratio());
    }
    text
}

/// Formats a number with commas between groups of three digits.
fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_digits_by_thousands() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn marks_functions_whose_figures_grow() {
        let summary = |write: f64, last: f64| {
            let (requests, read_units) = (vec![1.0, 1.0], vec![0.5, 0.5]);
            Summary { name: "a", requests, read_units, write_units: vec![0.0, write], milliseconds: vec![1.0, last] }
        };
        let marks = |summary: &Summary| (summary.row().is_flat, summary.row().growing);
        assert_eq!(marks(&summary(0.0, 1.2)), (true, String::new()));
        assert_eq!(marks(&summary(0.0, 2.0)), (false, String::new()));
        assert_eq!(marks(&summary(3.0, 1.0)), (false, "write units".to_owned()));
    }
}

//! The latency and the price of each function with each memory size.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use scale::assumptions::Assumptions;
use scale::costs;
use scale::prices::Prices;

use super::measurement::Measurement;

/// The maximum difference in price of a million requests, in dollars, between a faster size and the cheapest one. A million
/// requests cost two dollars or more, so this is two percent.
const MAX_EXTRA_DOLLARS: f64 = 0.05;

const LEGEND: &str = "
- The times are the p50 and p99 of warm requests and the p50 of cold starts in ms, with the share of a CPU that Lambda
  gives to this memory size.
- $ is what Lambda charges for a million requests: the invocations, and their duration in whole ms, for the size. The
  duration is the p50 of warm requests and what each DynamoDB request is assumed to take longer in AWS
  (tools/scale/assumptions.toml).
- choice: the shortest cold start of those sizes that cost at most 5 cents more than the cheapest one.
";

/// The latency and the price of one function with one memory size.
struct Size {
    megabytes: u64,
    p50: f64,
    p99: f64,
    cold_start: f64,
    dollars: f64,
}

/// Prints the table of the functions that were measured with several memory sizes, and writes it to the directory
/// `out`.
pub(super) fn write(sizes: &[(u64, Vec<Measurement>)], out: &Path) -> Result<()> {
    let (prices, assumptions) = (Prices::read()?, Assumptions::read()?);
    let mut text = "| function |".to_owned();
    for (megabytes, _) in sizes {
        let _ = write!(text, " {megabytes} MB | $ |");
    }
    let _ = writeln!(text, " choice, MB |\n|---|{}--:|", "--:|--:|".repeat(sizes.len()));
    let (_, functions) = sizes.first().context("no memory size")?;
    // The first measurement is that of the empty function.
    for place in 1..functions.len() {
        let mut row = vec![];
        for (megabytes, measurements) in sizes {
            row.push(size(*megabytes, &measurements[place], &prices, &assumptions)?);
        }
        let _ = write!(text, "| {} |", functions[place].name);
        for Size { p50, p99, cold_start, dollars, .. } in &row {
            let _ = write!(text, " {p50:.1}, {p99:.1}, {cold_start:.0} | {dollars:.2} |");
        }
        let _ = writeln!(text, " {} |", choice(&row).map_or(0, |size| size.megabytes));
    }
    text += LEGEND;
    print!("{text}");
    let file = out.join("memory.md");
    fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    println!("\n{}", file.display());
    Ok(())
}

fn size(megabytes: u64, measurement: &Measurement, prices: &Prices, assumptions: &Assumptions) -> Result<Size> {
    let (p50, p99) = (measurement.warm.median(), measurement.warm.p99());
    #[expect(clippy::cast_precision_loss, reason = "a function makes few requests")]
    let duration = p50 + measurement.requests.len() as f64 * assumptions.value("round_trip_ms");
    let usage = costs::lambda(duration, u32::try_from(megabytes)?);
    Ok(Size {
        megabytes,
        p50,
        p99,
        cold_start: measurement.cold_starts.median(),
        dollars: prices.marginal(&usage)? * 1e6,
    })
}

/// Returns the size with the shortest cold start of those that cost hardly more than the cheapest one. A cold start is
/// the longest latency that a caller sees, and memory changes it most.
fn choice(sizes: &[Size]) -> Option<&Size> {
    let cheapest = sizes.iter().map(|size| size.dollars).min_by(f64::total_cmp)?;
    let cheap = sizes.iter().filter(|size| size.dollars <= cheapest + MAX_EXTRA_DOLLARS);
    cheap.min_by(|one, other| one.cold_start.total_cmp(&other.cold_start))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn size(megabytes: u64, cold_start: f64, dollars: f64) -> Size {
        Size { megabytes, p50: 1.0, p99: 2.0, cold_start, dollars }
    }

    #[test]
    fn the_choice_is_the_fastest_of_the_cheap_sizes() {
        let sizes = [size(128, 18.0, 0.21), size(256, 6.0, 0.22), size(512, 2.0, 0.25), size(1024, 1.0, 0.40)];
        assert_eq!(choice(&sizes).unwrap().megabytes, 512);
        assert!(choice(&[]).is_none());
    }
}

//! What was found, as a table and a chart.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::chart::{self, Row};
use super::world::{cleared, collection};
use super::{Figures, Finding, PAGE, Tables};
use crate::figures::median;

/// A pattern takes longer on larger tables, and not by chance, if it takes so many times as long.
const LONGER: f64 = 1.5;

/// Prints the table, and writes it and the chart.
pub(super) fn write(sizes: &[Tables], findings: &[Finding], out: &Path) -> Result<(), String> {
    let patterns: Vec<Pattern> = findings.iter().map(Pattern::of).collect();
    let text = table(sizes, &patterns);
    print!("\n{text}");
    let file = out.join("growth.md");
    fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    println!("\n{}", file.display());

    let file = out.join("growth.svg");
    let items: Vec<String> = sizes.iter().map(|size| grouped(size.items as u128)).collect();
    let rows: Vec<Row> = patterns.iter().map(Pattern::row).collect();
    chart::latencies(&file, &items, &rows).map_err(|error| format!("{}: {error}", file.display()))?;
    println!("{}", file.display());
    Ok(())
}

/// A function at each size.
struct Pattern<'a> {
    name: &'a str,
    requests: Vec<f64>,
    read: Vec<f64>,
    write: Vec<f64>,
    milliseconds: Vec<f64>,
}

impl<'a> Pattern<'a> {
    fn of(finding: &'a Finding) -> Self {
        let each = |figure: &dyn Fn(&Figures) -> f64| finding.at.iter().map(figure).collect();
        Self {
            name: &finding.name,
            requests: each(&|figures| figures.requests.iter().map(|_| 1.0).sum()),
            read: each(&|figures| figures.requests.iter().map(|request| request.units.read).sum()),
            write: each(&|figures| figures.requests.iter().map(|request| request.units.write).sum()),
            milliseconds: each(&|figures| median(figures.warm.iter().copied())),
        }
    }

    /// How many times as long it takes at the last size as at the first.
    fn times(&self) -> f64 {
        self.milliseconds.last().unwrap_or(&0.0) / self.milliseconds.first().unwrap_or(&0.0)
    }

    fn row(&self) -> Row<'_> {
        let figures = [("requests", &self.requests), ("read units", &self.read), ("write units", &self.write)];
        let grown = figures.into_iter().filter(|(_, figures)| !is_flat(figures)).map(|(what, _)| what);
        let grown = grown.collect::<Vec<_>>().join(", ");
        Row {
            name: self.name,
            milliseconds: &self.milliseconds,
            times: self.times(),
            is_flat: grown.is_empty() && self.times() < LONGER,
            grown,
        }
    }
}

fn is_flat(figures: &[f64]) -> bool {
    figures.iter().all(|figure| figure.total_cmp(&figures[0]).is_eq())
}

fn listed(figures: &[f64]) -> String {
    figures.iter().map(ToString::to_string).collect::<Vec<_>>().join(" → ")
}

fn table(sizes: &[Tables], patterns: &[Pattern]) -> String {
    let mut text = String::new();
    for &Tables { items, loading, .. } in sizes {
        let rate = items as u128 * 1_000_000 / loading.as_micros().max(1);
        let [items, of_list, cleared, rate] =
            [items as u128, collection(items) as u128, cleared(items) as u128, rate].map(grouped);
        let seconds = loading.as_secs_f64();
        let _ = writeln!(
            text,
            "- {items} items, loaded in {seconds:.1} s, {rate} a second. A list shows {PAGE} entries of {of_list}; a \
             stream's function clears {cleared} away.",
        );
    }
    text += "\nBold is what is not the same at all sizes: requests, capacity, and a median of at least ";
    let _ = writeln!(text, "{LONGER} times that of the first size.\n");

    text += "| function | requests | read units | write units |";
    for size in sizes {
        let _ = write!(text, " ms, {} items |", grouped(size.items as u128));
    }
    text += " × |\n|---|---|---|---|";
    text += &"---:|".repeat(sizes.len() + 1);
    text += "\n";
    for pattern in patterns {
        let _ = write!(text, "| {} |", pattern.name);
        for figures in [&pattern.requests, &pattern.read, &pattern.write] {
            let bold = if is_flat(figures) { "" } else { "**" };
            let figures = if is_flat(figures) { &figures[..1] } else { figures };
            let _ = write!(text, " {bold}{}{bold} |", listed(figures));
        }
        for milliseconds in &pattern.milliseconds {
            let _ = write!(text, " {milliseconds:.2} |");
        }
        let bold = if pattern.times() < LONGER { "" } else { "**" };
        let _ = writeln!(text, " {bold}{:.2}{bold} |", pattern.times());
    }
    text
}

/// With a comma for each thousand.
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
    fn thousands_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn what_is_not_flat_is_told() {
        let pattern = |write: f64, last: f64| {
            let (requests, read) = (vec![1.0, 1.0], vec![0.5, 0.5]);
            Pattern { name: "a", requests, read, write: vec![0.0, write], milliseconds: vec![1.0, last] }
        };
        let told = |pattern: &Pattern| (pattern.row().is_flat, pattern.row().grown);
        assert_eq!(told(&pattern(0.0, 1.2)), (true, String::new()));
        assert_eq!(told(&pattern(0.0, 2.0)), (false, String::new()));
        assert_eq!(told(&pattern(3.0, 1.0)), (false, "write units".to_owned()));
    }
}

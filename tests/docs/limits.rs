//! Checks that docs/limits.md states each limit as its source does.
//!
//! A row has the limit in its second column and a link to its source in the third one: the name of
//! a constant, of the type of a value, of a parameter of a template, or of a property of a resource
//! (`ProcessPhotoFunction.Timeout`).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use saphyr::{LoadableYamlNode as _, Yaml};
use tests::stack::root;

/// A row of a table of docs/limits.md.
struct Row {
    /// The fields or other things that have the limit.
    subject: String,
    /// The limit as the document states it: `5,000`, `20 MiB`, `2–32 characters`.
    limit: String,
    name: String,
    source: PathBuf,
}

fn rows() -> Vec<Row> {
    let text = fs::read_to_string(root().join("docs/limits.md")).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.strip_prefix("| ")?.split(" | ").collect();
        let (name, rest) = cells.get(2)?.strip_prefix("[`")?.split_once("`](")?;
        let source = root().join("docs").join(rest.split_once(')')?.0);
        Some(Row { subject: cells[0].to_owned(), limit: cells[1].to_owned(), name: name.to_owned(), source })
    };
    text.lines().filter_map(row).collect()
}

/// Returns the largest number of a limit in its base unit: bytes, milliseconds, or the number
/// itself.
fn stated(limit: &str) -> Option<u64> {
    let (number, unit) = limit.split_once(' ').unwrap_or((limit, ""));
    let largest = number.rsplit('–').next()?.replace(',', "").parse::<u64>().ok()?;
    Some(largest * factor(unit.split([' ', ',']).next()?))
}

fn factor(unit: &str) -> u64 {
    match unit {
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "s" => 1000,
        "minute" | "minutes" => 60 * 1000,
        "hour" | "hours" => 60 * 60 * 1000,
        "days" => 24 * 60 * 60 * 1000,
        _ => 1,
    }
}

/// Returns the value of a limit in its source, in the same unit as [`stated`].
fn value(name: &str, source: &Path) -> Option<u64> {
    let text = fs::read_to_string(source).ok()?;
    if source.extension().is_some_and(|extension| extension == "yaml") {
        let template = &Yaml::load_from_str(&text).ok()?[0];
        let unit = if name.ends_with("Timeout") {
            "s"
        } else if name.ends_with("Days") {
            "days"
        } else {
            ""
        };
        let setting = match name.split_once('.') {
            Some(("Globals", property)) => &template["Globals"]["Function"][property],
            Some((resource, property)) => &template["Resources"][resource]["Properties"][property],
            None => &template["Parameters"][name]["Default"],
        };
        return Some(u64::try_from(setting.as_integer()?).ok()? * factor(unit));
    }
    if name.contains(|c: char| c.is_lowercase()) {
        // The first line of a value's definition: its type, its form if it is a free text, and the
        // range of its length.
        let begins = [format!("\n    {name}, \""), format!("\n    {name}: ")];
        let (_, definition) = begins.iter().find_map(|begin| text.split_once(begin))?;
        let (_, maximum) = definition.lines().next()?.split_once("..=")?;
        return maximum.split(' ').next()?.parse().ok();
    }
    let unit = if name.ends_with("_SECONDS") {
        "s"
    } else if name.ends_with("_DAYS") {
        "days"
    } else {
        ""
    };
    Some(constant(name, &text)? * factor(unit))
}

/// Returns the value of a constant: a product of numbers and other constants of the file, or a
/// `Duration` of one.
fn constant(name: &str, text: &str) -> Option<u64> {
    let (_, definition) = text.split_once(&format!("const {name}: "))?;
    let expression = definition.split_once(" = ")?.1.split_once(';')?.0;
    let (expression, unit) = match expression.strip_prefix("Duration::from_").and_then(|rest| rest.split_once('(')) {
        None => (expression, ""),
        Some(("secs", number)) => (number.trim_end_matches(')'), "s"),
        Some(("mins", number)) => (number.trim_end_matches(')'), "minutes"),
        Some((_, number)) => (number.trim_end_matches(')'), "ms"),
    };
    let factors =
        expression.split(" * ").map(|part| part.replace('_', "").parse().ok().or_else(|| constant(part, text)));
    factors.product::<Option<u64>>().map(|number| number * factor(unit))
}

#[test]
fn every_limit_is_that_of_its_source() {
    let rows = rows();
    assert!(rows.len() > 50, "only {} rows were found", rows.len());
    let wrong = rows.iter().filter_map(|Row { limit, name, source, .. }| {
        let (stated, found) = (stated(limit), value(name, source));
        let is_right = stated.is_some() && stated == found;
        (!is_right).then(|| format!("{name}: the document says {limit:?}, {} says {found:?}", source.display()))
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "correct these rows of docs/limits.md:\n{}", wrong.join("\n"));
}

/// The rules of the fields in docs/api.md are sentences for callers, in which the numbers stand
/// too.
#[test]
fn the_rules_of_the_fields_have_the_same_numbers() {
    let api = fs::read_to_string(root().join("docs/api.md")).unwrap();
    let fields = api.split_once("\n## Fields\n").unwrap().1.split("\n## ").next().unwrap();
    let rules = fields.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let rules: Vec<(&str, &str)> =
        rules.flat_map(|(names, rule)| names.split(", ").map(move |name| (name, rule))).collect();
    let mut compared = 0;
    for row in rows() {
        let number = row.limit.split(' ').next().unwrap();
        for field in row.subject.split(", ") {
            for (_, rule) in rules.iter().filter(|(name, _)| *name == field) {
                compared += 1;
                assert!(rule.contains(number), "docs/api.md says {rule:?} of {field}, and docs/limits.md {number}");
            }
        }
    }
    assert!(compared > 12, "only {compared} rules were compared");
}

/// The functions' own constants are budgets and positions in transactions. What several functions
/// share is a rule.
#[test]
fn every_shared_maximum_is_among_the_limits() {
    let listed: BTreeSet<String> = rows().into_iter().map(|row| row.name).collect();
    let mut folders = vec![root().join("shared/src"), root().join("pictures/src")];
    let mut missing = vec![];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap_or_default();
            let names = text.split("\npub const MAX_").skip(1).filter_map(|rest| rest.split_once(':'));
            let unlisted = names.map(|(name, _)| format!("MAX_{name}")).filter(|name| !listed.contains(name));
            missing.extend(unlisted.map(|name| format!("{name} of {}", path.display())));
        }
    }
    assert!(missing.is_empty(), "add these maxima to docs/limits.md:\n{}", missing.join("\n"));
}

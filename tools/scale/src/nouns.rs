//! The generated parts of `functions/NOUN/README.md`: the patterns of the noun with their costs, and the
//! command that tests them alone.

use std::fmt::Write as _;

use anyhow::Result;
use local::costs::{Callers, Costs, Pattern};
use local::template::{Function, Route};

use crate::recording::Recording;

/// Returns the command that runs the tests of a noun.
pub(crate) fn tests(noun: &str, recordings: &[Recording]) -> String {
    let of_noun = recordings.iter().filter(|recording| recording.pattern.noun == noun);
    let modules: Vec<_> = of_noun.map(|recording| recording.function.name.replace('-', "_")).collect();
    format!("```sh\ncargo test --workspace --lib -- {}::\n```\n", modules.join(":: "))
}

/// Returns the tables of a noun. `dollars` returns the price of a million invocations.
pub(crate) fn part(
    noun: &str,
    recordings: &[Recording],
    dollars: impl Fn(&Recording) -> Result<String>,
) -> Result<String> {
    let of_noun: Vec<&Recording> = recordings.iter().filter(|recording| recording.pattern.noun == noun).collect();
    let mut text = "| route | function | who | answers | requests | reads | writes | $ | operations |\n\
                    |---|---|---|---|--:|--:|--:|--:|---|\n"
        .to_owned();
    for recording in &of_noun {
        let Recording { function, pattern, .. } = recording;
        let name = &function.name;
        let _ = writeln!(
            text,
            "| {} | [{name}](src/{}.rs) | {} | {} | {} | {} | {} |",
            route(function),
            name.replace('-', "_"),
            pattern.who.as_ref().map_or_else(|| "–".to_owned(), Callers::to_string),
            pattern.answers.map_or_else(|| "–".to_owned(), |[first, second]| format!("{first}, {second}")),
            cells(&pattern.costs),
            dollars(recording)?,
            operations(pattern),
        );
    }
    let rows: Vec<String> = of_noun.iter().flat_map(|recording| others(recording)).collect();
    if !rows.is_empty() {
        text += "\n| function | request | requests | reads | writes |\n|---|---|--:|--:|--:|\n";
        text += &rows.concat();
    }
    Ok(text)
}

/// Returns the route of a function, or what starts a function without one.
fn route(function: &Function) -> String {
    let other = match function {
        Function { mappings, .. } if !mappings.is_empty() => "stream",
        function if function.reads_records() => "queue",
        Function { triggers, .. } if !triggers.is_empty() => "trigger",
        Function { connects: true, .. } => "`$connect`",
        Function { schedules, .. } if !schedules.is_empty() => "schedule",
        _ => "upload",
    };
    function.routes.first().map_or_else(|| other.to_owned(), Route::key)
}

/// Returns three cells of numbers. Those of units are empty instead of 0.
fn cells(Costs { requests, reads, writes }: &Costs) -> String {
    let units = |units: f64| if units == 0.0 { String::new() } else { units.to_string() };
    format!("{requests} | {} | {}", units(*reads), units(*writes))
}

fn operations(pattern: &Pattern) -> String {
    let Pattern { requests, sometimes, search_bytes, vector_bytes, .. } = pattern;
    let sometimes = if sometimes.is_empty() { String::new() } else { format!("; sometimes {}", sometimes.join(", ")) };
    let bytes = search_bytes.or(*vector_bytes).map(|[fewest, most]| format!("; {fewest} to {most} bytes of vectors"));
    requests.join(", ") + &sometimes + &bytes.unwrap_or_default()
}

/// Returns the rows of requests that ask for something else than the sample event.
fn others(Recording { function, pattern, .. }: &Recording) -> Vec<String> {
    let with_query = pattern.with_query.iter().map(|(query, costs)| (format!("`?{query}`"), costs));
    let with_key = pattern.with_idempotency_key.iter().map(|costs| ("with `Idempotency-Key`".to_owned(), costs));
    let with_field = pattern.with_field.iter().map(|(field, with)| (format!("with `{field}`"), &with.costs));
    // The costs of a case without a condition stand in another row.
    let cases = pattern.cases.iter().filter(|case| !case.when.is_empty()).map(|case| {
        let when: Vec<&str> = case.when.iter().map(|condition| condition.text()).collect();
        let query = if case.query.is_empty() { String::new() } else { format!("`?{}`: ", case.query) };
        (query + &when.join(", "), &case.costs)
    });
    let captions = pattern.captions.iter();
    let captions = captions.map(|caption| (format!("captions of {} characters", caption.characters), &caption.costs));
    let pages = pattern.pages.iter().map(|(page, costs)| (format!("`{page}`"), costs));
    let all = with_query.chain(with_key).chain(with_field).chain(cases).chain(captions).chain(pages);
    all.map(|(request, costs)| format!("| {} | {request} | {} |\n", function.name, cells(costs))).collect()
}

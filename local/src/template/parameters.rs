//! The values of parameters, checked as [a
//! deployment](https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/parameters-section-structure.html)
//! checks them.

use std::cmp::Ordering;

use anyhow::{Result, bail};
use regex_lite::Regex;

use crate::template::cloudformation::{Document, Node, get};

/// The minimum similarity of a name that somebody may have meant, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.8;

/// Checks the values that a template got. An error lists all that a deployment would refuse.
pub(super) fn check(document: &Document) -> Result<()> {
    let declared = document.entries(document.section("Parameters"));
    let mut problems = vec![];
    for (name, value) in &document.parameters {
        let problem = match declared.iter().find(|(declared, _)| declared == name) {
            Some((_, parameter)) => problem(document, parameter, value)?,
            None => Some(unknown(name, declared.iter().map(|(declared, _)| *declared))),
        };
        problems.extend(problem.map(|problem| format!("{name}={value}: {problem}")));
    }
    problems.extend(broken_rules(document)?);
    if problems.is_empty() {
        return Ok(());
    }
    bail!("{} does not take these parameters:\n  {}", document.file, problems.join("\n  "));
}

/// Returns what is wrong with the value of a parameter, in the words of the parameter if it has
/// some.
fn problem(document: &Document, parameter: &Node, value: &str) -> Result<Option<String>> {
    let text = |name| get(parameter, name).map(|node| document.text(node)).transpose();
    let kind = text("Type")?.unwrap_or_default();
    let is_list = kind == "CommaDelimitedList" || kind.starts_with("List<");
    let items: Vec<_> = if is_list { value.split(',').map(str::trim).collect() } else { vec![value] };
    let mut problem = None;
    for item in &items {
        let number = item.parse::<f64>().ok().filter(|number| number.is_finite());
        if kind.contains("Number") && number.is_none() {
            return Ok(Some("it must be a number".to_owned()));
        }
        #[allow(clippy::cast_precision_loss)] // no text is that long
        let length = Some(item.chars().count() as f64);
        for (name, value, wrong, words) in [
            ("MinValue", number, Ordering::Less, "minimum"),
            ("MaxValue", number, Ordering::Greater, "maximum"),
            ("MinLength", length, Ordering::Less, "minimum length"),
            ("MaxLength", length, Ordering::Greater, "maximum length"),
        ] {
            let bound = text(name)?.and_then(|bound| bound.parse::<f64>().ok());
            if let Some((value, bound)) = value.zip(bound)
                && value.partial_cmp(&bound) == Some(wrong)
            {
                problem = Some(format!("the {words} is {bound}"));
            }
        }
    }
    if let Some(node) = get(parameter, "AllowedValues") {
        let allowed = node.data.as_sequence().into_iter().flatten().map(|value| document.text(value));
        let allowed = allowed.collect::<Result<Vec<_>>>()?;
        if !items.iter().all(|item| allowed.iter().any(|allowed| allowed == item)) {
            problem = Some(format!("the allowed values are {}", allowed.join(", ")));
        }
    }
    if let Some(pattern) = text("AllowedPattern")? {
        let whole = Regex::new(&format!("^(?:{pattern})$")).map_err(|error| document.error(parameter, error))?;
        if !items.iter().all(|item| whole.is_match(item)) {
            problem = Some(format!("it must match {pattern}"));
        }
    }
    match (problem, get(parameter, "ConstraintDescription")) {
        (Some(_), Some(words)) => document.text(words).map(Some),
        (problem, _) => Ok(problem),
    }
}

/// Returns what is wrong with a parameter that the template does not have.
fn unknown<'a>(name: &str, declared: impl Iterator<Item = &'a str>) -> String {
    let name = name.to_lowercase();
    let is_near = |near: &&str| strsim::jaro_winkler(&near.to_lowercase(), &name) > MIN_SIMILARITY;
    let near: Vec<_> = declared.filter(is_near).collect();
    match &near[..] {
        [] => "there is no such parameter".to_owned(),
        near => format!("there is no such parameter; there is {}", near.join(", ")),
    }
}

/// Returns the descriptions of the assertions of
/// [rules](https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/rules-section-structure.html)
/// that do not hold.
fn broken_rules(document: &Document) -> Result<Vec<String>> {
    let mut broken = vec![];
    for (_, rule) in document.entries(document.section("Rules")) {
        if let Some(condition) = get(rule, "RuleCondition")
            && !document.condition(condition)?
        {
            continue;
        }
        let assertions = get(rule, "Assertions").and_then(|all| all.data.as_sequence());
        for assertion in assertions.into_iter().flatten() {
            if let Some(condition) = get(assertion, "Assert")
                && !document.condition(condition)?
            {
                broken.extend(get(assertion, "AssertDescription").map(|node| document.text(node)).transpose()?);
            }
        }
    }
    Ok(broken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::Template;
    use crate::template::cloudformation::Parameters;

    const TEMPLATE: &str = r#"
Parameters:
  Stage: {Type: String, Default: dev, AllowedPattern: "[a-z]{1,8}"}
  Days: {Type: Number, Default: 3, MinValue: 1, MaxValue: 30}
  Keep: {Type: Number, Default: 30, AllowedValues: [30, 60]}
  Mfa: {Type: String, Default: "OFF", AllowedValues: ["OFF", "ON"]}
  Name: {Type: String, Default: ab, MinLength: 2, MaxLength: 3}
  Colors: {Type: CommaDelimitedList, Default: red, AllowedValues: [red, green]}
  Sizes: {Type: List<Number>, Default: "1", MaxValue: 9}
  Sender: {Type: String, Default: "", AllowedPattern: "(.+@.+)?", ConstraintDescription: Sender is an address}
  Issuer: {Type: String, Default: ""}
  Audience: {Type: String, Default: ""}
Rules:
  IssuerHasAudience:
    RuleCondition: !Not [!Equals [!Ref Issuer, ""]]
    Assertions:
      - Assert: !Not [!Equals [!Ref Audience, ""]]
        AssertDescription: Set Audience too
"#;

    /// Returns what is said of these values.
    fn problems(values: &[(&str, &str)]) -> String {
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let document = Document::parse("t.yaml", TEMPLATE, values.collect()).unwrap();
        check(&document).err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn takes_what_a_deployment_takes() {
        for (name, value) in [
            ("Stage", "prod"),
            ("Days", "30"),
            ("Days", "1.5"),
            ("Keep", "60"),
            ("Mfa", "ON"),
            ("Name", "äöü"),
            ("Colors", "red, green"),
            ("Sizes", "1,9"),
            ("Sender", ""),
            ("Audience", "x"),
        ] {
            assert_eq!(problems(&[(name, value)]), "", "{name}={value}");
        }
        assert_eq!(problems(&[("Issuer", "https://a"), ("Audience", "x")]), "");
    }

    #[test]
    fn refuses_what_a_deployment_refuses() {
        for (name, value, problem) in [
            ("Stage", "Prod", "it must match [a-z]{1,8}"),
            ("Stage", "", "it must match [a-z]{1,8}"),
            ("Stage", "prod\n", "it must match [a-z]{1,8}"),
            ("Days", "many", "it must be a number"),
            ("Days", "inf", "it must be a number"),
            ("Days", "0", "the minimum is 1"),
            ("Days", "31", "the maximum is 30"),
            ("Keep", "31", "the allowed values are 30, 60"),
            ("Mfa", "on", "the allowed values are OFF, ON"),
            ("Name", "a", "the minimum length is 2"),
            ("Name", "abcd", "the maximum length is 3"),
            ("Colors", "red,blue", "the allowed values are red, green"),
            ("Sizes", "1,10", "the maximum is 9"),
            ("Sizes", "1,", "it must be a number"),
            ("Sender", "Bob", "Sender is an address"),
            ("sender", "Bob", "there is no such parameter; there is Sender"),
            ("Color", "red", "there is no such parameter; there is Colors"),
            ("Frobnicate", "1", "there is no such parameter"),
        ] {
            let expected = format!("t.yaml does not take these parameters:\n  {name}={value}: {problem}");
            assert_eq!(problems(&[(name, value)]), expected);
        }
    }

    #[test]
    fn names_all_problems_at_once() {
        let found = problems(&[("Days", "0"), ("Mfa", "on"), ("Issuer", "https://a")]);
        let lines: Vec<_> = found.lines().skip(1).map(str::trim_start).collect();
        assert_eq!(lines, ["Days=0: the minimum is 1", "Mfa=on: the allowed values are OFF, ON", "Set Audience too"]);
    }

    #[test]
    fn the_patterns_of_the_project_can_be_checked() {
        let path = Template::find().unwrap();
        let document = Document::read(&path, Parameters::new()).unwrap();
        for (name, parameter) in document.entries(document.section("Parameters")) {
            let default = document.text(get(parameter, "Default").unwrap()).unwrap();
            assert_eq!(problem(&document, parameter, &default).unwrap(), None, "{name}");
        }
    }
}

//! Tests that the times for which data is kept add up, and that docs/operating.md and
//! docs/privacy.md state those of template.yaml.

use std::fs;

use local::template::Template;
use saphyr::{LoadableYamlNode as _, Yaml};
use serde_json::json;
use shared::entities::{ENTRY_LIFETIME_SECONDS, EXPORT_LIFETIME_SECONDS, INBOX_LIFETIME_DAYS, WELCOME_LIFETIME_DAYS};
use tests::stack::root;

/// The time for which DynamoDB keeps a record of a stream, in days. See
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html>.
const STREAM_DAYS: i64 = 1;

/// The time that a restore may take, from the last second of the backup to the deletions that are
/// repeated, in days.
const RESTORE_DAYS: i64 = 14;

/// Calls `check` with template.yaml.
fn with_template(check: impl FnMut(&Yaml<'_>)) {
    with("template.yaml", check);
}

/// Calls `check` with this template.
fn with(name: &str, mut check: impl FnMut(&Yaml<'_>)) {
    let text = fs::read_to_string(root().join(name)).unwrap();
    check(&Yaml::load_from_str(&text).unwrap()[0]);
}

/// Returns the default of a parameter.
fn default(template: &Yaml<'_>, parameter: &str) -> i64 {
    template["Parameters"][parameter]["Default"].as_integer().unwrap()
}

/// Returns the number of days for which the queue of failed records keeps a message.
fn queue_days(template: &Yaml<'_>) -> i64 {
    template["Resources"]["FailedRecords"]["Properties"]["MessageRetentionPeriod"].as_integer().unwrap() / 86_400
}

/// A restore brings back whom a deletion has erased since. Only the access log names them.
#[test]
fn the_access_log_outlives_every_backup() {
    with_template(|template| {
        let parameters = &template["Parameters"];
        let logs = parameters["AccessLogRetentionDays"]["AllowedValues"].as_vec().unwrap();
        let shortest = logs.iter().map(|days| days.as_integer().unwrap()).min().unwrap();
        let backups = parameters["RecoveryPeriodInDays"]["MaxValue"].as_integer().unwrap();
        assert!(shortest >= backups + RESTORE_DAYS, "{shortest} days of logs, and {backups} days of backups");
        let retention = &template["Resources"]["AccessLogs"]["Properties"]["RetentionInDays"];
        assert_eq!(retention.as_str().or(tagged(retention)), Some("AccessLogRetentionDays"));
    });
}

/// Returns the text of a value with a tag, such as `!Ref LogRetentionDays`.
fn tagged<'a>(value: &'a Yaml<'_>) -> Option<&'a str> {
    match value {
        Yaml::Tagged(_, value) => value.as_str(),
        _ => None,
    }
}

/// A message of the queue says which records of a stream to read again, so it has to outlive them,
/// and no more than a weekend with a holiday on either side, because the message of an upload has a
/// username and an address.
#[test]
fn the_queue_outlives_the_streams_by_a_weekend() {
    with_template(|template| {
        let days = queue_days(template);
        assert!((STREAM_DAYS + 3..=4).contains(&days), "{days} days");
    });
}

#[test]
fn the_table_of_retention_has_the_values_of_the_template() {
    with_template(|template| {
        let operating = fs::read_to_string(root().join("docs/operating.md")).unwrap();
        let (_, section) = operating.split_once("\n## Retention\n").unwrap();
        let section = section.split("\n## ").next().unwrap();
        let parameter = |name: &str| format!("{} days (`{name}`)", default(template, name));
        let bucket = &template["Resources"]["PhotosBucket"]["Properties"]["LifecycleConfiguration"]["Rules"][0];
        let rows = [
            ("access log", parameter("AccessLogRetentionDays")),
            ("logs of the functions", parameter("LogRetentionDays")),
            ("backups", parameter("RecoveryPeriodInDays")),
            ("deleted favorites", parameter("HistoryDays")),
            ("messages of failed records", format!("{} days", queue_days(template))),
            ("Welcome", format!("{WELCOME_LIFETIME_DAYS} days")),
            ("uploaded files", format!("{} day", bucket["ExpirationInDays"].as_integer().unwrap())),
        ];
        for (what, time) in rows {
            let row = section.lines().find(|line| line.starts_with(&format!("| {what}")));
            let row = row.unwrap_or_else(|| panic!("the section Retention has no row {what}"));
            assert!(row.contains(&time), "the row {what} does not say {time:?}: {row}");
        }
    });
}

/// Returns the rows of a table of docs/privacy.md, by the section that has it.
fn rows_of_privacy(section: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(root().join("docs/privacy.md")).unwrap();
    let (_, section) = text.split_once(&format!("\n## {section}\n")).unwrap();
    let lines = section.split("\n## ").next().unwrap().lines().filter_map(|line| line.strip_prefix("| "));
    let rows = lines.map(|line| line.split(" | ").map(|cell| cell.trim_end_matches(" |").to_owned()).collect());
    // The first two are the heading and its rule.
    rows.skip(1).collect()
}

fn days(seconds: i64) -> String {
    match seconds / 86_400 {
        1 => "1 day".to_owned(),
        days => format!("{days} days"),
    }
}

/// A part of the template that keeps data has a row, and the row has its time.
#[test]
fn privacy_has_each_store_of_the_template_with_its_time() {
    let rows = rows_of_privacy("What is stored about a user");
    assert!(rows.len() > 20, "{rows:?}");
    let mut missing = vec![];
    let mut check = |store: &str, time: &str| {
        let has = |row: &Vec<String>| row[1].contains(store) && row[2].contains(time);
        if !rows.iter().any(has) {
            missing.push(format!("{store}, with the time {time:?}"));
        }
    };
    with_template(|template| {
        for (id, resource) in template["Resources"].as_mapping().unwrap() {
            let (id, properties) = (id.as_str().unwrap(), &resource["Properties"]);
            match resource["Type"].as_str().unwrap() {
                "AWS::DynamoDB::Table" => {
                    let name = table_name(properties);
                    check(&name, "");
                    if member(properties, "PointInTimeRecoverySpecification").is_some() {
                        let backups = rows.iter().find(|row| row[0].starts_with("backups")).unwrap();
                        assert!(backups[0].contains(&name), "{name}: {backups:?}");
                    }
                }
                "AWS::SQS::Queue" => check(id, &days(retention_seconds(properties))),
                "AWS::Logs::LogGroup" => {
                    let parameter = tagged(&properties["RetentionInDays"]).unwrap();
                    check(id, &format!("{} days", default(template, parameter)));
                }
                "AWS::Cognito::UserPool" => check(id, ""),
                "AWS::S3::Bucket" => {
                    for rule in properties["LifecycleConfiguration"]["Rules"].as_vec().unwrap() {
                        if let Some(prefix) = member(rule, "Prefix").and_then(Yaml::as_str) {
                            let time = days(rule["ExpirationInDays"].as_integer().unwrap() * 86_400);
                            check(&format!("`{prefix}`"), &time);
                        }
                    }
                }
                _ => {}
            }
        }
        check("recovery", &format!("{} days", default(template, "RecoveryPeriodInDays")));
    });
    assert!(missing.is_empty(), "add to the table of docs/privacy.md:\n{}", missing.join("\n"));
}

/// Returns the number of seconds for which a queue keeps a message. The property may come by a merge key.
fn retention_seconds(properties: &Yaml<'_>) -> i64 {
    let of = |mapping| member(mapping, "MessageRetentionPeriod");
    of(properties).or_else(|| of(member(properties, "<<")?)).and_then(Yaml::as_integer).unwrap()
}

/// Returns a member of a mapping.
fn member<'a, 'b>(mapping: &'a Yaml<'b>, name: &str) -> Option<&'a Yaml<'b>> {
    mapping.as_mapping()?.iter().find(|(key, _)| key.as_str() == Some(name)).map(|(_, value)| value)
}

/// Returns the name of a table as documents write it.
fn table_name(properties: &Yaml<'_>) -> String {
    match tagged(&properties["TableName"]).unwrap() {
        "TableName" => "`quick-photos`".to_owned(),
        name => format!("`{}`", name.replace("${Stage}", "<stage>")),
    }
}

/// Times that are constants of the code, and those that follow a deletion.
#[test]
fn privacy_has_the_other_times() {
    with_template(|template| {
        let parameter = |name: &str| format!("{} days", default(template, name));
        let stored = rows_of_privacy("What is stored about a user");
        let seconds = |seconds: u64| days(i64::try_from(seconds).unwrap());
        for (what, time) in [
            ("deleted favorites", parameter("HistoryDays")),
            ("notifications", format!("{INBOX_LIFETIME_DAYS} days")),
            ("entries of home feeds", seconds(ENTRY_LIFETIME_SECONDS)),
            ("exports", seconds(EXPORT_LIFETIME_SECONDS)),
            ("Welcome", format!("{WELCOME_LIFETIME_DAYS} days")),
            ("the tombstone", parameter("NameRestDays")),
            ("records of changes", format!("{STREAM_DAYS} day")),
        ] {
            let row = stored.iter().find(|row| row[0].starts_with(what)).unwrap_or_else(|| panic!("no row {what}"));
            assert!(row[2].contains(&time), "{what}: {row:?} does not say {time:?}");
        }
        let mut minutes = 0;
        with("pictures.yaml", |pictures| {
            let cache = &pictures["Resources"]["PicturesCache"]["Properties"]["CachePolicyConfig"]["MaxTTL"];
            minutes = cache.as_integer().unwrap() / 60;
        });
        let removed = rows_of_privacy("What a deletion removes, and when");
        for (time, what) in [
            (format!("{minutes} minutes more"), "copies"),
            (format!("{STREAM_DAYS} day"), "streams"),
            (format!("{} days", queue_days(template)), "messages"),
            (format!("{} and some hours", parameter("NameRestDays")), "tombstone"),
            (parameter("RecoveryPeriodInDays"), "backups"),
            (parameter("AccessLogRetentionDays"), "access log"),
            (format!("{WELCOME_LIFETIME_DAYS} days"), "Welcome"),
        ] {
            let found = removed.iter().any(|row| row[0] == time && row[1].contains(what));
            assert!(found, "docs/privacy.md does not say that the {what} are gone after {time:?}");
        }
    });
}

/// DynamoDB deletes a Welcome with a record in the stream, like any item that expires.
#[test]
fn an_expired_welcome_starts_no_function() {
    let key = json!({"PK": {"S": "SUBJECT#a"}, "SK": {"S": "#WELCOME#a"}});
    let image = json!({
        "PK": {"S": "SUBJECT#a"}, "SK": {"S": "#WELCOME#a"}, "subject": {"S": "a"},
        "welcomed": {"S": "2026-11-24T10:00:00.000Z"}, "ttl": {"N": "1803200000"},
    });
    let user = json!({"type": "Service", "principalId": "dynamodb.amazonaws.com"});
    let record = json!({"eventName": "REMOVE", "userIdentity": user, "dynamodb": {"Keys": key, "OldImage": image}});
    let template = Template::read(&Template::find().unwrap()).unwrap();
    let functions: Vec<_> = template.functions.iter().filter(|function| !function.mappings.is_empty()).collect();
    assert!(functions.len() > 3, "{functions:?}");
    for function in functions {
        for filter in function.mappings.iter().flat_map(|mapping| &mapping.filters) {
            assert!(!filter.matches(&record), "{} gets {record}", function.name);
        }
    }
}

//! The event source mappings of template.yaml: events of the type
//! [DynamoDB](https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-property-function-dynamodb.html).

use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

use crate::template::cloudformation::{ACCOUNT, Document, Node, REGION, get};
use crate::template::filter::Pattern;
use crate::template::table::Table;

/// The settings with which a function reads the stream of a table. The properties, their defaults and their limits are
/// those of
/// [`CreateEventSourceMapping`](https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html).
///
/// `StartingPosition` is validated but not kept: a mapping starts with the first record that is written after the
/// stack has filled the tables. See [`crate::streams`].
#[derive(Clone, Debug, PartialEq)]
pub struct Mapping {
    /// The table's name in DynamoDB.
    pub table: String,
    /// The stream's ARN.
    pub stream_arn: String,
    /// The maximum number of records in a batch.
    pub batch_size: usize,
    /// The time that a batch waits for more records while it is not full.
    pub window: Duration,
    /// Whether a batch that failed is split in two before it is retried.
    pub bisect: bool,
    /// The number of batches that are delivered at the same time. Records of the same item stay in order.
    pub parallelization: usize,
    /// The maximum number of retries of a batch; unlimited if `None`.
    pub retries: Option<u32>,
    /// The maximum age of a record when it is sent to the function; unlimited if `None`.
    pub max_age: Option<Duration>,
    /// Whether the function reports which records of a batch failed.
    pub reports_failures: bool,
    /// The name of the queue that gets a message for each batch that is given up.
    pub on_failure: Option<String>,
    /// The filters. If there are any, the function gets only records that match at least one of them.
    pub filters: Vec<Pattern>,
}

/// The properties that a mapping may have. `KmsKeyArn` and `MetricsConfig` have no effect locally.
const SUPPORTED: [&str; 14] = [
    "Stream",
    "StartingPosition",
    "BatchSize",
    "MaximumBatchingWindowInSeconds",
    "BisectBatchOnFunctionError",
    "ParallelizationFactor",
    "MaximumRetryAttempts",
    "MaximumRecordAgeInSeconds",
    "FunctionResponseTypes",
    "DestinationConfig",
    "FilterCriteria",
    "Enabled",
    "KmsKeyArn",
    "MetricsConfig",
];

/// Reads the mapping of an event. Returns `None` if the mapping is not enabled.
pub(super) fn read(document: &Document, tables: &[Table], event: &Node) -> Result<Option<Mapping>> {
    let properties = get(event, "Properties");
    let property = |name: &'static str| properties.and_then(|all| get(all, name));
    for (name, node) in document.entries(properties) {
        if !SUPPORTED.contains(&name) {
            return Err(document.error(node, format!("the local stack does not support {name} in a DynamoDB event")));
        }
    }
    let value = |name| property(name).map_or(Ok(None), |node| document.resolve(node));
    let flag = |name: &'static str, default| match value(name)? {
        None => Ok(default),
        Some(flag) if flag == true || flag == "true" => Ok(true),
        Some(flag) if flag == false || flag == "false" => Ok(false),
        Some(_) => Err(document.error(event, format!("{name} must be true or false"))),
    };
    let number = |name: &'static str, default: i64, min: i64, max: i64| match property(name) {
        None => Ok(default),
        Some(node) => match document.text(node)?.parse() {
            Ok(number) if (min..=max).contains(&number) => Ok(number),
            _ => Err(document.error(node, format!("{name} must be a whole number from {min} to {max}"))),
        },
    };
    // -1 means unlimited.
    let limit = |name, min: i64, max| match number(name, -1, -1, max)? {
        -1 => Ok(None),
        number if number < min => Err(document.error(event, format!("{name} must be -1, or {min} at least"))),
        number => u32::try_from(number).map(Some).map_err(|_| document.error(event, format!("{name} is too large"))),
    };
    if !flag("Enabled", true)? {
        return Ok(None);
    }

    let (table, stream_arn) = stream(document, tables, event, property("Stream"))?;
    if !matches!(value("StartingPosition")?.as_ref().and_then(Value::as_str), Some("TRIM_HORIZON" | "LATEST")) {
        return Err(document.error(event, "StartingPosition must be TRIM_HORIZON or LATEST"));
    }
    let reports_failures = match value("FunctionResponseTypes")? {
        None => false,
        Some(types) if types == json!([]) => false,
        Some(types) if types == json!(["ReportBatchItemFailures"]) => true,
        Some(_) => return Err(document.error(event, "FunctionResponseTypes must be [ReportBatchItemFailures]")),
    };
    let size = |name, default, min, max| number(name, default, min, max).map(i64::unsigned_abs);
    Ok(Some(Mapping {
        table,
        stream_arn,
        batch_size: usize::try_from(size("BatchSize", 100, 1, 10_000)?).unwrap_or(usize::MAX),
        window: Duration::from_secs(size("MaximumBatchingWindowInSeconds", 0, 0, 300)?),
        bisect: flag("BisectBatchOnFunctionError", false)?,
        parallelization: usize::try_from(size("ParallelizationFactor", 1, 1, 10)?).unwrap_or(usize::MAX),
        retries: limit("MaximumRetryAttempts", 0, 10_000)?,
        max_age: limit("MaximumRecordAgeInSeconds", 60, 604_800)?.map(|age| Duration::from_secs(age.into())),
        reports_failures,
        on_failure: property("DestinationConfig").map_or(Ok(None), |node| on_failure(document, node))?,
        filters: property("FilterCriteria").map_or(Ok(vec![]), |node| filters(document, node))?,
    }))
}

/// Returns the name of the stream's table, which has to be in the template, and the stream's ARN.
fn stream(document: &Document, tables: &[Table], event: &Node, node: Option<&Node>) -> Result<(String, String)> {
    let node = node.ok_or_else(|| document.error(event, "a DynamoDB event needs a Stream"))?;
    let arn = document.text(node)?;
    let prefix = format!("arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/");
    let name = arn.strip_prefix(&prefix).and_then(|rest| rest.split_once("/stream/")).map(|(name, _)| name);
    let name = name.ok_or_else(|| document.error(node, "Stream must be !GetAtt <table>.StreamArn"))?;
    match tables.iter().find(|table| table.name == name) {
        Some(table) if table.create.get("StreamSpecification").is_some() => Ok((name.to_owned(), arn)),
        _ => Err(document.error(node, format!("table {name} has no stream"))),
    }
}

/// Returns the name of the on-failure queue.
fn on_failure(document: &Document, node: &Node) -> Result<Option<String>> {
    let Some(failure) = get(node, "OnFailure") else {
        return Ok(None);
    };
    let unsupported = || document.error(failure, "OnFailure must be a queue: Destination: !GetAtt <queue>.Arn");
    let kind = get(failure, "Type").map(|kind| document.text(kind)).transpose()?;
    if kind.is_some_and(|kind| kind != "SQS") {
        return Err(unsupported());
    }
    let arn = document.text(get(failure, "Destination").ok_or_else(unsupported)?)?;
    let queue = arn.strip_prefix(&format!("arn:aws:sqs:{REGION}:{ACCOUNT}:")).ok_or_else(unsupported)?;
    Ok(Some(queue.to_owned()))
}

fn filters(document: &Document, node: &Node) -> Result<Vec<Pattern>> {
    let filters = get(node, "Filters").and_then(|filters| filters.data.as_sequence()).map_or(&[][..], Vec::as_slice);
    let pattern = |filter| {
        let pattern = get(filter, "Pattern").ok_or_else(|| document.error(filter, "a filter needs a Pattern"))?;
        let text = document.text(pattern)?;
        Pattern::parse(&text).map_err(|error| document.error(pattern, format!("the filter's pattern: {error:#}")))
    };
    filters.iter().map(pattern).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::cloudformation::Parameters;

    const TEMPLATE: &str = r#"
Parameters:
  Prefix: {Type: String, Default: "USER#"}
Resources:
  WelcomeFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: target/lambda/welcome/
      Events:
        Stream:
          Type: DynamoDB
          Properties:
            Stream: !GetAtt Things.StreamArn
            StartingPosition: TRIM_HORIZON
            # more
  Things:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: things
      StreamSpecification: {StreamViewType: NEW_AND_OLD_IMAGES}
  Plain: {Type: "AWS::DynamoDB::Table"}
  Lost:
    Type: AWS::SQS::Queue
  Named:
    Type: AWS::SQS::Queue
    Properties: {QueueName: lost-records}
"#;

    /// Reads the only event of a template.
    fn parse(text: &str) -> Result<Option<Mapping>> {
        let document = Document::parse("t.yaml", text, Parameters::new()).unwrap();
        let resources = document.section("Resources").unwrap();
        let tables = ["Things", "Plain"].map(|id| Table::read(&document, id, get(resources, id).unwrap()).unwrap());
        let properties = get(get(resources, "WelcomeFunction").unwrap(), "Properties").unwrap();
        read(&document, &tables, get(get(properties, "Events").unwrap(), "Stream").unwrap())
    }

    /// Reads the event with more properties.
    fn parse_with(more: &str) -> Result<Option<Mapping>> {
        parse(&TEMPLATE.replace("# more", &more.replace('\n', "\n            ")))
    }

    fn mapping(more: &str) -> Mapping {
        parse_with(more).unwrap().unwrap()
    }

    #[test]
    fn a_mapping_has_the_defaults_of_lambda() {
        let expected = Mapping {
            table: "things".to_owned(),
            stream_arn: "arn:aws:dynamodb:us-east-1:123456789012:table/things/stream/2026-01-01T00:00:00.000"
                .to_owned(),
            batch_size: 100,
            window: Duration::ZERO,
            bisect: false,
            parallelization: 1,
            retries: None,
            max_age: None,
            reports_failures: false,
            on_failure: None,
            filters: vec![],
        };
        assert_eq!(mapping(""), expected);
        assert_eq!(
            mapping("MaximumRetryAttempts: -1\nMaximumRecordAgeInSeconds: -1\nFunctionResponseTypes: []"),
            expected
        );
        assert_eq!(parse_with("Enabled: false").unwrap(), None);
    }

    #[test]
    fn reads_every_property() {
        let mapping = mapping(
            r#"BatchSize: 10
MaximumBatchingWindowInSeconds: 2
BisectBatchOnFunctionError: true
ParallelizationFactor: 10
MaximumRetryAttempts: 3
MaximumRecordAgeInSeconds: 3600
FunctionResponseTypes: [ReportBatchItemFailures]
DestinationConfig: {OnFailure: {Type: SQS, Destination: !GetAtt Lost.Arn}}
FilterCriteria:
  Filters:
    - Pattern: '{"eventName": ["INSERT"]}'
    - Pattern: !Sub '{"dynamodb": {"Keys": {"PK": {"S": [{"prefix": "${Prefix}"}]}}}}'"#,
        );
        assert_eq!((mapping.batch_size, mapping.window), (10, Duration::from_secs(2)));
        assert!(mapping.bisect && mapping.reports_failures);
        assert_eq!(mapping.parallelization, 10);
        assert_eq!((mapping.retries, mapping.max_age), (Some(3), Some(Duration::from_hours(1))));
        assert_eq!(mapping.on_failure.as_deref(), Some("Lost"));
        let [insert, user] = &mapping.filters[..] else { panic!("{mapping:?}") };
        assert!(insert.matches(&json!({"eventName": "INSERT"})));
        assert!(user.matches(&json!({"dynamodb": {"Keys": {"PK": {"S": "USER#ada"}}}})));
        let named = self::mapping("DestinationConfig: {OnFailure: {Destination: !GetAtt Named.Arn}}");
        assert_eq!(named.on_failure.as_deref(), Some("lost-records"));
    }

    #[test]
    fn rejects_what_it_does_not_support_with_the_place() {
        for (more, message) in [
            (
                "TumblingWindowInSeconds: 2",
                "the local stack does not support TumblingWindowInSeconds in a DynamoDB event",
            ),
            ("ParallelizationFactor: 11", "ParallelizationFactor must be a whole number from 1 to 10"),
            ("BatchSize: 0", "BatchSize must be a whole number from 1 to 10000"),
            ("MaximumRecordAgeInSeconds: 5", "MaximumRecordAgeInSeconds must be -1, or 60 at least"),
            ("BisectBatchOnFunctionError: perhaps", "BisectBatchOnFunctionError must be true or false"),
            ("FunctionResponseTypes: [Nonsense]", "FunctionResponseTypes must be [ReportBatchItemFailures]"),
            ("DestinationConfig: {OnFailure: {Type: SNS, Destination: x}}", "OnFailure must be a queue"),
            ("DestinationConfig: {OnFailure: {Destination: x}}", "OnFailure must be a queue"),
            ("FilterCriteria: {Filters: [{}]}", "a filter needs a Pattern"),
            (r#"FilterCriteria: {Filters: [{Pattern: '{"a": 1}'}]}"#, "the filter's pattern: a: must be an object"),
        ] {
            let error = format!("{:#}", parse_with(more).unwrap_err());
            let (place, error) = error.split_once(": ").unwrap();
            assert!(place.starts_with("t.yaml:1") && error.starts_with(message), "{more}: {place}: {error}");
        }
        for (was, is, message) in [
            ("Things.StreamArn", "Plain.StreamArn", "t.yaml:13: table Plain has no stream"),
            ("!GetAtt Things.StreamArn", "things", "t.yaml:13: Stream must be !GetAtt <table>.StreamArn"),
            ("TRIM_HORIZON", "AT_TIMESTAMP", "StartingPosition must be TRIM_HORIZON or LATEST"),
        ] {
            let error = format!("{:#}", parse(&TEMPLATE.replace(was, is)).unwrap_err());
            assert!(error.contains(message), "{error}");
        }
    }
}

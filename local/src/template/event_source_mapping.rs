//! The event source mappings of template.yaml: events of the type
//! [DynamoDB](https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-property-function-dynamodb.html).

use anyhow::Result;
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Map, Value, json};

use crate::template::cloudformation::{ACCOUNT, Document, Node, REGION, get};
use crate::template::destination::{Destination, DestinationConfig};
use crate::template::filter::Pattern;
use crate::template::table::Table;

/// The settings with which a function reads the stream of a table, by the names of
/// [`CreateEventSourceMapping`](https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html).
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct EventSourceMapping {
    /// The table's name in DynamoDB.
    #[serde(skip)]
    pub table: String,
    /// The stream's ARN.
    #[serde(rename = "Stream")]
    pub stream_arn: String,
    /// The maximum number of records in a batch.
    pub batch_size: usize,
    /// The number of batches that are delivered at the same time. Records of the same item stay in
    /// order.
    #[serde(rename = "ParallelizationFactor", default = "one")]
    pub parallelization: usize,
    /// The maximum number of retries of a batch.
    #[serde(rename = "MaximumRetryAttempts")]
    pub retries: u32,
    /// The name of the queue that gets a message about each batch that is given up.
    #[serde(rename = "DestinationConfig", deserialize_with = "queue")]
    pub on_failure: String,
    /// The filters. If there are any, the function gets only records that match at least one of
    /// them.
    #[serde(rename = "FilterCriteria", default, deserialize_with = "patterns")]
    pub filters: Vec<Pattern>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct FilterCriteria {
    filters: Vec<Filter>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct Filter {
    pattern: Pattern,
}

fn one() -> usize {
    1
}

/// Reads the name of the only destination that a mapping can have.
fn queue<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    match DestinationConfig::deserialize(deserializer)?.on_failure {
        Destination::Queue(name) => Ok(name),
        Destination::Function(_) => Err(D::Error::custom("OnFailure must have the Type SQS")),
    }
}

/// Reads the patterns of filters.
fn patterns<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Pattern>, D::Error> {
    let FilterCriteria { filters } = FilterCriteria::deserialize(deserializer)?;
    Ok(filters.into_iter().map(|filter| filter.pattern).collect())
}

impl EventSourceMapping {
    /// Reads the mapping of an event.
    pub(super) fn read(document: &Document, tables: &[Table], event: &Node) -> Result<Self> {
        let node = get(event, "Properties").unwrap_or(event);
        let mut properties: Map<String, Value> = document.deserialize(node)?.unwrap_or_default();
        // The delivery works with these settings alone.
        for (name, value) in [
            ("StartingPosition", json!("TRIM_HORIZON")),
            ("MaximumBatchingWindowInSeconds", json!(0)),
            ("BisectBatchOnFunctionError", json!(true)),
            ("FunctionResponseTypes", json!(["ReportBatchItemFailures"])),
        ] {
            if properties.remove(name).as_ref() != Some(&value) {
                return Err(document.error(node, format!("the local stack needs {name}: {value} in a DynamoDB event")));
            }
        }
        // The metrics have no effect locally.
        properties.remove("MetricsConfig");
        let mut mapping: Self =
            serde_json::from_value(properties.into()).map_err(|error| document.error(node, error))?;

        let prefix = format!("arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/");
        let name = mapping.stream_arn.strip_prefix(&prefix).and_then(|rest| rest.split_once("/stream/"));
        let (name, _) = name.ok_or_else(|| document.error(node, "Stream must be !GetAtt <table>.StreamArn"))?;
        if !tables.iter().any(|table| table.name == name && table.create.get("StreamSpecification").is_some()) {
            return Err(document.error(node, format!("table {name} has no stream")));
        }
        name.clone_into(&mut mapping.table);
        Ok(mapping)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::Template;

    const TEMPLATE: &str = r#"
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
            MaximumBatchingWindowInSeconds: 0
            BisectBatchOnFunctionError: true
            FunctionResponseTypes: [ReportBatchItemFailures]
            BatchSize: 10
            MaximumRetryAttempts: 3
            DestinationConfig: {OnFailure: {Type: SQS, Destination: !GetAtt Lost.Arn}}
            FilterCriteria: {Filters: [{Pattern: '{"eventName": ["INSERT"]}'}]}
  Things:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: things
      StreamSpecification: {StreamViewType: NEW_AND_OLD_IMAGES}
  Plain: {Type: "AWS::DynamoDB::Table"}
  Lost: {Type: "AWS::SQS::Queue", Properties: {QueueName: lost-records}}
"#;

    #[test]
    fn reads_a_mapping() {
        let [function] = &Template::parse("t.yaml", TEMPLATE).unwrap().functions[..] else { panic!() };
        let [mapping] = &function.mappings[..] else { panic!("{function:?}") };
        let expected = EventSourceMapping {
            table: "things".to_owned(),
            stream_arn: "arn:aws:dynamodb:us-east-1:123456789012:table/things/stream/2026-01-01T00:00:00.000"
                .to_owned(),
            batch_size: 10,
            parallelization: 1,
            retries: 3,
            on_failure: "lost-records".to_owned(),
            filters: vec![Pattern::parse(r#"{"eventName": ["INSERT"]}"#).unwrap()],
        };
        assert_eq!(*mapping, expected);
    }

    #[test]
    fn rejects_what_it_does_not_support_with_the_place() {
        for (was, is, message) in [
            ("BatchSize", "TumblingWindowInSeconds", "unknown field `TumblingWindowInSeconds`, expected one of"),
            ("TRIM_HORIZON", "LATEST", "the local stack needs StartingPosition: \"TRIM_HORIZON\" in a DynamoDB event"),
            ("Seconds: 0", "Seconds: 2", "the local stack needs MaximumBatchingWindowInSeconds: 0"),
            ("            BisectBatchOnFunctionError: true\n", "", "the local stack needs BisectBatchOnFunctionError"),
            ("Type: SQS", "Type: SNS", "unknown variant `SNS`, expected `Lambda` or `SQS`"),
            (r#"["INSERT"]"#, "1", "the filter's pattern: eventName: must be an object"),
            ("Things.StreamArn", "Plain.StreamArn", "table Plain has no stream"),
            ("!GetAtt Things.StreamArn", "things", "Stream must be !GetAtt <table>.StreamArn"),
        ] {
            let error = format!("{:#}", Template::parse("t.yaml", &TEMPLATE.replace(was, is)).unwrap_err());
            assert!(error.starts_with(&format!("t.yaml:11: {message}")), "{error}");
        }
    }
}

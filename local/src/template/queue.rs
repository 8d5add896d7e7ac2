//! The queues of the templates whose messages start functions: events of the type
//! [SQS](https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-property-function-sqs.html).

use anyhow::Result;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::template::cloudformation::{Document, Node, get};
use crate::template::destination::name_in_arn;

/// A queue whose messages start a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// The name.
    pub name: String,
    /// The ARN.
    pub arn: String,
    /// The maximum number of messages in an event.
    pub batch_size: usize,
    /// The maximum number of batches that are processed at the same time, if the mapping has one.
    pub max_concurrency: Option<usize>,
    /// The number of times that a message is received before it goes to the dead-letter queue.
    pub max_receives: u32,
    /// The name of the dead-letter queue.
    pub dead_letters: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct Event {
    queue: String,
    batch_size: usize,
    scaling_config: Option<ScalingConfig>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct ScalingConfig {
    maximum_concurrency: usize,
}

/// The redrive policy of a queue.
pub(super) struct Redrive {
    /// The ARN of the queue.
    arn: String,
    policy: RedrivePolicy,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RedrivePolicy {
    #[serde(deserialize_with = "name_in_arn")]
    dead_letter_target_arn: String,
    max_receive_count: u32,
}

impl Redrive {
    /// Reads the redrive policy of a queue, if the queue has one.
    pub(super) fn read(document: &Document, id: &str, queue: &Node) -> Result<Option<Self>> {
        let policy = document.property_as(queue, "RedrivePolicy")?;
        policy.map(|policy| Ok(Self { arn: document.attribute(queue, &format!("{id}.Arn"))?, policy })).transpose()
    }
}

impl Queue {
    /// Reads the queue of an event.
    pub(super) fn read(document: &Document, redrives: &[Redrive], event: &Node) -> Result<Self> {
        let node = get(event, "Properties").unwrap_or(event);
        let mut properties: Map<String, Value> = document.deserialize(node)?.unwrap_or_default();
        // The delivery works with this setting alone.
        if properties.remove("FunctionResponseTypes") != Some(json!(["ReportBatchItemFailures"])) {
            let message = "the local stack needs FunctionResponseTypes: [ReportBatchItemFailures] in an SQS event";
            return Err(document.error(node, message));
        }
        // A batch has the messages that wait.
        properties.remove("MaximumBatchingWindowInSeconds");
        let event: Event = serde_json::from_value(properties.into()).map_err(|error| document.error(node, error))?;
        let redrive = redrives.iter().find(|redrive| redrive.arn == event.queue);
        let Redrive { policy, .. } =
            redrive.ok_or_else(|| document.error(node, "Queue must be the ARN of a queue with a RedrivePolicy"))?;
        Ok(Self {
            name: event.queue.rsplit(':').next().unwrap_or_default().to_owned(),
            arn: event.queue,
            batch_size: event.batch_size,
            max_concurrency: event.scaling_config.map(|config| config.maximum_concurrency),
            max_receives: policy.max_receive_count,
            dead_letters: policy.dead_letter_target_arn.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::Template;

    const TEMPLATE: &str = r#"
Resources:
  SendFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: send/
      Events:
        Queue:
          Type: SQS
          Properties:
            Queue: !GetAtt Waiting.Arn
            BatchSize: 10
            FunctionResponseTypes: [ReportBatchItemFailures]
            MaximumBatchingWindowInSeconds: 1
            ScalingConfig: {MaximumConcurrency: 2}
  Waiting:
    Type: AWS::SQS::Queue
    Properties: {RedrivePolicy: {deadLetterTargetArn: !GetAtt Failed.Arn, maxReceiveCount: 3}}
  Failed: {Type: "AWS::SQS::Queue", Properties: {QueueName: failed}}
"#;

    #[test]
    fn reads_a_queue_with_its_dead_letters() {
        let [function] = &Template::parse("t.yaml", TEMPLATE).unwrap().functions[..] else { panic!() };
        let expected = Queue {
            name: "Waiting".to_owned(),
            arn: "arn:aws:sqs:us-east-1:123456789012:Waiting".to_owned(),
            batch_size: 10,
            max_concurrency: Some(2),
            max_receives: 3,
            dead_letters: "failed".to_owned(),
        };
        assert_eq!(function.queues, [expected]);
    }

    #[test]
    fn rejects_what_it_does_not_support_with_the_place() {
        for (was, is, message) in [
            ("FunctionResponseTypes", "Others", "t.yaml:11: the local stack needs FunctionResponseTypes"),
            ("ScalingConfig", "FilterCriteria", "t.yaml:11: unknown field `FilterCriteria`"),
            ("MaximumConcurrency", "Maximum", "t.yaml:11: unknown field `Maximum`"),
            ("RedrivePolicy", "Policy", "t.yaml:11: Queue must be the ARN of a queue with a RedrivePolicy"),
        ] {
            let error = format!("{:#}", Template::parse("t.yaml", &TEMPLATE.replace(was, is)).unwrap_err());
            assert!(error.starts_with(message), "{error}");
        }
    }
}

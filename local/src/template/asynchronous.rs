//! The settings of asynchronous invocations in template.yaml: the property
//! [EventInvokeConfig](https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-property-function-eventinvokeconfiguration.html)
//! of a function.

use std::time::Duration;

use anyhow::Result;

use crate::template::cloudformation::{Document, Node, get};

/// The way in which a function processes the events of asynchronous invocations. The properties, their defaults and
/// their limits are those of
/// [`PutFunctionEventInvokeConfig`](https://docs.aws.amazon.com/lambda/latest/api/API_PutFunctionEventInvokeConfig.html).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asynchronous {
    /// The maximum number of retries after an error of the function.
    pub retries: u32,
    /// The maximum age of an event when it is sent to the function.
    pub max_age: Duration,
    /// The destination that gets a record of each event that is given up.
    pub on_failure: Option<Destination>,
}

/// An on-failure destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// The name of a function.
    Function(String),
    /// The name of an SQS queue.
    Queue(String),
}

impl Default for Asynchronous {
    fn default() -> Self {
        Self { retries: 2, max_age: Duration::from_hours(6), on_failure: None }
    }
}

impl Asynchronous {
    /// Reads the property of a function.
    pub(super) fn read(document: &Document, node: &Node) -> Result<Self> {
        let mut settings = Self::default();
        for (name, value) in document.entries(Some(node)) {
            let number = |min: u32, max: u32| {
                let number = document.text(value)?.parse().ok().filter(|number| (min..=max).contains(number));
                number
                    .ok_or_else(|| document.error(value, format!("{name} must be a whole number from {min} to {max}")))
            };
            match name {
                "MaximumRetryAttempts" => settings.retries = number(0, 2)?,
                "MaximumEventAgeInSeconds" => settings.max_age = Duration::from_secs(number(60, 21600)?.into()),
                "DestinationConfig" => settings.on_failure = destination(document, value)?,
                _ => {
                    let message = format!("the local stack does not support {name} in an EventInvokeConfig");
                    return Err(document.error(value, message));
                }
            }
        }
        Ok(settings)
    }
}

fn destination(document: &Document, node: &Node) -> Result<Option<Destination>> {
    let mut destination = None;
    for (name, node) in document.entries(Some(node)) {
        let kind = get(node, "Type").map(|kind| document.text(kind)).transpose()?;
        let arn = get(node, "Destination").map(|arn| document.text(arn)).transpose()?.unwrap_or_default();
        // The ARN ends in the name: arn:aws:sqs:<region>:<account>:<queue>, arn:aws:lambda:<region>:<account>:function:<name>
        let (_, last) = arn.rsplit_once(':').unwrap_or_default();
        destination = Some(match (name, kind.as_deref()) {
            ("OnFailure", Some("Lambda")) if arn.contains(":function:") => Destination::Function(last.to_owned()),
            ("OnFailure", Some("SQS")) if arn.starts_with("arn:aws:sqs:") => Destination::Queue(last.to_owned()),
            _ => {
                let message = "the local stack supports only OnFailure with the Type Lambda or SQS and an ARN";
                return Err(document.error(node, message));
            }
        });
    }
    Ok(destination)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::Template;

    const TEMPLATE: &str = r#"
Resources:
  LookFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: target/lambda/look/
      EventInvokeConfig:
        MaximumRetryAttempts: 1
        MaximumEventAgeInSeconds: 3600
        DestinationConfig: {OnFailure: {Type: Lambda, Destination: !GetAtt GiveUpFunction.Arn}}
  GiveUpFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: target/lambda/give-up/
      EventInvokeConfig: {DestinationConfig: {OnFailure: {Type: SQS, Destination: !GetAtt Lost.Arn}}}
  PlainFunction: {Type: "AWS::Serverless::Function", Properties: {CodeUri: plain/}}
  Lost: {Type: "AWS::SQS::Queue", Properties: {QueueName: lost-events}}
"#;

    #[test]
    fn reads_the_settings_of_functions() {
        let template = Template::parse("t.yaml", TEMPLATE).unwrap();
        let settings: Vec<_> = template.functions.into_iter().map(|function| function.asynchronous).collect();
        let function = Some(Destination::Function("give-up".to_owned()));
        let queue = Some(Destination::Queue("lost-events".to_owned()));
        let expected = [
            Asynchronous { retries: 1, max_age: Duration::from_hours(1), on_failure: function },
            Asynchronous { on_failure: queue, ..Asynchronous::default() },
            Asynchronous { retries: 2, max_age: Duration::from_hours(6), on_failure: None },
        ];
        assert_eq!(settings, expected);
    }

    #[test]
    fn rejects_what_it_does_not_support_with_the_place() {
        for (was, is, message) in [
            ("MaximumRetryAttempts: 1", "MaximumRetryAttempts: 3", "t.yaml:8: MaximumRetryAttempts must be a whole"),
            ("InSeconds: 3600", "InSeconds: 59", "t.yaml:9: MaximumEventAgeInSeconds must be a whole number from 60"),
            ("MaximumRetryAttempts", "Qualifier", "t.yaml:8: the local stack does not support Qualifier in an Event"),
            ("Type: Lambda", "Type: SNS", "t.yaml:10: the local stack supports only OnFailure"),
            ("{OnFailure: {Type: L", "{OnSuccess: {Type: L", "t.yaml:10: the local stack supports only OnFailure"),
            ("GiveUpFunction.Arn", "Nobody.Arn", "t.yaml:10: the local stack has no value for Nobody.Arn"),
        ] {
            let error = format!("{:#}", Template::parse("t.yaml", &TEMPLATE.replace(was, is)).unwrap_err());
            assert!(error.starts_with(message), "{error}");
        }
    }
}

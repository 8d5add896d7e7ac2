//! The settings of asynchronous invocations in template.yaml: the property
//! [EventInvokeConfig](https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-property-function-eventinvokeconfiguration.html)
//! of a function.

use std::time::Duration;

use serde::Deserialize;

use crate::template::destination::{Destination, DestinationConfig};

/// The way in which a function processes the events of asynchronous invocations. The properties and
/// their defaults are those of
/// [`PutFunctionEventInvokeConfig`](https://docs.aws.amazon.com/lambda/latest/api/API_PutFunctionEventInvokeConfig.html).
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "PascalCase", deny_unknown_fields, default)]
pub struct EventInvokeConfig {
    /// The maximum number of retries after an error of the function.
    #[serde(rename = "MaximumRetryAttempts")]
    pub retries: u32,
    #[serde(rename = "MaximumEventAgeInSeconds")]
    max_age_seconds: u64,
    destination_config: Option<DestinationConfig>,
}

impl Default for EventInvokeConfig {
    fn default() -> Self {
        Self { retries: 2, max_age_seconds: 6 * 60 * 60, destination_config: None }
    }
}

impl EventInvokeConfig {
    /// Returns the maximum age of an event when it is sent to the function.
    #[must_use]
    pub fn max_age(&self) -> Duration {
        Duration::from_secs(self.max_age_seconds)
    }

    /// Returns the destination that gets a record of each event that is given up.
    #[must_use]
    pub fn on_failure(&self) -> Option<&Destination> {
        self.destination_config.as_ref().map(|config| &config.on_failure)
    }
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
        let settings = template.functions.iter().map(|function| &function.event_invoke_config);
        let settings: Vec<_> =
            settings.map(|config| (config.retries, config.max_age(), config.on_failure().cloned())).collect();
        let function = Some(Destination::Function("give-up".to_owned()));
        let queue = Some(Destination::Queue("lost-events".to_owned()));
        let hours = Duration::from_hours;
        assert_eq!(settings, [(1, hours(1), function), (2, hours(6), queue), (2, hours(6), None)]);
    }

    #[test]
    fn rejects_what_it_does_not_support_with_the_place() {
        for (was, is, message) in [
            ("MaximumRetryAttempts: 1", "MaximumRetryAttempts: x", "invalid type: string \"x\", expected u32"),
            ("MaximumRetryAttempts", "Qualifier", "unknown field `Qualifier`, expected one of"),
            ("Type: Lambda", "Type: SNS", "unknown variant `SNS`, expected `Lambda` or `SQS`"),
            ("{OnFailure: {Type: L", "{OnSuccess: {Type: L", "unknown field `OnSuccess`, expected `OnFailure`"),
            ("!GetAtt GiveUpFunction.Arn", "give-up", "give-up is not an ARN"),
        ] {
            let error = format!("{:#}", Template::parse("t.yaml", &TEMPLATE.replace(was, is)).unwrap_err());
            assert!(error.starts_with(&format!("t.yaml:8: {message}")), "{error}");
        }
    }
}

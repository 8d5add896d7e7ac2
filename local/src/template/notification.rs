//! The notifications of buckets in template.yaml: their property
//! [NotificationConfiguration](https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-s3-bucket-notificationconfiguration.html).

use anyhow::Result;
use serde::Deserialize;

use crate::template::cloudformation::{Document, Node};

/// The objects of a bucket whose creation starts a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    /// The bucket's name in S3.
    pub bucket: String,
    /// The beginning of the keys.
    pub prefix: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct Configuration {
    lambda_configurations: Vec<LambdaConfiguration>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct LambdaConfiguration {
    #[serde(rename = "Event")]
    _event: Event,
    filter: Filter,
    function: String,
}

#[derive(Deserialize)]
enum Event {
    #[serde(rename = "s3:ObjectCreated:*")]
    Created,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct Filter {
    #[serde(rename = "S3Key")]
    key: KeyFilter,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct KeyFilter {
    rules: [Rule; 1],
}

#[derive(Deserialize)]
#[serde(tag = "Name", content = "Value", rename_all = "lowercase")]
enum Rule {
    Prefix(String),
}

impl Notification {
    /// Reads the notifications of a bucket. Returns them with the ARNs of their functions.
    pub(super) fn read(document: &Document, id: &str, bucket: &Node) -> Result<Vec<(String, Self)>> {
        let configuration: Option<Configuration> = document.property_as(bucket, "NotificationConfiguration")?;
        let configurations = configuration.map(|all| all.lambda_configurations).unwrap_or_default();
        let name = document.physical_name(id, bucket)?;
        let read = |LambdaConfiguration { filter, function, .. }: LambdaConfiguration| {
            let [Rule::Prefix(prefix)] = filter.key.rules;
            (function, Self { bucket: name.clone(), prefix })
        };
        Ok(configurations.into_iter().map(read).collect())
    }

    /// Returns whether the creation of an object starts the function.
    #[must_use]
    pub fn matches(&self, bucket: &str, key: &str) -> bool {
        self.bucket == bucket && key.starts_with(&self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use crate::template::Template;

    const TEMPLATE: &str = r#"
Resources:
  LookFunction: {Type: "AWS::Serverless::Function", Properties: {CodeUri: target/lambda/look/}}
  Pictures:
    Type: AWS::S3::Bucket
    Properties:
      BucketName: pictures
      NotificationConfiguration:
        LambdaConfigurations:
          - Event: s3:ObjectCreated:*
            Filter: {S3Key: {Rules: [{Name: prefix, Value: incoming/}]}}
            Function: !Ref LookFunction.Alias
"#;

    #[test]
    fn a_notification_matches_by_bucket_and_key() {
        let template = Template::parse("t.yaml", TEMPLATE).unwrap();
        let [notification] = &template.functions[0].notifications[..] else { panic!("{template:?}") };
        assert!(notification.matches("pictures", "incoming/ada/1"));
        assert!(!notification.matches("pictures", "photos/ada/1"));
        assert!(!notification.matches("others", "incoming/ada/1"));
    }

    #[test]
    fn rejects_what_it_does_not_support_with_the_place() {
        for (was, is, message) in [
            ("Created:*", "Removed:*", "t.yaml:9: unknown variant `s3:ObjectRemoved:*`, expected `s3:ObjectCreated:*`"),
            ("Name: prefix", "Name: suffix", "t.yaml:9: unknown variant `suffix`, expected `prefix`"),
            ("Filter:", "Filters:", "t.yaml:9: unknown field `Filters`, expected one of `Event`, `Filter`, `Function`"),
            (
                "!Ref LookFunction.Alias",
                "arn:aws:lambda:::function:see",
                "t.yaml:5: the templates have no function arn",
            ),
        ] {
            let error = format!("{:#}", Template::parse("t.yaml", &TEMPLATE.replace(was, is)).unwrap_err());
            assert!(error.starts_with(message), "{error}");
        }
    }
}

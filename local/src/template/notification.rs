//! The notifications of buckets in template.yaml: events of the type
//! [S3](https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-property-function-s3.html).

use anyhow::Result;
use serde::Deserialize;

use crate::template::bucket::Bucket;
use crate::template::cloudformation::{Document, Node, get};

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
struct Properties {
    bucket: String,
    events: Events,
    filter: Filter,
}

#[derive(Deserialize)]
enum Events {
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
    /// Reads the notification of an event.
    pub(super) fn read(document: &Document, buckets: &[Bucket], event: &Node) -> Result<Self> {
        let node = get(event, "Properties").unwrap_or(event);
        let properties: Option<Properties> = document.deserialize(node)?;
        let properties = properties.ok_or_else(|| document.error(node, "an S3 event needs Properties"))?;
        let Properties { bucket, events: Events::Created, filter } = properties;
        if !buckets.iter().any(|other| other.name == bucket) {
            return Err(document.error(node, "Bucket must be !Ref <bucket>"));
        }
        let [Rule::Prefix(prefix)] = filter.key.rules;
        Ok(Self { bucket, prefix })
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
  LookFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: target/lambda/look/
      Events:
        Uploaded:
          Type: S3
          Properties:
            Bucket: !Ref Pictures
            Events: "s3:ObjectCreated:*"
            Filter: {S3Key: {Rules: [{Name: prefix, Value: incoming/}]}}
  Pictures: {Type: "AWS::S3::Bucket", Properties: {BucketName: pictures}}
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
            ("!Ref Pictures", "pictures-of-others", "Bucket must be !Ref <bucket>"),
            ("Created:*", "Removed:*", "unknown variant `s3:ObjectRemoved:*`, expected `s3:ObjectCreated:*`"),
            ("Name: prefix", "Name: suffix", "unknown variant `suffix`, expected `prefix`"),
            ("Filter:", "Filters:", "unknown field `Filters`, expected one of `Bucket`, `Events`, `Filter`"),
        ] {
            let error = format!("{:#}", Template::parse("t.yaml", &TEMPLATE.replace(was, is)).unwrap_err());
            assert!(error.starts_with(&format!("t.yaml:11: {message}")), "{error}");
        }
    }
}

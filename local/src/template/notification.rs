//! The notifications of buckets in template.yaml: events of the type
//! [S3](https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-property-function-s3.html).

use anyhow::Result;
use serde_json::Value;

use crate::template::bucket::Bucket;
use crate::template::cloudformation::{Document, Node, get};

/// The objects of a bucket whose creation starts a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    /// The bucket's name in S3.
    pub bucket: String,
    /// The [types of events](https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-event-types-and-destinations.html),
    /// for example `s3:ObjectCreated:*`.
    pub events: Vec<String>,
    /// The beginning of the keys.
    pub prefix: String,
    /// The end of the keys.
    pub suffix: String,
}

impl Notification {
    /// Reads the notification of an event.
    pub(super) fn read(document: &Document, buckets: &[Bucket], event: &Node) -> Result<Self> {
        let properties = get(event, "Properties");
        for (name, node) in document.entries(properties) {
            if !["Bucket", "Events", "Filter"].contains(&name) {
                return Err(document.error(node, format!("the local stack does not support {name} in an S3 event")));
            }
        }
        let property = |name| {
            let node = properties.and_then(|all| get(all, name));
            node.ok_or_else(|| document.error(event, format!("an S3 event needs {name}")))
        };
        let bucket = document.text(property("Bucket")?)?;
        if !buckets.iter().any(|other| other.name == bucket) {
            return Err(document.error(property("Bucket")?, "Bucket must be !Ref <bucket>"));
        }
        let node = property("Events")?;
        let events = match document.resolve(node)? {
            Some(Value::Array(events)) => events,
            Some(event) => vec![event],
            None => vec![],
        };
        let unsupported = || document.error(node, "the local stack supports only the events s3:ObjectCreated:…");
        let is_created = |event: &&str| event.starts_with("s3:ObjectCreated:");
        let events = events.iter().map(|event| event.as_str().filter(is_created).map(str::to_owned));
        let events = events.collect::<Option<Vec<_>>>().ok_or_else(unsupported)?;
        let mut notification = Self { bucket, events, prefix: String::new(), suffix: String::new() };
        if let Some(filter) = properties.and_then(|all| get(all, "Filter")) {
            notification.read_filter(document, filter)?;
        }
        Ok(notification)
    }

    fn read_filter(&mut self, document: &Document, filter: &Node) -> Result<()> {
        let rules = get(filter, "S3Key").and_then(|key| get(key, "Rules")).and_then(|rules| rules.data.as_sequence());
        for rule in rules.ok_or_else(|| document.error(filter, "a Filter needs S3Key.Rules"))? {
            let text = |name| {
                let node = get(rule, name).ok_or_else(|| document.error(rule, format!("a rule needs a {name}")))?;
                document.text(node)
            };
            match text("Name")?.as_str() {
                "prefix" => self.prefix = text("Value")?,
                "suffix" => self.suffix = text("Value")?,
                _ => return Err(document.error(rule, "the Name of a rule must be prefix or suffix")),
            }
        }
        Ok(())
    }

    /// Returns whether this event of an object, for example `ObjectCreated:Put`, starts the function.
    #[must_use]
    pub fn matches(&self, bucket: &str, key: &str, event: &str) -> bool {
        let is_wanted = |wanted: &String| {
            let wanted = wanted.strip_prefix("s3:").unwrap_or(wanted);
            wanted.strip_suffix('*').map_or(wanted == event, |start| event.starts_with(start))
        };
        let is_ours = self.bucket == bucket && key.starts_with(&self.prefix) && key.ends_with(&self.suffix);
        is_ours && self.events.iter().any(is_wanted)
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
      Events:
        Uploaded:
          Type: S3
          Properties:
            Bucket: !Ref Pictures
            Events: "s3:ObjectCreated:*"
            Filter: {S3Key: {Rules: [{Name: prefix, Value: incoming/}]}}
  Pictures: {Type: "AWS::S3::Bucket", Properties: {BucketName: pictures}}
"#;

    fn notification(text: &str) -> Notification {
        Template::parse("t.yaml", text).unwrap().functions[0].notifications[0].clone()
    }

    #[test]
    fn a_notification_matches_by_bucket_key_and_event() {
        let all = notification(TEMPLATE);
        assert_eq!((all.bucket.as_str(), all.prefix.as_str(), all.suffix.as_str()), ("pictures", "incoming/", ""));
        assert!(all.matches("pictures", "incoming/ada/1", "ObjectCreated:Post"));
        assert!(!all.matches("pictures", "photos/ada/1", "ObjectCreated:Post"));
        assert!(!all.matches("others", "incoming/ada/1", "ObjectCreated:Post"));
        let some = TEMPLATE.replace("\"s3:ObjectCreated:*\"", "[\"s3:ObjectCreated:Put\", \"s3:ObjectCreated:Copy\"]");
        let some = notification(&some.replace("{Name: prefix, Value: incoming/}", "{Name: suffix, Value: .jpg}"));
        assert!(some.matches("pictures", "a.jpg", "ObjectCreated:Copy"));
        assert!(!some.matches("pictures", "a.jpg", "ObjectCreated:Post"));
        assert!(!some.matches("pictures", "a.png", "ObjectCreated:Put"));
    }

    #[test]
    fn rejects_what_it_does_not_support_with_the_place() {
        for (was, is, message) in [
            ("!Ref Pictures", "pictures-of-others", "t.yaml:11: Bucket must be !Ref <bucket>"),
            ("ObjectCreated:*", "ObjectRemoved:*", "t.yaml:12: the local stack supports only the events s3:Object"),
            ("Name: prefix", "Name: middle", "t.yaml:13: the Name of a rule must be prefix or suffix"),
            ("S3Key:", "Key:", "t.yaml:13: a Filter needs S3Key.Rules"),
            ("Filter:", "Filters:", "t.yaml:13: the local stack does not support Filters in an S3 event"),
        ] {
            let error = format!("{:#}", Template::parse("t.yaml", &TEMPLATE.replace(was, is)).unwrap_err());
            assert!(error.starts_with(message), "{error}");
        }
    }
}

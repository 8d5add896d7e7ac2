//! The part of `CloudFormation` that is needed to read template.yaml without an AWS account:
//! parameters with their default values, conditions, and the [intrinsic
//! functions](https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference.html)
//! that the templates use. Only nodes that the local stack reads are resolved, so all others may
//! use any function.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, anyhow, bail};
use saphyr::{LoadableYamlNode, MarkedYamlOwned, ScalarOwned, YamlDataOwned};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::template::merge;

/// A node of the template with its place in the file.
pub(crate) type Node = MarkedYamlOwned;

/// The AWS account in every ARN of the local stack.
pub(crate) const ACCOUNT: &str = "123456789012";
/// The AWS region of the local stack.
pub(crate) const REGION: &str = "us-east-1";

/// The parameters that have another value than the default of the template. Without a sender, the
/// stack has no function that sends the welcome e-mail.
pub(super) const PARAMETERS: [(&str, &str); 1] = [("WelcomeSender", "hello@example.com")];

/// A parsed template.
pub(crate) struct Document {
    /// The path of the file, or what error messages call a text.
    pub(super) file: String,
    pub(super) parameters: Parameters,
    /// The templates of its nested stacks by their logical ids, as far as they were needed.
    pub(super) nested: RefCell<BTreeMap<String, Rc<Document>>>,
    root: Arc<Node>,
}

/// The values of parameters that do not have their defaults, by name.
pub type Parameters = BTreeMap<String, String>;

impl Document {
    /// Parses the text of a template. Error messages call it `file`.
    pub(crate) fn parse(file: &str, text: &str, parameters: Parameters) -> Result<Self> {
        let root = root(file, text)?;
        Ok(Self { file: file.to_owned(), parameters, nested: RefCell::default(), root })
    }

    /// Returns the resources whose condition holds with their logical ids, in the order of the
    /// file.
    pub(crate) fn resources(&self) -> Result<Vec<(&str, &Node)>> {
        let mut resources = Vec::new();
        for (id, resource) in self.entries(self.section("Resources")) {
            if let Some(condition) = get(resource, "Condition")
                && !self.condition(condition)?
            {
                continue;
            }
            resources.push((id, resource));
        }
        Ok(resources)
    }

    /// Returns a top-level section.
    pub(crate) fn section(&self, name: &str) -> Option<&Node> {
        get(&self.root, name)
    }

    /// Returns the resource with this logical id.
    pub(super) fn resource(&self, id: &str) -> Option<&Node> {
        self.section("Resources").and_then(|all| get(all, id))
    }

    /// Returns the entries of a mapping, or no entries if the node is absent or not a mapping.
    #[allow(clippy::unused_self)] // called like the other accessors
    pub(crate) fn entries<'a>(&self, node: Option<&'a Node>) -> Vec<(&'a str, &'a Node)> {
        node.and_then(|node| node.data.as_mapping())
            .map(|mapping| mapping.iter().filter_map(|(key, value)| Some((key.data.as_str()?, value))).collect())
            .unwrap_or_default()
    }

    /// Returns an error that names the file and the line of a node.
    pub(crate) fn error(&self, node: &Node, message: impl Display) -> anyhow::Error {
        anyhow!("{}:{}: {message}", self.file, node.span.start.line())
    }

    /// Returns the value of a node with every intrinsic function resolved, or `None` for
    /// `AWS::NoValue`.
    pub(crate) fn resolve(&self, node: &Node) -> Result<Option<Value>> {
        Ok(Some(match &node.data {
            YamlDataOwned::Tagged(tag, argument) => return self.call(node, &tag.suffix, argument),
            YamlDataOwned::Value(scalar) => match scalar {
                ScalarOwned::Null => Value::Null,
                ScalarOwned::Boolean(value) => Value::from(*value),
                ScalarOwned::Integer(value) => Value::from(*value),
                ScalarOwned::FloatingPoint(value) => Value::from(value.0),
                ScalarOwned::String(value) => Value::from(value.as_str()),
            },
            YamlDataOwned::Sequence(nodes) => {
                let mut list = Vec::new();
                for node in nodes {
                    list.extend(self.resolve(node)?);
                }
                Value::from(list)
            }
            YamlDataOwned::Mapping(_) => {
                let mut map = Map::new();
                for (key, value) in self.entries(Some(node)) {
                    if let Some(value) = self.resolve(value)? {
                        map.insert(key.to_owned(), value);
                    }
                }
                Value::from(map)
            }
            _ => return Err(self.error(node, "the local stack does not support this kind of value")),
        }))
    }

    /// Returns the value of a node as a `T`, or `None` for `AWS::NoValue`. An error names the node.
    pub(crate) fn deserialize<T: DeserializeOwned>(&self, node: &Node) -> Result<Option<T>> {
        let value = self.resolve(node)?;
        value.map(|value| serde_json::from_value(value).map_err(|error| self.error(node, error))).transpose()
    }

    /// Returns a property of a resource as a `T`, if the resource has it. An error names its line.
    pub(super) fn property_as<T: DeserializeOwned>(&self, resource: &Node, name: &str) -> Result<Option<T>> {
        Ok(property(resource, name).map(|node| self.deserialize(node)).transpose()?.flatten())
    }

    /// Returns a scalar as text. `CloudFormation` accepts numbers and booleans in place of strings
    /// as well.
    pub(crate) fn text(&self, node: &Node) -> Result<String> {
        match self.resolve(node)? {
            Some(Value::String(text)) => Ok(text),
            Some(value @ (Value::Number(_) | Value::Bool(_))) => Ok(value.to_string()),
            _ => Err(self.error(node, "must be a string")),
        }
    }
}

/// Parses the text of a template. A process parses a text once: the tests of a noun would spend two thirds of
/// their time on it.
fn root(file: &str, text: &str) -> Result<Arc<Node>> {
    static ROOTS: Mutex<Option<HashMap<String, Arc<Node>>>> = Mutex::new(None);
    let mut roots = ROOTS.lock().unwrap_or_else(PoisonError::into_inner);
    let roots = roots.get_or_insert_default();
    if let Some(root) = roots.get(text) {
        return Ok(Arc::clone(root));
    }
    let documents =
        Node::load_from_str(text).map_err(|error| anyhow!("{file}:{}: {}", error.marker().line(), error.info()))?;
    match documents.into_iter().next() {
        Some(mut root) if root.data.is_mapping() => {
            merge::merge(&mut root);
            Ok(Arc::clone(roots.entry(text.to_owned()).or_insert(Arc::new(root))))
        }
        _ => bail!("{file}: not a CloudFormation template"),
    }
}

/// Returns an entry of a mapping.
pub(crate) fn get<'a>(node: &'a Node, key: &str) -> Option<&'a Node> {
    node.data.as_mapping_get(key)
}

/// Returns a property of a resource.
pub(super) fn property<'a>(resource: &'a Node, name: &str) -> Option<&'a Node> {
    get(resource, "Properties").and_then(|all| get(all, name))
}

/// Returns the name and the argument of an intrinsic function in its short form: `!Name argument`.
pub(crate) fn intrinsic(node: &Node) -> Option<(&str, &Node)> {
    match &node.data {
        YamlDataOwned::Tagged(tag, argument) => Some((&tag.suffix, argument)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TEMPLATE: &str = r#"
Parameters:
  Stage: {Type: String, Default: dev}
  Size: {Type: Number, Default: 3}
  Needed: {Type: String}
Conditions:
  Dev: !Equals [!Ref Stage, dev]
  Prod: !Not [!Equals [!Ref Stage, dev]]
Resources:
  Table:
    Type: AWS::DynamoDB::Table
    Properties: {TableName: !Sub "${Stage}.Things"}
  Queue: {Type: "AWS::SQS::Queue", Properties: {QueueName: !Sub "${Stage}-lost"}}
  Bucket: {Type: "AWS::S3::Bucket", Properties: {BucketName: !Sub "${Stage}-${AWS::AccountId}"}}
  Function: {Type: "AWS::Serverless::Function", Properties: {CodeUri: target/lambda/get-thing/}}
  OnlyInProduction:
    Type: AWS::SNS::Topic
    Condition: Prod
Values:
  references: [!Ref Stage, !Ref Size, !Ref Table, !Ref AWS::Region, !Ref AWS::NoValue]
  arn: !GetAtt Table.Arn
  stream: !GetAtt Table.StreamArn
  queue: !GetAtt Queue.Arn
  bucket: [!Ref Bucket, !GetAtt Bucket.Arn, !GetAtt Bucket.RegionalDomainName]
  function: [!GetAtt Function.Arn, !Ref Function.Alias]
  sub: !Sub "${Stage}-${Size}-${Table.Arn}"
  conditional: {a: !If [Dev, 1, 2], b: !If [Prod, !Nonsense x, !Ref AWS::NoValue]}
  list: !Split [",", !Sub "${Stage},b"]
  missing: !Ref Nobody
  default: !Ref Needed
  unknown:
    - !Select [0, [a, b]]
"#;

    fn document() -> Document {
        Document::parse("t.yaml", TEMPLATE, Parameters::new()).unwrap()
    }

    fn value(name: &str) -> Result<Option<Value>> {
        let document = document();
        document.resolve(get(document.section("Values").unwrap(), name).unwrap())
    }

    #[test]
    fn resolves_intrinsic_functions() {
        let arn = "arn:aws:dynamodb:us-east-1:123456789012:table/dev.Things";
        assert_eq!(value("references").unwrap(), Some(json!(["dev", 3, "dev.Things", "us-east-1"])));
        assert_eq!(value("arn").unwrap(), Some(json!(arn)));
        assert_eq!(value("stream").unwrap(), Some(json!(format!("{arn}/stream/2026-01-01T00:00:00.000"))));
        let queue = json!("arn:aws:sqs:us-east-1:123456789012:dev-lost");
        assert_eq!(value("queue").unwrap(), Some(queue));
        let bucket = "dev-123456789012";
        let domain = format!("{bucket}.s3.us-east-1.amazonaws.com");
        assert_eq!(value("bucket").unwrap(), Some(json!([bucket, format!("arn:aws:s3:::{bucket}"), domain])));
        let function = "arn:aws:lambda:us-east-1:123456789012:function:get-thing";
        assert_eq!(value("function").unwrap(), Some(json!([function, function])));
        assert_eq!(value("sub").unwrap(), Some(json!(format!("dev-3-{arn}"))));
    }

    #[test]
    fn the_value_of_a_parameter_overrides_its_default() {
        let parameters = [("Stage", "prod"), ("Needed", "x")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        let document = Document::parse("t.yaml", TEMPLATE, parameters.into()).unwrap();
        let value = |name: &str| document.resolve(get(document.section("Values").unwrap(), name).unwrap()).unwrap();
        assert_eq!(value("default"), Some(json!("x")));
        assert_eq!(value("references").unwrap()[0], "prod");
        assert_eq!(value("list"), Some(json!(["prod", "b"])));
    }

    #[test]
    fn resolves_only_the_branch_that_a_condition_selects() {
        assert_eq!(value("conditional").unwrap(), Some(json!({"a": 1})));
        let document = document();
        let ids: Vec<_> = document.resources().unwrap().iter().map(|(id, _)| *id).collect();
        assert_eq!(ids, ["Table", "Queue", "Bucket", "Function"]);
    }

    #[test]
    fn an_error_names_the_line() {
        let error = |name| value(name).unwrap_err().to_string();
        assert_eq!(error("missing"), "t.yaml:29: the template has no parameter or resource Nobody");
        assert_eq!(error("default"), "t.yaml:5: parameter Needed has no Default");
        assert_eq!(error("unknown"), "t.yaml:32: the local stack does not support !Select");
    }

    #[test]
    fn an_error_names_the_line_of_invalid_yaml() {
        let parse = |text| Document::parse("t.yaml", text, Parameters::new());
        let error = parse("a: 1\nb: [1, 2\nc: 3\n").err().unwrap().to_string();
        assert!(error.starts_with("t.yaml:"), "{error}");
        assert!(!error.contains('\n'), "{error}");
        assert!(parse("").is_err());
        assert!(parse("- 1").is_err());
    }
}

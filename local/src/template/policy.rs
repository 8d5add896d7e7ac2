//! The IAM statements of the functions in template.yaml.

use anyhow::Result;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::template::cloudformation::{Document, Node, get, intrinsic, property};

/// A statement of an IAM policy that allows something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The actions, for example `dynamodb:GetItem`.
    pub actions: Vec<String>,
    /// The ARNs of the resources on which the actions are allowed.
    pub resources: Vec<String>,
    /// The values of the condition `StringLike` on `s3:prefix`, one of which a request to list a
    /// bucket has to match. The statement has no such condition if it is empty.
    pub prefixes: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Policy {
    statement: Vec<AllowStatement>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct AllowStatement {
    effect: Effect,
    action: OneOrMany,
    resource: OneOrMany,
    condition: Option<Condition>,
}

#[derive(Deserialize)]
enum Effect {
    Allow,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// The conditions that the local stack supports. It does not check the sender of an e-mail, which
/// is in `StringEquals`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct Condition {
    string_like: Option<Prefixes>,
    #[serde(rename = "StringEquals")]
    _string_equals: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Prefixes {
    #[serde(rename = "s3:prefix")]
    prefix: OneOrMany,
}

impl OneOrMany {
    fn into_vec(self) -> Vec<String> {
        match self {
            Self::One(text) => vec![text],
            Self::Many(texts) => texts,
        }
    }
}

/// Reads the statements of a function: those of its inline
/// [policies](https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-resource-function.html#sam-function-policies),
/// or those of the role that its property `Role` names.
pub(super) fn statements(document: &Document, function: &Node) -> Result<Vec<Statement>> {
    let policies = |resource| {
        let policies = property(resource, "Policies").and_then(|policies| policies.data.as_sequence());
        policies.map_or(&[][..], Vec::as_slice).iter()
    };
    let Some(role) = property(function, "Role") else {
        return read(document, policies(function));
    };
    let id = role_id(role).ok_or_else(|| document.error(role, "Role must be !GetAtt <role>.Arn"))?;
    let resource =
        document.resource(id).ok_or_else(|| document.error(role, format!("the template has no role {id}")))?;
    read(document, policies(resource).map(|policy| get(policy, "PolicyDocument").unwrap_or(policy)))
}

/// Returns the logical id of a role: `!GetAtt <role>.Arn`.
fn role_id(role: &Node) -> Option<&str> {
    match intrinsic(role)? {
        ("GetAtt", argument) => argument.data.as_str()?.strip_suffix(".Arn"),
        _ => None,
    }
}

fn read<'a>(document: &Document, policies: impl Iterator<Item = &'a Node>) -> Result<Vec<Statement>> {
    let mut statements = vec![];
    for policy in policies {
        let policy: Option<Policy> = document.deserialize(policy)?;
        for AllowStatement { effect: Effect::Allow, action, resource, condition } in
            policy.into_iter().flat_map(|policy| policy.statement)
        {
            let prefixes = condition.and_then(|condition| condition.string_like);
            let prefixes = prefixes.map(|prefixes| prefixes.prefix.into_vec()).unwrap_or_default();
            statements.push(Statement { actions: action.into_vec(), resources: resource.into_vec(), prefixes });
        }
    }
    Ok(statements)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::Template;

    const TEMPLATE: &str = r#"
Resources:
  ReadRole:
    Type: AWS::IAM::Role
    Properties:
      Policies:
        - PolicyName: read
          PolicyDocument:
            Statement:
              - {Effect: Allow, Action: [dynamodb:GetItem, dynamodb:Query], Resource: "arn:aws:dynamodb:::table/a"}
        - PolicyName: write
          PolicyDocument:
            Statement: [{Effect: Allow, Action: dynamodb:PutItem, Resource: "arn:aws:dynamodb:::table/b"}]
  GetThingFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: target/lambda/get-thing/
      Role: !GetAtt ReadRole.Arn
"#;

    #[test]
    fn reads_the_statements_of_a_role() {
        let template = Template::parse("t.yaml", TEMPLATE).unwrap();
        let statement = |actions: &[&str], table: &str| Statement {
            actions: actions.iter().map(ToString::to_string).collect(),
            resources: vec![format!("arn:aws:dynamodb:::table/{table}")],
            prefixes: vec![],
        };
        let expected = [statement(&["dynamodb:GetItem", "dynamodb:Query"], "a"), statement(&["dynamodb:PutItem"], "b")];
        assert_eq!(template.functions[0].statements, expected);
    }

    #[test]
    fn reads_statements_on_objects() {
        let text = r#"
Parameters:
  PhotoBucket: {Type: String, Default: quick-photos}
Resources:
  ListThingsFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: target/lambda/list-things/
      Policies:
        - Statement:
            - Effect: Allow
              Action: s3:GetObject
              Resource: !Sub arn:${AWS::Partition}:s3:::${PhotoBucket}-${AWS::AccountId}/incoming/*
            - Effect: Allow
              Action: s3:ListBucket
              Resource: !GetAtt Bucket.Arn
              Condition: {StringLike: {"s3:prefix": photos/*}}
  Bucket: {Type: "AWS::S3::Bucket", Properties: {BucketName: quick-photos-123456789012}}
"#;
        let arn = "arn:aws:s3:::quick-photos-123456789012";
        let statement = |action: &str, resource: &str, prefixes: &[&str]| Statement {
            actions: vec![action.to_owned()],
            resources: vec![resource.to_owned()],
            prefixes: prefixes.iter().map(ToString::to_string).collect(),
        };
        let get = statement("s3:GetObject", &format!("{arn}/incoming/*"), &[]);
        let list = statement("s3:ListBucket", arn, &["photos/*"]);
        assert_eq!(Template::parse("t.yaml", text).unwrap().functions[0].statements, [get, list]);
        let other = text.replace("StringLike", "StringNotLike");
        let error = format!("{:#}", Template::parse("t.yaml", &other).unwrap_err());
        assert!(error.contains("unknown field `StringNotLike`, expected `StringLike` or `StringEquals`"), "{error}");
    }

    #[test]
    fn rejects_a_role_that_it_cannot_read() {
        for (was, is, message) in [
            ("!GetAtt ReadRole.Arn", "arn:aws:iam:::role/other", "t.yaml:18: Role must be !GetAtt <role>.Arn"),
            ("!GetAtt ReadRole.Arn", "!GetAtt Other.Arn", "t.yaml:18: the template has no role Other"),
            ("PolicyDocument:", "Document:", "missing field `Statement`"),
            ("Effect: Allow", "Effect: Deny", "unknown variant `Deny`, expected `Allow`"),
        ] {
            let error = format!("{:#}", Template::parse("t.yaml", &TEMPLATE.replace(was, is)).unwrap_err());
            assert!(error.contains(message), "{error}");
        }
    }
}

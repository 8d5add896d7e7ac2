//! The IAM statements of the functions in template.yaml.

use anyhow::Result;

use crate::template::cloudformation::{Document, Node, get, intrinsic};

/// A statement of an IAM policy that allows something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The actions, for example `dynamodb:GetItem`.
    pub actions: Vec<String>,
    /// The ARNs of the resources on which the actions are allowed.
    pub resources: Vec<String>,
    /// The values of the condition `StringLike` on `s3:prefix`, one of which a request to list a bucket has to match.
    /// The statement has no such condition if it is empty.
    pub prefixes: Vec<String>,
}

/// Reads the statements of a function: those of its inline
/// [policies](https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-resource-function.html#sam-function-policies),
/// or those of the role that its property `Role` names.
pub(super) fn statements(document: &Document, function: &Node) -> Result<Vec<Statement>> {
    let property = |resource, name| get(resource, "Properties").and_then(|all| get(all, name));
    if let Some(role) = property(function, "Role") {
        let id = role_id(role).ok_or_else(|| document.error(role, "Role must be !GetAtt <role>.Arn"))?;
        let resource = document.section("Resources").and_then(|all| get(all, id));
        let resource = resource.ok_or_else(|| document.error(role, format!("the template has no role {id}")))?;
        let policies = property(resource, "Policies").map(elements).unwrap_or_default();
        let policy = |policy: &Node| {
            let inner = get(policy, "PolicyDocument").cloned();
            inner.ok_or_else(|| document.error(policy, "a policy of a role needs a PolicyDocument"))
        };
        return of_policies(document, &policies.iter().map(policy).collect::<Result<Vec<_>>>()?);
    }
    of_policies(document, &property(function, "Policies").map(elements).unwrap_or_default())
}

/// Returns the logical id of a role: `!GetAtt <role>.Arn`.
fn role_id(role: &Node) -> Option<&str> {
    match intrinsic(role)? {
        ("GetAtt", argument) => argument.data.as_str()?.strip_suffix(".Arn"),
        _ => None,
    }
}

fn elements(node: &Node) -> Vec<Node> {
    node.data.as_sequence().cloned().unwrap_or_else(|| vec![node.clone()])
}

fn of_policies(document: &Document, policies: &[Node]) -> Result<Vec<Statement>> {
    let mut statements = vec![];
    for policy in policies {
        let all = get(policy, "Statement").ok_or_else(|| document.error(policy, "a policy needs a Statement"))?;
        for statement in elements(all) {
            let texts = |name: &str| -> Result<Vec<String>> {
                let node = get(&statement, name)
                    .ok_or_else(|| document.error(&statement, format!("a statement needs an {name}")))?;
                elements(node).iter().map(|text| document.text(text)).collect()
            };
            if texts("Effect")? != ["Allow"] {
                return Err(document.error(&statement, "the local stack supports only statements that allow"));
            }
            let (actions, resources) = (texts("Action")?, texts("Resource")?);
            // The conditions of other services have no effect locally.
            let condition = get(&statement, "Condition").filter(|_| actions.iter().any(|name| name.starts_with("s3:")));
            let prefixes = condition.map_or(Ok(vec![]), |node| prefixes(document, node))?;
            statements.push(Statement { actions, resources, prefixes });
        }
    }
    Ok(statements)
}

/// Returns the values of the only condition on S3 that the local stack supports: `StringLike` on `s3:prefix`.
fn prefixes(document: &Document, condition: &Node) -> Result<Vec<String>> {
    let like = get(condition, "StringLike").filter(|_| document.entries(Some(condition)).len() == 1);
    let prefixes = like.and_then(|like| get(like, "s3:prefix").filter(|_| document.entries(Some(like)).len() == 1));
    let prefixes = prefixes.ok_or_else(|| {
        document.error(condition, "the local stack supports only conditions with StringLike on s3:prefix")
    })?;
    elements(prefixes).iter().map(|prefix| document.text(prefix)).collect()
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
            Statement: {Effect: Allow, Action: dynamodb:PutItem, Resource: "arn:aws:dynamodb:::table/b"}
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
        let other = text.replace("StringLike", "StringEquals");
        let error = format!("{:#}", Template::parse("t.yaml", &other).unwrap_err());
        assert!(error.starts_with("t.yaml:17: the local stack supports only conditions with StringLike"), "{error}");
    }

    #[test]
    fn rejects_a_role_that_it_cannot_read() {
        for (was, is, message) in [
            ("!GetAtt ReadRole.Arn", "arn:aws:iam:::role/other", "t.yaml:18: Role must be !GetAtt <role>.Arn"),
            ("!GetAtt ReadRole.Arn", "!GetAtt Other.Arn", "t.yaml:18: the template has no role Other"),
            ("PolicyDocument:", "Document:", "a policy of a role needs a PolicyDocument"),
            ("Effect: Allow", "Effect: Deny", "the local stack supports only statements that allow"),
        ] {
            let error = format!("{:#}", Template::parse("t.yaml", &TEMPLATE.replace(was, is)).unwrap_err());
            assert!(error.contains(message), "{error}");
        }
    }
}

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
            statements.push(Statement { actions: texts("Action")?, resources: texts("Resource")? });
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
        };
        let expected = [statement(&["dynamodb:GetItem", "dynamodb:Query"], "a"), statement(&["dynamodb:PutItem"], "b")];
        assert_eq!(template.functions[0].statements, expected);
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

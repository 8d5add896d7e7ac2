//! The IAM statements of the functions in template.yaml.

use anyhow::Result;

use crate::template::cloudformation::{Document, Node, get};

/// A statement of an IAM policy that allows something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The actions, for example `dynamodb:GetItem`.
    pub actions: Vec<String>,
    /// The ARNs of the resources on which the actions are allowed.
    pub resources: Vec<String>,
}

/// Reads the statements of a function's inline
/// [policies](https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-resource-function.html#sam-function-policies).
pub(super) fn statements(document: &Document, policies: &Node) -> Result<Vec<Statement>> {
    let elements = |node: &'_ Node| node.data.as_sequence().cloned().unwrap_or_else(|| vec![node.clone()]);
    let mut statements = vec![];
    for policy in elements(policies) {
        let all = get(&policy, "Statement").ok_or_else(|| document.error(&policy, "a policy needs a Statement"))?;
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

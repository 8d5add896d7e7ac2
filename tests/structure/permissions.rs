//! No function may do more than its tests do.

use std::collections::BTreeSet;

use local::template::Template;
use testing::used_permissions;

/// The actions that a function needs and that no request of it shows, with the reason.
const BY_OTHERS: [(&str, &str); 10] = [
    ("dynamodb:DescribeStream", "Lambda reads the stream"),
    ("dynamodb:GetRecords", "Lambda reads the stream"),
    ("dynamodb:GetShardIterator", "Lambda reads the stream"),
    ("dynamodb:ListStreams", "Lambda reads the stream"),
    ("sqs:ReceiveMessage", "Lambda reads the queue"),
    ("sqs:DeleteMessage", "Lambda reads the queue"),
    ("sqs:GetQueueAttributes", "Lambda reads the queue"),
    ("sqs:SendMessage FailedRecords", "Lambda sends what failed"),
    ("lambda:InvokeFunction reject-photo:live", "Lambda sends what failed"),
    ("s3:ListBucket", "without it, S3 answers AccessDenied for an object that does not exist"),
];

/// The functions that sign a form with the permission to put an object. A client uses it.
const SIGN_FORMS: [&str; 3] = ["create-import", "update-photo", "upload-photo"];

/// The permissions that a function needs for saved photos, blocks or parts of `include` which only
/// `tests/api` and `tests/contract` have: the function, the action, and the end of the resource.
const IN_TESTS_OF_THE_WHOLE: [(&str, &str, &str); 8] = [
    ("decide-report", "dynamodb:ConditionCheckItem", "dev.Feed"),
    ("get-favorite", "dynamodb:BatchGetItem", "dev.Feed"),
    ("list-favorites-by-type", "dynamodb:BatchGetItem", "dev.Feed"),
    ("list-favorites-by-type", "dynamodb:BatchGetItem", "quick-photos"),
    ("list-favorites-by-tag", "dynamodb:BatchGetItem", "dev.Feed"),
    ("list-favorites-by-tag", "dynamodb:BatchGetItem", "quick-photos"),
    ("list-favorites-by-tag-and-type", "dynamodb:BatchGetItem", "dev.Feed"),
    ("list-favorites-by-tag-and-type", "dynamodb:BatchGetItem", "quick-photos"),
];

/// Needs what the tests of all functions have recorded.
#[test]
#[ignore = "run after the tests of all functions"]
fn no_function_may_do_more_than_its_tests_do() {
    let template = Template::read(&Template::find().unwrap()).unwrap();
    let mut unused = vec![];
    for function in &template.functions {
        let used = used_permissions(&function.name);
        let statements = function.statements.iter();
        let allowed: BTreeSet<(String, String)> = statements
            .flat_map(|statement| statement.actions.iter().map(move |action| (action, &statement.resources)))
            .flat_map(|(action, resources)| resources.iter().map(move |resource| (action.clone(), resource.clone())))
            .collect();
        for (action, resource) in allowed.difference(&used) {
            let is_by_others = BY_OTHERS.iter().any(|(other, _)| {
                let (other, name) = other.split_once(' ').unwrap_or((other, ""));
                other == action && resource.ends_with(name)
            });
            let is_signed = action == "s3:PutObject" && SIGN_FORMS.contains(&function.name.as_str());
            let is_in_others = IN_TESTS_OF_THE_WHOLE.iter().any(|(name, other, end)| {
                *name == function.name && *other == action && resource.ends_with(&format!("/{end}"))
            });
            if !is_by_others && !is_signed && !is_in_others {
                unused.push(format!("{}: {action} on {resource}", function.name));
            }
        }
    }
    assert!(unused.is_empty(), "test it, or take it out of template.yaml:\n{}", unused.join("\n"));
}

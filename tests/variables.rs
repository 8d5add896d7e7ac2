//! The variables with which the local stack lets functions run elsewhere, as in the containers of
//! `sam local invoke`: each function has all that its block in the template declares, and answers
//! its sample event with nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use local::lambda::build;
use local::lambda::process::Process;
use local::stack::{Data, Options, Stack};
use local::template::{Function, Template};
use local::trace::Trace;
use serde_json::Value;
use tests::stack::{root, start};
use tokio::process::Command;

/// The variables that Lambda sets in every container, and the access key that `sam` takes from its
/// own environment.
const OF_LAMBDA: [(&str, &str); 7] = [
    ("AWS_ACCESS_KEY_ID", "local"),
    ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256"),
    ("AWS_LAMBDA_FUNCTION_NAME", "function"),
    ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"),
    ("AWS_REGION", "us-east-1"),
    ("AWS_SECRET_ACCESS_KEY", "local"),
    ("TZ", ":UTC"),
];

/// The time in which a debug build answers its sample event on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(1);

/// The variables of each function by its logical id.
type Variables = BTreeMap<String, BTreeMap<String, String>>;

/// Returns the text at a path of the stack.
async fn get(stack: &Stack, path: &str) -> String {
    let answer = reqwest::get(format!("{}{path}", stack.api())).await.unwrap();
    assert_eq!(answer.status(), 200, "{path}");
    answer.text().await.unwrap()
}

/// Returns the names of the variables that the templates of the nouns declare, read line by line: those
/// of `Globals`, and those of each function.
fn declared() -> BTreeMap<String, BTreeSet<String>> {
    let nouns = fs::read_dir(root().join("functions")).unwrap().map(|noun| noun.unwrap().path());
    nouns.flat_map(|noun| declared_by(&fs::read_to_string(noun.join("template.yaml")).unwrap())).collect()
}

fn declared_by(template: &str) -> BTreeMap<String, BTreeSet<String>> {
    let (globals, resources) = template.split_once("\nResources:\n").unwrap();
    let names = |block: &str| -> BTreeSet<String> {
        let indent = |line: &str| line.len() - line.trim_start().len();
        let mut lines = block.lines().skip_while(|line| line.trim_start() != "Variables:");
        let outer = lines.next().map_or(0, indent);
        let inner = lines.filter(|line| !line.is_empty()).take_while(|line| indent(line) > outer);
        let inner = inner.filter(|line| indent(line) == outer + 2);
        inner.filter_map(|line| line.split_once(": ")).map(|(name, _)| name.trim_start().to_owned()).collect()
    };
    let of_all = names(globals);
    assert!(!of_all.is_empty());
    // The text of an e-mail has empty lines too.
    let blocks = resources.replace("\n\n   ", "\n   ");
    let blocks = blocks.split("\n\n").filter(|block| block.contains("    Type: AWS::Serverless::Function\n"));
    let functions = blocks.map(|block| {
        let id = block.lines().find_map(|line| line.strip_prefix("  ").filter(|id| !id.starts_with([' ', '#'])));
        (id.unwrap().trim_end_matches(':').to_owned(), &of_all | &names(block))
    });
    functions.collect()
}

#[tokio::test]
async fn every_function_has_each_variable_that_its_block_declares() {
    let stack = start(Options { data: Data::Seed, ..Options::default() }).await;
    let file: Variables = serde_json::from_str(&get(&stack, "/local/variables?host=172.17.0.1").await).unwrap();
    let names = |variables: &BTreeMap<String, String>| variables.keys().cloned().collect::<BTreeSet<_>>();
    let found: BTreeMap<_, _> = file.iter().map(|(id, variables)| (id.clone(), names(variables))).collect();
    assert_eq!(found, declared());
    for (id, variables) in &file {
        for (name, value) in variables {
            // What CloudFormation or `sam` would put in, and what is in AWS.
            let foreign = ["$", "{", "amazonaws", "cloudfront"].iter().find(|part| value.contains(**part));
            assert_eq!(foreign, None, "{id}: {name}={value}");
            let is_endpoint = name.starts_with("AWS_ENDPOINT_URL_");
            assert_eq!(value.starts_with("http://172.17.0.1:"), is_endpoint, "{id}: {name}={value}");
        }
    }
    let pictures = &file["FetchUserAndPhotosFunction"]["PICTURES_URL"];
    assert_eq!(*pictures, format!("{}/CloudFront", stack.s3().endpoint().replace("127.0.0.1", "localhost")));

    let lines = get(&stack, "/local/variables/create-export").await;
    let of_one: BTreeMap<_, _> = lines.lines().map(|line| line.split_once('=').unwrap()).collect();
    assert_eq!(of_one["AWS_ENDPOINT_URL_SQS"], format!("{}/local/sqs", stack.api()));
    assert_eq!((of_one["AWS_REGION"], of_one["AWS_SECRET_ACCESS_KEY"]), ("us-east-1", "local"));
    let unknown = reqwest::get(format!("{}/local/variables/nothing", stack.api())).await.unwrap();
    assert_eq!(unknown.status(), 404);
    stack.shutdown().await;
}

#[tokio::test]
async fn every_function_answers_its_sample_event_with_these_variables_alone() {
    let template = Template::read(&root().join("template.yaml")).unwrap();
    let mut failed = vec![];
    for function in &template.functions {
        let mut answer = answer(function, Data::Seed).await;
        if answer["statusCode"] == 404 {
            // Its event is about something that only the sample data have.
            answer = self::answer(function, Data::Sample).await;
        }
        let succeeds = match function.routes[..] {
            [] => answer["errorMessage"].is_null() && answer["batchItemFailures"].as_array().is_none_or(Vec::is_empty),
            // open-picture answers with the address of the picture.
            _ => answer["statusCode"].as_u64().is_some_and(|status| (200..=302).contains(&status)),
        };
        if !succeeds {
            failed.push(format!("{}: {answer}", function.name));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(template.functions.len() > 70);
}

/// Runs a function with the variables of a new stack with these data, and returns its answer to its
/// sample event.
async fn answer(function: &Function, data: Data) -> Value {
    let stack = start(Options { data, ..Options::default() }).await;
    let mut file: Variables = serde_json::from_str(&get(&stack, "/local/variables").await).unwrap();
    let variables = file.remove(&function.logical_id).unwrap();
    let event = fs::read(root().join("events").join(format!("{}.json", function.name))).unwrap();
    let mut command = Command::new(build::directory().unwrap().join(&function.name));
    command.env_clear().envs(OF_LAMBDA).envs(variables);
    let mut process = Process::start(&function.name.as_str().into(), command).unwrap();
    let arn: Arc<str> = "arn:aws:lambda:us-east-1:123456789012:function:function".into();
    let invocation = process.invoke("id", &arn, &Trace::start(), event.into(), TIMEOUT).await.unwrap();
    process.kill().await;
    stack.shutdown().await;
    serde_json::from_slice(&invocation.payload).unwrap()
}

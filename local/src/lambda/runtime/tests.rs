mod rebuilt;
mod recording;

use std::{collections::HashSet, io, process::exit, time::SystemTime};

use serde_json::{Value, json};
use tokio::{
    io::AsyncReadExt,
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use super::*;
use crate::activity::Writers;
use crate::lambda::children;

/// The timeout of each step of a test: long enough for a busy machine.
const TEST_TIMEOUT: Duration = Duration::from_secs(30);

/// The function of these tests. The runtime starts the test program with this test alone, which
/// then does what each event says.
#[tokio::test]
async fn is_a_function() {
    let Ok(address) = env::var("AWS_LAMBDA_RUNTIME_API") else {
        return;
    };
    if env::var("BROKEN").is_ok() {
        exit(3);
    }
    let api = format!("http://{address}/2018-06-01/runtime/invocation");
    let client = reqwest::Client::new();
    loop {
        let next = client.get(format!("{api}/next")).send().await.unwrap();
        let header = |name: &str| next.headers()[name].to_str().unwrap().to_owned();
        let id = header("lambda-runtime-aws-request-id");
        let mut answer = json!({
            "pid": std::process::id(),
            "id": id,
            "deadline": header("lambda-runtime-deadline-ms"),
            "arn": header("lambda-runtime-invoked-function-arn"),
            "trace": header("lambda-runtime-trace-id"),
        });
        let event: Value = serde_json::from_str(&next.text().await.unwrap()).unwrap();
        let mut outcome = "response";
        match event["do"].as_str().unwrap() {
            "answer" | "leave" => {}
            "crash" => exit(3),
            "hold" => {
                let gate = TcpStream::connect(event["gate"].as_str().unwrap()).await;
                let _ = gate.unwrap().read(&mut [0]).await;
            }
            "fail" => outcome = "error",
            "endpoint" => answer["endpoint"] = json!(env::var(DYNAMODB_ENDPOINT).unwrap()),
            "environment" => answer = json!(env::vars().collect::<BTreeMap<_, _>>()),
            "swell" => answer = json!("a".repeat(MAX_PAYLOAD_BYTES)),
            other => panic!("{other}"),
        }
        let path = format!("{api}/{id}/{outcome}");
        let sent = client.post(path).body(answer.to_string()).send().await;
        if event["do"] == "leave" {
            exit(0);
        }
        // The runtime may reject too large an answer before all of it is sent.
        assert!(sent.is_ok() || event["do"] == "swell");
    }
}

fn runtime(settings: &str, capacity_timeout: Duration) -> Runtime {
    runtime_with(settings, capacity_timeout, &activity())
}

fn activity() -> Arc<Activity> {
    Arc::new(Activity::new(Writers::new(&[])))
}

fn runtime_with(settings: &str, capacity_timeout: Duration, activity: &Arc<Activity>) -> Runtime {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lambda/runtime");
    runtime_in(&directory, settings, capacity_timeout, activity)
}

/// Returns a runtime of functions whose binary is `function.sh` in this directory.
fn runtime_in(directory: &Path, settings: &str, capacity_timeout: Duration, activity: &Arc<Activity>) -> Runtime {
    let template = format!(
        r#"
Resources:
  TestFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: "x/function.sh/"
      Environment: {{Variables: {{TEST_PROGRAM: "{}", TABLE_NAME: things}}}}
  BrokenFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: broken/
      Environment: {{Variables: {{TEST_PROGRAM: "{}", BROKEN: "1"}}}}
  MissingFunction: {{Type: "AWS::Serverless::Function", Properties: {{CodeUri: missing/}}}}
Globals: {{Function: {{MemorySize: 256, {settings}}}}}
"#,
        env::current_exe().unwrap().display(),
        env::current_exe().unwrap().display(),
    );
    let mut template = Template::parse("t.yaml", &template).unwrap();
    // A second name of the same file.
    template.functions[1].name = "../runtime/function.sh".to_owned();
    let endpoints = Endpoints {
        dynamodb: "http://localhost:1".to_owned(),
        s3: "http://127.0.0.1:3".to_owned(),
        api: "http://localhost:7".to_owned(),
    };
    let recording = Recording { activity: activity.clone(), dynamodb: "http://localhost:4".to_owned() };
    Runtime::with_capacity_timeout(&template, directory, &endpoints, &recording, capacity_timeout)
}

fn default_runtime() -> Arc<Runtime> {
    Arc::new(runtime("Timeout: 60", TEST_TIMEOUT))
}

async fn invoke(runtime: &Runtime, event: Value) -> Result<Value, InvokeError> {
    let answer = runtime.invoke("TestFunction", event.to_string().into()).await?;
    assert!(!answer.function_error, "{answer:?}");
    Ok(serde_json::from_slice(&answer.payload).unwrap())
}

async fn pid(runtime: &Runtime) -> u64 {
    let answer = invoke(runtime, json!({"do": "answer"})).await.unwrap();
    answer["pid"].as_u64().unwrap()
}

/// Waits until a process that was killed has ended. Nothing tells this to a test, so it asks again
/// and again.
async fn wait_for_the_end_of(pid: u64) {
    let ended = async {
        while is_running(pid) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(TEST_TIMEOUT, ended).await.unwrap();
}

fn is_running(pid: u64) -> bool {
    children::is_running(pid.try_into().unwrap())
}

/// A server at which functions wait until the test drops their connections.
struct Gate(TcpListener);

impl Gate {
    async fn new() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").await.unwrap())
    }

    fn event(&self) -> Value {
        json!({"do": "hold", "gate": self.0.local_addr().unwrap().to_string()})
    }

    async fn arrival(&self) -> TcpStream {
        timeout(TEST_TIMEOUT, self.0.accept()).await.unwrap().unwrap().0
    }
}

/// Waits until the process at the other end has ended.
async fn wait_for_end(mut connection: TcpStream) {
    let end = timeout(TEST_TIMEOUT, connection.read(&mut [0])).await.unwrap();
    let end = end.or_else(|error| match error.kind() {
        io::ErrorKind::ConnectionReset => Ok(0),
        _ => Err(error),
    });
    assert_eq!(end.unwrap(), 0);
}

/// Occupies all processes of the function with events that wait at the gate.
async fn occupy_all(runtime: &Arc<Runtime>, gate: &Gate) -> (JoinSet<Result<Value, InvokeError>>, Vec<TcpStream>) {
    let mut callers = JoinSet::new();
    let mut held = Vec::new();
    for _ in 0..MAX_CONCURRENCY {
        let (runtime, event) = (runtime.clone(), gate.event());
        callers.spawn(async move { invoke(&runtime, event).await });
    }
    for _ in 0..MAX_CONCURRENCY {
        held.push(gate.arrival().await);
    }
    (callers, held)
}

#[tokio::test]
async fn an_event_has_the_headers_of_lambda() {
    let answer = invoke(&default_runtime(), json!({"do": "answer"})).await.unwrap();
    assert!(Uuid::parse_str(answer["id"].as_str().unwrap()).is_ok());
    assert_eq!(answer["arn"], "arn:aws:lambda:us-east-1:123456789012:function:function.sh");
    assert!(answer["trace"].as_str().unwrap().starts_with("Root=1-"));
    let deadline: u128 = answer["deadline"].as_str().unwrap().parse().unwrap();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis();
    assert!((now + 20_000..=now + 60_000).contains(&deadline), "{deadline} {now}");
}

#[tokio::test]
async fn a_function_has_the_environment_of_lambda_and_nothing_else() {
    let seen = invoke(&default_runtime(), json!({"do": "environment"})).await.unwrap();
    assert_eq!(seen["AWS_LAMBDA_FUNCTION_NAME"], "function.sh");
    assert_eq!(seen["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"], "256");
    assert_eq!(seen["AWS_ENDPOINT_URL_DYNAMODB"], "http://localhost:1");
    assert_eq!(seen["TABLE_NAME"], "things");
    for name in seen.as_object().unwrap().keys() {
        let expected = name.starts_with("AWS_LAMBDA_")
            || INHERITED_VARIABLES.contains(&name.as_str())
            || [
                "AWS_REGION",
                "AWS_DEFAULT_REGION",
                "AWS_ACCESS_KEY_ID",
                "AWS_SECRET_ACCESS_KEY",
                "AWS_ENDPOINT_URL_DYNAMODB",
                "LAMBDA_TASK_ROOT",
                "_HANDLER",
                "TZ",
                "TEST_PROGRAM",
                "TABLE_NAME",
                // Set by the shell.
                "PWD",
                "OLDPWD",
                "SHLVL",
                "_",
            ]
            .contains(&name.as_str());
        assert!(expected, "{name}");
    }
}

#[test]
fn a_function_gets_the_urls_of_the_services_that_it_uses() {
    let template = r#"
Resources:
  LookFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: look/
      Environment:
        Variables:
          AWS_ENDPOINT_URL_S3: !Sub https://s3.${AWS::Region}.${AWS::URLSuffix}
          AWS_ENDPOINT_URL_SQS: !Sub https://sqs.${AWS::Region}.${AWS::URLSuffix}
          AWS_ENDPOINT_URL_SESV2: !Sub https://email.${AWS::Region}.${AWS::URLSuffix}
          AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI: !Sub https://${LiveApi}.execute-api.${AWS::Region}.${AWS::URLSuffix}/live
          AWS_ENDPOINT_URL_LAMBDA: !Sub https://lambda.${AWS::Region}.${AWS::URLSuffix}
          PHOTO_BUCKET_URL: !Sub https://${Pictures}.s3.${AWS::Region}.${AWS::URLSuffix}
          PICTURES_URL: !Sub https://${Edge.DomainName}
          PICTURES_KEY: !Sub "{{resolve:secretsmanager:${Key}}}"
          CURSORS_KEY: !Sub "{{resolve:secretsmanager:${Key}}}"
          LINKS_URL: !Sub https://${Edge.DomainName}
          LIVE_URL: !Sub wss://${LiveApi}.execute-api.${AWS::Region}.${AWS::URLSuffix}/live
          LINKS_KEY: !Sub "{{resolve:secretsmanager:${Key}}}"
          APP_LINK: ""
  Pictures: {Type: "AWS::S3::Bucket", Properties: {BucketName: pictures}}
  Edge: {Type: "AWS::CloudFront::Distribution"}
  LiveApi: {Type: "AWS::ApiGatewayV2::Api", Properties: {ProtocolType: WEBSOCKET}}
  Key: {Type: "AWS::SecretsManager::Secret"}
"#;
    let template = Template::parse("t.yaml", template).unwrap();
    let [dynamodb, s3, api] = [1, 2, 3].map(|port| format!("http://127.0.0.1:{port}"));
    let endpoints = Endpoints { dynamodb, s3, api };
    let environment = environment(&template.functions[0], Path::new(""), &endpoints);
    assert_eq!(environment["AWS_ENDPOINT_URL_SESV2"], "http://127.0.0.1:3/local/ses");
    assert_eq!(environment["AWS_ENDPOINT_URL_LAMBDA"], "http://127.0.0.1:3");
    assert_eq!(environment["AWS_ENDPOINT_URL_SQS"], "http://127.0.0.1:3/local/sqs");
    assert_eq!(environment["AWS_ENDPOINT_URL_S3"], "http://127.0.0.1:2");
    assert_eq!(environment["PHOTO_BUCKET_URL"], "http://localhost:2/pictures");
    assert_eq!(environment["PICTURES_URL"], "http://localhost:2/CloudFront");
    assert_eq!(environment["PICTURES_KEY"], "local");
    assert_eq!(environment["CURSORS_KEY"], "local");
    assert_eq!(environment["LINKS_URL"], "http://localhost:3");
    assert_eq!(environment["LINKS_KEY"], "local");
    assert_eq!(environment["LIVE_URL"], "ws://localhost:3/local/live");
    assert_eq!(environment["AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI"], "http://127.0.0.1:3/local/live");
    assert_eq!(environment["APP_LINK"], "http://localhost:3/#/s/");
}

#[tokio::test]
async fn concurrent_invocations_have_a_process_each_up_to_the_maximum() {
    let (runtime, gate) = (default_runtime(), Gate::new().await);
    let (mut callers, held) = occupy_all(&runtime, &gate).await;
    let (another, event) = (runtime.clone(), gate.event());
    callers.spawn(async move { invoke(&another, event).await });
    drop(held);
    drop(gate.arrival().await);
    let answers = callers.join_all().await;
    assert_eq!(answers.len(), MAX_CONCURRENCY as usize + 1);
    let pids: HashSet<_> = answers.into_iter().map(|answer| answer.unwrap()["pid"].as_u64()).collect();
    assert_eq!(pids.len(), MAX_CONCURRENCY as usize);
}

#[tokio::test]
async fn an_invocation_fails_when_all_processes_stay_busy() {
    let (runtime, gate) = (Arc::new(runtime("Timeout: 60", Duration::from_millis(500))), Gate::new().await);
    let (_callers, _held) = occupy_all(&runtime, &gate).await;
    assert_eq!(invoke(&runtime, json!({"do": "answer"})).await, Err(InvokeError::Busy));
}

#[tokio::test]
async fn a_process_is_free_again_when_its_caller_stops_waiting() {
    let (runtime, gate) = (default_runtime(), Gate::new().await);
    let (mut callers, held) = occupy_all(&runtime, &gate).await;
    callers.shutdown().await;
    drop(held);
    pid(&runtime).await;
}

#[tokio::test]
async fn a_process_is_killed_at_the_timeout_and_replaced() {
    let (runtime, gate) = (runtime("Timeout: 1", TEST_TIMEOUT), Gate::new().await);
    let (result, connection) = tokio::join!(invoke(&runtime, gate.event()), gate.arrival());
    let Err(InvokeError::TimedOut(message)) = result else { panic!("{result:?}") };
    assert!(message.ends_with("Task timed out after 1.00 seconds"), "{message}");
    wait_for_end(connection).await;
    pid(&runtime).await;
}

#[tokio::test]
async fn a_crash_is_reported_and_the_process_is_replaced() {
    let runtime = default_runtime();
    let before = pid(&runtime).await;
    let result = invoke(&runtime, json!({"do": "crash"})).await;
    let Err(InvokeError::Crashed(message)) = result else { panic!("{result:?}") };
    assert!(message.ends_with("exit status: 3 without an answer"), "{message}");
    assert_ne!(pid(&runtime).await, before);
}

#[tokio::test]
async fn a_process_that_ends_between_two_events_loses_neither() {
    let runtime = default_runtime();
    for _ in 0..20 {
        invoke(&runtime, json!({"do": "leave"})).await.unwrap();
    }
}

#[tokio::test]
async fn a_function_that_cannot_start_is_reported() {
    let runtime = default_runtime();
    let result = runtime.invoke("BrokenFunction", Bytes::new()).await;
    let Err(InvokeError::Crashed(message)) = result else { panic!("{result:?}") };
    assert!(message.ends_with("exit status: 3 before it requested its first event"), "{message}");
    let result = runtime.invoke("missing", Bytes::new()).await;
    let Err(InvokeError::Crashed(message)) = result else { panic!("{result:?}") };
    assert!(message.starts_with("cannot start "), "{message}");
}

#[tokio::test]
async fn an_answer_above_the_maximum_is_an_error() {
    let event = json!({"do": "swell"}).to_string();
    let answer = default_runtime().invoke("TestFunction", event.into()).await.unwrap();
    assert!(answer.function_error);
    let error: Value = serde_json::from_slice(&answer.payload).unwrap();
    assert_eq!(error["errorType"], "Function.ResponseSizeTooLarge");
}

#[tokio::test]
async fn a_shutdown_ends_all_processes() {
    let (runtime, gate) = (default_runtime(), Gate::new().await);
    let busy = tokio::spawn({
        let (runtime, event) = (runtime.clone(), gate.event());
        async move { invoke(&runtime, event).await }
    });
    let connection = gate.arrival().await;
    let idle = pid(&runtime).await;
    runtime.shutdown().await;
    assert!(!is_running(idle));
    wait_for_end(connection).await;
    assert_eq!(busy.await.unwrap(), Err(InvokeError::Busy));
    assert_eq!(invoke(&runtime, json!({"do": "answer"})).await, Err(InvokeError::Busy));
}

use std::{collections::HashSet, io, process::exit, time::SystemTime};

use serde_json::{Value, json};
use tokio::{
    io::AsyncReadExt,
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use super::*;
use crate::lambda::children;

/// Long enough for a loaded machine, short enough to notice.
const SOON: Duration = Duration::from_secs(30);

/// The other side of these tests: started by the runtime, this one is a function that does what its event says.
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
            "environment" => answer = json!(env::vars().collect::<BTreeMap<_, _>>()),
            "swell" => answer = json!("a".repeat(MAX_PAYLOAD)),
            other => panic!("{other}"),
        }
        let path = format!("{api}/{id}/{outcome}");
        let sent = client.post(path).body(answer.to_string()).send().await;
        if event["do"] == "leave" {
            exit(0);
        }
        // Too large an answer may be refused before it is sent to its end.
        assert!(sent.is_ok() || event["do"] == "swell");
    }
}

fn runtime(settings: &str, patience: Duration) -> Runtime {
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
    // The same file under another name.
    template.functions[1].name = "../runtime/function.sh".to_owned();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lambda/runtime");
    let endpoints = Endpoints { dynamodb: "http://localhost:1".to_owned(), ses: "http://localhost:2".to_owned() };
    Runtime::with_patience(&template, &directory, &endpoints, patience)
}

fn patient() -> Arc<Runtime> {
    Arc::new(runtime("Timeout: 60", SOON))
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

fn is_running(pid: u64) -> bool {
    children::is_running(pid.try_into().unwrap())
}

/// Holds whoever comes until the connection is dropped.
struct Gate(TcpListener);

impl Gate {
    async fn new() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").await.unwrap())
    }

    fn event(&self) -> Value {
        json!({"do": "hold", "gate": self.0.local_addr().unwrap().to_string()})
    }

    async fn arrival(&self) -> TcpStream {
        timeout(SOON, self.0.accept()).await.unwrap().unwrap().0
    }
}

/// Waits until the process at the other end is gone.
async fn gone(mut connection: TcpStream) {
    let end = timeout(SOON, connection.read(&mut [0])).await.unwrap();
    let end = end.or_else(|error| match error.kind() {
        io::ErrorKind::ConnectionReset => Ok(0),
        _ => Err(error),
    });
    assert_eq!(end.unwrap(), 0);
}

/// As many callers as the gate's function has processes, each of them arrived there.
async fn fill(runtime: &Arc<Runtime>, gate: &Gate) -> (JoinSet<Result<Value, InvokeError>>, Vec<TcpStream>) {
    let mut callers = JoinSet::new();
    let mut held = Vec::new();
    for _ in 0..CONCURRENCY {
        let (runtime, event) = (runtime.clone(), gate.event());
        callers.spawn(async move { invoke(&runtime, event).await });
    }
    for _ in 0..CONCURRENCY {
        held.push(gate.arrival().await);
    }
    (callers, held)
}

#[tokio::test]
async fn an_event_comes_with_what_lambda_says_of_it() {
    let answer = invoke(&patient(), json!({"do": "answer"})).await.unwrap();
    assert!(Uuid::parse_str(answer["id"].as_str().unwrap()).is_ok());
    assert_eq!(answer["arn"], "arn:aws:lambda:us-east-1:123456789012:function:function.sh");
    assert!(answer["trace"].as_str().unwrap().starts_with("Root=1-"));
    let deadline: u128 = answer["deadline"].as_str().unwrap().parse().unwrap();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis();
    assert!((now + 20_000..=now + 60_000).contains(&deadline), "{deadline} {now}");
}

#[tokio::test]
async fn a_function_sees_lambdas_environment_and_nothing_else() {
    let seen = invoke(&patient(), json!({"do": "environment"})).await.unwrap();
    assert_eq!(seen["AWS_LAMBDA_FUNCTION_NAME"], "function.sh");
    assert_eq!(seen["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"], "256");
    assert_eq!(seen["AWS_ENDPOINT_URL_DYNAMODB"], "http://localhost:1");
    assert_eq!(seen["AWS_ENDPOINT_URL_SESV2"], "http://localhost:2");
    assert_eq!(seen["TABLE_NAME"], "things");
    for name in seen.as_object().unwrap().keys() {
        let expected = name.starts_with("AWS_LAMBDA_")
            || INHERITED.contains(&name.as_str())
            || [
                "AWS_REGION",
                "AWS_DEFAULT_REGION",
                "AWS_ACCESS_KEY_ID",
                "AWS_SECRET_ACCESS_KEY",
                "AWS_ENDPOINT_URL_DYNAMODB",
                "AWS_ENDPOINT_URL_SESV2",
                "LAMBDA_TASK_ROOT",
                "_HANDLER",
                "TZ",
                "TEST_PROGRAM",
                "TABLE_NAME",
                // The shell's own.
                "PWD",
                "OLDPWD",
                "SHLVL",
                "_",
            ]
            .contains(&name.as_str());
        assert!(expected, "{name}");
    }
}

#[tokio::test]
async fn a_warm_process_serves_again() {
    let runtime = patient();
    assert_eq!(pid(&runtime).await, pid(&runtime).await);
}

#[tokio::test]
async fn concurrent_requests_have_a_process_each_up_to_the_limit() {
    let (runtime, gate) = (patient(), Gate::new().await);
    let (mut callers, held) = fill(&runtime, &gate).await;
    let (late, event) = (runtime.clone(), gate.event());
    callers.spawn(async move { invoke(&late, event).await });
    drop(held);
    drop(gate.arrival().await);
    let answers = callers.join_all().await;
    assert_eq!(answers.len(), CONCURRENCY as usize + 1);
    let pids: HashSet<_> = answers.into_iter().map(|answer| answer.unwrap()["pid"].as_u64()).collect();
    assert_eq!(pids.len(), CONCURRENCY as usize);
}

#[tokio::test]
async fn nobody_waits_for_ever() {
    let (runtime, gate) = (Arc::new(runtime("Timeout: 60", Duration::from_millis(500))), Gate::new().await);
    let (_callers, _held) = fill(&runtime, &gate).await;
    assert_eq!(invoke(&runtime, json!({"do": "answer"})).await, Err(InvokeError::Busy));
}

#[tokio::test]
async fn callers_that_hang_up_leave_no_process_reserved() {
    let (runtime, gate) = (patient(), Gate::new().await);
    let (mut callers, held) = fill(&runtime, &gate).await;
    callers.shutdown().await;
    drop(held);
    pid(&runtime).await;
}

#[tokio::test]
async fn a_function_is_killed_at_its_timeout_and_replaced() {
    let (runtime, gate) = (runtime("Timeout: 1", SOON), Gate::new().await);
    let (result, connection) = tokio::join!(invoke(&runtime, gate.event()), gate.arrival());
    let Err(InvokeError::TimedOut(message)) = result else { panic!("{result:?}") };
    assert!(message.ends_with("Task timed out after 1.00 seconds"), "{message}");
    gone(connection).await;
    pid(&runtime).await;
}

#[tokio::test]
async fn a_crash_is_told_and_the_next_request_starts_anew() {
    let runtime = patient();
    let before = pid(&runtime).await;
    let result = invoke(&runtime, json!({"do": "crash"})).await;
    let Err(InvokeError::Crashed(message)) = result else { panic!("{result:?}") };
    assert!(message.ends_with("exit status: 3 without an answer"), "{message}");
    assert_ne!(pid(&runtime).await, before);
}

#[tokio::test]
async fn a_process_that_left_between_two_requests_costs_neither() {
    let runtime = patient();
    for _ in 0..20 {
        invoke(&runtime, json!({"do": "leave"})).await.unwrap();
    }
}

#[tokio::test]
async fn a_function_that_cannot_start_is_told() {
    let runtime = patient();
    let result = runtime.invoke("BrokenFunction", Bytes::new()).await;
    let Err(InvokeError::Crashed(message)) = result else { panic!("{result:?}") };
    assert!(message.ends_with("exit status: 3 before it asked for its first event"), "{message}");
    let result = runtime.invoke("missing", Bytes::new()).await;
    let Err(InvokeError::Crashed(message)) = result else { panic!("{result:?}") };
    assert!(message.starts_with("cannot start "), "{message}");
}

#[tokio::test]
async fn an_error_is_marked_as_one() {
    let runtime = patient();
    let event = json!({"do": "fail"}).to_string();
    assert!(runtime.invoke("TestFunction", event.into()).await.unwrap().function_error);
    pid(&runtime).await;
}

#[tokio::test]
async fn too_large_an_answer_is_an_error() {
    let event = json!({"do": "swell"}).to_string();
    let answer = patient().invoke("TestFunction", event.into()).await.unwrap();
    assert!(answer.function_error);
    let error: Value = serde_json::from_slice(&answer.payload).unwrap();
    assert_eq!(error["errorType"], "Function.ResponseSizeTooLarge");
}

#[tokio::test]
async fn a_function_has_several_names() {
    let runtime = patient();
    for name in [
        "function.sh",
        "TestFunction",
        "arn:aws:lambda:us-east-1:123456789012:function:function.sh",
        "arn:aws:lambda:us-east-1:123456789012:function:TestFunction:$LATEST",
    ] {
        assert!(runtime.knows(name), "{name}");
    }
    let result = runtime.invoke("nobody", Bytes::new()).await;
    assert_eq!(result, Err(InvokeError::Unknown));
}

#[tokio::test]
async fn a_shutdown_leaves_nobody_behind() {
    let (runtime, gate) = (patient(), Gate::new().await);
    let busy = tokio::spawn({
        let (runtime, event) = (runtime.clone(), gate.event());
        async move { invoke(&runtime, event).await }
    });
    let connection = gate.arrival().await;
    let idle = pid(&runtime).await;
    runtime.shutdown().await;
    assert!(!is_running(idle));
    gone(connection).await;
    assert_eq!(busy.await.unwrap(), Err(InvokeError::Busy));
    assert_eq!(invoke(&runtime, json!({"do": "answer"})).await, Err(InvokeError::Busy));
}

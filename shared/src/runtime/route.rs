//! A function behind a route of API Gateway: what it takes, what it answers, and the loop that
//! serves its requests.
//!
//! Every cold start runs this code, so it is kept short. The comments state the measurements behind
//! each decision; `cargo run --release --bin measure` repeats them.

use std::convert::Infallible;
use std::future::{Future, ready};
use std::pin::Pin;

use lambda_http::request::RequestContext;
use lambda_http::{IntoResponse, Request, RequestExt, service_fn};
use tokio::time::timeout_at;

use super::log::{Line, Outcome, log_json};
use super::process::{Process, StartError};
use super::{deadline, end, usage};
use crate::Error;
use crate::error::chain;
use crate::http::caching::Revalidation;
use crate::http::cursor::Sealer;
use crate::http::extract::FromRequest;
use crate::http::gzip::{self, Gzip};
use crate::http::problems::ErrorKind;
use crate::http::{HttpResponse, Response, answer, precondition, request};
use crate::values::Described;

/// A success that a route answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Success {
    /// The status.
    pub status: u16,
    /// Whether the answer has the path of a new thing in the header `Location`.
    pub has_location: bool,
    /// Whether the thing has a version, which is the entity tag of the answer.
    pub has_version: bool,
    /// The state after the request, of an answer without a body. Otherwise empty, because the
    /// description of the body says it.
    pub outcome: &'static str,
}

impl Success {
    /// 200: it has been read, or is as the request says, or was so already.
    pub const OK: Self = Self { status: 200, has_location: false, has_version: false, outcome: "" };
    /// 201: it has been created, and has no path of its own.
    pub const CREATED: Self = Self { status: 201, ..Self::OK };
    /// 201: it has been created, and a GET of the `Location` returns it.
    pub const CREATED_AT: Self = Self { has_location: true, ..Self::CREATED };
    /// 302: it is at the address in the header `Location`.
    pub const FOUND: Self = Self { status: 302, ..Self::OK };
    /// 202: somebody else has to accept it.
    pub const ACCEPTED: Self = Self { status: 202, ..Self::OK };

    /// Returns 204: something does not exist, or no longer exists, as the outcome says.
    #[must_use]
    pub const fn no_content(outcome: &'static str) -> Self {
        Self { status: 204, outcome, ..Self::OK }
    }

    /// Returns this success of a thing with a version.
    #[must_use]
    pub const fn versioned(self) -> Self {
        Self { has_version: true, ..self }
    }
}

/// A function behind a route.
pub trait Route: Sized + Send + Sync {
    /// The name of the function, such as `get-user`.
    const NAME: &'static str;
    /// The method and the path, such as `GET /users/{username}`.
    const ROUTE: &'static str;
    /// The sentence that says to client developers what the route does.
    const SUMMARY: &'static str;
    /// The successes.
    const SUCCESSES: &'static [Success] = &[Success::OK];
    /// The errors beyond those that follow from [`Self::Input`]. Every route may be busy or fail.
    const ERRORS: &'static [ErrorKind] = &[];

    /// The input of the handler, in the order in which it is checked.
    type Input: FromRequest + Send;
    /// The body of a success, or `()`.
    type Body: Described;

    /// Takes from the process what the function keeps for its requests.
    fn start(process: &Process) -> Result<Self, StartError>;

    /// Answers a request.
    fn answer(&self, input: Self::Input) -> impl Future<Output = Result<Response<Self::Body>, Error>> + Send;
}

/// A route that has started.
#[derive(Debug)]
pub struct Service<R> {
    route: R,
    query_parameters: Vec<&'static str>,
    sealer: Option<Sealer>,
}

impl<R: Route> Service<R> {
    /// Starts a route. If it takes the parameter `cursor`, the environment variable `CURSORS_KEY`
    /// has the secret of the cursors.
    pub fn start(process: &Process) -> Result<Self, StartError> {
        Self::with(process, R::start)
    }

    /// Starts a route by another function than its own.
    pub fn with(process: &Process, start: impl FnOnce(&Process) -> Result<R, StartError>) -> Result<Self, StartError> {
        let query_parameters = R::Input::query_parameters();
        let sealer = query_parameters.contains(&"cursor").then(|| process.variable("CURSORS_KEY")).transpose()?;
        let sealer = sealer.map(|secret| Sealer::new(&secret));
        Ok(Self { route: start(process)?, query_parameters, sealer })
    }

    /// Takes the input from a request, and answers it. A request with a precondition or a parameter
    /// in the query string that the route does not take gets a 400, so that no typing error is
    /// ignored.
    async fn answer(&self, mut request: Request) -> Result<Response<R::Body>, Error> {
        request::must_only_have(&self.query_parameters, &request)?;
        if !R::Input::IS_PRECONDITION {
            precondition::must_be_absent(&request)?;
        }
        if let Some(sealer) = &self.sealer {
            request.extensions_mut().insert(sealer.clone());
        }
        let input = R::Input::from_request(&request)?;
        drop(request);
        self.route.answer(input).await
    }

    /// Handles one event. Returns the answer of the handler, or the problem details of its error.
    /// This is the only place that logs the request and the causes of the error.
    ///
    /// Shortly before Lambda ends the invocation, the handler is stopped and the caller gets 503. A
    /// write that was under way may be committed or not; the caller repeats the request, as after
    /// any lost answer.
    pub fn respond(&self, request: Request) -> impl Future<Output = Result<HttpResponse, Infallible>> + Send {
        let context = request.lambda_context_ref().cloned();
        let deadline = context.as_ref().map(deadline::work_ends);
        let context = context.unwrap_or_default();
        let line = Line::begin(&context);
        let route = route_key(&request);
        let (revalidation, gzip) = (Revalidation::from_request(&request), Gzip::from_request(&request));
        // The future of a handler has some 20 KB. Boxed where it is made, it is not copied by each
        // layer around it, which was a tenth of the instructions of a warm request.
        let answer = Box::pin(self.answer(request));
        async move {
            let (answer, usage) = usage::measure(async {
                match deadline {
                    Some(deadline) => timeout_at(deadline, answer)
                        .await
                        .unwrap_or_else(|_| Err(Error::Busy("the handler did not finish before its deadline".into()))),
                    None => answer.await,
                }
            })
            .await;
            let mut response = match answer {
                Ok(response) => response.into(),
                Err(error) => {
                    log_causes(&context.request_id, &error);
                    answer::problem(error)
                }
            };
            let is_compressed = gzip.select(&mut response);
            let response = revalidation.apply(response);
            let response = if is_compressed { gzip::compressed(response) } else { response };
            line.write(&Outcome::Request { route: &route, status: response.status().as_u16() }, usage);
            Ok(response)
        }
    }
}

/// Serves the requests of a route for as long as Lambda sends them.
///
/// Lambda sends one event at a time, so each `main` uses a runtime with one thread. With several
/// threads, a cold start of get-user takes 1.07 times as long and 1.11 times the CPU time.
pub async fn run<R: Route>() -> Result<(), lambda_http::Error> {
    log_json();
    let service = Service::<R>::start(&Process::from_environment()?)?;
    let ended = lambda_http::run(service_fn(|request: Request| {
        let response = service.respond(request);
        async { response.await.map(CompleteResponse) }
    }));
    end::outcome(ended.await)
}

/// A response whose body is complete. For another type, `lambda_http` would collect the body
/// from a stream and decode it from the character encoding of its media type, and every function
/// would link the tables of 40 encodings.
struct CompleteResponse(HttpResponse);

impl IntoResponse for CompleteResponse {
    fn into_response(self) -> Pin<Box<dyn Future<Output = HttpResponse> + Send>> {
        Box::pin(ready(self.0))
    }
}

/// Returns the route that the gateway has found for a request, such as `GET /users/{username}`.
fn route_key(request: &Request) -> String {
    match request.request_context_ref() {
        Some(RequestContext::ApiGatewayV2(context)) => context.route_key.clone().unwrap_or_default(),
        _ => String::new(),
    }
}

/// Logs the causes of an error that the caller does not see.
fn log_causes(request_id: &str, error: &Error) {
    match error {
        Error::Busy(cause) => tracing::warn!(requestId = request_id, cause = chain(cause.as_ref()), "transient error"),
        Error::Internal(cause) => {
            tracing::error!(requestId = request_id, cause = chain(cause.as_ref()), "failed");
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::{Duration, SystemTime};

    use aws_config::SdkConfig;
    use aws_sdk_dynamodb::config::BehaviorVersion;
    use aws_sdk_dynamodb::{Client, Config};
    use lambda_http::http::StatusCode;
    use lambda_runtime::Context;
    use tokio::time::Instant;

    use super::*;
    use crate::http::extract::OptionalQuery;
    use crate::values::TitlePrefix;

    /// A route that answers, unless the query string says that it hangs.
    struct Hang;

    impl Route for Hang {
        const NAME: &'static str = "hang";
        const ROUTE: &'static str = "GET /";
        const SUMMARY: &'static str = "Hangs.";
        const SUCCESSES: &'static [Success] = &[Success::no_content("Nothing is there.")];
        type Input = (OptionalQuery<TitlePrefix>,);
        type Body = ();

        fn start(_: &Process) -> Result<Self, StartError> {
            Ok(Self)
        }

        async fn answer(&self, (OptionalQuery(hangs),): Self::Input) -> Result<Response<()>, Error> {
            if hangs.is_some() {
                std::future::pending::<()>().await;
            }
            Ok(answer::no_content())
        }
    }

    /// Returns the answer in an invocation that Lambda ends after `time_left`.
    async fn answer(time_left: Duration, query: &str) -> HttpResponse {
        let mut context = Context::default();
        let since_epoch = (SystemTime::now() + time_left).duration_since(SystemTime::UNIX_EPOCH).unwrap();
        context.deadline = since_epoch.as_millis().try_into().unwrap();
        let deadline = Instant::now() + time_left;
        let config = Config::builder().behavior_version(BehaviorVersion::latest()).build();
        let process = Process::new(BTreeMap::new(), Client::from_conf(config), |_| Ok(SdkConfig::builder().build()));
        let service = Service::<Hang>::start(&process).unwrap();
        let parameters = query.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        let parameters: std::collections::HashMap<String, String> = parameters.into_iter().collect();
        let request = Request::default().with_query_string_parameters(parameters).with_lambda_context(context);
        let Ok(answer) = service.respond(request).await;
        assert!(Instant::now() < deadline, "Lambda has ended the invocation");
        answer
    }

    #[tokio::test(start_paused = true)]
    async fn answers_503_before_lambda_ends_the_invocation() {
        let answer = answer(Duration::from_secs(10), "titlePrefix=a").await;
        assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(answer.headers()["retry-after"], "1");
    }

    #[tokio::test]
    async fn answers_with_the_answer_of_a_handler_that_finishes_in_time() {
        let answer = answer(Duration::from_secs(10), "").await;
        assert_eq!(answer.status(), StatusCode::NO_CONTENT);
    }

    #[tokio::test]
    async fn refuses_a_parameter_that_the_route_does_not_take() {
        let answer = answer(Duration::from_secs(10), "title=a").await;
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
    }
}

//! The question whether a picture may be shown, to a function that the parameter
//! `ModerationFunction` of template.yaml names.

use std::time::Duration;

use aws_config::SdkConfig;
use aws_sdk_lambda::config::timeout::TimeoutConfig;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pictures::Processed;
use serde::{Deserialize, Serialize};
use shared::values::{PhotoId, PictureNumber, ReportReason, Username};
use shared::{Error, Process, StartError};

/// The timeout of the function. Lambda sends the event of the upload again, twice, if the function
/// does not answer in time, and the photo is then rejected.
const TIMEOUT: Duration = Duration::from_secs(15);

/// The maximum length of a [request](https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html) for an
/// answer, 6 MB, in bytes.
const MAX_REQUEST_BYTES: usize = 6_291_556;
/// The maximum length of a JPEG whose Base64 a request has room for, beside the rest of the question.
const MAX_PICTURE_BYTES: usize = (MAX_REQUEST_BYTES - 500) / 4 * 3;

/// The function that is asked.
#[derive(Clone, Debug)]
pub(crate) struct Moderation {
    client: aws_sdk_lambda::Client,
    function: String,
}

/// The question about a picture.
#[derive(Serialize)]
struct Question<'a> {
    username: &'a Username,
    id: &'a PhotoId,
    /// The number of one of several pictures.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<PictureNumber>,
    /// In Base64.
    picture: String,
}

/// The answer of the function.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", tag = "decision")]
enum Answer {
    Accept,
    Refuse {
        /// The rule that the picture breaks.
        reason: ReportReason,
    },
}

impl Moderation {
    /// Reads the name of the function from the environment variable `MODERATION_FUNCTION`. Returns
    /// `None` if it is empty: every picture may be shown.
    pub(crate) fn from_process(process: &Process) -> Result<Option<Self>, StartError> {
        let function = process.variable("MODERATION_FUNCTION")?;
        if function.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self::new(&process.configuration("LAMBDA")?, function)))
    }

    /// Returns the function of this name.
    pub(crate) fn new(config: &SdkConfig, function: String) -> Self {
        let timeouts =
            TimeoutConfig::builder().connect_timeout(Duration::from_secs(1)).operation_attempt_timeout(TIMEOUT);
        let config = aws_sdk_lambda::config::Builder::from(config).timeout_config(timeouts.build());
        // Lambda repeats the whole event.
        let config = config.retry_config(aws_sdk_lambda::config::retry::RetryConfig::disabled()).build();
        Self { client: aws_sdk_lambda::Client::from_conf(config), function }
    }

    /// Asks about a picture, a JPEG that is at most 1600 pixels wide. Returns the rule that it
    /// breaks if it may not be shown.
    pub(crate) async fn ask(
        &self,
        (username, id, number): (&Username, &PhotoId, Option<PictureNumber>),
        picture: &[u8],
    ) -> Result<Option<ReportReason>, Error> {
        let question = Question { username, id, number, picture: STANDARD.encode(picture) };
        let invoke = self.client.invoke().function_name(&self.function).payload(serde_json::to_vec(&question)?.into());
        let output = invoke.send().await?;
        if let Some(error) = output.function_error() {
            return Err(Error::Busy(format!("the function {} failed: {error}", self.function).into()));
        }
        let answer = output.payload().map(AsRef::as_ref).unwrap_or_default();
        match serde_json::from_slice(answer).map_err(Error::internal)? {
            Answer::Accept => Ok(None),
            Answer::Refuse { reason } => Ok(Some(reason)),
        }
    }
}

/// Returns the largest JPEG of a picture that a question has room for, or `None` if there is none.
pub(crate) fn largest_that_fits(processed: &Processed) -> Option<&[u8]> {
    let sizes = [processed.large.as_ref(), processed.medium.as_ref(), Some(&processed.small)];
    sizes.into_iter().flatten().find(|jpeg| jpeg.len() <= MAX_PICTURE_BYTES).map(Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;
    use axum::routing::post;
    use serde_json::Value;
    use testing::Fixture;
    use tokio::net::TcpListener;

    use super::*;

    #[test]
    fn the_largest_size_that_lambda_takes_is_sent() {
        let processed = |[small, medium, large]: [usize; 3]| Processed {
            width: 1,
            height: 1,
            blurhash: String::new(),
            vector: [0; 72],
            small: vec![0; small],
            medium: (medium > 0).then(|| vec![1; medium]),
            large: (large > 0).then(|| vec![2; large]),
        };
        let max = MAX_PICTURE_BYTES;
        for (sizes, expected) in [
            ([1, 2, 3], Some(3)),
            ([1, 2, 0], Some(2)),
            ([1, 2, max], Some(max)),
            ([1, 2, max + 1], Some(2)),
            ([1, max + 1, max + 1], Some(1)),
            ([max, 0, 0], Some(max)),
            ([max + 1, max + 1, max + 1], None),
        ] {
            assert_eq!(largest_that_fits(&processed(sizes)).map(<[u8]>::len), expected, "{sizes:?}");
        }
        let question = Question {
            username: &"a".repeat(32).parse().unwrap(),
            id: &"2026-01-01T00:00:00.123Z".parse().unwrap(),
            number: Some("2".parse().unwrap()),
            picture: STANDARD.encode(vec![0; max]),
        };
        assert!(serde_json::to_vec(&question).unwrap().len() <= MAX_REQUEST_BYTES);
    }

    #[tokio::test]
    async fn only_the_function_of_the_parameter_may_be_asked() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        // It refuses the second one of several pictures.
        let answer = async |question: Bytes| {
            let question: Value = serde_json::from_slice(&question).unwrap();
            assert_eq!(question["picture"], "SlBFRw==");
            let is_second = question["number"] == 2;
            if is_second { r#"{"decision": "refuse", "reason": "nudity"}"# } else { r#"{"decision": "accept"}"# }
        };
        let router = axum::Router::new().route("/2015-03-31/functions/{name}/invocations", post(answer));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let fixture = Fixture::with_parameters("process-photo", &[("ModerationFunction", "moderate")]).await;
        let ask = async |function: &str, number: Option<&str>| {
            let moderation = Moderation::new(&fixture.config(&endpoint), function.to_owned());
            let (owner, id) = ("ada".parse().unwrap(), "2026-01-01T00:00:00".parse().unwrap());
            moderation.ask((&owner, &id, number.map(|number| number.parse().unwrap())), b"JPEG").await
        };
        assert_eq!(ask("moderate", Some("2")).await.unwrap(), Some(ReportReason::Nudity));
        assert_eq!(ask("moderate", None).await.unwrap(), None);
        let denied = format!("{:?}", ask("other", None).await.unwrap_err());
        assert!(denied.contains("AccessDenied"), "{denied}");
    }
}

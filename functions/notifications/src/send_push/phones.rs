//! AWS End User Messaging: messages to phones, by Apple and Firebase. It needs no item and no endpoint
//! for a device, so that a device that is deleted here leaves nothing at AWS.
//!
//! The content of a message is that of [Apple or
//! Firebase](https://docs.aws.amazon.com/pinpoint/latest/apireference/samples-rawcontent-object.html),
//! because the fields of AWS carry data to an app in silent messages alone.

use std::collections::BTreeMap;
use std::time::Duration;

use aws_config::timeout::TimeoutConfig;
use aws_sdk_pinpoint::types::{
    AddressConfiguration, ApnsMessage, ChannelType, DeliveryStatus, DirectMessageConfiguration, GcmMessage,
    MessageRequest,
};
use serde_json::{Value, json};
use shared::values::PushToken;
use shared::{Error, Process, StartError};

use super::answer::{Answer, TTL_SECONDS};
use super::message::Text;

/// The time that the service has to answer.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(5);

/// The client of AWS End User Messaging.
pub(super) struct Phones {
    client: aws_sdk_pinpoint::Client,
    application: String,
}

impl Phones {
    /// Returns the client for the application in the environment variable `PUSH_APPLICATION`, or `None`
    /// if it is empty.
    pub(super) fn from_process(process: &Process) -> Result<Option<Self>, StartError> {
        let application = process.variable("PUSH_APPLICATION")?;
        if application.is_empty() {
            return Ok(None);
        }
        let timeouts = TimeoutConfig::builder().operation_attempt_timeout(ATTEMPT_TIMEOUT).build();
        let config = aws_sdk_pinpoint::config::Builder::from(&process.configuration("PINPOINT")?);
        // Another attempt could send the message twice. It comes again after the visibility timeout.
        let retries = aws_config::retry::RetryConfig::disabled();
        let config = config.timeout_config(timeouts).retry_config(retries).build();
        Ok(Some(Self { client: aws_sdk_pinpoint::Client::from_conf(config), application }))
    }

    /// Sends a message to a device of Apple, in the form of
    /// [APNs](https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification).
    pub(super) async fn send_to_apple(&self, token: &PushToken, text: &Text) -> Result<Answer, Error> {
        let content =
            json!({"aps": {"alert": alert(text), "badge": text.badge, "sound": "default"}, "data": data(text)?});
        let message = ApnsMessage::builder().raw_content(content.to_string());
        let message = message.collapse_id(text.collapse_key()).time_to_live(TTL_SECONDS).build();
        let message = DirectMessageConfiguration::builder().apns_message(message);
        self.send(token, ChannelType::Apns, message.build()).await
    }

    /// Sends a message to a device with Firebase, in the form of [version 1 of its
    /// API](https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages).
    pub(super) async fn send_to_firebase(&self, token: &PushToken, text: &Text) -> Result<Answer, Error> {
        let android = json!({
            "collapse_key": text.collapse_key(), "ttl": format!("{TTL_SECONDS}s"), "notification": {"tag": text.tag},
        });
        let message = json!({"notification": alert(text), "data": data(text)?, "android": android});
        let content = json!({"fcmV1Message": {"message": message}});
        let message = GcmMessage::builder().raw_content(content.to_string()).build();
        let message = DirectMessageConfiguration::builder().gcm_message(message);
        self.send(token, ChannelType::Gcm, message.build()).await
    }

    async fn send(
        &self,
        token: &PushToken,
        channel: ChannelType,
        message: DirectMessageConfiguration,
    ) -> Result<Answer, Error> {
        let address = AddressConfiguration::builder().channel_type(channel).build();
        let request = MessageRequest::builder().addresses(token.as_ref(), address).message_configuration(message);
        let sent = self.client.send_messages().application_id(&self.application).message_request(request.build());
        let answer = match Box::pin(sent.send()).await {
            Ok(output) => output.message_response,
            Err(error) => {
                let is_answered = error.as_service_error().is_some();
                let reason = format!("AWS End User Messaging: {}", Error::from(error).causes());
                return Ok(if is_answered { Answer::Busy(reason) } else { Answer::Unknown(reason) });
            }
        };
        let result = answer.and_then(|answer| answer.result?.remove(token.as_ref()));
        let Some(result) = result else { return Ok(Answer::Busy("AWS End User Messaging has no result".to_owned())) };
        let status = result.delivery_status.map(|status| status.to_string()).unwrap_or_default();
        let reason = format!("AWS End User Messaging: {status} {}", result.status_code.unwrap_or_default());
        // https://docs.aws.amazon.com/pinpoint/latest/apireference/apps-application-id-messages.html
        Ok(match DeliveryStatus::from(status.as_str()) {
            DeliveryStatus::Successful | DeliveryStatus::Duplicate => Answer::Accepted,
            DeliveryStatus::PermanentFailure | DeliveryStatus::OptOut => match result.status_code {
                Some(400 | 404 | 410) => Answer::Gone,
                _ => Answer::Refused(reason),
            },
            _ => Answer::Busy(reason),
        })
    }
}

/// Returns what a phone shows.
fn alert(text: &Text) -> Value {
    match &text.body {
        Some(body) => json!({"title": text.title, "body": body}),
        None => json!({ "title": text.title }),
    }
}

/// Returns what an app gets beside the texts: the fields of the message as texts, as Firebase demands.
fn data(text: &Text) -> Result<BTreeMap<String, String>, Error> {
    let Value::Object(fields) = serde_json::to_value(text)? else { return Ok(BTreeMap::new()) };
    let fields = fields.into_iter().filter(|(name, _)| !matches!(name.as_str(), "title" | "body" | "badge"));
    let text = |value: Value| if let Value::String(text) = value { text } else { value.to_string() };
    Ok(fields.map(|(name, value)| (name, text(value))).collect())
}

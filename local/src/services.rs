//! Local replacements of AWS services: DynamoDB, S3, the token issuer (Amazon Cognito), Amazon SES,
//! AWS End User Messaging, Amazon SQS, the connections of a WebSocket API, the push service of a
//! browser, and an example of a function for moderation.

pub mod dynamodb;
pub mod identity;
pub mod live;
pub(crate) mod moderation;
pub mod outbox;
pub mod push;
pub mod s3;
pub mod sqs;

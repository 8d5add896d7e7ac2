//! Local replacements of AWS services: DynamoDB, S3, the token issuer (Amazon Cognito), Amazon SES,
//! Amazon SQS, and an example of a function for moderation.

pub mod dynamodb;
pub mod identity;
pub(crate) mod moderation;
pub mod outbox;
pub mod s3;
pub mod sqs;

//! Local replacements of AWS services: DynamoDB, S3, the token issuer (Amazon Cognito), Amazon SES
//! and Amazon SQS.

pub mod dynamodb;
pub mod identity;
pub mod outbox;
pub mod s3;
pub mod sqs;

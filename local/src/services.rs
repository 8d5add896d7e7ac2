//! The AWS services that the local stack stands in for: DynamoDB, the issuer of tokens, and Amazon SES.

pub mod dynamodb;
pub mod identity;
pub mod outbox;

//! The whole of Quick Photos on one machine: DynamoDB, API Gateway, the Lambda runtime and an identity provider,
//! as template.yaml describes them.

pub mod build;
pub mod client;
mod cloudformation;
pub mod dynamodb;
pub mod event;
pub mod gateway;
pub mod identity;
mod invoke;
pub mod load;
mod net;
mod process;
pub mod router;
pub mod runtime;
pub mod sample;
pub mod stack;
pub mod template;
pub mod testing;

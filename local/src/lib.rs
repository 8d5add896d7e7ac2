//! The whole of Quick Photos on one machine: DynamoDB and its streams, API Gateway, the Lambda runtime, an identity
//! provider and an outbox for e-mail, as template.yaml describes them.

pub mod audit;
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
pub mod outbox;
pub mod process;
pub mod recorder;
pub mod router;
pub mod runtime;
pub mod sample;
pub mod stack;
pub mod streams;
pub mod template;
pub mod testing;
pub mod tls;
pub mod workbench;

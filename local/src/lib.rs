//! The whole of Quick Photos on one machine: API Gateway, Lambda, DynamoDB with its streams, an issuer of tokens and an
//! outbox for e-mail, as template.yaml describes them.

pub mod gateway;
pub mod lambda;
pub mod net;
pub mod sample;
pub mod services;
pub mod stack;
pub mod streams;
pub mod template;

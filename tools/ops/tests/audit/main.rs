//! Tests of the audit against the DynamoDB engine of the local stack: its findings, its repairs,
//! concurrent writes, and the command.

#![allow(clippy::unwrap_used)]

mod audited_table;
mod command;
mod favorites;
mod photos;
mod plan;

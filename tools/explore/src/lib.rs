//! An explorer of concurrent requests: it runs every schedule of two or three requests that meet,
//! with what DynamoDB, the network and Lambda can do to them, and checks where each schedule leads.

mod alerts;
mod audit;
mod chooser;
mod execution;
mod explorer;
mod faults;
mod feeds;
mod footprint;
mod handshake;
mod judge;
mod mask;
mod network;
mod outside;
mod priorities;
mod process;
mod push;
mod pushes;
mod run;
mod s3;
mod scenarios;
mod schedule;
mod screen;
mod screens;
mod search;
mod sensitive;
mod store;
mod system;
mod world;

pub use explorer::{Bounds, Finding, Progress, Summary, explore, functions, replay, scenarios};
pub use schedule::Scenario;

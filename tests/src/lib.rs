//! Code that the tests of the whole system share.

pub mod costs;
pub mod stack;
pub mod tools;
pub mod upload;

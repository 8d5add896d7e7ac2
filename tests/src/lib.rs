//! Code that the tests of the whole system share.

pub mod access_patterns;
pub mod upload;

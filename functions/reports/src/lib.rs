//! Reports about users, photos and comments, and their decisions.

pub mod create_report;
pub mod decide_report;
pub mod list_reports;

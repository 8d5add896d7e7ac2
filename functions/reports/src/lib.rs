//! Reports about users, photos and comments, and their decisions.

use shared::runtime::visitor::Visitor;

mod content;
pub mod create_report;
pub mod decide_report;
pub mod erasure;
pub mod get_report;
pub mod list_reports;

/// Shows each function of the noun to a visitor.
pub fn visit<V: Visitor>(visitor: &mut V) {
    visitor.route::<create_report::CreateReport>();
    visitor.route::<decide_report::DecideReport>();
    visitor.route::<get_report::GetReport>();
    visitor.route::<list_reports::ListReports>();
}

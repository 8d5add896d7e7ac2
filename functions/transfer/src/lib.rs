//! Exports and imports of all data of a user.

use shared::runtime::visitor::Visitor;

pub mod create_export;
pub mod create_import;
pub mod get_export;
pub mod get_import;
pub mod read_import;
pub mod write_export;

/// Shows each function of the noun to a visitor.
pub fn visit<V: Visitor>(visitor: &mut V) {
    visitor.route::<create_export::CreateExport>();
    visitor.route::<create_import::CreateImport>();
    visitor.route::<get_export::GetExport>();
    visitor.route::<get_import::GetImport>();
    visitor.uploads::<read_import::ReadImport>();
    visitor.messages::<_, write_export::WriteExport>();
}

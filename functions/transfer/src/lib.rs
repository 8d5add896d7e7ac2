//! Exports and imports of all data of a user.

pub mod create_export;
pub mod create_import;
pub mod get_export;
pub mod get_import;
pub mod read_import;
pub mod write_export;

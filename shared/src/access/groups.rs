//! The groups of the user pool whose members may do more than others.

/// The group of the users who decide about reports.
pub const MODERATORS: &str = "moderators";
/// The user group whose members may write to the catalogues.
pub const EDITORS: &str = "editors";

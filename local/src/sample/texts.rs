//! The names and texts of the generated part of the sample data, which are in
//! `local/sample/texts.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

/// The lists from which the sample data is drawn.
#[derive(Deserialize)]
pub(super) struct Texts {
    /// The names of the users after the first three.
    pub(super) names: Vec<String>,
    pub(super) streets: Vec<String>,
    pub(super) towns: Vec<String>,
    pub(super) statuses: Vec<String>,
    pub(super) interests: Vec<String>,
    /// The comments of people on a scene.
    pub(super) comments_on_scenes: Vec<String>,
    /// The comments of people on a portrait.
    pub(super) comments_on_portraits: Vec<String>,
    /// The answers of the owner of a photo. `{}` is the author of the comment.
    pub(super) answers: Vec<String>,
}

pub(super) static TEXTS: LazyLock<Texts> =
    LazyLock::new(|| toml::from_str(include_str!("../../sample/texts.toml")).expect("texts.toml has these fields"));

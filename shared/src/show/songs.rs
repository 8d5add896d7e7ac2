//! Pages of songs and albums, as answers show them.

use serde::Serialize;

use crate::document::Document;

/// A page of the songs of an artist, as the JSON of an answer.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Songs {
    /// The songs, each a document.
    pub songs: Vec<Document>,
    /// The cursor of the next page, or `null` at the end of the list.
    pub next_cursor: Option<String>,
}

/// A page of the albums of a genre, as the JSON of an answer.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Albums {
    /// The entries of the index, one for each song, each a document.
    pub albums: Vec<Document>,
    /// The cursor of the next page, or `null` at the end of the list.
    pub next_cursor: Option<String>,
}

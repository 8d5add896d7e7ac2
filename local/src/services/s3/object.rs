//! The objects.

use axum::body::Bytes;

/// An object in a bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Object {
    /// Its `Content-Type`.
    pub content_type: Option<String>,
    /// Its `Cache-Control`.
    pub cache_control: Option<String>,
    /// Its content.
    pub bytes: Bytes,
}

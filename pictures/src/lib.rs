//! Placeholder.

/// The two sizes.
pub struct Processed {
    /// W.
    pub width: u32,
    /// H.
    pub height: u32,
    /// B.
    pub blurhash: String,
    /// L.
    pub large: Vec<u8>,
    /// S.
    pub small: Vec<u8>,
}
/// R.
#[derive(Debug)]
pub struct Rejection;
impl std::fmt::Display for Rejection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no")
    }
}
/// P.
pub fn process(_upload: &[u8]) -> Result<Processed, Rejection> {
    Err(Rejection)
}

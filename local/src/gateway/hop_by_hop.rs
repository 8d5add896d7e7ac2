//! [Hop-by-hop headers](https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1).

/// The headers that belong to one connection, so the gateway does not forward them in either
/// direction.
pub(super) const HOP_BY_HOP_HEADERS: [&str; 5] = ["connection", "keep-alive", "te", "transfer-encoding", "upgrade"];

//! The head of an HTTP request, as far as the explorer reads it.

/// The head of an HTTP request.
#[derive(Default)]
pub(crate) struct Head {
    pub(crate) method: String,
    pub(crate) uri: String,
    /// The header `x-amz-target`, which names the operation of DynamoDB.
    pub(crate) target: String,
    /// The header `amz-sdk-invocation-id`.
    pub(crate) call: String,
    /// The header `range`.
    pub(crate) range: String,
}

impl Head {
    /// Makes the head of a request from its headers.
    pub(crate) fn new<'a>(method: &str, uri: &str, header: impl Fn(&str) -> Option<&'a str>) -> Self {
        let header = |name| header(name).unwrap_or_default().to_owned();
        Self {
            method: method.to_owned(),
            uri: uri.to_owned(),
            target: header("x-amz-target"),
            call: header("amz-sdk-invocation-id"),
            range: header("range"),
        }
    }
}

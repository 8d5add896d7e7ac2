//! CloudFront, which serves the pictures of the first bucket at `/CloudFront` with the same check
//! of their URLs as its function in template.yaml. It caches nothing.

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{CONTENT_LENGTH, ETAG, IF_NONE_MATCH};
use axum::http::{Method, StatusCode, Uri};
use axum::response::Response;
use s3s::service::S3Service;
use shared::show::Signer;
use shared::values::EpochMillis;

use super::access::KEY;
use super::answer::{error, internal_error, to_s3s};

/// The path of the pictures. It is no name of a bucket, because it has capital letters.
const PATH: &str = "/CloudFront";

/// Returns the signer of the URLs of the pictures of the S3 at `endpoint`.
#[must_use]
pub fn signer(endpoint: &str) -> Signer {
    Signer::new(&url(endpoint), KEY)
}

/// Returns the address of the pictures. It has a name in place of 127.0.0.1, as people open the
/// page.
#[must_use]
pub fn url(endpoint: &str) -> String {
    format!("{}{PATH}", endpoint.replace("127.0.0.1", "localhost"))
}

/// Returns whether a request is for a picture.
pub(super) fn is_picture(request: &Request) -> bool {
    request.uri().path().strip_prefix(PATH).is_some_and(|path| path.starts_with('/'))
}

/// Answers a request for a picture of a bucket, whose objects `service` reads without a signature.
pub(super) async fn answer(service: &S3Service, bucket: &str, mut request: Request) -> Response {
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        return error(403, "AccessDenied", "a picture can be read, and not changed");
    }
    let path = request.uri().path().strip_prefix(PATH).unwrap_or_default();
    let query = request.uri().query().unwrap_or_default();
    if !signer("").admits(path, query, EpochMillis::now()) {
        return error(403, "AccessDenied", "the URL of this picture is not signed, or its hour is over");
    }
    let Ok(uri) = format!("/{bucket}{path}").parse::<Uri>() else { return internal_error() };
    *request.uri_mut() = uri;
    let known = request.headers().get(IF_NONE_MATCH).cloned();
    let answer = service.call(request.map(to_s3s)).await;
    let mut response = answer.map_or_else(|_| internal_error(), |response| response.map(Body::new));
    // s3s-fs does not know conditional requests.
    if response.status() == StatusCode::OK && known.is_some() && known.as_ref() == response.headers().get(ETAG) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Body::empty();
        response.headers_mut().remove(CONTENT_LENGTH);
    }
    response
}

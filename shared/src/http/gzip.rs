//! Compression of answers: the headers `Accept-Encoding` and `Vary`, by [RFC
//! 9110](https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3).
//!
//! API Gateway compresses the answers of [REST APIs
//! only](https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-gzip-compression-decompression.html),
//! and this is an HTTP API. Between the function and API Gateway, the compressed body is base64.
//!
//! No browser sends a token by itself, so a page cannot have a victim send requests whose
//! compressed lengths tell secrets (BREACH).

use lambda_http::http::{HeaderValue, header};
use lambda_http::{Body, Request};
use miniz_oxide::deflate::compress_to_vec;

use super::HttpResponse;
use super::precondition::{COMPRESSED, UNVERSIONED_TAG};

/// The size of the smallest body that is compressed, in bytes.
const MIN_BYTES: usize = 1024;

/// The size of the largest body that is compressed well, in bytes. A larger one is compressed fast,
/// so that no answer takes more than 0.12 s of a whole CPU. At 256 MB that is 0.8 s, which fits
/// into the time that is [reserved for answering](crate::runtime).
const MAX_WELL_COMPRESSED_BYTES: usize = 1024 * 1024;

/// The header and the trailer of [RFC 1952](https://www.rfc-editor.org/rfc/rfc1952): no name, no
/// time, and an unknown operating system.
const GZIP_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
const GZIP_TRAILER_BYTES: usize = 8;

/// Whether the client of a request takes answers in gzip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gzip {
    is_accepted: bool,
}

impl Gzip {
    /// Reads `Accept-Encoding`. Without the header, a client takes any coding, but may know none.
    #[must_use]
    pub fn from_request(request: &Request) -> Self {
        let (mut gzip, mut any, mut identity) = (None, None, None);
        let lines = request.headers().get_all(header::ACCEPT_ENCODING).into_iter();
        for element in lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(',')) {
            let (coding, weight) = element.split_once(';').map_or((element, None), |(coding, q)| (coding, Some(q)));
            let Some(weight) = weight.map_or(Some(1.0), quality) else { continue };
            match coding.trim().to_ascii_lowercase().as_str() {
                "gzip" | "x-gzip" => gzip = Some(weight),
                "*" => any = Some(weight),
                "identity" => identity = Some(weight),
                _ => {}
            }
        }
        let gzip = gzip.or(any).unwrap_or(0.0);
        Self { is_accepted: gzip > 0.0 && gzip >= identity.unwrap_or(0.0) }
    }

    /// Returns whether [`compressed`] takes the answer. Adds to `Vary` of each answer, and marks the strong
    /// tag of one that it takes.
    pub fn select(self, response: &mut HttpResponse) -> bool {
        let is_selected = self.is_accepted && response.body().len() >= MIN_BYTES;
        let headers = response.headers_mut();
        // An answer to API Gateway has one value of each header.
        let own = headers.get(header::VARY).and_then(|vary| vary.to_str().ok());
        let vary = own.map(|own| HeaderValue::try_from(format!("{own}, accept-encoding")));
        let vary = vary.and_then(Result::ok).unwrap_or(HeaderValue::from_static("accept-encoding"));
        headers.insert(header::VARY, vary);
        if is_selected && let Some(tag) = headers.get_mut(header::ETAG) {
            let strong = tag.to_str().ok().filter(|tag| tag.starts_with('"') && *tag != UNVERSIONED_TAG);
            let marked = strong.map(|tag| format!("{}{COMPRESSED}\"", tag.trim_end_matches('"')));
            if let Some(Ok(marked)) = marked.map(HeaderValue::try_from) {
                *tag = marked;
            }
        }
        is_selected
    }
}

/// Returns the weight of a coding, such as 0.5 of ` q=0.5`.
fn quality(parameter: &str) -> Option<f32> {
    let (name, value) = parameter.split_once('=')?;
    let weight = value.trim().parse().ok().filter(|weight| (0.0..=1.0).contains(weight));
    weight.filter(|_| name.trim().eq_ignore_ascii_case("q"))
}

/// Compresses the body of an answer, unless the base64 of it would be longer: the answer could exceed the 6 MB that
/// Lambda takes. A 304 has no body.
#[must_use]
pub fn compressed(mut response: HttpResponse) -> HttpResponse {
    let gzip = compress(response.body());
    if gzip.len() / 3 * 4 < response.body().len() {
        *response.body_mut() = Body::Binary(gzip);
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

/// Compresses bytes.
#[must_use]
pub fn compress(bytes: &[u8]) -> Vec<u8> {
    let level = if bytes.len() > MAX_WELL_COMPRESSED_BYTES { 1 } else { 3 };
    // The format has the length modulo 2^32. An answer has at most 6 MB.
    #[expect(clippy::cast_possible_truncation)]
    let length = bytes.len() as u32;
    let mut gzip = GZIP_HEADER.to_vec();
    gzip.extend(compress_to_vec(bytes, level));
    gzip.extend(crc32fast::hash(bytes).to_le_bytes());
    gzip.extend(length.to_le_bytes());
    gzip
}

/// Returns the bytes that [`compress`] has compressed, or `None` if these are other bytes.
#[must_use]
pub fn decompress(gzip: &[u8]) -> Option<Vec<u8>> {
    let (deflated, trailer) = gzip.strip_prefix(&GZIP_HEADER)?.split_last_chunk::<GZIP_TRAILER_BYTES>()?;
    let bytes = miniz_oxide::inflate::decompress_to_vec(deflated).ok()?;
    trailer.starts_with(&crc32fast::hash(&bytes).to_le_bytes()).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use lambda_http::http;

    use super::*;

    fn accepts(lines: &[&str]) -> bool {
        let mut request = http::Request::builder();
        for line in lines {
            request = request.header("Accept-Encoding", *line);
        }
        Gzip::from_request(&request.body(Body::Empty).unwrap()).is_accepted
    }

    #[test]
    fn a_client_takes_gzip_by_its_weights() {
        for lines in [
            &["gzip"][..],
            &["gzip, deflate, br, zstd"],
            &["br", "GZIP"],
            &["x-gzip;q=0.001"],
            &["br;q=1.0, gzip;q=0.8, *;q=0.1"],
            &["*"],
            &["deflate, * ; Q=0.5"],
            &["gzip;q=1, identity;q=0.5"],
            &["identity;q=0, *;q=0.2"],
        ] {
            assert!(accepts(lines), "{lines:?}");
        }
        for lines in [
            &[][..],
            &[""],
            &["br, deflate"],
            &["gzip;q=0"],
            &["gzip;q=0.000, *"],
            &["*;q=0"],
            &["identity, gzip;q=0.5"],
            &["gzip;q=2"],
            &["gzip;q=NaN"],
            &["gzip;level=9"],
            &["gzipped"],
        ] {
            assert!(!accepts(lines), "{lines:?}");
        }
    }

    #[test]
    fn only_an_answer_of_a_kilobyte_is_compressed_and_each_names_the_header() {
        for (is_accepted, bytes, is_compressed) in [(true, 1024, true), (true, 1023, false), (false, 5000, false)] {
            let mut response = HttpResponse::new("a".repeat(bytes).into());
            assert_eq!(Gzip { is_accepted }.select(&mut response), is_compressed, "{bytes}");
            assert_eq!(response.headers()["vary"], "accept-encoding");
        }
    }

    #[test]
    fn a_compressed_answer_has_the_same_bytes_and_a_strong_tag_of_its_own() {
        let text = "The last light over the harbour. ".repeat(100);
        for (tag, marked) in [("\"v1\"", "\"v1.gzip\""), ("W/\"v1\"", "W/\"v1\""), (UNVERSIONED_TAG, UNVERSIONED_TAG)] {
            let mut response = HttpResponse::new(text.clone().into());
            response.headers_mut().insert(header::ETAG, HeaderValue::from_static(tag));
            assert!(Gzip { is_accepted: true }.select(&mut response));
            let response = compressed(response);
            assert_eq!(response.headers()["etag"], marked);
            assert_eq!(response.headers()["content-encoding"], "gzip");
            assert!(response.body().len() < text.len() / 10);
            assert_eq!(decompress(response.body()).unwrap(), text.as_bytes());
        }
        assert!(!compressed(HttpResponse::default()).headers().contains_key("content-encoding"));
    }

    /// Lambda takes 6 MB of base64.
    #[test]
    fn an_answer_whose_base64_would_be_longer_stays_as_it_is() {
        let mut random = fastrand::Rng::with_seed(1);
        let text: String = (0..5_000_000).map(|_| random.char('!'..='~')).collect();
        let response = compressed(HttpResponse::new(text.clone().into()));
        assert!(!response.headers().contains_key("content-encoding"));
        assert_eq!(response.body().as_ref(), text.as_bytes());
    }

    #[test]
    fn a_large_answer_is_compressed_too_and_a_damaged_one_is_noticed() {
        for bytes in [0, 1, MAX_WELL_COMPRESSED_BYTES, MAX_WELL_COMPRESSED_BYTES + 1] {
            let text: Vec<u8> = (0..bytes).map(|at| b"photo"[at * at % 5]).collect();
            let mut gzip = compress(&text);
            assert_eq!(decompress(&gzip).unwrap(), text);
            let last_of_checksum = gzip.len() - 5;
            gzip[last_of_checksum] ^= 1;
            assert_eq!(decompress(&gzip), None);
        }
        assert_eq!(decompress(b"{}"), None);
    }
}

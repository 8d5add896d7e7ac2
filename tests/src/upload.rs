//! The upload of a file to S3, as a client does it.

use reqwest::Client;
use serde_json::Value;

/// The separator of the fields of a form. No file of the tests has it.
const BOUNDARY: &str = "the-boundary-of-the-form";

/// Sends a file with the `upload` form that upload-photo has answered. Fails if S3 does not take
/// it.
pub async fn send_file(http: &Client, form: &Value, file: &[u8]) {
    let fields = form["fields"].as_object().unwrap_or_else(|| panic!("{form} is no form"));
    let part = |header: &str, value: &[u8]| {
        let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; {header}\r\n\r\n");
        [head.as_bytes(), value, b"\r\n"].concat()
    };
    let mut body: Vec<u8> = fields
        .iter()
        .flat_map(|(name, value)| part(&format!("name=\"{name}\""), value.as_str().unwrap_or_default().as_bytes()))
        .collect();
    body.extend(part("name=\"file\"; filename=\"file\"", file));
    body.extend(format!("--{BOUNDARY}--\r\n").into_bytes());
    let request = http.post(form["url"].as_str().unwrap_or_default());
    let request = request.header("content-type", format!("multipart/form-data; boundary={BOUNDARY}"));
    let answer = request.body(body).send().await.expect("S3 answers");
    assert_eq!(answer.status(), 204, "{form}: {:?}", answer.text().await);
}

/// Sends a file with the `upload` request that upload-photo has answered. Returns the status and the
/// code of the error of S3.
pub async fn put_file(http: &Client, upload: &Value, file: &[u8]) -> (u16, String) {
    let mut request = http.put(upload["url"].as_str().unwrap_or_default()).body(file.to_vec());
    for (name, value) in upload["headers"].as_object().unwrap_or_else(|| panic!("{upload} is no request")) {
        request = request.header(name, value.as_str().unwrap_or_default());
    }
    let answer = request.send().await.expect("S3 answers");
    let (status, text) = (answer.status().as_u16(), answer.text().await.unwrap_or_default());
    let code = text.split_once("<Code>").and_then(|(_, rest)| rest.split_once("</Code>"));
    (status, code.map(|(code, _)| code.to_owned()).unwrap_or_default())
}

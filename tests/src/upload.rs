//! The upload of a file to S3, as a client does it.

use reqwest::Client;
use serde_json::Value;

/// The separator of the fields of a form. No file of the tests has it.
const BOUNDARY: &str = "the-boundary-of-the-form";

/// Sends a file with the `upload` form that upload-photo has answered. Fails if S3 does not take it.
pub async fn send_file(http: &Client, form: &Value, file: &[u8]) {
    let fields = form["fields"].as_object().unwrap_or_else(|| panic!("{form} is no form"));
    let mut body = String::new();
    for (name, value) in fields {
        let value = value.as_str().unwrap_or_default();
        body += &format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
    }
    body += &format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"file\"\r\n\r\n");
    let body = [body.as_bytes(), file, format!("\r\n--{BOUNDARY}--\r\n").as_bytes()].concat();
    let request = http.post(form["url"].as_str().unwrap_or_default());
    let request = request.header("content-type", format!("multipart/form-data; boundary={BOUNDARY}"));
    let answer = request.body(body).send().await.expect("S3 answers");
    assert_eq!(answer.status(), 204, "{form}: {:?}", answer.text().await);
}

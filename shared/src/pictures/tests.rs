use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};

use super::Signer;
use crate::values::{EpochMillis, PhotoFormat};
use aws_sdk_dynamodb::config::Credentials;

/// 2026-11-22T15:40:38Z
const NOW: u64 = 1_795_362_038;
const KEY: &str = "photos/ada.b_c-d/2024-05-30T15:42:38.123Z/0123456789abcdef/large.jpg";

fn pictures(url: &str, token: Option<&str>) -> Signer {
    let token = token.map(ToOwned::to_owned);
    Signer::new("a-bucket", url, "eu-west-1", Credentials::new("AKIDEXAMPLE", "secret/+key", token, None, "tests"))
}

#[test]
fn a_url_names_the_object_and_the_signature() {
    for (url, token) in [
        ("https://a-bucket.s3.eu-west-1.amazonaws.com", Some("a+token/with=signs")),
        ("http://localhost:9000/a-bucket", None),
    ] {
        let signed = pictures(url, token).signed_url(KEY, EpochMillis::from(NOW * 1000)).unwrap();
        let (path, query) = signed.split_once('?').unwrap();
        assert_eq!(path, format!("{url}/{}", KEY.replace(':', "%3A")));
        let names: Vec<_> = query.split('&').map(|part| part.split_once('=').unwrap().0).collect();
        let token_parameter = token.map(|_| "X-Amz-Security-Token");
        for name in ["X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature"].into_iter().chain(token_parameter) {
            assert!(names.contains(&name), "{signed}");
        }
    }
}

#[test]
fn a_url_stays_the_same_for_an_hour_and_is_valid_for_another_one() {
    let pictures = pictures("https://a-bucket.s3.eu-west-1.amazonaws.com", None);
    let at = |seconds: u64| pictures.signed_url(KEY, EpochMillis::from(seconds * 1000)).unwrap();
    let begin = NOW - NOW % 3600;
    assert_eq!(at(begin), at(begin + 3599));
    assert_ne!(at(begin), at(begin + 3600));
    assert_ne!(at(begin), at(begin - 1));
    assert!(at(NOW).contains("X-Amz-Date=20261122T150000Z"), "{}", at(NOW));
    assert!(at(NOW).contains("X-Amz-Expires=7200"), "{}", at(NOW));
}

#[test]
fn a_form_allows_one_key_one_type_and_20_mb() {
    let pictures = pictures("https://a-bucket.s3.eu-west-1.amazonaws.com", Some("token"));
    let (ada, timestamp) = ("ada".parse().unwrap(), "2024-05-30T15:42:38.123Z".parse().unwrap());
    let form = pictures.upload_form(&ada, &timestamp, PhotoFormat::Jpeg, u64::MAX).unwrap();
    assert_eq!(form.url, "https://a-bucket.s3.eu-west-1.amazonaws.com/");
    let policy: Value = serde_json::from_slice(&BASE64.decode(&form.fields["policy"]).unwrap()).unwrap();
    assert_eq!(policy["expiration"], form.expires.as_ref());
    let date_time = &form.fields["x-amz-date"];
    let credential = format!("AKIDEXAMPLE/{}/eu-west-1/s3/aws4_request", &date_time[..8]);
    let conditions = [
        json!({"bucket": "a-bucket"}),
        json!(["content-length-range", 1, 20_971_520]),
        json!({"Content-Type": "image/jpeg"}),
        json!({"key": "incoming/ada/2024-05-30T15:42:38.123Z"}),
        json!({"x-amz-algorithm": "AWS4-HMAC-SHA256"}),
        json!({"x-amz-credential": credential}),
        json!({"x-amz-date": date_time}),
        json!({"x-amz-security-token": "token"}),
    ];
    assert_eq!(policy["conditions"], json!(conditions));
    // S3 refuses a form with a field that no condition allows, except for these.
    let fields: Vec<_> = form.fields.keys().map(String::as_str).collect();
    let mut allowed = vec!["Content-Type", "key", "policy", "x-amz-algorithm", "x-amz-credential", "x-amz-date"];
    allowed.extend(["x-amz-security-token", "x-amz-signature"]);
    assert_eq!(fields, allowed);
}

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};

use super::Signer;
use crate::entities::object::Size;
use crate::http::form::FormSigner;
use crate::values::{EpochMillis, PhotoFormat};
use aws_sdk_dynamodb::config::Credentials;

/// 2026-11-22T15:40:38Z
const NOW: u64 = 1_795_362_038;

/// Returns the URL of a picture of ada at a time.
fn url_at(signer: &Signer, seconds: u64) -> String {
    let (ada, photo) = ("ada.b_c-d".parse().unwrap(), "2024-05-30T15:42:38.123Z".parse().unwrap());
    let id = "0123456789abcdef".parse().unwrap();
    signer.url(&ada, &photo, (None, &id), Size::Large, EpochMillis::from(seconds * 1000))
}

/// The signature is that of OpenSSL: `printf '%s' "$path?$until" | openssl dgst -sha256 -hmac key
/// -binary | basenc --base64url`.
#[test]
fn a_url_has_the_path_of_the_picture_its_end_and_the_signature_of_both() {
    let expected = "https://d111111abcdef8.cloudfront.net/photos/ada.b_c-d/2024-05-30T15%3A42%3A38.123Z/0123456789abcdef/large.jpg\
                    ?until=1795366800&signature=qOZ4saCZysjfMe_O-Aq5WgxFx7AECL5ti-5v77BKdxg";
    assert_eq!(url_at(&Signer::new("https://d111111abcdef8.cloudfront.net", "key"), NOW), expected);
    assert!(expected.len() < 300);
}

#[test]
fn a_url_stays_the_same_for_an_hour_in_every_process_and_is_valid_for_another_one() {
    let at = |seconds| url_at(&Signer::new("https://a", "key"), seconds);
    let begin = NOW - NOW % 3600;
    assert_eq!(at(begin), at(begin + 3599));
    assert_ne!(at(begin), at(begin + 3600));
    assert_ne!(at(begin), at(begin - 1));
    let signer = Signer::new("", "key");
    let url = url_at(&signer, NOW);
    let (path, query) = url.split_once('?').unwrap();
    for (seconds, is_valid) in [(NOW, true), (begin + 7199, true), (begin + 7200, false)] {
        assert_eq!(signer.admits(path, query, EpochMillis::from(seconds * 1000)), is_valid, "{seconds}");
    }
}

#[test]
fn no_other_path_time_or_key_is_admitted() {
    let (signer, now) = (Signer::new("", "key"), EpochMillis::from(NOW * 1000));
    let url = url_at(&signer, NOW);
    let (path, query) = url.split_once('?').unwrap();
    assert!(signer.admits(path, query, now));
    assert!(!Signer::new("", "other").admits(path, query, now));
    assert!(!signer.admits(&path.replace("large", "small"), query, now));
    for query in ["", "until=1", &query.replace("17953", "27953"), &format!("{query}&a=b"), &format!("a=b&{query}")] {
        assert!(!signer.admits(path, query, now), "{query}");
    }
}

#[test]
fn a_form_allows_one_key_one_type_and_20_mb() {
    let credentials = Credentials::new("AKIDEXAMPLE", "secret/+key", Some("token".to_owned()), None, "tests");
    let url = "https://a-bucket.s3.eu-west-1.amazonaws.com";
    let forms = FormSigner::new("a-bucket", url, "eu-west-1", credentials);
    let (ada, timestamp) = ("ada".parse().unwrap(), "2024-05-30T15:42:38.123Z".parse().unwrap());
    let form = forms.upload_form(&ada, &timestamp, None, PhotoFormat::Jpeg, u64::MAX).unwrap();
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

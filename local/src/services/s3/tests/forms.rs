//! Presigned POST.

use std::{
    io::Write as _,
    process::{Command, Stdio},
    time::SystemTime,
};

use aws_sigv4::sign::v4::{calculate_signature, generate_signing_key};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::BorrowedFormatItem, macros::format_description};

use super::*;

const KEY_OF_OBJECT: &str = "incoming/ada/2024-05-30T15:42:38";

/// A form, as a function signs it: the fields in their order, without the file.
struct Form(Vec<(&'static str, String)>);

impl Form {
    /// Returns a form for 1 to 5 bytes that was signed `age` ago and expires 15 minutes after that.
    fn signed(age: Duration) -> Self {
        Self::signed_with_limit(age, 5)
    }

    fn signed_with_limit(age: Duration, max_bytes: usize) -> Self {
        let signed = OffsetDateTime::now_utc() - age;
        let format = |time: OffsetDateTime, parts: &[BorrowedFormatItem]| time.format(parts).unwrap();
        let day = format(signed, format_description!("[year][month][day]"));
        let date = format(signed, format_description!("[year][month][day]T[hour][minute][second]Z"));
        let expiration = signed + Duration::from_mins(15);
        let expiration = format(expiration, format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]Z"));
        let credential = format!("local/{day}/us-east-1/s3/aws4_request");
        let policy = json!({"expiration": expiration, "conditions": [
            {"bucket": "pictures"},
            {"key": KEY_OF_OBJECT},
            {"content-type": "image/jpeg"},
            ["content-length-range", 1, max_bytes],
            {"x-amz-algorithm": "AWS4-HMAC-SHA256"},
            {"x-amz-credential": credential},
            {"x-amz-date": date},
        ]});
        let policy = BASE64_STANDARD.encode(policy.to_string());
        let key = generate_signing_key("local", SystemTime::from(signed), "us-east-1", "s3");
        Self(vec![
            ("key", KEY_OF_OBJECT.to_owned()),
            ("Content-Type", "image/jpeg".to_owned()),
            ("x-amz-algorithm", "AWS4-HMAC-SHA256".to_owned()),
            ("x-amz-credential", credential),
            ("x-amz-date", date),
            ("x-amz-signature", calculate_signature(key, policy.as_bytes())),
            ("policy", policy),
        ])
    }

    fn with(mut self, name: &'static str, value: &str) -> Self {
        match self.0.iter_mut().find(|(other, _)| *other == name) {
            Some((_, old)) => value.clone_into(old),
            None => self.0.push((name, value.to_owned())),
        }
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.0.retain(|(other, _)| *other != name);
        self
    }

    /// Posts the form with a file. Returns the status, the code of the error and its message.
    async fn post(self, fixture: &Fixture, file: &[u8]) -> (u16, String, String) {
        self.post_from(None, fixture, file).await
    }

    /// Posts the form as the page of an origin does.
    async fn post_from(self, origin: Option<&str>, fixture: &Fixture, file: &[u8]) -> (u16, String, String) {
        let mut body = vec![];
        for (name, value) in self.0 {
            write!(body, "--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n").unwrap();
        }
        let head =
            "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.jpg\"\r\nContent-Type: image/png";
        write!(body, "{head}\r\n\r\n").unwrap();
        body.extend_from_slice(file);
        body.extend_from_slice(b"\r\n--x--\r\n");
        let mut post = reqwest::Client::new().post(format!("{}/pictures", fixture.s3.endpoint()));
        if let Some(origin) = origin {
            post = post.header("origin", origin);
        }
        let answer = post.header("content-type", "multipart/form-data; boundary=x").body(body).send().await.unwrap();
        let (status, text) = (answer.status().as_u16(), answer.text().await.unwrap());
        let element = |name: &str| form::element(&text, name).to_owned();
        (status, element("Code"), element("Message"))
    }
}

#[tokio::test]
async fn only_pages_of_allowed_origins_can_post() {
    let fixture = Fixture::new();
    for origin in ["https://b.example", "http://a.example", fixture.s3.endpoint(), "null", "é"] {
        let (status, code, _) = Form::signed(Duration::ZERO).post_from(Some(origin), &fixture, b"abc").await;
        assert_eq!((status, code.as_str()), (403, "AccessDenied"), "{origin}");
    }
    assert_eq!(fixture.s3.objects("pictures").await.unwrap(), BTreeMap::new());
    let (status, ..) = Form::signed(Duration::ZERO).post_from(Some("https://a.example"), &fixture, b"abc").await;
    assert_eq!(status, 204);
    assert!(fixture.s3.objects("pictures").await.unwrap().contains_key(KEY_OF_OBJECT));
}

#[tokio::test]
async fn creates_the_object_of_the_policy() {
    let fixture = Fixture::new();
    // S3 checks the time of the signature only by the policy.
    for age in [Duration::ZERO, Duration::from_secs(14 * 60 + 50)] {
        let answer = Form::signed(age).post(&fixture, b"abc").await;
        assert_eq!(answer, (204, String::new(), String::new()));
        assert_eq!(fixture.take_reported(), [("ObjectCreated:Post", KEY_OF_OBJECT.to_owned(), 3)]);
    }
    let object = &fixture.s3.objects("pictures").await.unwrap()[KEY_OF_OBJECT];
    assert_eq!((object.content_type.as_deref(), &object.bytes[..]), (Some("image/jpeg"), &b"abc"[..]));
    let answer = Form::signed(Duration::ZERO).with("x-ignore-me", "x").post(&fixture, b"abcde").await;
    assert_eq!(answer.0, 204);
    let most = vec![b'a'; 20 * 1024 * 1024];
    assert_eq!(Form::signed_with_limit(Duration::ZERO, most.len()).post(&fixture, &most).await.0, 204);
    // Each part in which s3s reads it ends like the beginning of a boundary.
    let breaks = vec![b'\r'; 300_000];
    assert_eq!(Form::signed_with_limit(Duration::ZERO, breaks.len()).post(&fixture, &breaks).await.0, 204);
}

#[tokio::test]
async fn refuses_a_form_as_s3_does() {
    let fixture = Fixture::new();
    let signed = || Form::signed(Duration::ZERO);
    let denied = "Invalid according to Policy: ";
    let large = vec![b'a'; 30 * 1024 * 1024];
    for (form, file, status, code, message) in [
        (Form::signed(Duration::from_secs(901)), &b"abc"[..], 403, "AccessDenied", "Policy expired."),
        (signed().with("key", "incoming/ben/1"), b"abc", 403, "AccessDenied", "Policy Condition failed: "),
        (signed().with("Content-Type", "text/html"), b"abc", 403, "AccessDenied", "Policy Condition failed: "),
        (signed().with("acl", "public-read"), b"abc", 403, "AccessDenied", "Extra input fields: acl"),
        (signed(), b"", 400, "EntityTooSmall", ""),
        (signed(), b"abcdef", 400, "EntityTooLarge", ""),
        (signed(), &large, 400, "EntityTooLarge", ""),
        (signed().with("x-amz-signature", "00"), b"abc", 403, "SignatureDoesNotMatch", ""),
        (signed().without("x-amz-signature").without("policy"), b"abc", 403, "AccessDenied", ""),
    ] {
        let answer = form.post(&fixture, file).await;
        assert_eq!((answer.0, answer.1.as_str()), (status, code), "{message}: {}", answer.2);
        let prefix = if message.is_empty() { "" } else { denied };
        assert!(answer.2.starts_with(&format!("{prefix}{message}")), "{message}: {}", answer.2);
    }
    assert_eq!(fixture.take_reported(), []);
    assert_eq!(fixture.s3.objects("pictures").await.unwrap(), BTreeMap::new());
}

/// Posts a form of boto3. Runs only if the environment variable `QUICK_PHOTOS_PYTHON` names a
/// Python with boto3.
#[tokio::test]
async fn boto3_posts_a_form_and_reads_the_object() {
    const SCRIPT: &str = r#"
import boto3, io, json, sys, urllib.request, uuid
endpoint = sys.argv[1]
s3 = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id="local",
                  aws_secret_access_key="local")
form = s3.generate_presigned_post("pictures", "incoming/a b", Fields={"Content-Type": "image/png"},
                                  Conditions=[{"Content-Type": "image/png"}, ["content-length-range", 1, 10]])
boundary = uuid.uuid4().hex
body = io.BytesIO()
for name, value in form["fields"].items():
    body.write(f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode())
body.write(f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc\r\n'.encode())
body.write(f'--{boundary}--\r\n'.encode())
request = urllib.request.Request(form["url"], body.getvalue(), {"Content-Type": f"multipart/form-data; boundary={boundary}"})
posted = urllib.request.urlopen(request)
got = s3.get_object(Bucket="pictures", Key="incoming/a b")
listed = s3.list_objects_v2(Bucket="pictures")["Contents"]
url = s3.generate_presigned_url("get_object", {"Bucket": "pictures", "Key": "incoming/a b"})
print(json.dumps({
    "status": posted.status, "etag": posted.headers["ETag"] == got["ETag"], "type": got["ContentType"],
    "body": got["Body"].read().decode(), "keys": [entry["Key"] for entry in listed],
    "url": urllib.request.urlopen(url).read().decode(),
}))
"#;
    let Some(python) = std::env::var_os("QUICK_PHOTOS_PYTHON") else { return };
    let fixture = Fixture::new();
    let endpoint = fixture.s3.endpoint().to_owned();
    // On a thread of its own, because S3 has to answer boto3 on this one.
    let run = move || {
        let mut boto3 = Command::new(python);
        boto3.args(["-c", SCRIPT, &endpoint]).stdout(Stdio::piped()).output().unwrap().stdout
    };
    let output: Value = serde_json::from_slice(&tokio::task::spawn_blocking(run).await.unwrap()).unwrap();
    let expected = json!({
        "status": 204, "etag": true, "type": "image/png", "body": "abc", "keys": ["incoming/a b"], "url": "abc",
    });
    assert_eq!(output, expected);
    assert_eq!(fixture.take_reported(), [("ObjectCreated:Post", "incoming/a b".to_owned(), 3)]);
}

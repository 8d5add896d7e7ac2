use std::{net::Ipv4Addr, sync::Mutex};

use aws_sdk_s3::{
    Client, Config,
    config::{BehaviorVersion, Credentials, Region},
    error::ProvideErrorMetadata,
    presigning::PresigningConfig,
    primitives::ByteStream,
    types::{CompletedMultipartUpload, CompletedPart, Delete, ObjectIdentifier},
};

use super::*;
use crate::listener;
use crate::template::Template;

const TEMPLATE: &str = r#"
Resources:
  Pictures:
    Type: AWS::S3::Bucket
    Properties:
      BucketName: pictures
      CorsConfiguration:
        CorsRules: [{AllowedMethods: [GET, POST], AllowedOrigins: ["https://a.example"], AllowedHeaders: ["x-*"], MaxAge: 60}]
  Others: {Type: "AWS::S3::Bucket", Properties: {BucketName: others}}
"#;

/// A running S3 with two buckets, and the objects that it reports.
struct Fixture {
    s3: S3,
    reported: Arc<Mutex<Vec<Created>>>,
}

impl Fixture {
    fn new() -> Self {
        Self::in_directory(None)
    }

    fn in_directory(data_dir: Option<&Path>) -> Self {
        let listener = listener::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
        let reported = Arc::<Mutex<Vec<Created>>>::default();
        let report = reported.clone();
        let buckets = Template::parse("t.yaml", TEMPLATE).unwrap().buckets;
        let created = move |created: &Created| report.lock().unwrap().push(created.clone());
        Self { s3: S3::start(listener, &buckets, data_dir, created).unwrap(), reported }
    }

    fn client(&self) -> Client {
        self.client_with(KEY, KEY)
    }

    fn client_with(&self, key: &str, secret: &str) -> Client {
        let config = Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .endpoint_url(self.s3.endpoint())
            .region(Region::new(crate::template::cloudformation::REGION))
            .credentials_provider(Credentials::new(key, secret, None, None, "test"))
            .http_client(shared::runtime::https::client(b"").unwrap());
        Client::from_conf(config.build())
    }

    async fn put(&self, key: &str, body: &'static str) {
        let put = self.client().put_object().bucket("pictures").key(key).body(ByteStream::from_static(body.as_bytes()));
        put.send().await.unwrap();
    }

    fn take_reported(&self) -> Vec<(&'static str, String, u64)> {
        let reported = std::mem::take(&mut *self.reported.lock().unwrap());
        reported.into_iter().map(|created| (created.event, created.key, created.size)).collect()
    }
}

#[tokio::test]
async fn an_object_keeps_its_content_and_its_headers() {
    let fixture = Fixture::new();
    let client = fixture.client();
    let put = client.put_object().bucket("pictures").key("photos/ada/2024-05-30T15:42:38/x.jpg");
    let put = put.content_type("image/jpeg").cache_control("private, max-age=60").metadata("by", "ada");
    let put = put.body(ByteStream::from_static(b"abc")).send().await.unwrap();
    let get = client.get_object().bucket("pictures").key("photos/ada/2024-05-30T15:42:38/x.jpg").send().await.unwrap();
    assert_eq!((get.content_type(), get.cache_control()), (Some("image/jpeg"), Some("private, max-age=60")));
    assert_eq!(get.metadata().unwrap()["by"], "ada");
    assert_eq!(get.e_tag(), put.e_tag());
    assert_eq!(get.body.collect().await.unwrap().into_bytes(), "abc");
    let head = client.head_object().bucket("pictures").key("photos/ada/2024-05-30T15:42:38/x.jpg");
    assert_eq!(head.send().await.unwrap().content_length(), Some(3));

    for key in ["photos", "photos/ada", "nothing"] {
        let missing = client.get_object().bucket("pictures").key(key).send().await.unwrap_err();
        assert_eq!(missing.into_service_error().code(), Some("NoSuchKey"), "{key}");
        client.delete_object().bucket("pictures").key(key).send().await.unwrap();
    }
    let elsewhere = client.put_object().bucket("nowhere").key("a").send().await.unwrap_err();
    assert_eq!(elsewhere.into_service_error().code(), Some("NoSuchBucket"));
}

#[tokio::test]
async fn refuses_another_key_another_secret_and_unsigned_requests() {
    let fixture = Fixture::new();
    for (key, secret, code) in [("test", "test", "InvalidAccessKeyId"), (KEY, "test", "SignatureDoesNotMatch")] {
        let list = fixture.client_with(key, secret).list_objects_v2().bucket("pictures").send().await;
        let error = list.unwrap_err().into_service_error();
        assert_eq!(error.code(), Some(code));
        assert_eq!(error.message().is_some_and(|message| message.contains("AWS_ACCESS_KEY_ID=local")), key == "test");
    }
    fixture.put("a", "abc").await;
    let unsigned = reqwest::get(format!("{}/pictures/a", fixture.s3.endpoint())).await.unwrap();
    assert_eq!(unsigned.status(), 403);
    assert!(unsigned.text().await.unwrap().contains("<Code>AccessDenied</Code>"));
}

#[tokio::test]
async fn lists_and_deletes_objects_and_their_only_versions() {
    let directory = tempfile::tempdir().unwrap();
    let fixture = Fixture::in_directory(Some(directory.path()));
    let client = fixture.client();
    for key in ["a/1", "a/2", "a/3+ %", "b/1"] {
        fixture.put(key, "abc").await;
    }
    let list = client.list_objects_v2().bucket("pictures").prefix("a/").max_keys(2).send().await.unwrap();
    let keys = |objects: &[aws_sdk_s3::types::Object]| {
        objects.iter().map(|object| object.key().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((keys(list.contents()), list.is_truncated()), (vec!["a/1".to_owned(), "a/2".into()], Some(true)));
    let token = list.next_continuation_token().unwrap();
    let list = client.list_objects_v2().bucket("pictures").prefix("a/").continuation_token(token).send().await.unwrap();
    assert_eq!(keys(list.contents()), ["a/3+ %"]);

    let versions = client.list_object_versions().bucket("pictures").prefix("a/").max_keys(2).send().await.unwrap();
    let (key, version) = (versions.next_key_marker().unwrap(), versions.next_version_id_marker().unwrap());
    let rest = client.list_object_versions().bucket("pictures").prefix("a/").key_marker(key).version_id_marker(version);
    let rest = rest.send().await.unwrap();
    let versions: Vec<_> = versions.versions().iter().chain(rest.versions()).collect();
    let shown: Vec<_> =
        versions.iter().map(|version| (version.key().unwrap(), version.version_id().unwrap())).collect();
    assert_eq!(shown, [("a/1", "null"), ("a/2", "null"), ("a/3+ %", "null")]);

    let identifiers = versions.iter().map(|version| {
        let identifier = ObjectIdentifier::builder().key(version.key().unwrap());
        identifier.version_id(version.version_id().unwrap()).build().unwrap()
    });
    let delete = Delete::builder().set_objects(Some(identifiers.collect())).quiet(true).build().unwrap();
    for _ in 0..2 {
        let deleted = client.delete_objects().bucket("pictures").delete(delete.clone()).send().await.unwrap();
        assert!(deleted.deleted().is_empty() && deleted.errors().is_empty());
        client.delete_object().bucket("pictures").key("b/1").send().await.unwrap();
    }
    assert_eq!(fixture.s3.objects("pictures").await.unwrap(), BTreeMap::new());
    // Nothing is left of a deleted object, so a directory that is kept does not grow.
    let mut files = fs::read_dir(directory.path().join("s3")).unwrap().map(|file| file.unwrap().file_name());
    assert!(files.all(|name| name == "pictures" || name == "others"));
}

#[tokio::test]
async fn reports_each_created_object_with_its_event() {
    let fixture = Fixture::new();
    let client = fixture.client();
    fixture.put("put", "abc").await;
    assert_eq!(fixture.take_reported(), [("ObjectCreated:Put", "put".to_owned(), 3)]);
    client.copy_object().copy_source("pictures/put").bucket("others").key("copy").send().await.unwrap();
    assert_eq!(fixture.take_reported(), [("ObjectCreated:Copy", "copy".to_owned(), 3)]);

    let upload = client.create_multipart_upload().bucket("pictures").key("parts").send().await.unwrap();
    let upload = upload.upload_id().unwrap();
    let part = client.upload_part().bucket("pictures").key("parts").upload_id(upload).part_number(1);
    let part = part.body(ByteStream::from_static(b"abcd")).send().await.unwrap();
    let part = CompletedPart::builder().part_number(1).set_e_tag(part.e_tag).build();
    assert_eq!(fixture.take_reported(), []);
    let complete = client.complete_multipart_upload().bucket("pictures").key("parts").upload_id(upload);
    let complete = complete.multipart_upload(CompletedMultipartUpload::builder().parts(part).build());
    complete.send().await.unwrap();
    let event = "ObjectCreated:CompleteMultipartUpload";
    assert_eq!(fixture.take_reported(), [(event, "parts".to_owned(), 4)]);

    let object = Object { content_type: Some("image/png".into()), cache_control: None, bytes: "abc".into() };
    fixture.s3.import("pictures", vec![("imported".to_owned(), object.clone())]).await.unwrap();
    assert_eq!(fixture.take_reported(), []);
    assert_eq!(fixture.s3.objects("pictures").await.unwrap()["imported"], object);
    let created: Vec<_> = fixture.s3.creations("pictures").await.unwrap();
    assert_eq!(created.iter().map(|created| created.key.as_str()).collect::<Vec<_>>(), ["imported", "parts", "put"]);
    // A failed request creates nothing, and says so.
    let put = client.put_object().bucket("pictures").key("bad").content_md5("AAAAAAAAAAAAAAAAAAAAAA==");
    put.body(ByteStream::from_static(b"abc")).send().await.unwrap_err();
    assert_eq!(fixture.take_reported(), []);
}

#[tokio::test]
async fn a_presigned_url_works_on_both_hosts_until_it_expires() {
    let fixture = Fixture::new();
    fixture.put("a", "abc").await;
    let port = fixture.s3.endpoint().rsplit_once(':').unwrap().1.to_owned();
    for endpoint in [fixture.s3.endpoint().to_owned(), format!("http://localhost:{port}")] {
        let config = fixture.client().config().to_builder().endpoint_url(endpoint.clone()).force_path_style(true);
        let client = Client::from_conf(config.build());
        let sign = async |start: std::time::SystemTime| {
            let config = PresigningConfig::builder().start_time(start).expires_in(Duration::from_mins(1));
            let get = client.get_object().bucket("pictures").key("a").presigned(config.build().unwrap()).await;
            get.unwrap().uri().to_owned()
        };
        let now = std::time::SystemTime::now();
        let url = sign(now - Duration::from_secs(30)).await;
        let answer = reqwest::get(&url).await.unwrap();
        assert_eq!((answer.status().as_u16(), answer.text().await.unwrap().as_str()), (200, "abc"), "{endpoint}");
        for bad in [sign(now - Duration::from_secs(90)).await, url.replace("/a?", "/b?")] {
            assert_eq!(reqwest::get(&bad).await.unwrap().status(), 403, "{bad}");
        }
    }
    // The host that SDKs make of the bucket and the endpoint `localhost`.
    let client = reqwest::Client::new();
    let url = format!("{}/a", fixture.s3.endpoint());
    let answer = client.get(url).header("host", format!("pictures.localhost:{port}")).send().await.unwrap();
    assert!(answer.text().await.unwrap().contains("AccessDenied"));
}

#[tokio::test]
async fn answers_pages_of_other_origins_by_the_rules_of_the_bucket() {
    let fixture = Fixture::new();
    let client = reqwest::Client::new();
    let send = async |method: &str, bucket: &str, headers: &[(&'static str, &str)]| {
        let mut request = client.request(method.parse().unwrap(), format!("{}/{bucket}/a", fixture.s3.endpoint()));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = request.send().await.unwrap();
        let header = |name: &str| answer.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        let names = ["origin", "methods", "headers"].map(|name| header(&format!("access-control-allow-{name}")));
        (answer.status().as_u16(), names.map(Option::unwrap_or_default).join("; "))
    };
    let preflight = |origin, headers| {
        [("origin", origin), ("access-control-request-method", "POST"), ("access-control-request-headers", headers)]
    };
    let good = preflight("https://a.example", "X-One,x-two");
    let allowed = "https://a.example; GET, POST; x-one, x-two".to_owned();
    assert_eq!(send("OPTIONS", "pictures", &good).await, (200, allowed));
    for bad in [preflight("https://b.example", "x-one"), preflight("https://a.example", "y-one")] {
        assert_eq!(send("OPTIONS", "pictures", &bad).await, (403, "; ; ".to_owned()));
    }
    assert_eq!(send("OPTIONS", "others", &good).await, (403, "; ; ".to_owned()));
    // An error is readable too.
    let allowed = "https://a.example; GET, POST; ".to_owned();
    assert_eq!(send("GET", "pictures", &[("origin", "https://a.example")]).await, (403, allowed));
    assert_eq!(send("PUT", "pictures", &[("origin", "https://a.example")]).await.1, "; ; ");
    assert_eq!(send("GET", "others", &[("origin", "https://a.example")]).await.1, "; ; ");
}

#[tokio::test]
async fn only_addresses_localhost_and_the_buckets_are_hosts() {
    let fixture = Fixture::new();
    fixture.put("a", "abc").await;
    let endpoint = fixture.s3.endpoint();
    let port = endpoint.rsplit_once(':').unwrap().1;
    // Like the page of a site whose name leads to this machine, which signs with the access key
    // that everybody knows.
    let get = async |signed_for: &str, is_path_style: bool| {
        let config = fixture.client().config().to_builder().endpoint_url(format!("http://{signed_for}"));
        let client = Client::from_conf(config.force_path_style(is_path_style).build());
        let lifetime = PresigningConfig::expires_in(Duration::from_mins(1)).unwrap();
        let url = client.get_object().bucket("pictures").key("a").presigned(lifetime).await.unwrap().uri().to_owned();
        let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let get = reqwest::Client::new().get(format!("{endpoint}/{path}")).header("host", host);
        let answer = get.send().await.unwrap();
        (host.to_owned(), answer.status().as_u16(), answer.text().await.unwrap())
    };
    for host in [&format!("localhost:{port}"), &format!("127.0.0.1:{port}"), &format!("[::1]:{port}")] {
        assert_eq!(get(host, true).await, (host.clone(), 200, "abc".to_owned()));
    }
    let of_bucket = get(&format!("localhost:{port}"), false).await;
    assert_eq!(of_bucket, (format!("pictures.localhost:{port}"), 200, "abc".to_owned()));
    for host in ["evil.example", &format!("evil.example:{port}"), &format!("evil.localhost:{port}")] {
        let (_, status, text) = get(host, true).await;
        assert!(status == 403 && text.contains("call the stack by an address or as localhost"), "{host}: {text}");
    }
}

mod forms;

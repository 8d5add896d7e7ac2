//! The output and the exit codes of the command `audit`.

use std::net::Ipv4Addr;
use std::process::{Command, Output};

use ::testing;
use local::listener;
use local::sample::{self, World};
use local::services::s3::S3;
use serde_json::json;

use crate::audited_table::{AuditedTable, TEMPLATE, item, number, user};
use crate::favorites::fixtures;

const TABLE: &str = "quick-photos";

/// Runs the command without any environment variables: no region, no credentials, no home
/// directory. The indexes of the engine are never behind.
async fn audit(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_audit"));
    command.args(arguments).args(["--recheck-delay", "0"]).env_clear();
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn prints_findings_and_exits_with_0_or_1() {
    let table = AuditedTable::photos(sample::seed(sample::QUICK_PHOTOS));
    let url = table.engine.endpoint().to_owned();
    let target = ["--table", TABLE, "--endpoint-url", &url];
    let output = audit(&target).await;
    assert_eq!(text(&output.stderr), "", "no progress without a terminal");
    assert_eq!(
        (text(&output.stdout), output.status.code()),
        (
            "11 items, 0 findings; objects are not compared without a bucket; feeds are not compared without a feed table\n",
            Some(0)
        )
    );

    table.set(user("ada"), "followers", Some(number(2))).await;
    table.put([item("no", "shape", [])]).await;
    let output = audit(&[&target[..], &["--segments", "9"]].concat()).await;
    assert_eq!(
        (text(&output.stdout), output.status.code()),
        (
            "item \"no\" \"shape\": its key matches no entity\n\
             user ada: followers is 2, but should be 1\n\
             12 items, 2 findings; objects are not compared without a bucket; \
             feeds are not compared without a feed table\n",
            Some(1)
        )
    );
    let output = audit(&[&target[..], &["--repair", "--yes"]].concat()).await;
    assert_eq!(
        (text(&output.stdout), output.status.code()),
        (
            "item \"no\" \"shape\": its key matches no entity (left for manual repair)\n\
             The repair:\n\
             - corrects 1 wrong counts\n    user ada: followers is 2, but should be 1\n\
             - leaves to a person 1 malformed items\n    item \"no\" \"shape\": its key matches no entity\n\
             user ada: followers is 2, but should be 1 (repaired)\n\
             12 items, 2 findings, 1 repaired, 1 left for manual repair; \
             objects are not compared without a bucket; feeds are not compared without a feed table\n",
            Some(1)
        )
    );
    table.client.delete_item().table_name(TABLE).set_key(Some(item("no", "shape", []))).send().await.unwrap();
    assert_eq!(audit(&target).await.status.code(), Some(0));
}

/// The profile of a caller who signs in with IAM Identity Center.
const SSO_PROFILE: &str = "\
[default]
sso_session = company
sso_account_id = 123456789012
sso_role_name = Operator
region = eu-west-1
[sso-session company]
sso_region = eu-west-1
sso_start_url = https://company.awsapps.com/start
";

#[tokio::test]
async fn says_how_to_export_credentials_if_there_are_none() {
    let directory = tempfile::tempdir().unwrap();
    let (sso, none) = (directory.path().join("sso"), directory.path().join("none"));
    std::fs::write(&sso, SSO_PROFILE).unwrap();
    for config_file in [sso, none] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_audit"));
        command.args(["--table", TABLE]).env_clear().env("AWS_REGION", "eu-west-1");
        command.env("AWS_CONFIG_FILE", config_file).env("AWS_EC2_METADATA_DISABLED", "true");
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        let stderr = text(&output.stderr);
        assert!(stderr.contains("eval \"$(aws configure export-credentials --format env)\""), "{stderr}");
        assert_eq!((text(&output.stdout), output.status.code()), ("", Some(2)));
    }
}

#[tokio::test]
async fn compares_the_photos_with_the_objects_of_a_bucket() {
    let table = AuditedTable::photos(sample::seed(sample::QUICK_PHOTOS));
    let s3 =
        S3::start(listener::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap(), &TEMPLATE.buckets, None, |_| {}).unwrap();
    let bucket = &*TEMPLATE.buckets[0].name;
    let objects = World::seed().objects().unwrap();
    let number_of_objects = objects.len();
    s3.import(bucket, objects).await.unwrap();
    let photo = testing::photo_with("ada", "2025-01-01T00:00:00", testing::ready(b"file"));
    table.put([photo]).await;
    table.set_photos("ada", 3, 3).await;
    let url = table.engine.endpoint().to_owned();
    let target = ["--table", TABLE, "--endpoint-url", &url, "--bucket", bucket, "--s3-endpoint-url", s3.endpoint()];
    let output = audit(&[&target[..], &["--repair", "--yes"]].concat()).await;
    assert_eq!(text(&output.stderr), "");
    let line = text(&output.stdout).lines().next().unwrap().to_owned();
    assert!(line.starts_with("photo 2025-01-01T00:00:00 of ada: the bucket lacks photos/ada/"), "{line}");
    assert!(line.ends_with("/large.jpg (left for manual repair)"), "{line}");
    let totals = text(&output.stdout).lines().last().unwrap();
    assert_eq!(
        totals,
        format!(
            "12 items, {number_of_objects} objects, 1 findings, 1 left for manual repair; feeds are not compared without a feed table"
        )
    );
}

/// The table of feeds is empty, like that of a restored stack.
#[tokio::test]
async fn makes_the_feeds() {
    let table = AuditedTable::photos(sample::seed(sample::QUICK_PHOTOS));
    let url = table.engine.endpoint().to_owned();
    let target = ["--table", TABLE, "--endpoint-url", &url, "--feed-table", "dev.Feed"];
    let output = audit(&[&target[..], &["--repair", "--yes"]].concat()).await;
    assert_eq!(
        (text(&output.stdout), output.status.code()),
        (
            "The repair:\n\
             - corrects 1 photos without an entry of a hashtag\n    \
                 hashtag selfie: the entry of photo 2024-06-09T13:49:13 of ada is missing\n\
             - corrects 1 followers without entries\n    feed of ben: 2 entries of photos of ada are missing\n\
             - corrects 2 lists of the newest photos\n    \
                 Latest of ada: 2 photos are missing, 0 photos are hidden or gone\n    \
                 Latest of ben: 2 photos are missing, 0 photos are hidden or gone\n\
             - corrects 1 engagements with other reactions\n    \
                 engagement of cara with photo 2024-05-30T15:42:38 of ada: the reactions are none, but should be heart\n\
             - corrects 3 users who are missing in the directory\n    \
                 directory: 9 entries of ada are missing\n    \
                 directory: 8 entries of ben are missing\n    \
                 directory: 9 entries of cara are missing\n\
             - corrects 1 hashtags with another summary or other listings\n    \
                 hashtag selfie: the summary or the listings are wrong, the count is 0, but should be 1\n\
             hashtag selfie: the entry of photo 2024-06-09T13:49:13 of ada is missing (repaired)\n\
             feed of ben: 2 entries of photos of ada are missing (repaired)\n\
             Latest of ada: 2 photos are missing, 0 photos are hidden or gone (repaired)\n\
             Latest of ben: 2 photos are missing, 0 photos are hidden or gone (repaired)\n\
             engagement of cara with photo 2024-05-30T15:42:38 of ada: the reactions are none, but should be heart (repaired)\n\
             directory: 9 entries of ada are missing (repaired)\n\
             directory: 8 entries of ben are missing (repaired)\n\
             directory: 9 entries of cara are missing (repaired)\n\
             hashtag selfie: the summary or the listings are wrong, the count is 0, but should be 1 (repaired)\n\
             11 items, 0 items of feeds, 9 findings, 9 repaired; objects are not compared without a bucket\n",
            Some(1)
        )
    );
    let output = audit(&target).await;
    let totals = "11 items, 38 items of feeds, 0 findings; objects are not compared without a bucket\n";
    assert_eq!((text(&output.stdout), output.status.code()), (totals, Some(0)));
}

#[tokio::test]
async fn recognizes_the_table_of_favorites_by_its_key() {
    let table = fixtures::sample_table().await;
    let url = table.engine.endpoint().to_owned();
    let target = ["--table", &table.name, "--endpoint-url", &url];
    let items = table.all_items().await.len();
    let output = audit(&target).await;
    assert_eq!(
        (text(&output.stdout), text(&output.stderr), output.status.code()),
        (&*format!("{items} items, 0 findings\n"), "", Some(0))
    );
    table.set(fixtures::favorite_key("ada", "tram"), "tagCount", Some(number(2))).await;
    table.put([fixtures::tag_item("ben", "twin", "WORK")]).await;
    let output = audit(&target).await;
    let lines = [
        r#"tags twin, work of ben: all have the name "work""#,
        "favorite tram of ada: tagCount is 2, but should be 1",
        "tags of ben: the count is 3, but should be 4",
    ];
    let totals = format!("{} items, 3 findings", items + 1);
    assert_eq!(
        (text(&output.stdout), output.status.code()),
        (&*format!("{}\n{}\n{}\n{totals}\n", lines[0], lines[1], lines[2]), Some(1))
    );
    let output = audit(&[&target[..], &["--repair", "--yes"]].concat()).await;
    let totals = format!("{totals}, 2 repaired, 1 left for manual repair");
    let stdout = text(&output.stdout);
    assert!(stdout.starts_with(&format!("{} (left for manual repair)\nThe repair:\n", lines[0])), "{stdout}");
    assert!(stdout.ends_with(&format!("\n{} (repaired)\n{} (repaired)\n{totals}\n", lines[1], lines[2])), "{stdout}");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(audit(&target).await.status.code(), Some(1), "the tags still have the same name");
}

#[tokio::test]
async fn prints_errors_on_one_line_and_exits_with_2() {
    let table = AuditedTable::photos(vec![]);
    let things = r#"{
        "TableName": "things", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}]
    }"#;
    table.engine.database().create_table(serde_json::from_str(things).unwrap()).unwrap();
    // These tables have the key of one of the tables but not its indexes, or a mixed key.
    for (name, [pk, sk]) in [("no-photos", ["PK", "SK"]), ("no-favorites", ["pk", "sk"]), ("mixed", ["pk", "SK"])] {
        let definition = json!({
            "TableName": name, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [
                {"AttributeName": pk, "AttributeType": "S"},
                {"AttributeName": sk, "AttributeType": "S"},
            ],
            "KeySchema": [
                {"AttributeName": pk, "KeyType": "HASH"},
                {"AttributeName": sk, "KeyType": "RANGE"},
            ],
        });
        table.engine.database().create_table(serde_json::from_value(definition).unwrap()).unwrap();
    }
    // A table without the index ReactionsByTime, without which a list of reactions fails.
    let attributes = ["PK", "SK"].map(|name| json!({"AttributeName": name, "AttributeType": "S"}));
    let key = |pk, sk| json!([{"AttributeName": pk, "KeyType": "HASH"}, {"AttributeName": sk, "KeyType": "RANGE"}]);
    let inverted =
        json!({"IndexName": "InvertedIndex", "KeySchema": key("SK", "PK"), "Projection": {"ProjectionType": "ALL"}});
    let definition = json!({
        "TableName": "half-photos", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": attributes,
        "KeySchema": key("PK", "SK"), "GlobalSecondaryIndexes": [inverted],
    });
    table.engine.database().create_table(serde_json::from_value(definition).unwrap()).unwrap();
    let url = table.engine.endpoint().to_owned();
    for (table, url, line) in [
        (
            "nowhere",
            &*url,
            "audit: table nowhere: Requested resource not found: Table: nowhere not found (ResourceNotFoundException); check the name",
        ),
        ("things", &*url, "audit: table things: its key is neither PK and SK nor pk and sk"),
        ("mixed", &*url, "audit: table mixed: its key is neither PK and SK nor pk and sk"),
        ("no-photos", &*url, "audit: table no-photos: it has no index InvertedIndex"),
        ("half-photos", &*url, "audit: table half-photos: it has no index ReactionsByTime"),
        ("no-favorites", &*url, "audit: table no-favorites: it has no index lsiOne"),
        (
            TABLE,
            "http://127.0.0.1:1",
            "audit: table quick-photos: nothing answers there: Connection refused (os error 111); check the endpoint",
        ),
        (TABLE, "nonsense", "audit: --endpoint-url nonsense: the form has to be http://host:port"),
    ] {
        let output = audit(&["--table", table, "--endpoint-url", url]).await;
        assert_eq!((text(&output.stdout), output.status.code()), ("", Some(2)), "{table} {url}");
        let error = text(&output.stderr);
        assert!(error.starts_with(line) && error.lines().count() == 1, "{error}");
    }
    let output = audit(&["--table", TABLE, "--endpoint-url", &url, "--bucket", "b", "--s3-endpoint-url", "x"]).await;
    let line = "audit: --s3-endpoint-url x: the form has to be http://host:port\n";
    assert_eq!((text(&output.stderr), output.status.code()), (line, Some(2)));
    let favorites = fixtures::sample_table().await;
    let bucket = ["--bucket", "b", "--s3-endpoint-url", "http://127.0.0.1:1"];
    let table = ["--table", &favorites.name, "--endpoint-url", favorites.engine.endpoint()];
    let output = audit(&[table, bucket].concat()).await;
    let line = format!("audit: table {}: its items refer to no objects; leave the bucket out\n", favorites.name);
    assert_eq!((text(&output.stderr), output.status.code()), (&*line, Some(2)));
    assert_eq!(audit(&["--table", TABLE, "--segments", "0"]).await.status.code(), Some(2));
}

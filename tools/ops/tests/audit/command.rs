//! The real binary: its lines and its exit code.

use std::process::{Command, Output};

use local::sample;
use serde_json::json;
use tokio::net::TcpListener;

use crate::bed::{Bed, TABLE, item, number, user};
use crate::favorites;

/// On a fresh machine: no region, no credentials, no home.
async fn audit(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_audit"));
    command.args(arguments).env_clear();
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn exit_codes_and_lines() {
    let bed = Bed::with(sample::items(sample::QUICK_PHOTOS)).await;
    let url = bed.engine.endpoint().to_owned();
    let here = ["--table", TABLE, "--endpoint-url", &url];
    let output = audit(&here).await;
    assert_eq!(text(&output.stderr), "", "no progress where there is no terminal");
    assert_eq!((text(&output.stdout), output.status.code()), ("967 items, 0 findings\n", Some(0)));

    bed.set(user("ada"), "followers", Some(number(2))).await;
    bed.put([item("no", "shape", [])]).await;
    let output = audit(&[&here[..], &["--segments", "9"]].concat()).await;
    assert_eq!(
        (text(&output.stdout), output.status.code()),
        (
            "item \"no\" \"shape\": it has the attributes of no entity\n\
             user ada: followers is 2, but there are 1\n\
             968 items, 2 findings\n",
            Some(1)
        )
    );
    let output = audit(&[&here[..], &["--repair"]].concat()).await;
    assert_eq!(
        (text(&output.stdout), output.status.code()),
        (
            "item \"no\" \"shape\": it has the attributes of no entity (left)\n\
             user ada: followers is 2, but there are 1 (repaired)\n\
             968 items, 2 findings, 1 repaired, 1 left as they are\n",
            Some(1)
        )
    );
    bed.client.delete_item().table_name(TABLE).set_key(Some(item("no", "shape", []))).send().await.unwrap();
    assert_eq!(audit(&here).await.status.code(), Some(0));
}

/// The same for the other table, by its key.
#[tokio::test]
async fn favorites_and_tags() {
    let bed = favorites::sample().await;
    let url = bed.engine.endpoint().to_owned();
    let here = ["--table", &bed.table, "--endpoint-url", &url];
    let items = bed.all_items().await.len();
    let output = audit(&here).await;
    assert_eq!(
        (text(&output.stdout), text(&output.stderr), output.status.code()),
        (&*format!("{items} items, 0 findings\n"), "", Some(0))
    );
    bed.set(favorites::favorite("ada", "tram"), "tagCount", Some(number(2))).await;
    bed.put([favorites::tag_item("ben", "twin", "WORK")]).await;
    let output = audit(&here).await;
    let lines = [
        r#"tags twin, work of ben: all are called "work""#,
        "favorite tram of ada: tagCount is 2, but there are 1",
        "tags of ben: the count is 3, but there are 4",
    ];
    let totals = format!("{} items, 3 findings", items + 1);
    assert_eq!(
        (text(&output.stdout), output.status.code()),
        (&*format!("{}\n{}\n{}\n{totals}\n", lines[0], lines[1], lines[2]), Some(1))
    );
    let output = audit(&[&here[..], &["--repair"]].concat()).await;
    let totals = format!("{totals}, 2 repaired, 1 left as they are");
    assert_eq!(
        (text(&output.stdout), output.status.code()),
        (&*format!("{} (left)\n{} (repaired)\n{} (repaired)\n{totals}\n", lines[0], lines[1], lines[2]), Some(1))
    );
    assert_eq!(audit(&here).await.status.code(), Some(1), "a person has not come yet");
}

#[tokio::test]
async fn what_cannot_be_read_is_one_line_and_exit_code_2() {
    let bed = Bed::with(vec![]).await;
    let things = r#"{
        "TableName": "things", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}]
    }"#;
    bed.engine.database().create_table(serde_json::from_str(things).unwrap()).unwrap();
    // With the key of either table alone.
    for (name, [pk, sk]) in [("no-photos", ["PK", "SK"]), ("no-favorites", ["pk", "sk"]), ("mixed", ["pk", "SK"])] {
        let table = json!({
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
        bed.engine.database().create_table(serde_json::from_value(table).unwrap()).unwrap();
    }
    let url = bed.engine.endpoint().to_owned();
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().to_string();
    for (table, url, line) in [
        ("nowhere", &*url, "audit: table nowhere: ResourceNotFoundException: "),
        ("things", &*url, "audit: table things: its key is neither PK and SK nor pk and sk"),
        ("mixed", &*url, "audit: table mixed: its key is neither PK and SK nor pk and sk"),
        ("no-photos", &*url, "audit: table no-photos: it has no index InvertedIndex"),
        ("no-favorites", &*url, "audit: table no-favorites: it has no index lsiOne"),
        (TABLE, &format!("http://{nobody}"), "audit: table quick-photos: dispatch failure: "),
        (TABLE, "nonsense", "audit: --endpoint-url nonsense: needs the form http://host:port"),
    ] {
        let output = audit(&["--table", table, "--endpoint-url", url]).await;
        assert_eq!((text(&output.stdout), output.status.code()), ("", Some(2)), "{table} {url}");
        let error = text(&output.stderr);
        assert!(error.starts_with(line) && error.lines().count() == 1, "{error}");
    }
    assert_eq!(audit(&["--table", TABLE, "--segments", "0"]).await.status.code(), Some(2));
}

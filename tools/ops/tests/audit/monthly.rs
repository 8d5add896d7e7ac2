//! The monthly audit of template.yaml: what CodeBuild runs, with the tables and the bucket of the local stack.

use std::fs;
use std::net::Ipv4Addr;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use local::net;
use local::sample::{self, FAVORITE, FEED, QUICK_PHOTOS};
use local::services::dynamodb;
use local::services::s3::{self, S3};
use local::template::Template;
use saphyr::{LoadableYamlNode as _, Yaml};

use crate::audited_table::{AuditedTable, number, user};
use crate::favorites::fixtures::tag_item;

/// Returns the last command of the build specification in the template.
fn last_command() -> String {
    let template = fs::read_to_string(Template::find().unwrap()).unwrap();
    let (before, block) = template.split_once("BuildSpec: |\n").unwrap();
    let indentation = before.len() - before.trim_end_matches(' ').len();
    let is_inside = |line: &&str| line.is_empty() || line[..=indentation].trim().is_empty();
    let block: Vec<_> = block.lines().take_while(is_inside).collect();
    let specification = Yaml::load_from_str(&block.join("\n")).unwrap().remove(0);
    let commands = specification["phases"]["build"]["commands"].as_vec().unwrap();
    commands.last().unwrap().as_str().unwrap().to_owned()
}

/// Runs the command as CodeBuild does, and returns its exit code and its output.
async fn run(directory: &Path, table: &AuditedTable, s3: &S3, template: &Template) -> (i32, String) {
    let release = directory.join("project/target/release");
    fs::create_dir_all(&release).unwrap();
    let _ = symlink(env!("CARGO_BIN_EXE_audit"), release.join("audit"));
    let mut command = Command::new("bash");
    command.arg("-c").arg(last_command()).env("CODEBUILD_SRC_DIR", directory);
    for (variable, logical_id) in [("TABLE", QUICK_PHOTOS), ("FAVORITE_TABLE", FAVORITE), ("FEED_TABLE", FEED)] {
        command.env(variable, &template.table(logical_id).unwrap().name);
    }
    command.env("BUCKET", &template.bucket(sample::PHOTOS_BUCKET).unwrap().name);
    command.env("AWS_ENDPOINT_URL_DYNAMODB", table.engine.endpoint()).env("AWS_ENDPOINT_URL_S3", s3.endpoint());
    command.env("AWS_REGION", "us-east-1").env("AWS_ACCESS_KEY_ID", s3::KEY).env("AWS_SECRET_ACCESS_KEY", s3::KEY);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

#[tokio::test]
async fn the_monthly_audit_fails_if_any_table_or_the_bucket_has_a_finding() {
    let template = Template::read(&Template::find().unwrap()).unwrap();
    let table = AuditedTable::photos(sample::items(QUICK_PHOTOS)).await;
    for logical_id in [FAVORITE, FEED] {
        let name = &template.table(logical_id).unwrap().name;
        dynamodb::import(table.engine.database(), name, sample::items(logical_id)).unwrap();
    }
    let s3 = S3::start(net::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap(), &template.buckets, None, |_| {}).unwrap();
    let bucket = &template.bucket(sample::PHOTOS_BUCKET).unwrap().name;
    let mut objects = sample::objects();
    let lost = objects.remove(0);
    s3.import(bucket, objects).await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let (code, output) = run(directory.path(), &table, &s3, &template).await;
    assert!(code == 1 && output.contains(&format!("the bucket lacks {}", lost.0)), "{code}: {output}");

    s3.import(bucket, vec![lost]).await.unwrap();
    let (code, output) = run(directory.path(), &table, &s3, &template).await;
    assert!(code == 0 && output.matches(" 0 findings").count() == 2, "{code}: {output}");

    table.set(user("ada"), "followers", Some(number(9))).await;
    let favorites = &template.table(FAVORITE).unwrap().name;
    dynamodb::import(table.engine.database(), favorites, vec![tag_item("ben", "lost", "Lost")]).unwrap();
    let (code, output) = run(directory.path(), &table, &s3, &template).await;
    assert!(code == 1 && output.contains("followers is 9"), "{code}: {output}");
    assert!(output.contains("tag lost of ben"), "the second audit runs after a finding of the first: {output}");
}

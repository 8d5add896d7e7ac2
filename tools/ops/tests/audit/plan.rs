//! The plan of a repair: what the command prints and asks before it changes anything, and what it
//! refuses.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::Ipv4Addr;
use std::process::{Command, Output, Stdio};

use ::testing;
use local::listener;
use local::sample::{self, FEED, QUICK_PHOTOS, World};
use local::services::dynamodb;
use local::services::s3::{Object, S3};
use local::template::Template;
use shared::dynamodb::Item;
use shared::entities::Listing;
use shared::entities::object::{Size, picture_key};
use shared::values::PictureId;

use crate::audited_table::{AuditedTable, Items, TEMPLATE, all_items, number, user};

/// The id of no photo.
const NO_PHOTO: &str = "2020-01-01T00:00:00";

/// The tables and the bucket of the sample data, and an empty table with the layout of
/// `quick-photos`.
struct System {
    table: AuditedTable,
    feed: String,
    s3: S3,
    bucket: String,
}

/// The items of all tables, and the objects.
type Contents = (Items, Items, Items, BTreeMap<String, Object>);

/// The name of the empty table.
const EMPTY: &str = "quick-photos-2";

impl System {
    async fn new() -> Self {
        let table = AuditedTable::photos(sample::items(QUICK_PHOTOS, sample::TEST_START));
        let feed = TEMPLATE.table(FEED).unwrap().name.clone();
        dynamodb::import(table.engine.database(), &feed, sample::items(FEED, sample::TEST_START)).unwrap();
        let parameters = [("TableName".to_owned(), EMPTY.to_owned())].into();
        let empty = Template::read_with(&Template::find().unwrap(), parameters).unwrap();
        dynamodb::create_tables(table.engine.database(), &empty).unwrap();
        let listener = listener::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
        let s3 = S3::start(listener, &TEMPLATE.buckets, None, |_| {}).unwrap();
        let bucket = TEMPLATE.bucket(sample::PHOTOS_BUCKET).unwrap().name.clone();
        s3.import(&bucket, World::sample(sample::TEST_START).objects().unwrap()).await.unwrap();
        Self { table, feed, s3, bucket }
    }

    async fn contents(&self) -> Contents {
        let items = async |table| all_items(&self.table.client, table).await;
        let objects = self.s3.objects(&self.bucket).await.unwrap();
        (items(&self.table.name).await, items(EMPTY).await, items(&self.feed).await, objects)
    }

    /// Runs the command without a terminal.
    async fn audit(&self, table: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_audit"));
        command.env_clear().args(["--table", table, "--endpoint-url", self.table.engine.endpoint()]);
        command.args(["--s3-endpoint-url", self.s3.endpoint(), "--recheck-delay", "0"]).args(arguments);
        tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
    }

    /// Runs the command for the table with the bucket and the feeds.
    async fn audit_all(&self, arguments: &[&str]) -> Output {
        let target = ["--bucket", &self.bucket, "--feed-table", &self.feed];
        self.audit(&self.table.name, &[&target, arguments].concat()).await
    }

    /// Puts reactions of ben and elif to photos that do not exist, `reactions` in all.
    async fn put_reactions(&self, reactions: usize) {
        for number in 0..reactions {
            let id = format!("2020-01-01T00:00:{:02}", number / 2);
            let reacting = ["ben", "elif"][number % 2];
            self.table.put([testing::reaction(reacting, "heart", "ada", &id)]).await;
        }
    }

    /// Puts small pictures of ada of which there is no photo.
    async fn put_objects(&self, objects: u32) {
        let (ada, id) = ("ada".parse().unwrap(), NO_PHOTO.parse().unwrap());
        let key = |number: u32| picture_key(&ada, &id, None, &PictureId::from_file(&number.to_be_bytes()), Size::Small);
        let objects = (0..objects).map(|number| (key(number), Object::default())).collect();
        self.s3.import(&self.bucket, objects).await.unwrap();
    }
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

/// Returns the error of an audit that has refused to repair, and printed a plan or not.
fn refusal(output: &Output) -> &str {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    text(&output.stderr).strip_prefix("audit: nothing was changed: ").unwrap()
}

/// The name of the table is that of an empty table. The bucket and the feeds are those of the
/// system.
#[tokio::test]
async fn does_not_repair_what_does_not_belong_to_the_table() {
    let system = System::new().await;
    let (before, objects) = (system.contents().await, World::sample(sample::TEST_START).objects().unwrap().len());
    let mut items = sample::items(FEED, sample::TEST_START);
    // Neither a summary nor a listing of a hashtag names a user, and a ranking names many.
    items.retain(|item| item["pk"].as_s().unwrap().starts_with("Hashtag#") || !item.contains_key("hashtag"));
    items.retain(|item| item["pk"].as_s().unwrap() != "Ranking");
    let items = items.len();
    assert!(objects >= 60 && items > 0);
    let bucket = ["--bucket", &system.bucket];
    let feed = ["--feed-table", &system.feed];
    let of_bucket = format!(
        "the bucket {} does not belong to the table {EMPTY}: 0 of its {objects} objects are of photos in the table",
        system.bucket
    );
    let of_feed = format!(
        "the table of feeds {} does not belong to the table {EMPTY}: 0 of its {items} items are of users in the table",
        system.feed
    );
    for (arguments, reason) in
        [(&bucket[..], &of_bucket), (&feed[..], &of_feed), (&[bucket, feed].concat()[..], &of_bucket)]
    {
        for limit in [&[][..], &["--delete-at-most", "100000"]] {
            let output = system.audit(EMPTY, &[arguments, limit, &["--repair", "--yes"]].concat()).await;
            let refusal = refusal(&output);
            assert!(refusal.starts_with(reason), "{refusal}");
            assert_eq!(text(&output.stdout), "");
            assert!(system.contents().await == before);
        }
        // Without a repair, it says what it finds. Objects become findings after 12 hours.
        let output = system.audit(EMPTY, arguments).await;
        let code = i32::from(arguments.contains(&"--feed-table"));
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(code), ""));
    }
}

/// Half of the objects are of photos in the table.
#[tokio::test]
async fn repairs_what_mostly_belongs_to_the_table() {
    let system = System::new().await;
    let objects = u32::try_from(World::sample(sample::TEST_START).objects().unwrap().len()).unwrap();
    system.put_objects(objects).await;
    let output = system.audit_all(&["--repair", "--yes", "--delete-at-most", "1000"]).await;
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    system.put_objects(objects + 1).await;
    let output = system.audit_all(&["--repair", "--yes", "--delete-at-most", "1000"]).await;
    let found = format!("{objects} of its {} objects are of photos in the table", 2 * objects + 1);
    assert!(refusal(&output).contains(&found), "{output:?}");
}

/// The table has some 1,430 items, of which a repair deletes 14 without being told to.
#[tokio::test]
async fn deletes_no_more_than_it_may() {
    let system = System::new().await;
    system.put_reactions(15).await;
    let before = system.contents().await;
    let output = system.audit_all(&["--repair", "--yes"]).await;
    let items = before.0.len();
    let reason = format!("the repair would delete 15 of {items} items of the table, which is more than 14: ");
    assert!(refusal(&output).starts_with(&reason), "{output:?}");
    assert!(text(&output.stdout).starts_with("The repair:\n- deletes 15 reactions to photos that do not exist\n"));
    assert!(text(&output.stdout).ends_with("\n    and 12 more\n"), "{output:?}");
    let output = system.audit_all(&["--repair", "--yes", "--delete-at-most", "14"]).await;
    assert_eq!(refusal(&output), "the repair would delete 15, and --delete-at-most allows 14\n");
    assert!(system.contents().await == before);

    let output = system.audit_all(&["--repair", "--yes", "--delete-at-most", "15"]).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).ends_with(" 15 findings, 15 repaired\n"), "{output:?}");
    assert_eq!(system.contents().await.0.len(), items - 15);
    system.put_reactions(12).await;
    let output = system.audit_all(&["--repair", "--yes"]).await;
    assert!(text(&output.stdout).ends_with(" 12 findings, 12 repaired\n"), "{output:?}");
}

/// One percent of a large table is more than 10 items.
#[tokio::test]
async fn deletes_a_share_of_a_large_table() {
    let system = System::new().await;
    let names: Vec<String> = (0..1_000).map(|number| format!("user-{number}")).collect();
    let users: Vec<Item> = names.iter().map(|name| testing::user(name)).collect();
    let listings = names.iter().flat_map(|name| Listing::new(&name.parse().unwrap(), name, 0).entries());
    let directory = listings.map(|entry| entry.item().unwrap()).collect();
    dynamodb::import(system.table.engine.database(), &system.table.name, users).unwrap();
    dynamodb::import(system.table.engine.database(), &system.feed, directory).unwrap();
    system.put_reactions(24).await;
    let output = system.audit_all(&["--repair", "--yes"]).await;
    assert!(text(&output.stdout).ends_with(" 24 findings, 24 repaired\n"), "{output:?}");
    system.put_reactions(25).await;
    let output = system.audit_all(&["--repair", "--yes"]).await;
    assert!(refusal(&output).contains("which is more than 24: "), "{output:?}");
}

#[tokio::test]
async fn needs_yes_without_a_terminal() {
    let system = System::new().await;
    system.put_reactions(1).await;
    system.table.set(user("ada"), "followers", Some(number(13))).await;
    let before = system.contents().await;
    let output = system.audit_all(&["--repair"]).await;
    assert_eq!(refusal(&output), "--repair asks on a terminal, and without one it needs --yes\n");
    assert_eq!(
        text(&output.stdout),
        "The repair:\n\
         - deletes 1 reactions to photos that do not exist\n    \
             reaction heart of ben to \"PHOTO#ada#2020-01-01T00:00:00\": the photo does not exist\n\
         - corrects 1 wrong counts\n    \
             user ada: followers is 13, but should be 12\n"
    );
    assert!(system.contents().await == before);
    for arguments in [["--yes"], ["--delete-at-most=5"], ["--erase=ada"]] {
        let output = system.audit_all(&arguments).await;
        assert!(text(&output.stderr).contains("--repair"), "{output:?}");
        assert_eq!(output.status.code(), Some(2));
    }
}

/// `script` of util-linux runs the command on a terminal.
#[tokio::test]
async fn asks_on_a_terminal() {
    let system = System::new().await;
    system.put_reactions(1).await;
    let items = system.contents().await.0.len();
    let answer = async |answer: &'static str| {
        let command = format!(
            "{} --table {} --endpoint-url {} --recheck-delay 0 --repair",
            env!("CARGO_BIN_EXE_audit"),
            system.table.name,
            system.table.engine.endpoint()
        );
        let mut script = Command::new("script");
        script.args(["--quiet", "--return", "--command", &command, "/dev/null"]);
        script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let run = move || {
            let mut running = script.spawn().unwrap();
            running.stdin.take().unwrap().write_all(answer.as_bytes()).unwrap();
            running.wait_with_output().unwrap()
        };
        tokio::task::spawn_blocking(run).await.unwrap()
    };
    for no in ["n\n", "\n"] {
        let output = answer(no).await;
        assert!(text(&output.stdout).contains("Repair? [y/N] "), "{output:?}");
        assert!(text(&output.stdout).contains("nothing was changed: the answer was not y"), "{output:?}");
        assert_eq!((output.status.code(), system.contents().await.0.len()), (Some(2), items));
    }
    let output = answer("y\n").await;
    assert_eq!((output.status.code(), system.contents().await.0.len()), (Some(1), items - 1), "{output:?}");
}

/// Every line of the plan is carried out, and nothing else is.
#[tokio::test]
async fn does_what_the_plan_says() {
    let system = System::new().await;
    let before = system.contents().await;
    system.put_reactions(3).await;
    let bens = testing::photo_deletion("ben", NO_PHOTO, 0);
    system.table.put([bens]).await;
    let photos = before.0[&("USER#ben".to_owned(), "#METADATA#ben".to_owned())]["photos"].as_i64().unwrap();
    system.table.set_photos("ben", photos + 1, photos + 1).await;
    system.table.set(user("ada"), "followers", Some(number(13))).await;
    system.table.put([testing::photo("gone", NO_PHOTO)]).await;
    let damaged = system.contents().await;
    let output = system.audit_all(&["--repair", "--yes", "--min-deletion-age", "0"]).await;
    let stdout = text(&output.stdout);
    let (plan, done) = stdout.split_once("\ndeletion of photo").unwrap();
    let actions: Vec<&str> = plan.lines().filter(|line| line.starts_with("- ")).collect();
    assert_eq!(
        actions,
        [
            "- deletes 3 reactions to photos that do not exist",
            "- corrects 1 wrong counts",
            "- starts again 1 unfinished deletions",
            "- leaves to a person 1 users who are lost",
        ]
    );
    assert_eq!(done.matches(" (repaired)\n").count(), 4, "{stdout}");
    assert_eq!(done.matches(" (a function is started that does the rest)\n").count(), 1, "{stdout}");
    let mut expected = damaged;
    expected.0.retain(|(_, sk), item| !(sk.starts_with("PHOTO#ada#2020") && item["erasing"].is_null()));
    expected.0.get_mut(&("USER#ada".to_owned(), "#METADATA#ada".to_owned())).unwrap()["followers"] =
        before.0[&("USER#ada".to_owned(), "#METADATA#ada".to_owned())]["followers"].clone();
    expected.0.get_mut(&("USER#ben".to_owned(), format!("PHOTO#ben#{NO_PHOTO}"))).unwrap()["passes"] = 1.into();
    assert!(system.contents().await == expected);
}

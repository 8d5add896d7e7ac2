//! The history of the indexes in template.yaml, one change at a time, as CloudFormation and
//! DynamoDB make them. A table of any of these steps can be updated to the template.
//!
//! `history.json` has the steps: a table `with` its first indexes, an index that a later version
//! has to `create`, or one that it has to `delete`. A changed index is deleted, and then created
//! again. The history begins where the local indexes were as they are now, because no table can be
//! updated from before.

use std::collections::BTreeMap;
use std::fs;

use local::services::dynamodb::{Engine, create_tables, import};
use local::stack::Options;
use local::template::{Table, Template};
use serde_json::{Value, json};
use tests::stack::{root, start};
use tests::tools::{run_script, tool};

/// The sort key of a photo and of the reactions to it.
const PHOTO: &str = "PHOTO#ada#2024-05-30T15:42:38";

/// The global and vector indexes of each table by the table's logical id.
type Indexes = BTreeMap<String, Vec<Value>>;

/// Returns the indexes after each step.
fn versions() -> Vec<Indexes> {
    let steps: Vec<Value> =
        serde_json::from_slice(&fs::read(root().join("tests/indexes/history.json")).unwrap()).unwrap();
    let mut versions = vec![];
    let mut indexes = Indexes::new();
    for step in steps {
        let table = step["table"].as_str().unwrap().to_owned();
        if let Some(first) = step["with"].as_array() {
            assert_eq!(indexes.insert(table, first.clone()), None, "a table is created once");
        } else {
            let of_table = indexes.get_mut(&table).unwrap();
            let name = if step["delete"].is_string() { &step["delete"] } else { &step["create"]["IndexName"] };
            let before = of_table.len();
            of_table.retain(|index| index["IndexName"] != *name);
            assert_eq!(of_table.len() < before, step["delete"].is_string(), "{step}");
            of_table.extend(step.get("create").cloned());
        }
        versions.push(indexes.clone());
    }
    versions
}

/// Returns the global and vector indexes of a table, or of its description, by their names, with
/// what cannot change.
fn by_name(table: &Value) -> BTreeMap<String, Vec<Value>> {
    let kinds = ["GlobalSecondaryIndexes", "VectorIndexes"].into_iter();
    let indexes = kinds.flat_map(|kind| table[kind].as_array().into_iter().flatten());
    let fixed = ["KeySchema", "VectorAttribute", "Dimensions", "DistanceFunction", "Projection"];
    let described = |index: &Value| fixed.map(|name| index[name].clone()).to_vec();
    indexes.map(|index| (index["IndexName"].as_str().unwrap().to_owned(), described(index))).collect()
}

/// Returns the properties of a table with these indexes.
fn properties(indexes: &[Value]) -> Value {
    let (vector, global): (Vec<_>, Vec<_>) = indexes.iter().partition(|index| index["VectorAttribute"].is_object());
    json!({"GlobalSecondaryIndexes": global, "VectorIndexes": vector})
}

#[test]
fn the_last_step_of_the_history_is_the_template() {
    let last = versions().pop().unwrap();
    let template = Template::read(&root().join("template.yaml")).unwrap();
    assert_eq!(template.tables.len(), last.len(), "history.json needs a step for a new table");
    for table in &template.tables {
        assert_eq!(
            by_name(&properties(&last[&table.logical_id])),
            by_name(&table.create),
            "{}: history.json needs a step for each index that is created or deleted",
            table.logical_id
        );
    }
}

/// Returns a table of the template with the indexes of an earlier version, and without its time to
/// live.
fn earlier(table: &Table, indexes: &[Value]) -> Table {
    let mut table = Table { ttl: None, ..table.clone() };
    let parts = |index: &Value| index["KeySchema"].as_array().cloned().unwrap();
    let local = table.create["LocalSecondaryIndexes"].as_array().cloned().unwrap_or_default();
    let mut old = properties(indexes);
    let global = old["GlobalSecondaryIndexes"].as_array().cloned().unwrap_or_default();
    let keys = global.iter().chain(&local).flat_map(parts).chain(parts(&table.create));
    let keys: Vec<_> = keys.map(|part| part["AttributeName"].clone()).collect();
    let attributes = table.create["AttributeDefinitions"].as_array_mut().unwrap();
    attributes.retain(|attribute| keys.contains(&attribute["AttributeName"]));
    let create = table.create.as_object_mut().unwrap();
    for (kind, indexes) in old.as_object_mut().unwrap() {
        create.remove(kind);
        if indexes.as_array().is_some_and(|indexes| !indexes.is_empty()) {
            create.insert(kind.clone(), indexes.take());
        }
    }
    table
}

#[tokio::test]
async fn a_data_directory_of_every_version_gets_the_indexes_and_the_time_to_live_of_the_template() {
    let template = Template::read(&root().join("template.yaml")).unwrap();
    for version in versions() {
        let directory = tempfile::tempdir().unwrap();
        let start = || {
            let listener = local::listener::bind(std::net::Ipv4Addr::LOCALHOST.into(), 0).unwrap();
            Engine::start(listener, Some(directory.path())).unwrap()
        };
        let engine = start();
        let mut old = template.clone();
        old.tables.retain(|table| version.contains_key(&table.logical_id));
        old.tables = old.tables.iter().map(|table| earlier(table, &version[&table.logical_id])).collect();
        create_tables(engine.database(), &old).unwrap();
        let reactions = ["ada", "ben"].map(|user| {
            json!({
                "PK": {"S": format!("REACTION#{user}#heart")}, "SK": {"S": PHOTO},
                "reactingUser": {"S": user}, "reactionType": {"S": "heart"}, "timestamp": {"S": "2024-06-02T09:30:00"},
            })
        });
        for item in reactions {
            let put = json!({"TableName": "quick-photos", "Item": item});
            engine.database().put_item(serde_json::from_value(put).unwrap()).unwrap();
        }
        engine.shutdown().await;

        let engine = start();
        create_tables(engine.database(), &template).unwrap();
        for table in &template.tables {
            let name = json!({"TableName": table.name});
            let description = engine.database().describe_table(serde_json::from_value(name.clone()).unwrap()).unwrap();
            let description = serde_json::to_value(description).unwrap();
            assert_eq!(by_name(&description["Table"]), by_name(&table.create), "{} from {version:?}", table.name);
            let ttl = engine.database().describe_time_to_live(serde_json::from_value(name).unwrap()).unwrap();
            let ttl = serde_json::to_value(ttl).unwrap();
            assert_eq!(ttl["TimeToLiveDescription"]["AttributeName"].as_str(), table.ttl.as_deref(), "{}", table.name);
        }
        for (index, condition, values, found) in [
            (
                "ReactionsByTime",
                "reactingUser = :user AND reactionType = :type",
                json!({":user": {"S": "ben"}, ":type": {"S": "heart"}}),
                1,
            ),
            ("InvertedIndex", "SK = :photo", json!({":photo": {"S": PHOTO}}), 2),
        ] {
            let query = json!({
                "TableName": "quick-photos", "IndexName": index, "KeyConditionExpression": condition,
                "ExpressionAttributeValues": values,
            });
            let answer = engine.database().query(serde_json::from_value(query).unwrap()).unwrap();
            assert_eq!(serde_json::to_value(answer).unwrap()["Count"], found, "{index} from {version:?}");
        }
        // The next start changes nothing.
        assert!(create_tables(engine.database(), &template).unwrap().is_empty());
        engine.shutdown().await;
    }
}

#[tokio::test]
async fn the_local_stack_lists_the_reactions_in_a_data_directory_of_the_first_version() {
    let template = Template::read(&root().join("template.yaml")).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let listener = local::listener::bind(std::net::Ipv4Addr::LOCALHOST.into(), 0).unwrap();
    let engine = Engine::start(listener, Some(directory.path())).unwrap();
    let (table, mut old) = (template.table("QuickPhotosTable").unwrap(), template.clone());
    old.tables = vec![earlier(table, &versions()[0][&table.logical_id])];
    create_tables(engine.database(), &old).unwrap();
    import(engine.database(), &table.name, local::sample::items(&table.logical_id, local::sample::TEST_START)).unwrap();
    engine.shutdown().await;

    let stack = start(Options { data_dir: Some(directory.path().to_owned()), ..Options::default() }).await;
    for (user, photos) in [("cara", 1), ("nobody", 0)] {
        let get = reqwest::Client::new().get(format!("{}/users/{user}/reactions?type=heart", stack.api()));
        let answer = get.bearer_auth(stack.token("ada").unwrap()).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        let answer: Value = answer.json().await.unwrap();
        assert!(answer["photos"].as_array().unwrap().len() >= photos, "{answer}");
    }
    stack.shutdown().await;
}

#[test]
fn a_stack_of_every_version_is_updated_one_index_at_a_time() {
    let Some(python) = tool("QUICK_PHOTOS_PYTHON") else { return };
    run_script(&python, "indexes/steps.py");
}

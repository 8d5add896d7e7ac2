//! DynamoDB: the embedded engine behind its HTTP API, with the template's tables.

use std::{fs, path::Path, time::Duration};

use aws_sdk_dynamodb::types::AttributeValue;
use dynoxide::{AttributeValue as Stored, Database, DynoxideError, ImportOptions, server};
use rusqlite::Connection;
use serde_json::json;
use shared::dynamodb::Item;
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle, time::timeout};

use crate::{net, template::Template};

/// The running engine. It stops when dropped.
pub struct Engine {
    endpoint: String,
    database: Database,
    stop: oneshot::Sender<()>,
    server: JoinHandle<Result<(), String>>,
}

impl Engine {
    /// Serves a database on `listener`: one in memory, or the one that is kept in `data_dir`.
    pub fn start(listener: TcpListener, data_dir: Option<&Path>) -> Result<Self, String> {
        let endpoint = net::url(&listener).map_err(|error| error.to_string())?;
        let database = match data_dir {
            None => in_memory().map_err(|error| format!("cannot start DynamoDB: {error}"))?,
            Some(directory) => open(directory)?,
        };
        let (stop, stopped) = oneshot::channel();
        let server = tokio::spawn(server::serve_with_shutdown(listener, database.clone(), async {
            let _ = stopped.await;
        }));
        Ok(Self { endpoint, database, stop, server })
    }

    /// Where DynamoDB is, for any SDK or CLI.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// The database itself, for what need not go over HTTP.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Stops, and lets go of the data directory once requests under way have their answers.
    pub async fn shutdown(self) {
        drop(self.stop);
        let _ = timeout(Duration::from_secs(2), self.server).await;
    }
}

/// At each write to a table with a stream, dynoxide looks for the stream's last record, and it has no index to find it
/// by: after some thousand writes, that is most of what a write takes.
const STREAM_ORDER: &str = "CREATE INDEX IF NOT EXISTS stream_order
    ON _stream_records (table_name, CAST(sequence_number AS INTEGER))";

/// The index has to come from a file: nobody else can reach into a database in memory.
fn in_memory() -> Result<Database, Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("schema.sqlite");
    let file = file.to_str().ok_or("the temporary directory is not UTF-8")?;
    let database = Database::memory()?;
    database.vacuum_into(file)?;
    Connection::open(file)?.execute_batch(STREAM_ORDER)?;
    database.restore_from(file)?;
    Ok(database)
}

fn open(directory: &Path) -> Result<Database, String> {
    fs::create_dir_all(directory).map_err(|error| format!("cannot create {}: {error}", directory.display()))?;
    let file = directory.join("quick-photos.sqlite");
    let name = file.to_str().ok_or_else(|| format!("{} is not UTF-8", file.display()))?;
    let failed = |error: &dyn ToString| format!("cannot open {name}: {}", error.to_string());
    let database = Database::new(name).map_err(|error| failed(&error))?;
    let index = Connection::open(name).and_then(|connection| connection.execute_batch(STREAM_ORDER));
    index.map_err(|error| failed(&error))?;
    Ok(database)
}

/// Creates the tables that don't exist yet, and says whether there was one.
pub fn create_tables(database: &Database, template: &Template) -> Result<bool, String> {
    let mut created = false;
    for table in &template.tables {
        let failed = |error: &dyn ToString| format!("table {}: {}", table.name, error.to_string());
        let request = serde_json::from_value(table.create.clone()).map_err(|error| failed(&error))?;
        match database.create_table(request) {
            Ok(_) => created = true,
            Err(DynoxideError::ResourceInUseException(_)) => continue,
            Err(error) => return Err(failed(&error)),
        }
        if let Some(attribute) = &table.ttl {
            let request = json!({
                "TableName": table.name,
                "TimeToLiveSpecification": {"AttributeName": attribute, "Enabled": true},
            });
            let request = serde_json::from_value(request).map_err(|error| failed(&error))?;
            database.update_time_to_live(request).map_err(|error| failed(&error))?;
        }
    }
    Ok(created)
}

/// Writes items in one go, without stream records.
pub fn import(database: &Database, table: &str, items: Vec<Item>) -> Result<(), String> {
    let items = items
        .into_iter()
        .map(|item| item.into_iter().map(|(name, value)| Ok((name, stored(value)?))).collect())
        .collect::<Result<_, String>>()?;
    database
        .import_items(table, items, ImportOptions::default())
        .map(|_| ())
        .map_err(|error| format!("table {table}: {error}"))
}

fn stored(value: AttributeValue) -> Result<Stored, String> {
    Ok(match value {
        AttributeValue::S(text) => Stored::S(text),
        AttributeValue::N(number) => Stored::N(number),
        AttributeValue::B(bytes) => Stored::B(bytes.into_inner()),
        AttributeValue::Bool(value) => Stored::BOOL(value),
        AttributeValue::Null(value) => Stored::NULL(value),
        AttributeValue::Ss(texts) => Stored::SS(texts),
        AttributeValue::Ns(numbers) => Stored::NS(numbers),
        AttributeValue::Bs(all) => {
            Stored::BS(all.into_iter().map(aws_sdk_dynamodb::primitives::Blob::into_inner).collect())
        }
        AttributeValue::L(values) => Stored::L(values.into_iter().map(stored).collect::<Result<_, _>>()?),
        AttributeValue::M(values) => Stored::M(
            values.into_iter().map(|(name, value)| Ok((name, stored(value)?))).collect::<Result<_, String>>()?,
        ),
        other => return Err(format!("not an attribute value: {other:?}")),
    })
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use aws_sdk_dynamodb::primitives::Blob;
    use serde_json::Value;

    use super::*;

    const TEMPLATE: &str = r"
Resources:
  Things:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: things
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}, {AttributeName: sk, AttributeType: S}]
      KeySchema: [{AttributeName: pk, KeyType: HASH}, {AttributeName: sk, KeyType: RANGE}]
      GlobalSecondaryIndexes:
        - IndexName: inverted
          KeySchema: [{AttributeName: sk, KeyType: HASH}, {AttributeName: pk, KeyType: RANGE}]
          Projection: {ProjectionType: INCLUDE, NonKeyAttributes: [name]}
      StreamSpecification: {StreamViewType: NEW_AND_OLD_IMAGES}
      TimeToLiveSpecification: {AttributeName: ttl, Enabled: true}
";

    fn template() -> Template {
        Template::parse("t.yaml", TEMPLATE).unwrap()
    }

    fn listener() -> TcpListener {
        net::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap()
    }

    fn get(database: &Database, pk: &str) -> Value {
        let request = json!({"TableName": "things", "Key": {"pk": {"S": pk}, "sk": {"S": "1"}}});
        let answer = database.get_item(serde_json::from_value(request).unwrap()).unwrap();
        serde_json::to_value(answer).unwrap()["Item"].clone()
    }

    #[test]
    fn a_table_is_as_the_template_describes_it() {
        let database = Database::memory().unwrap();
        assert!(create_tables(&database, &template()).unwrap());
        assert!(!create_tables(&database, &template()).unwrap());
        let name = json!({"TableName": "things"});
        let table = database.describe_table(serde_json::from_value(name.clone()).unwrap()).unwrap();
        let table = serde_json::to_value(table).unwrap()["Table"].take();
        assert_eq!(table["GlobalSecondaryIndexes"][0]["IndexName"], "inverted");
        assert_eq!(table["GlobalSecondaryIndexes"][0]["Projection"]["NonKeyAttributes"], json!(["name"]));
        assert_eq!(table["StreamSpecification"]["StreamViewType"], "NEW_AND_OLD_IMAGES");
        let ttl = database.describe_time_to_live(serde_json::from_value(name).unwrap()).unwrap();
        let ttl = serde_json::to_value(ttl).unwrap();
        assert_eq!(ttl["TimeToLiveDescription"]["AttributeName"], "ttl");
    }

    #[test]
    fn every_kind_of_value_is_imported() {
        let database = Database::memory().unwrap();
        create_tables(&database, &template()).unwrap();
        let s = |text: &str| AttributeValue::S(text.to_owned());
        let item = [
            ("pk", s("a")),
            ("sk", s("1")),
            ("n", AttributeValue::N("12".to_owned())),
            ("b", AttributeValue::B(Blob::new("hi"))),
            ("yes", AttributeValue::Bool(true)),
            ("null", AttributeValue::Null(true)),
            ("ss", AttributeValue::Ss(vec!["x".to_owned()])),
            ("ns", AttributeValue::Ns(vec!["1".to_owned()])),
            ("bs", AttributeValue::Bs(vec![Blob::new("hi")])),
            ("l", AttributeValue::L(vec![s("x")])),
            ("m", AttributeValue::M([("x".to_owned(), s("y"))].into())),
        ];
        let item = item.map(|(name, value)| (name.to_owned(), value)).into();
        import(&database, "things", vec![item]).unwrap();
        assert_eq!(
            get(&database, "a"),
            json!({
                "pk": {"S": "a"}, "sk": {"S": "1"}, "n": {"N": "12"}, "b": {"B": "aGk="}, "yes": {"BOOL": true},
                "null": {"NULL": true}, "ss": {"SS": ["x"]}, "ns": {"NS": ["1"]}, "bs": {"BS": ["aGk="]},
                "l": {"L": [{"S": "x"}]}, "m": {"M": {"x": {"S": "y"}}},
            })
        );
        assert!(import(&database, "nowhere", vec![Item::new()]).is_err());
    }

    #[tokio::test]
    async fn a_data_directory_keeps_its_items() {
        let directory = tempfile::tempdir().unwrap();
        let inside = directory.path().join("new/data");
        let item = [("pk", "a"), ("sk", "1")];
        let item = item.map(|(name, value)| (name.to_owned(), AttributeValue::S(value.to_owned())));
        for created in [true, false] {
            let engine = Engine::start(listener(), Some(&inside)).unwrap();
            assert_eq!(create_tables(engine.database(), &template()).unwrap(), created);
            if created {
                import(engine.database(), "things", vec![item.clone().into()]).unwrap();
            }
            assert_eq!(get(engine.database(), "a")["pk"], json!({"S": "a"}));
            engine.shutdown().await;
        }
    }

    #[tokio::test]
    async fn a_stopped_engine_answers_no_more() {
        let engine = Engine::start(listener(), None).unwrap();
        let endpoint = engine.endpoint().to_owned();
        let health = reqwest::get(&endpoint).await.unwrap();
        assert_eq!(health.status(), 200);
        engine.shutdown().await;
        assert!(reqwest::get(&endpoint).await.is_err());
    }

    #[tokio::test]
    async fn a_data_directory_that_cannot_be_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = Engine::start(listener(), Some(&file.path().join("data"))).err().unwrap();
        assert!(error.starts_with("cannot create "), "{error}");
    }
}

//! DynamoDB: the embedded engine dynoxide, its HTTP API, and the tables of template.yaml.

pub(crate) mod public_endpoint;

use std::{fs, path::Path, time::Duration};

use anyhow::{Context as _, Result, bail, ensure};
use aws_sdk_dynamodb::{
    Client,
    config::{BehaviorVersion, Credentials, Region},
    primitives::Blob,
    types::AttributeValue,
};
use dynoxide::{AttributeValue as EngineValue, Database, DynoxideError, ImportOptions, server};
use rusqlite::{Connection, ErrorCode};
use serde_json::{Value, json};
use shared::document;
use shared::dynamodb::Item;
use shared::values::DocumentFormat;
use tokio::{
    net::TcpListener,
    sync::oneshot,
    task::{JoinHandle, spawn_blocking},
    time::{sleep, timeout},
};

use crate::listener;
use crate::template::cloudformation::REGION;
use crate::template::{Table, Template};

/// The time that a shutdown waits for running requests.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// A running engine. It stops when it is dropped.
pub struct Engine {
    endpoint: String,
    database: Database,
    stop: oneshot::Sender<()>,
    server: JoinHandle<Result<(), String>>,
}

impl Engine {
    /// Serves a database on `listener`: the one in the directory `data_dir`, or a new one in
    /// memory.
    pub fn start(listener: TcpListener, data_dir: Option<&Path>) -> Result<Self> {
        let database = match data_dir {
            None => in_memory().context("cannot start DynamoDB")?,
            Some(directory) => open(directory)?,
        };
        Self::serve(listener, database)
    }

    /// Serves a database on `listener`.
    pub fn serve(listener: TcpListener, database: Database) -> Result<Self> {
        let endpoint = listener::url(&listener)?;
        let (stop, stopped) = oneshot::channel();
        let server = tokio::spawn(server::serve_with_shutdown(listener, database.clone(), async {
            let _ = stopped.await;
        }));
        Ok(Self { endpoint, database, stop, server })
    }

    /// Returns the endpoint URL for SDKs and the AWS CLI.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Returns the database itself, for access without HTTP.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Stops the engine and releases the data directory. Waits up to 2 seconds for running
    /// requests.
    pub async fn shutdown(self) {
        drop(self.stop);
        let _ = timeout(SHUTDOWN_TIMEOUT, self.server).await;
    }
}

/// Creates an index for the search for the last record of a stream, which dynoxide does at each
/// write to a table with a stream. Without the index, the search takes most of the time of a write
/// after some thousand writes.
const CREATE_STREAM_INDEX: &str = "CREATE INDEX IF NOT EXISTS stream_order
    ON _stream_records (table_name, CAST(sequence_number AS INTEGER))";

/// Creates a database in memory. It is restored from a file that has the index, because no other
/// connection can create an index in a database in memory.
pub fn in_memory() -> Result<Database> {
    let database = Database::memory()?;
    with_file(|file| {
        database.vacuum_into(file)?;
        Connection::open(file)?.execute_batch(CREATE_STREAM_INDEX)?;
        Ok(database.restore_from(file)?)
    })?;
    Ok(database)
}

/// Returns the file of a copy of a database.
pub fn snapshot(database: &Database) -> Result<Vec<u8>> {
    with_file(|file| {
        database.vacuum_into(file)?;
        Ok(fs::read(file)?)
    })
}

/// Creates a database in memory from a [`snapshot`], which takes less time than to create its tables.
pub fn restore(snapshot: &[u8]) -> Result<Database> {
    let database = Database::memory()?;
    with_file(|file| {
        fs::write(file, snapshot)?;
        Ok(database.restore_from(file)?)
    })?;
    Ok(database)
}

/// Calls `use_file` with the path of a temporary file.
fn with_file<T>(use_file: impl FnOnce(&str) -> Result<T>) -> Result<T> {
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("quick-photos.sqlite");
    use_file(file.to_str().context("the path of the temporary directory is not UTF-8")?)
}

/// Opens or creates the database in a directory.
fn open(directory: &Path) -> Result<Database> {
    fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    let file = directory.join("quick-photos.sqlite");
    let name = file.to_str().with_context(|| format!("the path {} is not UTF-8", file.display()))?;
    let failed = || format!("cannot open {name}");
    if let Some(damage) = damage(&file).with_context(failed)? {
        // The objects and the positions of streams in the directory belong to the tables, so they
        // go together.
        bail!(
            "{name} is not a readable database ({damage}); restore a copy of the directory, or delete the directory to \
             start anew"
        );
    }
    let database = Database::new(name).with_context(failed)?;
    let index = Connection::open(name).and_then(|connection| connection.execute_batch(CREATE_STREAM_INDEX));
    index.with_context(failed)?;
    Ok(database)
}

/// Returns a description of what is wrong with a database file, or `None` for a sound database and
/// for no file.
fn damage(file: &Path) -> rusqlite::Result<Option<String>> {
    if !file.exists() {
        return Ok(None);
    }
    let check =
        |connection: Connection| connection.query_one("PRAGMA quick_check(1)", (), |row| row.get::<_, String>(0));
    match Connection::open(file).and_then(check) {
        Ok(found) => Ok((found != "ok").then_some(found)),
        Err(error) => match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Ok(Some(error.to_string())),
            _ => Err(error),
        },
    }
}

/// Creates the tables that don't exist yet, and returns them. A table that was created from another
/// template.yaml is an error.
pub fn create_tables<'a>(database: &Database, template: &'a Template) -> Result<Vec<&'a Table>> {
    let mut created = vec![];
    for table in &template.tables {
        let failed = || format!("table {}", table.name);
        if create_table(database, table).with_context(failed)? {
            created.push(table);
            continue;
        }
        let expected = Database::memory()?;
        create_table(&expected, table).with_context(failed)?;
        ensure!(
            shape(database, &table.name)? == shape(&expected, &table.name)?,
            "{} was created from another template.yaml; delete the data directory to start anew",
            failed()
        );
    }
    Ok(created)
}

/// Returns the names of all tables.
pub(crate) fn table_names(database: &Database) -> Result<Vec<String>> {
    let output = database.list_tables(serde_json::from_value(json!({}))?).context("cannot list the tables")?;
    Ok(output.table_names)
}

/// Deletes a table with its items.
pub(crate) fn delete_table(database: &Database, table: &str) -> Result<()> {
    let request = serde_json::from_value(json!({"TableName": table}))?;
    database.delete_table(request).with_context(|| format!("cannot delete table {table}"))?;
    Ok(())
}

/// Creates a table with its time to live, and returns whether it did not exist before.
fn create_table(database: &Database, table: &Table) -> Result<bool> {
    match database.create_table(serde_json::from_value(table.create.clone())?) {
        Ok(_) => {}
        Err(DynoxideError::ResourceInUseException(_)) => return Ok(false),
        Err(error) => return Err(error.into()),
    }
    if let Some(attribute) = &table.ttl {
        let request = json!({
            "TableName": table.name,
            "TimeToLiveSpecification": {"AttributeName": attribute, "Enabled": true},
        });
        database.update_time_to_live(serde_json::from_value(request)?)?;
    }
    Ok(true)
}

/// Returns the keys, the indexes, the stream and the time to live of a table.
fn shape(database: &Database, table: &str) -> Result<[Value; 6]> {
    let name = json!({"TableName": table});
    let description = serde_json::to_value(database.describe_table(serde_json::from_value(name.clone())?)?)?;
    let time_to_live = serde_json::to_value(database.describe_time_to_live(serde_json::from_value(name)?)?)?;
    let [keys, stream] = ["KeySchema", "StreamSpecification"].map(|member| description["Table"][member].clone());
    let indexes = ["GlobalSecondaryIndexes", "LocalSecondaryIndexes", "VectorIndexes"].map(|member| {
        let mut indexes = description["Table"][member].clone();
        for index in indexes.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
            index.retain(|member, _| !["IndexSizeBytes", "IndexStatus", "ItemCount"].contains(&member.as_str()));
        }
        indexes
    });
    let [global, local, vector] = indexes;
    Ok([keys, stream, global, local, vector, time_to_live])
}

/// The pause between two searches for expired items. DynamoDB deletes an item [within a few
/// days](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html) of its expiry.
const SWEEP_INTERVAL: Duration = Duration::from_secs(5);

/// Deletes the expired items of all tables again and again. The streams of the tables get records
/// of this.
pub(crate) async fn sweep_expired_items(database: Database) {
    loop {
        sleep(SWEEP_INTERVAL).await;
        if let Err(error) = delete_expired_items(database.clone()).await {
            terminal::log("dynamodb", &format!("{error:#}"));
        }
    }
}

/// Deletes the expired items of all tables. The streams of the tables get records of this.
pub async fn delete_expired_items(database: Database) -> Result<()> {
    // The engine lets waiting requests go first, for up to a second each time.
    spawn_blocking(move || database.sweep_ttl()).await?.context("cannot delete expired items")?;
    Ok(())
}

/// Writes items into a table in one step. The stream of the table gets no records of this.
pub fn import(database: &Database, table: &str, items: Vec<Item>) -> Result<()> {
    let items = items
        .into_iter()
        .map(|item| item.into_iter().map(|(name, value)| Ok((name, engine_value(value)?))).collect())
        .collect::<Result<_>>()?;
    database.import_items(table, items, ImportOptions::default()).with_context(|| format!("table {table}"))?;
    Ok(())
}

/// Converts an item of the engine into one of the SDK, by way of its JSON.
pub(crate) fn sdk_item(item: dynoxide::Item) -> Result<Item> {
    let json = serde_json::to_value(item)?.to_string();
    Ok(document::read(DocumentFormat::DynamoDb, &json)?)
}

/// Converts a value of the SDK into one of the engine.
fn engine_value(value: AttributeValue) -> Result<EngineValue> {
    Ok(match value {
        AttributeValue::S(text) => EngineValue::S(text),
        AttributeValue::N(number) => EngineValue::N(number),
        AttributeValue::B(bytes) => EngineValue::B(bytes.into_inner()),
        AttributeValue::Bool(value) => EngineValue::BOOL(value),
        AttributeValue::Null(value) => EngineValue::NULL(value),
        AttributeValue::Ss(texts) => EngineValue::SS(texts),
        AttributeValue::Ns(numbers) => EngineValue::NS(numbers),
        AttributeValue::Bs(all) => EngineValue::BS(all.into_iter().map(Blob::into_inner).collect()),
        AttributeValue::L(values) => EngineValue::L(values.into_iter().map(engine_value).collect::<Result<_>>()?),
        AttributeValue::M(values) => EngineValue::M(
            values.into_iter().map(|(name, value)| Ok((name, engine_value(value)?))).collect::<Result<_>>()?,
        ),
        other => bail!("the local DynamoDB does not support the attribute value {other:?}"),
    })
}

/// Returns a client of the local DynamoDB at `endpoint`.
#[must_use]
pub fn client(endpoint: &str) -> Client {
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .endpoint_url(endpoint)
        .region(Region::new(REGION))
        .credentials_provider(Credentials::new("local", "local", None, None, "local"))
        .http_client(shared::runtime::https::client(b"").expect("an empty list of roots is valid"))
        .build();
    Client::from_conf(config)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

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
        listener::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap()
    }

    fn get(database: &Database, pk: &str) -> Value {
        let request = json!({"TableName": "things", "Key": {"pk": {"S": pk}, "sk": {"S": "1"}}});
        let answer = database.get_item(serde_json::from_value(request).unwrap()).unwrap();
        serde_json::to_value(answer).unwrap()["Item"].clone()
    }

    #[test]
    fn creates_a_table_as_the_template_describes_it() {
        let database = Database::memory().unwrap();
        let template = template();
        assert_eq!(create_tables(&database, &template).unwrap().len(), 1);
        assert!(create_tables(&database, &template).unwrap().is_empty());
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
    fn a_table_of_another_template_is_an_error() {
        let database = Database::memory().unwrap();
        create_tables(&database, &template()).unwrap();
        let (mut without_ttl, mut with_keys_only) = (template(), template());
        without_ttl.tables[0].ttl = None;
        with_keys_only.tables[0].create["GlobalSecondaryIndexes"][0]["Projection"] =
            json!({"ProjectionType": "KEYS_ONLY"});
        for other in [without_ttl, with_keys_only] {
            let error = create_tables(&database, &other).unwrap_err().to_string();
            assert!(error.starts_with("table things was created from another template.yaml; "), "{error}");
        }
    }

    #[test]
    fn imports_values_of_every_type() {
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
    async fn a_damaged_database_is_an_error_that_says_what_to_do() {
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::start(listener(), Some(directory.path())).unwrap();
        create_tables(engine.database(), &template()).unwrap();
        engine.shutdown().await;
        let file = directory.path().join("quick-photos.sqlite");
        let sound = fs::read(&file).unwrap();
        let mut torn = sound.clone();
        torn[4096..8192].fill(0xff);
        for (content, damage) in [(b"no database".repeat(500), "file is not a database"), (torn, "Tree 2 page 2")] {
            fs::write(&file, content).unwrap();
            let error = format!("{:#}", Engine::start(listener(), Some(directory.path())).err().unwrap());
            assert!(error.starts_with(&format!("{} is not a readable database (", file.display())), "{error}");
            assert!(error.contains(damage), "{error}");
            let advice = "; restore a copy of the directory, or delete the directory to start anew";
            assert!(error.ends_with(advice), "{error}");
        }
        fs::write(&file, sound).unwrap();
        Engine::start(listener(), Some(directory.path())).unwrap().shutdown().await;
    }

    #[tokio::test]
    async fn an_error_names_a_data_directory_that_cannot_be_created() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = Engine::start(listener(), Some(&file.path().join("data"))).err().unwrap();
        assert!(error.to_string().starts_with("cannot create "), "{error:#}");
    }
}

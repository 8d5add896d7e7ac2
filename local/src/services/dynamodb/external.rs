//! An external DynamoDB in place of the embedded engine: DynamoDB Local, moto, or the tables of an
//! AWS account.

use std::env;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, ensure};
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region, SharedHttpClient};
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::create_table::CreateTableError;
use aws_sdk_dynamodb::types::{
    KeySchemaElement, Projection, TableDescription, TableStatus, TimeToLiveSpecification, TimeToLiveStatus,
    VectorAttributeDefinition, VectorDistanceFunction, VectorIndexDescription,
};
use aws_sdk_dynamodb::{Client, Config};

use serde_json::{Value, json};
use shared::dynamodb::{Item, batch};
use shared::runtime::https;
use tokio::time::{Instant, sleep};
use url::Url;

use super::differences::Differences;
use crate::template::cloudformation::REGION;
use crate::template::{Table, Template};

/// The time within which a new table becomes active. On AWS it takes some seconds.
const ACTIVE_TIMEOUT: Duration = Duration::from_mins(2);

/// The pause before the state of a new table is read again.
const ACTIVE_INTERVAL: Duration = Duration::from_millis(200);

/// The endpoint of an external DynamoDB, and the region and the access key with which requests to
/// it are signed.
#[derive(Clone)]
pub(crate) struct ExternalDynamoDb {
    endpoint: Url,
    region: String,
    access: AccessKey,
    http: SharedHttpClient,
}

/// An access key. A temporary one has a session token.
#[derive(Clone)]
pub(crate) struct AccessKey {
    pub(crate) id: String,
    pub(crate) secret: String,
    session_token: Option<String>,
}

impl AccessKey {
    /// Returns the access key in the environment of the stack, if there is one.
    pub(crate) fn from_environment() -> Option<Self> {
        let variable = |name| env::var(name).ok().filter(|value| !value.is_empty());
        let (id, secret) = (variable("AWS_ACCESS_KEY_ID")?, variable("AWS_SECRET_ACCESS_KEY")?);
        Some(Self { id, secret, session_token: variable("AWS_SESSION_TOKEN") })
    }
}

impl ExternalDynamoDb {
    /// Returns the DynamoDB at this URL. Requests are signed with the access key in the
    /// environment, or else with a dummy, and with the region of the endpoint, of the environment,
    /// or else a dummy.
    pub(crate) fn new(endpoint: &str) -> Result<Self> {
        let invalid = || format!("--dynamodb-endpoint {endpoint}: it must be a URL such as http://127.0.0.1:8000");
        let endpoint = Url::parse(endpoint).with_context(invalid)?;
        ensure!(["http", "https"].contains(&endpoint.scheme()) && endpoint.path() == "/", invalid());
        let variable = |name| env::var(name).ok().filter(|value| !value.is_empty());
        let of_endpoint = endpoint.host_str().and_then(region);
        let region = of_endpoint.or_else(|| variable("AWS_REGION")).or_else(|| variable("AWS_DEFAULT_REGION"));
        let dummy = || AccessKey { id: "local".to_owned(), secret: "local".to_owned(), session_token: None };
        let access = AccessKey::from_environment().unwrap_or_else(dummy);
        let http = https::from_environment().map_err(anyhow::Error::from_boxed)?;
        Ok(Self { endpoint, region: region.unwrap_or_else(|| REGION.to_owned()), access, http })
    }

    /// Returns the endpoint URL, without a slash at its end.
    pub(crate) fn url(&self) -> &str {
        self.endpoint.as_str().trim_end_matches('/')
    }

    /// Returns whether requests can be recorded on their way. The recorder changes the body, so AWS
    /// would reject the signature.
    pub(crate) fn is_recordable(&self) -> bool {
        self.endpoint.scheme() == "http" && self.endpoint.host_str().and_then(region).is_none()
    }

    /// Returns the variables with which functions sign their requests.
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        let AccessKey { id, secret, session_token } = &self.access;
        let mut variables = vec![
            ("AWS_REGION", &self.region),
            ("AWS_DEFAULT_REGION", &self.region),
            ("AWS_ACCESS_KEY_ID", id),
            ("AWS_SECRET_ACCESS_KEY", secret),
        ];
        variables.extend(session_token.as_ref().map(|token| ("AWS_SESSION_TOKEN", token)));
        variables.into_iter().map(|(name, value)| (name.to_owned(), value.clone())).collect()
    }

    fn credentials(&self) -> Credentials {
        let AccessKey { id, secret, session_token } = self.access.clone();
        Credentials::new(id, secret, session_token, None, "local")
    }

    /// Returns a client of the tables.
    pub(crate) fn client(&self) -> Client {
        let config = Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .endpoint_url(self.url())
            .region(Region::new(self.region.clone()))
            .credentials_provider(self.credentials())
            .http_client(self.http.clone());
        Client::from_conf(config.build())
    }

    /// Returns a client of the streams. On AWS they have an endpoint of their own.
    pub(crate) fn streams(&self) -> aws_sdk_dynamodbstreams::Client {
        let url = match self.endpoint.host_str().and_then(region) {
            Some(region) => format!("https://streams.dynamodb.{region}.amazonaws.com"),
            None => self.url().to_owned(),
        };
        let config = aws_sdk_dynamodbstreams::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .endpoint_url(url)
            .region(Region::new(self.region.clone()))
            .credentials_provider(self.credentials())
            .http_client(self.http.clone());
        aws_sdk_dynamodbstreams::Client::from_conf(config.build())
    }

    /// Creates the tables that don't exist yet, and returns them. Tables that exist are not changed,
    /// because they may belong to a deployed stack: the terminal says what they lack, and what to
    /// do.
    pub(crate) async fn create_tables<'a>(&self, template: &'a Template) -> Result<Vec<&'a Table>> {
        let client = self.client();
        let mut created = vec![];
        for table in &template.tables {
            let failed = || format!("cannot create table {} at {}", table.name, self.url());
            if create_table(&client, table).await.with_context(failed)? {
                created.push(table);
            } else if let Some(advice) = self.advice(&differences(&client, table).await?, table) {
                terminal::log("dynamodb", &advice);
            }
        }
        Ok(created)
    }

    /// Returns what a table lacks, with the commands that add it, or `None` for a table that has all
    /// that template.yaml has.
    fn advice(&self, differences: &Differences, table: &Table) -> Option<String> {
        if *differences == Differences::default() {
            return None;
        }
        let (url, names) = (self.url(), differences.names());
        let mut lines =
            vec![format!("warning: {} at {url} lacks what template.yaml has. Requests that need it fail", table.name)];
        if !names.is_empty() {
            lines[0].push_str(": ");
            lines[0].push_str(&names);
            lines[0].push_str(
                ". For the table of a deployed stack, deploy template.yaml. For another table, run these commands in their \
                 order, each when the table and its indexes are ACTIVE again:",
            );
        }
        let updates = differences.updates.iter().map(|update| ("update-table", update));
        let all = updates.chain(differences.time_to_live.iter().map(|body| ("update-time-to-live", body)));
        lines.extend(
            all.map(|(command, body)| format!("aws dynamodb {command} --endpoint-url {url} --cli-input-json '{body}'")),
        );
        if !differences.local_indexes.is_empty() {
            let names = differences.local_indexes.join(", ");
            lines.push(format!(
                "The local indexes {names} differ from template.yaml. DynamoDB cannot change them: only a new table has them"
            ));
        }
        Some(lines.join("\n"))
    }

    /// Deletes tables with their items.
    pub(crate) async fn delete_tables(&self, tables: &[&Table]) -> Result<()> {
        for table in tables {
            let failed = || format!("cannot delete table {}", table.name);
            self.client().delete_table().table_name(&table.name).send().await.with_context(failed)?;
        }
        Ok(())
    }

    /// Writes items into a table.
    pub(crate) async fn import(&self, table: &str, items: Vec<Item>) -> Result<()> {
        let puts = items.into_iter().map(batch::put).collect::<Result<Vec<_>, _>>();
        let table = shared::Table { client: self.client(), name: table.into() };
        let written = async { batch::write(&table, puts?).await };
        written.await.map_err(|error| anyhow!("cannot fill table {}: {error:?}", table.name))
    }
}

/// Returns the region of an endpoint of AWS, for example of `dynamodb.eu-west-1.amazonaws.com`.
fn region(host: &str) -> Option<String> {
    Some(host.strip_prefix("dynamodb.")?.strip_suffix(".amazonaws.com")?.to_owned())
}

/// Returns the differences between a table and the template.
async fn differences(client: &Client, table: &Table) -> Result<Differences> {
    let failed = || format!("cannot describe table {}", table.name);
    let description = client.describe_table().table_name(&table.name).send().await.with_context(failed)?;
    let time_to_live = client.describe_time_to_live().table_name(&table.name).send().await.with_context(failed)?;
    let status = time_to_live.time_to_live_description().and_then(|description| description.time_to_live_status());
    let time_to_live = json!({"TimeToLiveStatus": status.map(TimeToLiveStatus::as_str)});
    let description = description.table().map(described).unwrap_or_default();
    Ok(Differences::between(table, &description, &time_to_live))
}

/// Returns the indexes of a table as the JSON of `DescribeTable`, for which the SDK has types of
/// its own.
fn described(table: &TableDescription) -> Value {
    let index = |name: Option<&str>, key: &[KeySchemaElement], projection: Option<&Projection>| {
        let part = |part: &KeySchemaElement| json!({"AttributeName": part.attribute_name(), "KeyType": part.key_type().as_str()});
        json!({
            "IndexName": name,
            "KeySchema": key.iter().map(part).collect::<Vec<_>>(),
            "Projection": {
                "ProjectionType": projection.and_then(|projection| Some(projection.projection_type()?.as_str())),
                "NonKeyAttributes": projection.map(Projection::non_key_attributes),
            },
        })
    };
    let global = table.global_secondary_indexes().iter();
    let global = global.map(|each| index(each.index_name(), each.key_schema(), each.projection()));
    let local = table.local_secondary_indexes().iter();
    let local = local.map(|each| index(each.index_name(), each.key_schema(), each.projection()));
    json!({
        "GlobalSecondaryIndexes": global.collect::<Vec<_>>(),
        "LocalSecondaryIndexes": local.collect::<Vec<_>>(),
        "VectorIndexes": table.vector_indexes().iter().map(vector_index).collect::<Vec<_>>(),
    })
}

fn vector_index(index: &VectorIndexDescription) -> Value {
    json!({
        "IndexName": index.index_name(),
        "VectorAttribute": {"AttributeName": index.vector_attribute().map(VectorAttributeDefinition::attribute_name)},
        "Dimensions": index.dimensions(),
        "DistanceFunction": index.distance_function().map(VectorDistanceFunction::as_str),
        "Projection": {
            "ProjectionType": index.projection().and_then(|projection| Some(projection.projection_type()?.as_str())),
        },
    })
}

/// Creates a table with its time to live, and returns whether it did not exist before.
async fn create_table(client: &Client, table: &Table) -> Result<bool> {
    // The template has the body of the request, which the SDK signs.
    let body = table.create.to_string();
    let length = body.len();
    let create = client.create_table().table_name(&table.name).customize().mutate_request(move |request| {
        request.headers_mut().insert("content-length", length.to_string());
        *request.body_mut() = body.clone().into();
    });
    match create.send().await {
        Ok(_) => {}
        Err(SdkError::ServiceError(error)) if matches!(error.err(), CreateTableError::ResourceInUseException(_)) => {
            return Ok(false);
        }
        Err(error) => return Err(error.into()),
    }
    let deadline = Instant::now() + ACTIVE_TIMEOUT;
    loop {
        let described = client.describe_table().table_name(&table.name).send().await?;
        if described.table().and_then(|table| table.table_status()) == Some(&TableStatus::Active) {
            break;
        }
        ensure!(Instant::now() < deadline, "it is not active after {} s", ACTIVE_TIMEOUT.as_secs());
        sleep(ACTIVE_INTERVAL).await;
    }
    if let Some(attribute) = &table.ttl {
        let ttl = TimeToLiveSpecification::builder().attribute_name(attribute).enabled(true).build()?;
        client.update_time_to_live().table_name(&table.name).time_to_live_specification(ttl).send().await?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::listener;
    use crate::services::dynamodb::Engine;

    #[tokio::test]
    async fn says_what_a_table_lacks_and_the_commands_that_add_it() {
        let engine = Engine::start(listener::bind(Ipv4Addr::LOCALHOST.into(), 0).unwrap(), None).unwrap();
        let other = ExternalDynamoDb::new(engine.endpoint()).unwrap();
        let template = Template::read(&Template::find().unwrap()).unwrap();
        let table = template.table("QuickPhotosTable").unwrap();
        let mut old = Table { ttl: None, ..table.clone() };
        let attributes = old.create["AttributeDefinitions"].as_array_mut().unwrap();
        attributes.retain(|attribute| attribute["AttributeName"] == "PK" || attribute["AttributeName"] == "SK");
        let indexes = old.create["GlobalSecondaryIndexes"].as_array_mut().unwrap();
        indexes.retain(|index| index["IndexName"] == "InvertedIndex");
        indexes[0]["Projection"] = json!({"ProjectionType": "ALL"});
        assert!(create_table(&other.client(), &old).await.unwrap());

        let lacking = differences(&other.client(), table).await.unwrap();
        let advice = other.advice(&lacking, table).unwrap();
        let (first, commands) = advice.split_once('\n').unwrap();
        assert!(
            first.contains(
                ": the index ReactionsByTime, the index CommentsByAuthor, the index ReportsByState, the index \
                 InvertedIndex, the time to live. For the"
            ),
            "{first}"
        );
        let of_table_update = format!("aws dynamodb update-table --endpoint-url {} --cli-input-json '", other.url());
        for command in commands.lines() {
            let (command, body) = command.split_once('{').unwrap();
            let body = serde_json::from_str(&format!("{{{}", body.trim_end_matches('\''))).unwrap();
            if command == of_table_update {
                engine.database().update_table(serde_json::from_value(body).unwrap()).unwrap();
            } else {
                assert_eq!(command, of_table_update.replace("update-table", "update-time-to-live"));
                engine.database().update_time_to_live(serde_json::from_value(body).unwrap()).unwrap();
            }
        }
        let complete = differences(&other.client(), table).await.unwrap();
        assert_eq!(other.advice(&complete, table), None);
        assert!(other.create_tables(&template).await.unwrap().iter().all(|created| created.name != table.name));
        engine.shutdown().await;
    }

    #[test]
    fn an_endpoint_of_aws_names_its_region_and_has_another_endpoint_for_streams() {
        let aws = ExternalDynamoDb::new("https://dynamodb.eu-west-1.amazonaws.com").unwrap();
        assert_eq!((aws.region.as_str(), aws.is_recordable()), ("eu-west-1", false));
        assert!(!ExternalDynamoDb::new("http://dynamodb.eu-west-1.amazonaws.com").unwrap().is_recordable());
        let local = ExternalDynamoDb::new("http://127.0.0.1:8000/").unwrap();
        assert_eq!((local.url(), local.is_recordable()), ("http://127.0.0.1:8000", true));
        for invalid in ["127.0.0.1:8000", "ftp://127.0.0.1", "http://127.0.0.1:8000/path"] {
            let error = format!("{:#}", ExternalDynamoDb::new(invalid).err().unwrap());
            assert!(error.contains("it must be a URL such as http://127.0.0.1:8000"), "{error}");
        }
    }
}

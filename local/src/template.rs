//! template.yaml as the local stack needs it: tables, buckets, functions, routes, and the events
//! that start functions.

mod bucket;
pub mod cloudformation;
mod cors;
mod destination;
mod event_invoke_config;
mod event_source_mapping;
pub mod filter;
mod function;
mod notification;
mod policy;
mod queue;
mod route;
mod table;

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};

use crate::template::cloudformation::{Document, Node, Parameters, get};

pub use crate::template::bucket::{Bucket, CorsRule};
pub use crate::template::cors::Cors;
pub use crate::template::destination::Destination;
pub use crate::template::event_invoke_config::EventInvokeConfig;
pub use crate::template::event_source_mapping::EventSourceMapping;
pub use crate::template::function::Function;
pub use crate::template::notification::Notification;
pub use crate::template::policy::Statement;
pub use crate::template::queue::Queue;
pub use crate::template::route::Route;
pub use crate::template::table::Table;

/// The parts of template.yaml that the local stack uses.
#[derive(Clone, Debug)]
pub struct Template {
    /// The DynamoDB tables.
    pub tables: Vec<Table>,
    /// The S3 buckets.
    pub buckets: Vec<Bucket>,
    /// The Lambda functions.
    pub functions: Vec<Function>,
    /// The CORS configuration of the HTTP API, if it has one.
    pub cors: Option<Cors>,
}

impl Template {
    /// Returns the path of template.yaml in the current directory or the nearest one above it. That
    /// directory is the root of the project.
    pub fn find() -> Result<PathBuf> {
        let start = env::current_dir().context("cannot read the current directory")?;
        start.ancestors().map(|directory| directory.join("template.yaml")).find(|path| path.is_file()).with_context(
            || format!("no template.yaml in {} or above it; run this in a clone of the repository", start.display()),
        )
    }

    /// Reads the template in a file, with the defaults of its parameters. An error names the file
    /// and the line.
    pub fn read(path: &Path) -> Result<Self> {
        Self::read_with(path, Parameters::new())
    }

    /// Reads the template in a file, with these values of its parameters.
    pub fn read_with(path: &Path, parameters: Parameters) -> Result<Self> {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::from_document(&Document::parse(&path.display().to_string(), &text, parameters)?)
    }

    /// Parses the text of a template. Error messages call it `file`.
    pub fn parse(file: &str, text: &str) -> Result<Self> {
        Self::from_document(&Document::parse(file, text, Parameters::new())?)
    }

    fn from_document(document: &Document) -> Result<Self> {
        let globals = document.section("Globals").and_then(|globals| get(globals, "Function"));
        let mut template = Self { tables: Vec::new(), buckets: Vec::new(), functions: Vec::new(), cors: None };
        let resources = document.resources()?;
        let of_type = |wanted| {
            let is_wanted = move |node: &Node| get(node, "Type").and_then(|kind| kind.data.as_str()) == Some(wanted);
            resources.iter().filter(move |(_, resource)| is_wanted(resource))
        };
        for (id, resource) in of_type("AWS::DynamoDB::Table") {
            template.tables.push(Table::read(document, id, resource)?);
        }
        for (id, resource) in of_type("AWS::S3::Bucket") {
            template.buckets.push(Bucket::read(document, id, resource)?);
        }
        for (id, resource) in of_type("AWS::Serverless::Function") {
            let function = Function::read(document, globals, &template.tables, &template.buckets, id, resource)?;
            template.functions.push(function);
        }
        for (_, resource) in of_type("AWS::Serverless::HttpApi") {
            template.cors = Cors::read(document, resource)?;
        }
        Ok(template)
    }

    /// Returns the table with this logical id.
    pub fn table(&self, logical_id: &str) -> Result<&Table> {
        let table = self.tables.iter().find(|table| table.logical_id == logical_id);
        table.with_context(|| format!("template.yaml has no table {logical_id}"))
    }

    /// Returns the bucket with this logical id.
    pub fn bucket(&self, logical_id: &str) -> Result<&Bucket> {
        let bucket = self.buckets.iter().find(|bucket| bucket.logical_id == logical_id);
        bucket.with_context(|| format!("template.yaml has no bucket {logical_id}"))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    const TEMPLATE: &str = r#"
Parameters:
  Stage: {Type: String, Default: dev}
Globals:
  Function:
    Timeout: 10
    MemorySize: 256
    Environment: {Variables: {LEVEL: info, TABLE_NAME: overridden}}
Resources:
  Favorites:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub "${Stage}.Favorite"
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
      KeySchema: [{AttributeName: pk, KeyType: HASH}]
      StreamSpecification: {StreamViewType: NEW_AND_OLD_IMAGES}
      TimeToLiveSpecification: {AttributeName: ttl, Enabled: true}
      DeletionProtectionEnabled: true
      PointInTimeRecoverySpecification: !Nonsense that nobody reads
  GetThingFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: target/lambda/get-thing/
      Timeout: 4
      Environment: {Variables: {TABLE_NAME: !Ref Favorites}}
      Events:
        Route: {Type: HttpApi, Properties: {Method: get, Path: "/things/{id}"}}
        Stream: &stream
          Type: DynamoDB
          Properties:
            Stream: !GetAtt Favorites.StreamArn
            StartingPosition: TRIM_HORIZON
            MaximumBatchingWindowInSeconds: 0
            BisectBatchOnFunctionError: true
            FunctionResponseTypes: [ReportBatchItemFailures]
            BatchSize: 10
            MaximumRetryAttempts: 3
            DestinationConfig: {OnFailure: {Type: SQS, Destination: !GetAtt Lost.Arn}}
  Lost: {Type: "AWS::SQS::Queue"}
"#;

    #[test]
    fn reads_a_table() {
        let template = Template::parse("t.yaml", TEMPLATE).unwrap();
        let [table] = &template.tables[..] else { panic!("{template:?}") };
        assert_eq!((table.logical_id.as_str(), table.name.as_str()), ("Favorites", "dev.Favorite"));
        assert_eq!(table.ttl.as_deref(), Some("ttl"));
        assert_eq!(
            table.create,
            json!({
                "TableName": "dev.Favorite",
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
            })
        );
    }

    #[test]
    fn merges_a_functions_properties_with_the_globals() {
        let template = Template::parse("t.yaml", TEMPLATE).unwrap();
        let [function] = &template.functions[..] else { panic!("{template:?}") };
        assert_eq!(function.name, "get-thing");
        assert_eq!(function.timeout, Duration::from_secs(4));
        assert_eq!(function.memory_mb, 256);
        let environment: Vec<_> = function.environment.iter().collect();
        assert_eq!(format!("{environment:?}"), r#"[("LEVEL", "info"), ("TABLE_NAME", "dev.Favorite")]"#);
        assert_eq!(function.routes.len(), 1);
        assert_eq!(function.routes[0].key(), "GET /things/{id}");
        assert_eq!(function.mappings.len(), 1);
        assert_eq!(function.mappings[0].table, "dev.Favorite");
    }

    #[test]
    fn reads_the_template_of_the_project() {
        let template = Template::read(&Template::find().unwrap()).unwrap();
        assert!(template.tables.iter().any(|table| table.name == "quick-photos"));
        let routes = template.functions.iter().flat_map(|function| &function.routes);
        assert!(routes.map(Route::key).any(|key| key == "GET /users/{username}/profile"));
        let trigger = template.functions.iter().find(|function| function.name == "refuse-used-name").unwrap();
        assert_eq!(trigger.triggers, ["PreSignUp"]);
    }

    #[test]
    fn an_error_is_one_line_that_names_the_place() {
        let missing = format!("{:#}", Template::read(Path::new("/nowhere/template.yaml")).unwrap_err());
        assert!(missing.starts_with("cannot read /nowhere/template.yaml: "), "{missing}");
        let any_method = TEMPLATE.replace("Method: get", "Method: any");
        let error = Template::parse("t.yaml", &any_method).unwrap_err();
        assert!(format!("{error:#}").starts_with("t.yaml:"), "{error:#}");
    }

    #[test]
    fn rejects_two_mappings_of_one_stream() {
        let twice = TEMPLATE.replace("  Lost:", "        Again: *stream\n  Lost:");
        let error = Template::parse("t.yaml", &twice).unwrap_err();
        assert!(
            format!("{error:#}").contains("has two event source mappings of the stream of dev.Favorite"),
            "{error:#}"
        );
    }
}

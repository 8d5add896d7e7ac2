//! template.yaml as the local stack needs it, with the templates of the nouns that it names: tables,
//! buckets, functions, routes, and the events that start functions.

mod bucket;
pub mod cloudformation;
mod cors;
mod destination;
mod event_invoke_config;
mod event_source_mapping;
pub mod filter;
mod function;
mod intrinsic;
mod merge;
mod nested;
mod notification;
mod parameters;
mod policy;
mod queue;
mod route;
mod schedule;
mod table;

use std::{
    env,
    path::{Path, PathBuf},
    rc::Rc,
};

use anyhow::{Context as _, Result};

use crate::template::cloudformation::{Document, Node, Parameters, get, property};
use crate::template::queue::Redrive;

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
pub use crate::template::schedule::Schedule;
pub use crate::template::table::Table;

/// The parts of template.yaml and of the templates of the nouns that the local stack uses.
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
    /// Returns the path of template.yaml in the current directory or the nearest one above it that also
    /// has the folder `functions`. That directory is the root of the project.
    pub fn find() -> Result<PathBuf> {
        let start = env::current_dir().context("cannot read the current directory")?;
        let mut roots = start.ancestors().filter(|directory| directory.join("functions").is_dir());
        let template = roots.find_map(|root| Some(root.join("template.yaml")).filter(|path| path.is_file()));
        template.with_context(|| {
            format!("no template.yaml in {} or above it; run this in a clone of the repository", start.display())
        })
    }

    /// Reads the template in a file, with the defaults of its parameters. An error names the file
    /// and the line.
    pub fn read(path: &Path) -> Result<Self> {
        Self::read_with(path, Parameters::new())
    }

    /// Checks values of the parameters of the template in a file. An error lists all that a
    /// deployment would refuse.
    pub fn check(path: &Path, parameters: Parameters) -> Result<()> {
        parameters::check(&Document::read(path, parameters)?)
    }

    /// Reads the template in a file, with these values of its parameters, which may be others than
    /// [a deployment takes](Self::check).
    pub fn read_with(path: &Path, parameters: Parameters) -> Result<Self> {
        Self::from_document(Document::read(path, parameters)?)
    }

    /// Parses the text of a template. Error messages call it `file`.
    pub fn parse(file: &str, text: &str) -> Result<Self> {
        Self::from_document(Document::parse(file, text, Parameters::new())?)
    }

    fn from_document(root: Document) -> Result<Self> {
        let mut template = Self { tables: Vec::new(), buckets: Vec::new(), functions: Vec::new(), cors: None };
        let mut redrives = Vec::new();
        let mut documents = Vec::new();
        for (id, resource) in of_type(&root, "AWS::Serverless::Application")? {
            documents.push(root.nested(id, resource)?);
        }
        documents.insert(0, Rc::new(root));
        for document in &documents {
            for (id, resource) in of_type(document, "AWS::DynamoDB::Table")? {
                template.tables.push(Table::read(document, id, resource)?);
            }
            for (id, resource) in of_type(document, "AWS::S3::Bucket")? {
                template.buckets.push(Bucket::read(document, id, resource)?);
            }
            for (id, resource) in of_type(document, "AWS::SQS::Queue")? {
                redrives.extend(Redrive::read(document, id, resource)?);
            }
            for (_, resource) in of_type(document, "AWS::ApiGatewayV2::Api")? {
                // A WebSocket API has no CORS.
                if !route::is_websocket(document, resource)? {
                    template.cors = document.property_as(resource, "CorsConfiguration")?;
                }
            }
        }
        for document in &documents {
            let globals = document.section("Globals").and_then(|globals| get(globals, "Function"));
            for (id, resource) in of_type(document, "AWS::Serverless::Function")? {
                let function = Function::read(document, globals, &template.tables, &redrives, id, resource)?;
                template.functions.push(function);
            }
        }
        for document in &documents {
            for (_, resource) in of_type(document, "AWS::ApiGatewayV2::Route")? {
                if route::is_of_websocket(document, resource)? {
                    if let Some(function) = route::read_websocket(document, resource)? {
                        template.function_of(document, resource, &function)?.connects = true;
                    }
                    continue;
                }
                let (function, route) = Route::read(document, resource)?;
                template.function_of(document, resource, &function)?.routes.push(route);
            }
            for (id, resource) in of_type(document, "AWS::S3::Bucket")? {
                for (function, notification) in Notification::read(document, id, resource)? {
                    template.function_of(document, resource, &function)?.notifications.push(notification);
                }
            }
            for (_, resource) in of_type(document, "AWS::Cognito::UserPool")? {
                for (trigger, arn) in document.entries(property(resource, "LambdaConfig")) {
                    let function = document.text(arn)?;
                    template.function_of(document, arn, &function)?.triggers.push(trigger.to_owned());
                }
            }
        }
        Ok(template)
    }

    /// Returns the function with this ARN, to which a node of a document leads.
    fn function_of(&mut self, document: &Document, node: &Node, arn: &str) -> Result<&mut Function> {
        let name = arn.rsplit(':').next().unwrap_or_default();
        let function = self.functions.iter_mut().find(|function| function.name == name);
        function.ok_or_else(|| document.error(node, format!("the templates have no function {arn}")))
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

/// Returns the resources of a type whose condition holds, with their logical ids.
fn of_type<'a>(document: &'a Document, wanted: &str) -> Result<Vec<(&'a str, &'a Node)>> {
    let mut resources = document.resources()?;
    resources.retain(|(_, resource)| get(resource, "Type").and_then(|kind| kind.data.as_str()) == Some(wanted));
    Ok(resources)
}

#[cfg(test)]
mod tests {
    use std::fs;
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
  Route:
    Type: AWS::ApiGatewayV2::Route
    Properties:
      ApiId: api
      RouteKey: GET /things/{id}
      AuthorizationType: JWT
      AuthorizerId: authorizer
      Target: !Sub integrations/${Integration}
  Integration:
    Type: AWS::ApiGatewayV2::Integration
    Properties:
      ApiId: api
      IntegrationType: AWS_PROXY
      PayloadFormatVersion: "2.0"
      CredentialsArn: role
      IntegrationUri: !Ref GetThingFunction.Alias
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
        let any_method = TEMPLATE.replace("GET /", "ANY /");
        let error = Template::parse("t.yaml", &any_method).unwrap_err();
        assert!(format!("{error:#}").starts_with("t.yaml:"), "{error:#}");
    }

    #[test]
    fn reads_the_functions_of_nested_stacks() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("template.yaml");
        let parent = r#"
Resources:
  Things:
    Type: AWS::Serverless::Application
    Properties: {Location: things/template.yaml, Parameters: {Table: !Ref Table}}
  Table: {Type: "AWS::DynamoDB::Table", Properties: {TableName: things}}
  Bucket:
    Type: AWS::S3::Bucket
    Properties:
      NotificationConfiguration:
        LambdaConfigurations:
          - Event: s3:ObjectCreated:*
            Filter: {S3Key: {Rules: [{Name: prefix, Value: incoming/}]}}
            Function: !GetAtt Things.Outputs.Look
  Pool: {Type: "AWS::Cognito::UserPool", Properties: {LambdaConfig: {PreSignUp: !GetAtt Things.Outputs.Look}}}
"#;
        let nested = r"
Parameters: {Table: {Type: String}}
Resources:
  LookFunction:
    Type: AWS::Serverless::Function
    Properties: {CodeUri: ../target/lambda/look/, Environment: {Variables: {TABLE_NAME: !Ref Table}}}
Outputs: {Look: {Value: !Ref LookFunction.Alias}}
";
        fs::create_dir(directory.path().join("things")).unwrap();
        fs::write(directory.path().join("things/template.yaml"), nested).unwrap();
        fs::write(&path, parent).unwrap();
        let template = Template::read(&path).unwrap();
        let [function] = &template.functions[..] else { panic!("{template:?}") };
        assert_eq!((&*function.name, &*function.environment["TABLE_NAME"]), ("look", "things"));
        assert_eq!(function.notifications.len(), 1);
        assert_eq!(function.triggers, ["PreSignUp"]);

        fs::write(&path, parent.replace("Outputs.Look}}", "Outputs.See}}")).unwrap();
        let error = format!("{:#}", Template::read(&path).unwrap_err());
        assert!(error.ends_with("template.yaml:15: the local stack has no value for Things.Outputs.See"), "{error}");
        fs::write(&path, parent.replace("{Table: !Ref", "{Tables: !Ref")).unwrap();
        let error = format!("{:#}", Template::read(&path).unwrap_err());
        assert!(error.ends_with("Tables=things: there is no such parameter; there is Table"), "{error}");
    }

    #[test]
    fn a_websocket_api_leaves_the_cors_of_the_http_api() {
        let websocket = "  LiveApi: {Type: 'AWS::ApiGatewayV2::Api', Properties: {ProtocolType: WEBSOCKET}}\n";
        let cors = "AllowOrigins: ['*'], AllowMethods: [GET], AllowHeaders: [a], ExposeHeaders: [b], MaxAge: 1";
        let http = format!(
            "  Api: {{Type: 'AWS::ApiGatewayV2::Api', Properties: {{ProtocolType: HTTP, CorsConfiguration: {{{cors}}}}}}}\n"
        );
        for apis in [[&http, websocket].concat(), [websocket, &http].concat()] {
            let template = Template::parse("t.yaml", &format!("Resources:\n{apis}")).unwrap();
            assert_eq!(template.cors.unwrap().allow_origins, ["*"]);
        }
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

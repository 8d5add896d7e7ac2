//! template.yaml as the local stack needs it: tables, functions, routes and event source mappings.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Map, Value, json};

use crate::template::cloudformation::{Document, Node, get};

pub mod cloudformation;
pub mod filter;
mod mapping;

pub use mapping::Mapping;

/// What template.yaml describes.
#[derive(Clone, Debug)]
pub struct Template {
    /// The DynamoDB tables.
    pub tables: Vec<Table>,
    /// The Lambda functions.
    pub functions: Vec<Function>,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name inside the template.
    pub logical_id: String,
    /// Its name in DynamoDB.
    pub name: String,
    /// The body of the `CreateTable` request that makes it.
    pub create: Value,
    /// The attribute that holds an item's time to live.
    pub ttl: Option<String>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name inside the template.
    pub logical_id: String,
    /// The access pattern's name, which is its binary's: the last component of `CodeUri`.
    pub name: String,
    /// How long one invocation may take.
    pub timeout: Duration,
    /// Its memory size. Locally nothing limits it, but the function can read it.
    pub memory_mb: u32,
    /// Its own environment variables.
    pub environment: BTreeMap<String, String>,
    /// The routes that lead to it.
    pub routes: Vec<Route>,
    /// The streams that it is given.
    pub mappings: Vec<Mapping>,
    /// What it may do, besides writing logs and traces.
    pub statements: Vec<Statement>,
}

/// A statement of an IAM policy, which allows something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The actions: `dynamodb:GetItem`.
    pub actions: Vec<String>,
    /// The ARNs of what they may be done to.
    pub resources: Vec<String>,
}

/// A route of the HTTP API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The method in upper case.
    pub method: String,
    /// The path with its parameters in braces.
    pub path: String,
}

impl Route {
    /// The route as API Gateway names it: `GET /users/{username}`.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// The fields of a `CloudFormation` table that `CreateTable` takes as they are.
const CREATE_TABLE: [&str; 6] = [
    "AttributeDefinitions",
    "KeySchema",
    "GlobalSecondaryIndexes",
    "LocalSecondaryIndexes",
    "BillingMode",
    "ProvisionedThroughput",
];

impl Template {
    /// The path of template.yaml in the current directory or the nearest one above. Its directory is the project's root.
    pub fn find() -> Result<PathBuf, String> {
        let start = env::current_dir().map_err(|error| format!("no current directory: {error}"))?;
        start
            .ancestors()
            .map(|directory| directory.join("template.yaml"))
            .find(|path| path.is_file())
            .ok_or_else(|| format!("no template.yaml in {} or above it", start.display()))
    }

    /// Reads a template. The message of a failure is one line with the place.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Reads a template's text; `file` is its name in messages.
    pub fn parse(file: &str, text: &str) -> Result<Self, String> {
        let document = Document::parse(file, text)?;
        let globals = document.section("Globals").and_then(|globals| get(globals, "Function"));
        let mut template = Self { tables: Vec::new(), functions: Vec::new() };
        let resources = document.resources()?;
        let of_type = |wanted| {
            let is_wanted = move |node: &Node| get(node, "Type").and_then(|kind| kind.data.as_str()) == Some(wanted);
            resources.iter().filter(move |(_, resource)| is_wanted(resource))
        };
        for (id, resource) in of_type("AWS::DynamoDB::Table") {
            template.tables.push(table(&document, id, resource)?);
        }
        for (id, resource) in of_type("AWS::Serverless::Function") {
            template.functions.push(function(&document, globals, &template.tables, id, resource)?);
        }
        Ok(template)
    }

    /// The table with this logical id.
    pub fn table(&self, logical_id: &str) -> Result<&Table, String> {
        let table = self.tables.iter().find(|table| table.logical_id == logical_id);
        table.ok_or_else(|| format!("template.yaml has no {logical_id}"))
    }
}

fn table(document: &Document, id: &str, resource: &Node) -> Result<Table, String> {
    let property = |name| get(resource, "Properties").and_then(|all| get(all, name));
    let name = property("TableName").map_or_else(|| Ok(id.to_owned()), |name| document.text(name))?;
    let mut create = Map::new();
    create.insert("TableName".to_owned(), json!(name));
    for field in CREATE_TABLE {
        if let Some(node) = property(field)
            && let Some(value) = document.resolve(node)?
        {
            create.insert(field.to_owned(), value);
        }
    }
    // CloudFormation enables a stream by describing it; CreateTable wants that said.
    if let Some(node) = property("StreamSpecification")
        && let Some(view) = get(node, "StreamViewType")
    {
        let view = document.text(view)?;
        create.insert("StreamSpecification".to_owned(), json!({"StreamEnabled": true, "StreamViewType": view}));
    }
    let ttl = match property("TimeToLiveSpecification") {
        Some(node) => match document.resolve(node)? {
            Some(ttl) if ttl["Enabled"] == true || ttl["Enabled"] == "true" => {
                ttl["AttributeName"].as_str().map(str::to_owned)
            }
            _ => None,
        },
        None => None,
    };
    Ok(Table { logical_id: id.to_owned(), name, create: Value::from(create), ttl })
}

/// A function's properties, merged with those of
/// [Globals](https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-specification-template-anatomy-globals.html):
/// its own win, and environment variables are merged one by one.
fn function(
    document: &Document,
    globals: Option<&Node>,
    tables: &[Table],
    id: &str,
    resource: &Node,
) -> Result<Function, String> {
    let own = |name| get(resource, "Properties").and_then(|all| get(all, name));
    let global = |name| globals.and_then(|all| get(all, name));
    let property = |name| own(name).or_else(|| global(name));

    let code = property("CodeUri").ok_or_else(|| document.error(resource, &format!("function {id} has no CodeUri")))?;
    let uri = document.text(code)?;
    let name = Path::new(&uri)
        .file_name()
        .and_then(|name| name.to_str())
        .ok_or_else(|| document.error(code, "CodeUri must end in the function's name"))?
        .to_owned();

    // SAM's defaults are Lambda's: 3 seconds and 128 MB.
    let number = |name, default: u32| match property(name) {
        Some(node) => {
            document.text(node)?.parse().map_err(|_| document.error(node, &format!("{name} must be a whole number")))
        }
        None => Ok(default),
    };

    let mut environment = BTreeMap::new();
    for node in [global("Environment"), own("Environment")].into_iter().flatten() {
        for (key, value) in document.entries(get(node, "Variables")) {
            environment.insert(key.to_owned(), document.text(value)?);
        }
    }

    let (mut routes, mut mappings) = (Vec::new(), Vec::<Mapping>::new());
    for (_, event) in document.entries(own("Events")) {
        match get(event, "Type").and_then(|kind| kind.data.as_str()) {
            Some("HttpApi") => routes.push(route(document, event)?),
            Some("DynamoDB") => {
                let Some(mapping) = mapping::mapping(document, tables, event)? else { continue };
                // Nor does Lambda map one stream to a function twice.
                if mappings.iter().any(|other| other.table == mapping.table) {
                    let message = format!("function {id} has the stream of {} already", mapping.table);
                    return Err(document.error(event, &message));
                }
                mappings.push(mapping);
            }
            _ => return Err(document.error(event, "the local stack knows events of the types HttpApi and DynamoDB")),
        }
    }
    let statements = match own("Policies") {
        Some(node) => statements(document, node)?,
        None => vec![],
    };
    Ok(Function {
        logical_id: id.to_owned(),
        name,
        timeout: Duration::from_secs(number("Timeout", 3)?.into()),
        memory_mb: number("MemorySize", 128)?,
        environment,
        routes,
        mappings,
        statements,
    })
}

/// The statements of a function's inline
/// [policies](https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-resource-function.html#sam-function-policies).
fn statements(document: &Document, policies: &Node) -> Result<Vec<Statement>, String> {
    let elements = |node: &'_ Node| node.data.as_sequence().cloned().unwrap_or_else(|| vec![node.clone()]);
    let mut statements = vec![];
    for policy in elements(policies) {
        let all = get(&policy, "Statement").ok_or_else(|| document.error(&policy, "a policy needs a Statement"))?;
        for statement in elements(all) {
            let texts = |name: &str| -> Result<Vec<String>, String> {
                let node = get(&statement, name)
                    .ok_or_else(|| document.error(&statement, &format!("a statement needs an {name}")))?;
                elements(node).iter().map(|text| document.text(text)).collect()
            };
            if texts("Effect")? != ["Allow"] {
                return Err(document.error(&statement, "the local stack knows statements that allow"));
            }
            statements.push(Statement { actions: texts("Action")?, resources: texts("Resource")? });
        }
    }
    Ok(statements)
}

fn route(document: &Document, event: &Node) -> Result<Route, String> {
    let property = |name| {
        get(event, "Properties")
            .and_then(|all| get(all, name))
            .ok_or_else(|| document.error(event, &format!("an HttpApi event needs a {name}")))
    };
    let method = document.text(property("Method")?)?.to_ascii_uppercase();
    let path = document.text(property("Path")?)?;
    let only_exact = method == "ANY" || path.contains('+') || !path.starts_with('/');
    if only_exact || get(event, "Properties").is_some_and(|all| get(all, "Auth").is_some()) {
        let message = "the local stack knows routes with one method, plain parameters and the default authorizer";
        return Err(document.error(event, message));
    }
    Ok(Route { method, path })
}

#[cfg(test)]
mod tests {
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
        Stream: {Type: DynamoDB, Properties: {Stream: !GetAtt Favorites.StreamArn, StartingPosition: LATEST}}
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
    fn reads_a_function_with_its_globals() {
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
    fn reads_the_projects_own_template() {
        let template = Template::read(&Template::find().unwrap()).unwrap();
        assert!(template.tables.iter().any(|table| table.name == "quick-photos"));
        let routes = template.functions.iter().flat_map(|function| &function.routes);
        assert!(routes.map(Route::key).any(|key| key == "GET /users/{username}/profile"));
    }

    #[test]
    fn says_in_one_line_what_is_wrong() {
        let missing = Template::read(Path::new("/nowhere/template.yaml")).unwrap_err();
        assert!(missing.starts_with("cannot read /nowhere/template.yaml: "), "{missing}");
        let open = TEMPLATE.replace("Method: get", "Method: any");
        assert!(Template::parse("t.yaml", &open).unwrap_err().starts_with("t.yaml:"));
    }
}

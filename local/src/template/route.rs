//! The routes of the templates.

use anyhow::Result;

use crate::template::cloudformation::{Document, Node, property};

/// A route of the HTTP API.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Route {
    /// The method in upper case.
    pub method: String,
    /// The path with its parameters in braces.
    pub path: String,
    /// Whether the route has the JWT authorizer. Without it, anyone may call the route.
    pub needs_token: bool,
}

impl Route {
    /// Returns the route key of API Gateway, for example `GET /users/{username}`.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// Reads a route with its integration in the same template. Returns it with the ARN of its function.
    pub(super) fn read(document: &Document, route: &Node) -> Result<(String, Self)> {
        let key = text(document, route, "RouteKey")?;
        let (method, path) = key.split_once(' ').unwrap_or((&key, ""));
        let is_unsupported = method == "ANY" || method.contains('$') || path.contains('+') || !path.starts_with('/');
        let authorization = text(document, route, "AuthorizationType")?;
        if is_unsupported || !["JWT", "NONE"].contains(&&*authorization) {
            let message =
                "the local stack supports only routes with one method, plain parameters, and a JWT authorizer or none";
            return Err(document.error(route, message));
        }
        let needs_token = authorization == "JWT";
        if needs_token {
            text(document, route, "AuthorizerId")?;
        }
        let integration = integration(document, route)?;
        for (name, wanted) in [("IntegrationType", "AWS_PROXY"), ("PayloadFormatVersion", "2.0")] {
            if text(document, integration, name)? != wanted {
                return Err(document.error(integration, format!("the local stack needs {name}: {wanted}")));
            }
        }
        // Without a role, the API may not invoke the function.
        text(document, integration, "CredentialsArn")?;
        let function = text(document, integration, "IntegrationUri")?;
        Ok((function, Self { method: method.to_owned(), path: path.to_owned(), needs_token }))
    }
}

/// Returns whether a resource is a WebSocket API.
pub(super) fn is_websocket(document: &Document, api: &Node) -> Result<bool> {
    Ok(document.property_as::<String>(api, "ProtocolType")?.as_deref() == Some("WEBSOCKET"))
}

/// Returns whether a route is one of a WebSocket API in the same template.
pub(super) fn is_of_websocket(document: &Document, route: &Node) -> Result<bool> {
    let id: Option<String> = document.property_as(route, "ApiId")?;
    match id.and_then(|id| document.resource(&id)) {
        Some(api) => is_websocket(document, api),
        None => Ok(false),
    }
}

/// Reads a route of a WebSocket API. Returns the ARN of the function that admits connections, or
/// `None` for the route of the messages of clients, which nobody gets.
pub(super) fn read_websocket(document: &Document, route: &Node) -> Result<Option<String>> {
    let key = text(document, route, "RouteKey")?;
    let wanted = match key.as_str() {
        "$connect" => "AWS_PROXY",
        "$default" => "MOCK",
        _ => {
            let message = "the local stack supports only the routes $connect and $default of a WebSocket API";
            return Err(document.error(route, message));
        }
    };
    if text(document, route, "AuthorizationType")? != "NONE" {
        return Err(document.error(route, "the local stack supports no authorizer of a WebSocket API"));
    }
    let integration = integration(document, route)?;
    if text(document, integration, "IntegrationType")? != wanted {
        let message = format!("the local stack needs IntegrationType: {wanted} for the route {key}");
        return Err(document.error(integration, message));
    }
    if wanted == "MOCK" {
        return Ok(None);
    }
    // Without a role, the API may not invoke the function.
    text(document, integration, "CredentialsArn")?;
    let uri = text(document, integration, "IntegrationUri")?;
    let function = uri.split_once(":lambda:path/2015-03-31/functions/");
    let function = function.and_then(|(_, function)| function.strip_suffix("/invocations"));
    let message = "IntegrationUri must be arn:…:lambda:path/2015-03-31/functions/<function>/invocations";
    Ok(Some(function.ok_or_else(|| document.error(integration, message))?.to_owned()))
}

/// Returns the integration of a route in the same template.
fn integration<'a>(document: &'a Document, route: &Node) -> Result<&'a Node> {
    let target = text(document, route, "Target")?;
    let integration = target.strip_prefix("integrations/");
    let integration = integration.and_then(|id| document.resource(id));
    integration.ok_or_else(|| document.error(route, "Target must be !Sub integrations/${<integration>}"))
}

/// Returns a property of a resource, which has to have it.
fn text(document: &Document, resource: &Node, name: &str) -> Result<String> {
    let missing = || document.error(resource, format!("the resource needs the property {name}"));
    document.text(property(resource, name).ok_or_else(missing)?)
}

#[cfg(test)]
mod tests {
    use crate::template::Template;

    const TEMPLATE: &str = r#"
Resources:
  GetFunction: {Type: "AWS::Serverless::Function", Properties: {CodeUri: target/lambda/get/}}
  Route:
    Type: AWS::ApiGatewayV2::Route
    Properties:
      RouteKey: GET /things/{id}
      AuthorizationType: JWT
      AuthorizerId: !Ref AWS::Region
      Target: !Sub integrations/${Integration}
  Integration:
    Type: AWS::ApiGatewayV2::Integration
    Properties:
      IntegrationType: AWS_PROXY
      PayloadFormatVersion: "2.0"
      CredentialsArn: arn:aws:iam::123456789012:role/api
      IntegrationUri: !Ref GetFunction.Alias
"#;

    #[test]
    fn reads_a_route() {
        let template = Template::parse("t.yaml", TEMPLATE).unwrap();
        let route = &template.functions[0].routes[0];
        assert_eq!((&*route.key(), route.needs_token), ("GET /things/{id}", true));
    }

    #[test]
    fn a_route_without_an_authorizer_needs_no_token() {
        let open = TEMPLATE.replace("JWT", "NONE").replace("      AuthorizerId: !Ref AWS::Region\n", "");
        assert!(!Template::parse("t.yaml", &open).unwrap().functions[0].routes[0].needs_token);
    }

    #[test]
    fn rejects_what_it_does_not_support_with_the_place() {
        for (was, is, message) in [
            ("GET /", "ANY /", "t.yaml:5: the local stack supports only routes with one method"),
            ("GET /things/{id}", "$default", "t.yaml:5: the local stack supports only routes with one method"),
            ("{id}", "{id+}", "t.yaml:5: the local stack supports only routes with one method"),
            ("JWT", "AWS_IAM", "t.yaml:5: the local stack supports only routes with one method"),
            ("AuthorizerId", "Authorizer", "t.yaml:5: the resource needs the property AuthorizerId"),
            ("integrations/", "targets/", "t.yaml:5: Target must be !Sub integrations/${<integration>}"),
            ("\"2.0\"", "\"1.0\"", "t.yaml:12: the local stack needs PayloadFormatVersion: 2.0"),
            ("CredentialsArn", "Credentials", "t.yaml:12: the resource needs the property CredentialsArn"),
            ("!Ref GetFunction.Alias", "arn:aws:lambda:::function:put", "t.yaml:5: the templates have no function arn"),
        ] {
            let error = format!("{:#}", Template::parse("t.yaml", &TEMPLATE.replace(was, is)).unwrap_err());
            assert!(error.starts_with(message), "{error}");
        }
    }

    const WEBSOCKET: &str = r#"
Resources:
  ConnectFunction: {Type: "AWS::Serverless::Function", Properties: {CodeUri: target/lambda/connect/}}
  LiveApi: {Type: "AWS::ApiGatewayV2::Api", Properties: {Name: live, ProtocolType: WEBSOCKET}}
  ConnectRoute:
    Type: AWS::ApiGatewayV2::Route
    Properties:
      ApiId: !Ref LiveApi
      RouteKey: $connect
      AuthorizationType: NONE
      Target: !Sub integrations/${Connect}
  Connect:
    Type: AWS::ApiGatewayV2::Integration
    Properties:
      IntegrationType: AWS_PROXY
      CredentialsArn: arn:aws:iam::123456789012:role/api
      IntegrationUri: !Join ["", ["arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/", !Ref ConnectFunction.Alias, /invocations]]
  PingRoute:
    Type: AWS::ApiGatewayV2::Route
    Properties: {ApiId: !Ref LiveApi, RouteKey: $default, AuthorizationType: NONE, Target: !Sub "integrations/${Ping}"}
  Ping: {Type: "AWS::ApiGatewayV2::Integration", Properties: {IntegrationType: MOCK}}
"#;

    #[test]
    fn the_function_of_connect_admits_connections_and_that_of_default_is_none() {
        let template = Template::parse("t.yaml", WEBSOCKET).unwrap();
        let [function] = &template.functions[..] else { panic!("{template:?}") };
        assert!(function.connects && function.routes.is_empty(), "{function:?}");
    }

    #[test]
    fn rejects_other_routes_of_a_websocket_api_with_the_place() {
        for (was, is, message) in [
            ("$connect", "$disconnect", "t.yaml:6: the local stack supports only the routes $connect and $default"),
            ("$default", "chat", "t.yaml:19: the local stack supports only the routes $connect and $default"),
            ("Type: NONE\n", "Type: AWS_IAM\n", "t.yaml:6: the local stack supports no authorizer of a WebSocket"),
            ("AWS_PROXY", "MOCK", "t.yaml:13: the local stack needs IntegrationType: AWS_PROXY for the route $connect"),
            ("Type: MOCK", "Type: HTTP", "t.yaml:21: the local stack needs IntegrationType: MOCK for the route $def"),
            ("CredentialsArn", "Credentials", "t.yaml:13: the resource needs the property CredentialsArn"),
            ("/invocations", "", "t.yaml:13: IntegrationUri must be arn:…:lambda:path/2015-03-31/functions/<function>"),
            ("!Ref ConnectFunction.Alias", "a:put", "t.yaml:6: the templates have no function a:put"),
            ("WEBSOCKET", "HTTP", "t.yaml:6: the local stack supports only routes with one method"),
        ] {
            let error = format!("{:#}", Template::parse("t.yaml", &WEBSOCKET.replace(was, is)).unwrap_err());
            assert!(error.starts_with(message), "{error}");
        }
    }
}

//! Finds the function that answers a method and a path.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context as _, Result};
use percent_encoding::percent_decode_str;

use crate::template::Template;

/// The routes of a template.
#[derive(Debug)]
pub struct Router {
    methods: HashMap<String, matchit::Router<Target>>,
    routes: Vec<Target>,
}

#[derive(Clone, Debug)]
struct Target {
    function: String,
    route_key: String,
    needs_token: bool,
}

/// The route of a request.
#[derive(Debug, PartialEq, Eq)]
pub struct Match<'a> {
    /// The function's name.
    pub function: &'a str,
    /// The route key, for example `GET /users/{username}`.
    pub route_key: &'a str,
    /// Whether the route has the JWT authorizer.
    pub needs_token: bool,
    /// The decoded path parameters.
    pub path_parameters: BTreeMap<String, String>,
}

/// The error of a request without a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unrouted {
    /// The percent-encoding of the path is invalid, or the decoded path is not UTF-8.
    BadRequest,
    /// No route has this method and path.
    NotFound,
}

impl Router {
    /// Creates the router of a template. Returns an error if two of its routes match the same
    /// paths.
    pub fn new(template: &Template) -> Result<Self> {
        let mut methods = HashMap::<_, matchit::Router<_>>::new();
        let mut routes = Vec::new();
        for function in &template.functions {
            for route in &function.routes {
                let needs_token = route.needs_token;
                let target = Target { function: function.name.clone(), route_key: route.key(), needs_token };
                routes.push(target.clone());
                methods
                    .entry(route.method.clone())
                    .or_default()
                    .insert(route.path.as_str(), target)
                    .with_context(|| format!("route {}", route.key()))?;
            }
        }
        Ok(Self { methods, routes })
    }

    /// Returns all routes with their functions, in the order of the template.
    pub fn routes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.routes.iter().map(|target| (target.route_key.as_str(), target.function.as_str()))
    }

    /// Finds the route of a path as it was sent. A literal segment takes precedence over a
    /// parameter.
    pub fn resolve(&self, method: &str, path: &str) -> Result<Match<'_>, Unrouted> {
        let path = received(path).ok_or(Unrouted::BadRequest)?;
        decode(&path).ok_or(Unrouted::BadRequest)?;
        let found = self.methods.get(method).and_then(|paths| paths.at(&path).ok()).ok_or(Unrouted::NotFound)?;
        let mut path_parameters = BTreeMap::new();
        for (name, value) in found.params.iter() {
            if value.is_empty() {
                return Err(Unrouted::NotFound);
            }
            let value = decode(value).ok_or(Unrouted::BadRequest)?;
            path_parameters.insert(name.to_owned(), value);
        }
        let Target { function, route_key, needs_token } = found.value;
        Ok(Match { function, route_key, needs_token: *needs_token, path_parameters })
    }
}

/// Returns the path that API Gateway routes, still encoded, or `None` where it answers 400.
///
/// AWS documents none of it. [Captures of an HTTP API](https://github.com/middleapi/standard-server/pull/93)
/// show that `rawPath` ends at `%3F`, that `%25` is refused, and that `%2F` and `%252F` become a
/// slash. Nothing is known of `pathParameters`, so this does the same to them, which is the worst
/// for a function.
pub(super) fn received(path: &str) -> Option<String> {
    let path = path.replace("%252F", "/").replace("%252f", "/").replace("%2F", "/").replace("%2f", "/");
    let path = path.split("%3F").next()?.split("%3f").next()?;
    (!path.contains("%25")).then(|| path.to_owned())
}

/// Percent-decodes a text. Returns `None` if an escape is incomplete or the result is not UTF-8.
pub(crate) fn decode(text: &str) -> Option<String> {
    let complete = text.split('%').skip(1).all(|rest| {
        let digits = rest.as_bytes();
        digits.len() >= 2 && digits[..2].iter().all(u8::is_ascii_hexdigit)
    });
    if !complete {
        return None;
    }
    Some(percent_decode_str(text).decode_utf8().ok()?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::Route;

    /// The routes of some functions.
    const ROUTES: [(&str, &str); 5] = [
        ("list", "GET /users/{username}/favorites"),
        ("get", "GET /users/{username}/favorites/{dataId}"),
        ("get", "DELETE /users/{username}/favorites/{dataId}"),
        ("search", "GET /users/{username}/favorites/search"),
        ("tags", "GET /users/{username}/favorites/{favorite}/tags"),
    ];

    fn router() -> Router {
        let names = ["list", "get", "search", "tags"].iter();
        let functions = names.map(|name| {
            format!("  {name}: {{Type: 'AWS::Serverless::Function', Properties: {{CodeUri: bin/{name}/}}}}\n")
        });
        let mut template =
            Template::parse("t.yaml", &format!("Resources:\n{}", functions.collect::<Vec<_>>().concat())).unwrap();
        for (name, key) in ROUTES {
            let (method, path) = key.split_once(' ').unwrap();
            let function = template.functions.iter_mut().find(|function| function.name == name).unwrap();
            function.routes.push(Route { method: method.to_owned(), path: path.to_owned(), needs_token: true });
        }
        Router::new(&template).unwrap()
    }

    fn resolve(method: &str, path: &str) -> Result<String, Unrouted> {
        let router = router();
        let found = router.resolve(method, path)?;
        Ok(format!("{} {:?}", found.function, found.path_parameters.values().collect::<Vec<_>>()))
    }

    #[test]
    fn a_literal_takes_precedence_over_a_parameter() {
        assert_eq!(resolve("GET", "/users/ada/favorites").unwrap(), r#"list ["ada"]"#);
        assert_eq!(resolve("GET", "/users/ada/favorites/search").unwrap(), r#"search ["ada"]"#);
        // The parameters are in the order of their names.
        assert_eq!(resolve("GET", "/users/ada/favorites/searches").unwrap(), r#"get ["searches", "ada"]"#);
        assert_eq!(resolve("GET", "/users/ada/favorites/search/tags").unwrap(), r#"tags ["search", "ada"]"#);
    }

    #[test]
    fn a_path_is_what_api_gateway_makes_of_it() {
        assert_eq!(resolve("GET", "/users/a+b%20%C3%A9%3A/favorites").unwrap(), r#"list ["a+b é:"]"#);
        assert_eq!(resolve("GET", "/users/ada/favorites/What%3F").unwrap(), r#"get ["What", "ada"]"#);
        assert_eq!(resolve("GET", "/users/ada/favorites/a%3f/tags").unwrap(), r#"get ["a", "ada"]"#);
        assert_eq!(resolve("GET", "/users/ada/favorites/a%2Ftags").unwrap(), r#"tags ["a", "ada"]"#);
        assert_eq!(resolve("GET", "/users/ada%252ffavorites").unwrap(), r#"list ["ada"]"#);
        assert_eq!(resolve("GET", "/users/100%25/favorites"), Err(Unrouted::BadRequest));
    }

    #[test]
    fn a_path_without_a_route_is_not_found() {
        for (method, path) in [
            ("GET", "/"),
            ("GET", "/users"),
            ("GET", "/users/ada/favorites/"),
            ("GET", "/users//favorites"),
            ("POST", "/users/ada/favorites"),
            ("get", "/users/ada/favorites"),
            ("OPTIONS", "*"),
        ] {
            assert_eq!(resolve(method, path), Err(Unrouted::NotFound), "{method} {path}");
        }
    }

    #[test]
    fn invalid_percent_encoding_is_a_bad_request() {
        for path in
            ["/users/%/favorites", "/users/%4/favorites", "/users/%zz/favorites", "/users/%FF/favorites", "/%C3"]
        {
            assert_eq!(resolve("GET", path), Err(Unrouted::BadRequest), "{path}");
        }
    }
}

//! The CORS configuration of template.yaml.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// The
/// [`CorsConfiguration`](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html)
/// of the HTTP API, without credentials.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct Cors {
    /// The origins whose pages may call the API: `https://example.com`, `https://*`, `http://*` or
    /// `*`.
    #[serde(deserialize_with = "origins")]
    pub allow_origins: Vec<String>,
    /// The methods that they may use.
    pub allow_methods: Vec<String>,
    /// The request headers that they may send.
    pub allow_headers: Vec<String>,
    /// The headers of the answer that they may read.
    pub expose_headers: Vec<String>,
    /// The number of seconds for which a browser keeps the answer to a preflight.
    pub max_age: u32,
}

impl Cors {
    /// Returns the value of `Access-Control-Allow-Origin` in an answer to a page of this origin, or
    /// `None` if the origin is not allowed.
    #[must_use]
    pub fn allow(&self, origin: &str) -> Option<String> {
        if self.allow_origins.iter().any(|allowed| allowed == "*") {
            return Some("*".to_owned());
        }
        let is_allowed = |allowed: &String| match allowed.strip_suffix('*') {
            Some(scheme) => origin.starts_with(scheme),
            None => origin == allowed,
        };
        self.allow_origins.iter().any(is_allowed).then(|| origin.to_owned())
    }
}

/// Reads origins, each of which has to be one.
fn origins<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let origins = Vec::<String>::deserialize(deserializer)?;
    match origins.iter().find(|origin| !is_origin(origin)) {
        None => Ok(origins),
        Some(origin) => Err(D::Error::custom(format!(
            "`{origin}` is not an origin such as http://localhost:5173, nor *, http://* or https://*"
        ))),
    }
}

/// Returns whether a text is an origin as browsers send it, or one of the wildcards of API Gateway.
fn is_origin(text: &str) -> bool {
    let is_host = |host: &str| host == "*" || !host.is_empty() && !host.contains(['/', '*', ' ']);
    text == "*" || ["http://", "https://"].iter().any(|scheme| text.strip_prefix(scheme).is_some_and(is_host))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use anyhow::Result;

    use super::*;
    use crate::template::{Route, Template};

    /// Returns the configuration of the project's template with these allowed origins.
    fn of_the_project(origins: &str) -> Result<Option<Cors>> {
        let parameters = [("AllowedOrigins".to_owned(), origins.to_owned())].into();
        Ok(Template::read_with(&Template::find()?, parameters)?.cors)
    }

    #[test]
    fn the_project_has_no_cors_unless_an_origin_is_allowed() {
        assert_eq!(Template::read(&Template::find().unwrap()).unwrap().cors, None);
        assert_eq!(of_the_project("").unwrap(), None);
        let cors = of_the_project("https://a.example,http://localhost:5173").unwrap().unwrap();
        assert_eq!(cors.allow_origins, ["https://a.example", "http://localhost:5173"]);
    }

    #[test]
    fn the_project_allows_the_methods_of_its_routes() {
        let template = Template::read(&Template::find().unwrap()).unwrap();
        let routes: BTreeSet<_> = template.functions.into_iter().flat_map(|function| function.routes).collect();
        let methods: BTreeSet<_> = routes.into_iter().map(|route: Route| route.method).collect();
        let allowed = of_the_project("*").unwrap().unwrap().allow_methods;
        assert_eq!(allowed.into_iter().collect::<BTreeSet<_>>(), methods);
    }

    #[test]
    fn allows_an_origin_or_all_of_a_scheme() {
        for (origins, origin, allowed) in [
            ("https://a.example", "https://a.example", Some("https://a.example")),
            ("https://a.example", "http://a.example", None),
            ("https://a.example", "https://a.example:8443", None),
            ("https://a.example", "https://a.example.evil", None),
            ("https://a.example,http://b", "http://b", Some("http://b")),
            ("http://*", "http://localhost:5173", Some("http://localhost:5173")),
            ("http://*", "https://localhost", None),
            ("*", "null", Some("*")),
            ("http://*", "null", None),
        ] {
            let cors = of_the_project(origins).unwrap().unwrap();
            assert_eq!(cors.allow(origin).as_deref(), allowed, "{origins}: {origin}");
        }
    }

    #[test]
    fn refuses_what_is_no_origin() {
        for origins in [
            "localhost:5173",
            "http://localhost:5173/",
            "http://",
            "http://*.example",
            "null",
            "http://a,",
            "http://a, http://b",
        ] {
            let error = format!("{:#}", of_the_project(origins).unwrap_err());
            assert!(error.contains("is not an origin such as http://localhost:5173"), "{error}");
        }
    }
}

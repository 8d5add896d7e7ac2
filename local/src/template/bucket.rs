//! The S3 buckets of template.yaml.

use anyhow::Result;
use serde::Deserialize;

use crate::template::cloudformation::{Document, Node};

/// An S3 bucket. Encryption, access rules and the lifecycle have no effect locally.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// Its name inside the template.
    pub logical_id: String,
    /// Its name in S3.
    pub name: String,
    /// The rules by which pages of other origins may use it. The first rule that matches a request
    /// counts.
    pub cors: Vec<CorsRule>,
}

/// A rule of the [CORS
/// configuration](https://docs.aws.amazon.com/AmazonS3/latest/userguide/ManageCorsUsing.html) of a
/// bucket.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub struct CorsRule {
    /// The methods that a page may use.
    pub allowed_methods: Vec<String>,
    /// The origins of the pages, each with at most one `*`.
    pub allowed_origins: Vec<String>,
    /// The request headers that a page may send, each with at most one `*`.
    #[serde(default)]
    pub allowed_headers: Vec<String>,
    /// The headers of the answer that a page may read.
    #[serde(default)]
    pub exposed_headers: Vec<String>,
    /// The number of seconds for which a browser keeps the answer to a preflight.
    pub max_age: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct CorsConfiguration {
    cors_rules: Vec<CorsRule>,
}

impl Bucket {
    /// Reads the bucket of a resource.
    pub(super) fn read(document: &Document, id: &str, resource: &Node) -> Result<Self> {
        let cors: Option<CorsConfiguration> = document.property_as(resource, "CorsConfiguration")?;
        let cors = cors.map(|configuration| configuration.cors_rules).unwrap_or_default();
        Ok(Self { logical_id: id.to_owned(), name: document.physical_name(id, resource)?, cors })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::Template;

    const TEMPLATE: &str = r#"
Parameters:
  Origins: {Type: String, Default: "https://a.example,http://localhost:5173"}
Conditions:
  HasOrigins: !Not [!Equals [!Ref Origins, ""]]
Resources:
  Pictures:
    Type: AWS::S3::Bucket
    Properties:
      BucketName: !Sub pictures-${AWS::AccountId}
      BucketEncryption: !Nonsense that nobody reads
      CorsConfiguration: !If
        - HasOrigins
        - CorsRules: [{AllowedMethods: [GET, POST], AllowedOrigins: !Split [",", !Ref Origins], AllowedHeaders: ["*"], MaxAge: 7200}]
        - !Ref AWS::NoValue
"#;

    #[test]
    fn reads_a_bucket_with_its_cors_rules() {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let rule = CorsRule {
            allowed_methods: list(&["GET", "POST"]),
            allowed_origins: list(&["https://a.example", "http://localhost:5173"]),
            allowed_headers: list(&["*"]),
            exposed_headers: vec![],
            max_age: Some(7200),
        };
        let bucket = |cors| Bucket { logical_id: "Pictures".into(), name: "pictures-123456789012".into(), cors };
        assert_eq!(Template::parse("t.yaml", TEMPLATE).unwrap().buckets, [bucket(vec![rule])]);
        let without = TEMPLATE.replace("\"https://a.example,http://localhost:5173\"", "''");
        assert_eq!(Template::parse("t.yaml", &without).unwrap().buckets, [bucket(vec![])]);
    }

    #[test]
    fn rejects_a_cors_rule_that_it_cannot_read() {
        let error = Template::parse("t.yaml", &TEMPLATE.replace("MaxAge", "MaxAges")).unwrap_err();
        let error = format!("{error:#}");
        assert!(error.starts_with("t.yaml:12: unknown field `MaxAges`"), "{error}");
    }
}

//! The intrinsic functions and the conditions of a template.

use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use crate::template::cloudformation::{ACCOUNT, Document, Node, PARAMETERS, REGION, get, intrinsic, property};

impl Document {
    /// Evaluates an intrinsic function.
    pub(super) fn call(&self, node: &Node, name: &str, argument: &Node) -> Result<Option<Value>> {
        let arguments = argument.data.as_sequence().map_or(&[][..], Vec::as_slice);
        match (name, arguments) {
            ("Ref", _) => self.reference(node, &self.text(argument)?),
            ("Sub", _) => self.substitute(node, argument).map(Value::from).map(Some),
            ("GetAtt", _) => self.attribute(node, &self.text(argument)?).map(Value::from).map(Some),
            ("Split", [delimiter, text]) => {
                let (delimiter, text) = (self.text(delimiter)?, self.text(text)?);
                Ok(Some(text.split(&delimiter).collect()))
            }
            ("Split", _) => Err(self.error(node, "!Split needs a delimiter and a string")),
            ("Join", [delimiter, parts]) => {
                let parts = parts.data.as_sequence().into_iter().flatten().map(|part| self.text(part));
                Ok(Some(parts.collect::<Result<Vec<_>>>()?.join(&self.text(delimiter)?).into()))
            }
            ("Join", _) => Err(self.error(node, "!Join needs a delimiter and a list")),
            ("FindInMap", [map, key, name]) => {
                let value = [map, key, name].into_iter().try_fold(self.section("Mappings"), |value, key| {
                    let key = self.text(key)?;
                    Ok::<_, anyhow::Error>(value.and_then(|value| get(value, &key)))
                })?;
                self.resolve(value.ok_or_else(|| self.error(node, "the template has no such value in Mappings"))?)
            }
            ("FindInMap", _) => Err(self.error(node, "!FindInMap needs a map and two keys")),
            ("If", [condition, yes, no]) => self.resolve(if self.condition(condition)? { yes } else { no }),
            ("If", _) => Err(self.error(node, "!If needs a condition and two values")),
            _ => Err(self.error(node, format!("the local stack does not support !{name}"))),
        }
    }

    /// Returns the value of a pseudo parameter, a parameter or a resource: `!Ref`.
    fn reference(&self, node: &Node, name: &str) -> Result<Option<Value>> {
        let pseudo = match name {
            "AWS::NoValue" => return Ok(None),
            "AWS::AccountId" => Some(ACCOUNT),
            "AWS::Partition" => Some("aws"),
            "AWS::Region" => Some(REGION),
            "AWS::StackName" => Some("quick-photos"),
            "AWS::URLSuffix" => Some("amazonaws.com"),
            _ => None,
        };
        if let Some(value) = pseudo {
            return Ok(Some(Value::from(value)));
        }
        let of_the_stack = || PARAMETERS.iter().find(|(parameter, _)| *parameter == name).map(|(_, value)| *value);
        if let Some(value) = self.parameters.get(name).map(String::as_str).or_else(of_the_stack) {
            return Ok(Some(Value::from(value)));
        }
        if let Some(parameter) = self.section("Parameters").and_then(|all| get(all, name)) {
            return match get(parameter, "Default") {
                Some(default) => self.resolve(default),
                None => Err(self.error(parameter, format!("parameter {name} has no Default"))),
            };
        }
        // SAM's name for the alias of a function. A function has one version here, so its alias is
        // the function itself.
        if let Some(function) = name.strip_suffix(".Alias") {
            return self.attribute(node, &format!("{function}.Arn")).map(Value::from).map(Some);
        }
        match self.resource(name) {
            Some(resource) => self.physical_name(name, resource).map(Value::from).map(Some),
            None => Err(self.error(node, format!("the template has no parameter or resource {name}"))),
        }
    }

    /// Returns the name of a table, a queue, a bucket or a function, or the logical id of any other resource. The
    /// local stack calls a function by the last component of its `CodeUri`.
    pub(super) fn physical_name(&self, id: &str, resource: &Node) -> Result<String> {
        if let Some(code) = property(resource, "CodeUri") {
            let uri = self.text(code)?;
            let name = Path::new(&uri).file_name().and_then(|name| name.to_str()).map(str::to_owned);
            return name.ok_or_else(|| self.error(code, "CodeUri must end in the name of the function"));
        }
        let name = ["TableName", "QueueName", "BucketName"].iter().find_map(|name| property(resource, name));
        name.map_or_else(|| Ok(id.to_owned()), |name| self.text(name))
    }

    /// Returns an attribute of a resource: `!GetAtt`.
    pub(super) fn attribute(&self, node: &Node, target: &str) -> Result<String> {
        let unknown = || self.error(node, format!("the local stack has no value for {target}"));
        let (id, attribute) = target.split_once('.').ok_or_else(unknown)?;
        let resource = self.resource(id).ok_or_else(unknown)?;
        let name = self.physical_name(id, resource)?;
        let kind = get(resource, "Type").and_then(|kind| kind.data.as_str());
        if let Some(output) = attribute.strip_prefix("Outputs.") {
            return self.nested(id, resource)?.output(output).ok_or_else(unknown)?;
        }
        match (kind, attribute) {
            (Some("AWS::DynamoDB::Table"), "Arn") => Ok(format!("arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{name}")),
            (Some("AWS::DynamoDB::Table"), "StreamArn") => {
                Ok(format!("arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{name}/stream/2026-01-01T00:00:00.000"))
            }
            (Some("AWS::SQS::Queue"), "Arn") => Ok(format!("arn:aws:sqs:{REGION}:{ACCOUNT}:{name}")),
            (Some("AWS::S3::Bucket"), "Arn") => Ok(format!("arn:aws:s3:::{name}")),
            (Some("AWS::S3::Bucket"), "RegionalDomainName") => Ok(format!("{name}.s3.{REGION}.amazonaws.com")),
            (Some("AWS::CloudFront::Distribution"), "DomainName") => Ok(format!("{id}.cloudfront.net").to_lowercase()),
            (Some("AWS::Logs::LogGroup"), "Arn") => Ok(format!("arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{name}")),
            (Some("AWS::IAM::Role"), "Arn") => Ok(format!("arn:aws:iam::{ACCOUNT}:role/{name}")),
            (Some("AWS::Serverless::Function"), "Arn") => {
                Ok(format!("arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}"))
            }
            _ => Err(unknown()),
        }
    }

    /// Replaces the variables in a string: `!Sub`.
    fn substitute(&self, node: &Node, argument: &Node) -> Result<String> {
        let text = self.text(argument)?;
        let mut result = String::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once("${") {
            let (name, after) = after.split_once('}').ok_or_else(|| self.error(node, "!Sub has `${` without `}`"))?;
            result.push_str(before);
            rest = after;
            if name.contains('.') {
                result.push_str(&self.attribute(node, name)?);
                continue;
            }
            match self.reference(node, name)? {
                Some(Value::String(value)) => result.push_str(&value),
                Some(value) => result.push_str(&value.to_string()),
                None => return Err(self.error(node, "!Sub cannot insert AWS::NoValue")),
            }
        }
        result.push_str(rest);
        Ok(result)
    }

    /// Evaluates a condition.
    pub(super) fn condition(&self, node: &Node) -> Result<bool> {
        let Some((name, argument)) = intrinsic(node) else {
            let name = self.text(node)?;
            return match self.section("Conditions").and_then(|all| get(all, &name)) {
                Some(condition) => self.condition(condition),
                None => Err(self.error(node, format!("the template has no condition {name}"))),
            };
        };
        let arguments = argument.data.as_sequence().map_or(&[][..], Vec::as_slice);
        match (name, arguments) {
            ("Equals", [left, right]) => Ok(self.text(left)? == self.text(right)?),
            ("Not", [condition]) => Ok(!self.condition(condition)?),
            _ => Err(self.error(node, format!("the local stack does not support !{name} in a condition"))),
        }
    }
}

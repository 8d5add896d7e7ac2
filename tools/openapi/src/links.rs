//! The links from the creation of a thing to the operations on it.

use serde_json::{Map, Value, json};

/// Adds to each 201 with a `Location` the operations on the new thing: those whose path has the
/// parameters of this path, and others that the body of the answer has.
pub(crate) fn add(paths: &mut Map<String, Value>, schemas: &Map<String, Value>) {
    let parameters = |path: &str| -> Vec<String> {
        path.split('/').filter_map(|part| Some(part.strip_prefix('{')?.strip_suffix('}')?.to_owned())).collect()
    };
    let targets: Vec<(String, Vec<String>)> = paths
        .iter()
        .flat_map(|(path, item)| item.as_object().into_iter().flatten().map(move |(_, operation)| (path, operation)))
        .map(|(path, operation)| (operation["operationId"].as_str().unwrap_or_default().to_owned(), parameters(path)))
        .collect();
    for (path, item) in paths.iter_mut() {
        let known = parameters(path);
        for operation in item.as_object_mut().into_iter().flatten().map(|(_, operation)| operation) {
            let Some(created) = operation["responses"].get_mut("201") else { continue };
            let schema = &created["content"]["application/json"]["schema"]["$ref"];
            let schema = schema.as_str().and_then(|path| path.rsplit('/').next()).map(|name| &schemas[name]);
            let Some(properties) = schema.and_then(|schema| schema["properties"].as_object()) else { continue };
            if created["headers"].get("Location").is_none() {
                continue;
            }
            for (target, needed) in &targets {
                let in_body = |name: &String| !known.contains(name) && properties.contains_key(name);
                let all_known = needed.iter().all(|name| known.contains(name) || in_body(name));
                if all_known && needed.iter().any(in_body) {
                    let parameters = needed.iter().map(|name| {
                        let source = if in_body(name) {
                            format!("$response.body#/{name}")
                        } else {
                            format!("$request.path.{name}")
                        };
                        (name.clone(), Value::from(source))
                    });
                    created["links"][target] =
                        json!({"operationId": target, "parameters": parameters.collect::<Map<_, _>>()});
                }
            }
        }
    }
}

//! The [merge keys](https://yaml.org/type/merge.html) of YAML, which the parser leaves as they are.

use saphyr::{MarkedYamlOwned, YamlDataOwned};

/// Puts the entries of the mappings that merge keys name in the place of the keys, in a node and in
/// all that is in it. A mapping's own entries win, and then those of the mapping that is named first.
pub(super) fn merge(node: &mut MarkedYamlOwned) {
    match &mut node.data {
        YamlDataOwned::Tagged(_, argument) => merge(argument),
        YamlDataOwned::Sequence(nodes) => nodes.iter_mut().for_each(merge),
        YamlDataOwned::Mapping(entries) => {
            entries.iter_mut().for_each(|(_, value)| merge(value));
            let key = entries.keys().find(|key| key.data.as_str() == Some("<<")).cloned();
            let Some(merged) = key.and_then(|key| entries.remove(&key)) else { return };
            let merged = match merged.data {
                YamlDataOwned::Sequence(nodes) => nodes,
                _ => vec![merged],
            };
            for node in merged {
                let YamlDataOwned::Mapping(others) = node.data else { continue };
                for (key, value) in others {
                    if !entries.contains_key(&key) {
                        entries.insert(key, value);
                    }
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::template::cloudformation::{Document, Parameters, get};

    const TEMPLATE: &str = "
Values:
  First: {<<: &one {a: 1, b: 1}, c: 3}
  Second: {<<: [*one, {b: 2, d: 2}], a: 0}
";

    #[test]
    fn own_entries_win_and_then_those_of_the_first_mapping() {
        let document = Document::parse("t.yaml", TEMPLATE, Parameters::new()).unwrap();
        let value = |name| document.resolve(get(document.section("Values").unwrap(), name).unwrap()).unwrap();
        assert_eq!(value("First"), Some(json!({"a": 1, "b": 1, "c": 3})));
        assert_eq!(value("Second"), Some(json!({"a": 0, "b": 1, "d": 2})));
    }
}

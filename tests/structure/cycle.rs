//! Cycles in a directed graph.

use std::collections::{BTreeMap, BTreeSet};

/// The nodes of a graph, each with the nodes that it depends on.
pub(crate) type Graph = BTreeMap<String, BTreeSet<String>>;

/// Returns a cycle as the path from a node back to itself, if there is one.
pub(crate) fn find(graph: &Graph) -> Option<Vec<String>> {
    let mut finished = BTreeSet::new();
    graph.keys().find_map(|node| visit(graph, node, &mut vec![], &mut finished))
}

fn visit(graph: &Graph, node: &str, path: &mut Vec<String>, finished: &mut BTreeSet<String>) -> Option<Vec<String>> {
    if let Some(start) = path.iter().position(|other| other == node) {
        let mut cycle = path[start..].to_vec();
        cycle.push(node.to_owned());
        return Some(cycle);
    }
    if finished.contains(node) {
        return None;
    }
    path.push(node.to_owned());
    let cycle = graph.get(node).into_iter().flatten().find_map(|next| visit(graph, next, path, finished));
    path.pop();
    finished.insert(node.to_owned());
    cycle
}

#[test]
fn finds_a_cycle_and_none_in_a_tree() {
    let graph = |edges: &[(&str, &str)]| {
        let mut graph = Graph::new();
        for (from, to) in edges {
            graph.entry((*from).to_owned()).or_default().insert((*to).to_owned());
        }
        graph
    };
    assert_eq!(find(&graph(&[("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])), None);
    let cycle = find(&graph(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")])).unwrap();
    assert_eq!(cycle, ["b", "c", "d", "b"]);
}

//! Neither crates nor modules depend on each other in circles: a module that two others need is a leaf of its own.

#![allow(clippy::unwrap_used)]

mod crates;
mod cycle;
mod modules;

use std::path::{Path, PathBuf};

use local::template::Template;

fn root() -> PathBuf {
    Template::find().unwrap().parent().map(Path::to_owned).unwrap()
}

#[test]
fn crates_do_not_depend_on_each_other_in_circles() {
    let graph = crates::graph(&root());
    assert!(graph["get-user"].contains("shared") && graph["testing"].contains("local"), "{graph:?}");
    if let Some(cycle) = cycle::find(&graph) {
        panic!("crates depend on each other in a circle: {}", cycle.join(" -> "));
    }
}

#[test]
fn modules_do_not_depend_on_each_other_in_circles() {
    let mut cycles = vec![];
    let mut modules = 0;
    for main_file in crates::main_files(&root()) {
        let graph = modules::graph(&main_file);
        modules += graph.len();
        if let Some(cycle) = cycle::find(&graph) {
            cycles.push(format!("{}: {}", main_file.display(), cycle.join(" -> ")));
        }
    }
    assert!(modules > 100, "only {modules} modules");
    assert!(
        cycles.is_empty(),
        "modules depend on each other in a circle. Move what they share to a module of its own:\n{}",
        cycles.join("\n")
    );
}

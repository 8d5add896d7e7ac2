//! The structure of the repository: crates and modules have no dependency cycles, because a module
//! that two others need is a leaf of its own; nothing is compiled twice for a build and for its
//! tests; every access pattern has all of its parts; the map in docs/architecture.md is complete;
//! workflows name actions by their commits; and a checkout has the line ends that scripts need.

mod checkout;
mod coverage;
pub(crate) mod crates;
mod cycle;
mod map;
mod modules;
mod permissions;
mod templates;
mod workflows;

use tests::stack::root;

#[test]
fn crates_have_no_dependency_cycle() {
    let graph = crates::graph(&root());
    assert!(graph["get-user"].contains("shared") && graph["testing"].contains("local"), "{graph:?}");
    if let Some(cycle) = cycle::find(&graph) {
        panic!("dependency cycle of crates; move what they share to a crate of its own: {}", cycle.join(" -> "));
    }
}

#[test]
fn a_build_and_a_test_choose_the_same_features() {
    let (build, test) = (crates::features(&root(), "normal,build"), crates::features(&root(), "normal,build,dev"));
    assert!(build.len() > 300, "{build:?}");
    let twice: Vec<&String> = build.difference(&test).collect();
    assert!(twice.is_empty(), "compiled twice; let tools/testing depend on what has tests choose more of {twice:?}");
}

#[test]
fn modules_have_no_dependency_cycle() {
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
        "dependency cycles of modules; move what they share to a module of its own:\n{}",
        cycles.join("\n")
    );
}

//! The structure of the repository: crates and modules have no dependency cycles, because a module
//! that two others need is a leaf of its own; nothing is compiled twice for a build and for its
//! tests; every access pattern has all of its parts; the picture of docs/architecture.md is complete;
//! workflows name actions by their commits; and a checkout has the line ends that scripts need.

mod checkout;
mod coverage;
pub(crate) mod crates;
mod cycle;
mod errors;
mod map;
mod modules;
mod permissions;
mod templates;
mod workflows;

use tests::stack::root;

#[test]
fn crates_have_no_dependency_cycle() {
    let graph = crates::graph(&root());
    assert!(graph["users"].contains("shared") && graph["testing"].contains("local"), "{graph:?}");
    if let Some(cycle) = cycle::find(&graph) {
        panic!("dependency cycle of crates; move what they share to a crate of its own: {}", cycle.join(" -> "));
    }
}

#[test]
fn nouns_depend_on_no_noun_and_workers_depend_on_nouns() {
    let root = root();
    let graph = crates::graph(&root);
    let nouns = coverage::nouns(&root);
    for noun in nouns.iter().filter(|noun| *noun != "workers") {
        let others: Vec<&String> = graph[noun].intersection(&nouns).collect();
        assert!(others.is_empty(), "{noun} depends on {others:?}; move what they share to shared");
    }
    assert!(graph["workers"].contains("comments"), "{:?}", graph["workers"]);
}

#[test]
fn a_test_compiles_no_dependency_again() {
    let test = crates::compiled(&root(), &["test", "--workspace"]);
    // What `cargo run` builds: the local stack, and then, among others, all functions.
    for build in [&["build", "--bin=local"][..], &["build", "--workspace", "--bins"]] {
        let build = crates::compiled(&root(), build);
        assert!(build.len() > 200, "{build:?}");
        let twice: Vec<&String> = build.difference(&test).collect();
        assert!(twice.is_empty(), "compiled again; if features differ, let tools/testing choose more: {twice:#?}");
    }
    // Otherwise, cargo compiles a dependency of a program in another way than one of a macro. Those of both are then compiled
    // again for a program that is the first to use them, with everything that uses the macro.
    assert!(test.iter().all(|unit| unit.contains(r#""lto":"false""#)), "the profile `dev` sets lto");
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

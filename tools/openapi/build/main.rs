//! Reads the sources of the functions, and generates a description of each: its parameters, its
//! body, its answers and its errors, each with the type by which the function parses or writes it.
//!
//! A function is a binary, and no crate can depend on a binary. So this script copies the types of
//! its answers, which become modules of this crate, and turns each call that takes something from
//! the request into a line of the description: `query::<Order>(&request, "order")` becomes
//! `operation.query::<Order>("order")`. The functions themselves do not know OpenAPI.

mod errors;
mod function;

use std::fs;
use std::path::{Path, PathBuf};

use quote::{format_ident, quote};

fn main() {
    let variable = |name| PathBuf::from(std::env::var_os(name).expect("Cargo sets this variable"));
    let root = variable("CARGO_MANIFEST_DIR").join("../..").canonicalize().expect("the root of the repository");
    let (functions, shared) = (root.join("functions"), root.join("shared/src"));
    for path in [&functions, &shared] {
        println!("cargo::rerun-if-changed={}", path.display());
    }

    let shared: Vec<(String, syn::File)> = sources(&shared).iter().map(|path| (stem(path), parse(path))).collect();
    let errors = errors::of_shared_functions(&shared);
    let (mut modules, mut calls) = (vec![], vec![]);
    let programs = entries(&functions).into_iter().flat_map(|noun| entries(&noun.join("src/bin")));
    for program in programs {
        let name = stem(&program);
        let (file, folder) = (name.replace('-', "_") + ".rs", name.replace('-', "_"));
        let noun = program.ancestors().nth(2).expect("the folder src");
        let nested = noun.join(&folder);
        let nested = if nested.is_dir() { sources(&nested) } else { vec![] };
        let files: Vec<syn::File> = std::iter::once(noun.join(file)).chain(nested).map(|path| parse(&path)).collect();
        let module = format_ident!("{folder}");
        let Some(description) = function::describe(&name, &files, &errors) else { continue };
        modules.push(quote!(mod #module { #description }));
        calls.push(quote! {
            let mut operation = Operation::new(#name, #module::DESCRIPTION, schemas);
            #module::describe(&mut operation);
            operations.push(operation.finish());
        });
    }
    let code = quote! {
        #(#modules)*
        /// Returns the description of each function that has a route.
        pub(crate) fn operations(schemas: &mut SchemaGenerator) -> Vec<Described> {
            let mut operations = vec![];
            #(#calls)*
            operations
        }
    };
    fs::write(variable("OUT_DIR").join("operations.rs"), code.to_string()).expect("OUT_DIR can be written");
}

/// Returns the source files below a folder, without the tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let (folders, files): (Vec<_>, Vec<_>) = entries(folder).into_iter().partition(|path| path.is_dir());
    let files = files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let nested = folders.iter().flat_map(|folder| sources(folder));
    files.chain(nested).filter(|path| !path.iter().any(|part| part == "tests" || part == "tests.rs")).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut entries: Vec<_> = entries.collect();
    entries.sort();
    entries
}

fn parse(path: &Path) -> syn::File {
    let code = fs::read_to_string(path).expect("UTF-8");
    syn::parse_file(&code).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn stem(path: &Path) -> String {
    path.file_stem().and_then(|stem| stem.to_str()).expect("UTF-8").to_owned()
}

//! The modules of a crate, and which of them use which.
//!
//! A module depends on the module in which an item that it names is defined. That a parent declares
//! its children with `mod` and re-exports their items with `pub use` is no dependency. Modules that
//! exist for tests only are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Attribute, File, Item, UseTree, Visibility};

use crate::structure::cycle::Graph;

/// A path of names without the leading `crate`: `["model", "photos"]`. The root of the crate is the
/// empty path.
type ModulePath = Vec<String>;

#[derive(Default)]
struct Crate {
    /// The paths that each module names, relative to the root of the crate.
    uses: BTreeMap<ModulePath, BTreeSet<ModulePath>>,
    /// The items that a module re-exports, each with the path that it stands for.
    re_exports: BTreeMap<ModulePath, ModulePath>,
}

/// Returns the modules of the crate whose root file is `main_file`, each with those that it depends
/// on.
pub(crate) fn graph(main_file: &Path) -> Graph {
    let mut code = Crate::default();
    code.read(main_file, main_file.parent().unwrap(), &vec![]);
    let name = |module: &ModulePath| if module.is_empty() { "crate".to_owned() } else { module.join("::") };
    let dependencies = |module: &ModulePath, uses: &BTreeSet<ModulePath>| {
        let targets = uses.iter().filter_map(|path| code.module_of(path));
        targets.filter(|target| target != module).map(|target| name(&target)).collect()
    };
    code.uses.iter().map(|(module, uses)| (name(module), dependencies(module, uses))).collect()
}

impl Crate {
    /// Reads the file of a module, and the files of the modules that it declares. `directory` is
    /// where these are.
    fn read(&mut self, file: &Path, directory: &Path, module: &ModulePath) {
        let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let syntax: File = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.uses.entry(module.clone()).or_default();
        for item in &syntax.items {
            if let Item::Mod(declared) = item
                && declared.content.is_none()
                && !is_for_tests(&declared.attrs)
            {
                let child = [&module[..], &[declared.ident.to_string()]].concat();
                let (file, directory) = match path_of(&declared.attrs) {
                    // It is relative to the directory of this file, and so are the modules in it to
                    // its own.
                    Some(path) => {
                        let file = file.with_file_name(path);
                        let directory = file.parent().unwrap().to_owned();
                        (file, directory)
                    }
                    None => child_file(directory, &declared.ident.to_string()),
                };
                self.read(&file, &directory, &child);
            }
        }
        let mut paths = Paths { module: module.clone(), code: self };
        paths.visit_file(&syntax);
    }

    /// Returns the module that defines what a path names, through re-exports; none for a path that
    /// leads out of the crate.
    fn module_of(&self, path: &[String]) -> Option<ModulePath> {
        let length = (0..=path.len()).rev().find(|&length| self.uses.contains_key(&path[..length]))?;
        let module = &path[..length];
        match path.get(length).and_then(|item| self.re_exports.get(&[module, std::slice::from_ref(item)].concat())) {
            Some(target) if target[..] != *path => self.module_of(target),
            _ => Some(module.to_vec()),
        }
    }
}

/// Returns the file of a child module and the directory of its own children.
fn child_file(directory: &Path, name: &str) -> (PathBuf, PathBuf) {
    let inner = directory.join(name);
    let file = directory.join(format!("{name}.rs"));
    if file.is_file() { (file, inner) } else { (inner.join("mod.rs"), inner) }
}

/// Returns the file that the attribute `path` of a module names.
fn path_of(attributes: &[Attribute]) -> Option<String> {
    let value =
        &attributes.iter().find(|attribute| attribute.path().is_ident("path"))?.meta.require_name_value().ok()?;
    match &value.value {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(path), .. }) => Some(path.value()),
        _ => None,
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|argument| argument.is_ident("test"))
    })
}

/// Collects the paths that one file names.
struct Paths<'a> {
    module: ModulePath,
    code: &'a mut Crate,
}

impl Paths<'_> {
    /// Returns a path relative to the root of the crate; none if it names something outside the
    /// crate.
    fn resolve(&self, names: &[String]) -> Option<ModulePath> {
        match names.first()?.as_str() {
            "crate" => Some(names[1..].to_vec()),
            "self" => Some([&self.module, &names[1..]].concat()),
            "super" => {
                let up = names.iter().take_while(|name| *name == "super").count();
                let parent = &self.module[..self.module.len().checked_sub(up)?];
                Some([parent, &names[up..]].concat())
            }
            first => {
                let own = [&self.module[..], &[first.to_owned()]].concat();
                let is_own = self.code.uses.contains_key(&own) || self.code.re_exports.contains_key(&own);
                is_own.then(|| [&self.module, names].concat())
            }
        }
    }

    fn add(&mut self, names: &[String]) {
        if let Some(path) = self.resolve(names) {
            self.code.uses.entry(self.module.clone()).or_default().insert(path);
        }
    }

    fn add_use(&mut self, tree: &UseTree, prefix: &[String], is_re_export: bool) {
        let with = |name: String| [prefix, &[name]].concat();
        match tree {
            UseTree::Path(path) => self.add_use(&path.tree, &with(path.ident.to_string()), is_re_export),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.add_use(tree, prefix, is_re_export)),
            UseTree::Glob(_) => self.add(prefix),
            UseTree::Name(name) if name.ident == "self" => self.add(prefix),
            UseTree::Name(name) => self.add_name(&with(name.ident.to_string()), &name.ident, is_re_export),
            UseTree::Rename(rename) => self.add_name(&with(rename.ident.to_string()), &rename.rename, is_re_export),
        }
    }

    fn add_name(&mut self, names: &[String], known_as: &syn::Ident, is_re_export: bool) {
        let Some(path) = self.resolve(names) else { return };
        if is_re_export {
            let name = [&self.module[..], &[known_as.to_string()]].concat();
            self.code.re_exports.insert(name, path);
        } else {
            self.add(names);
        }
    }
}

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Mod(inner) if is_for_tests(&inner.attrs) => {}
            Item::Fn(function) if is_for_tests(&function.attrs) => {}
            Item::Use(item) => {
                let is_re_export = !matches!(item.vis, Visibility::Inherited);
                self.add_use(&item.tree, &[], is_re_export);
            }
            _ => visit::visit_item(self, item),
        }
    }

    /// `pub(in crate::audit)` names a module without depending on it.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        // A single name in lower case may be a local variable.
        let is_item = names.len() > 1 || names[0].starts_with(char::is_uppercase);
        if is_item && path.leading_colon.is_none() {
            self.add(&names);
        }
        visit::visit_path(self, path);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let syn::Expr::Path(function) = &*call.func
            && let Some(name) = function.path.get_ident()
        {
            self.add(&[name.to_string()]);
        }
        visit::visit_expr_call(self, call);
    }
}

//! The errors that code can give: those that it constructs, and those of the shared functions that
//! it calls.
//!
//! A call is matched with a function by its name and the type or module before it
//! (`Page::from_request`, `transaction::write`), or by the name alone (`existing_user(…)`,
//! `.must_be(…)`). So two functions of the same name count as one. This finds too much rather than
//! too little.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprCall, ExprMethodCall, ExprPath, ImplItemFn, ItemFn, ItemImpl, ItemMod, Pat, Type};

/// The constructors of `shared::Error` that a function may use, by the names of the function:
/// `page::invalid_cursor` and `invalid_cursor`, or for a method `Page::from_request` and
/// `.from_request`.
pub(crate) type Errors = BTreeMap<String, BTreeSet<String>>;

/// Returns the errors of every shared function.
pub(crate) fn of_shared_functions(files: &[(String, syn::File)]) -> Errors {
    let mut functions = Functions::default();
    for (module, file) in files {
        functions.scope.clone_from(module);
        functions.visit_file(file);
    }
    let mut errors: Errors = functions.found.iter().map(|(name, code)| (name.clone(), code.errors.clone())).collect();
    loop {
        let count = |errors: &Errors| errors.values().map(BTreeSet::len).sum::<usize>();
        let before = count(&errors);
        for (name, code) in &functions.found {
            let called: BTreeSet<String> = code.calls.iter().flat_map(|call| of_call(&errors, call)).collect();
            errors.entry(name.clone()).or_default().extend(called);
        }
        if count(&errors) == before {
            return errors;
        }
    }
}

/// Returns the errors that the code of files constructs, and those of the shared functions that it
/// calls.
pub(crate) fn of_code(files: &[syn::File], shared: &Errors) -> BTreeSet<String> {
    let mut code = Code::default();
    for file in files {
        code.visit_file(file);
    }
    let called: Vec<String> = code.calls.iter().flat_map(|call| of_call(shared, call)).collect();
    code.errors.into_iter().chain(called).collect()
}

fn of_call(errors: &Errors, call: &str) -> BTreeSet<String> {
    errors.get(call).cloned().unwrap_or_default()
}

/// Returns whether an item is compiled for tests only.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    })
}

/// The functions of shared, by name.
#[derive(Default)]
struct Functions {
    /// The module, or the type of the `impl` block, that is being visited.
    scope: String,
    found: BTreeMap<String, Code>,
}

impl Functions {
    /// Adds a function under two names: `name`, which is what a call without a type or module says,
    /// and with its scope.
    fn add(&mut self, unscoped: String, function: &syn::Ident, block: &syn::Block) {
        let mut code = Code::default();
        code.visit_block(block);
        for name in [unscoped, format!("{}::{function}", self.scope)] {
            let known = self.found.entry(name).or_default();
            known.errors.extend(code.errors.iter().cloned());
            known.calls.extend(code.calls.iter().map(|call| call.replace("Self::", &format!("{}::", self.scope))));
        }
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let Type::Path(path) = &*item.self_ty else { return };
        // The constructors of errors themselves are not functions that give an error.
        let name = path.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        if name != "Error" {
            let outer = std::mem::replace(&mut self.scope, name);
            visit::visit_item_impl(self, item);
            self.scope = outer;
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.add(item.sig.ident.to_string(), &item.sig.ident, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.add(format!(".{}", item.sig.ident), &item.sig.ident, &item.block);
    }
}

/// The errors that code constructs, and the functions that it calls.
#[derive(Default)]
struct Code {
    errors: BTreeSet<String>,
    calls: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Code {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_pat(&mut self, pattern: &'ast Pat) {
        // An error that is matched is not given.
        if !matches!(pattern, Pat::Path(_)) {
            visit::visit_pat(self, pattern);
        }
    }

    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        let names: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        match names.as_slice() {
            [kind, name] if kind == "Error" => {
                self.errors.insert(name.clone());
            }
            [.., scope, name] => {
                self.calls.insert(format!("{scope}::{name}"));
            }
            // A variable, unless it is called.
            _ => {}
        }
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        self.calls.extend(name(&call.func));
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        self.calls.insert(format!(".{}", call.method));
        if ["map", "map_err", "and_then"].iter().any(|method| call.method == method) {
            self.calls.extend(call.args.iter().filter_map(name));
        }
        visit::visit_expr_method_call(self, call);
    }
}

/// Returns the name of a function without a type or module before it.
fn name(function: &Expr) -> Option<String> {
    match function {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}

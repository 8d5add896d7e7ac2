//! The description of one function, from its sources.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit::{self, Visit};
use syn::{
    Expr, ExprCall, ExprMethodCall, FnArg, GenericArgument, Item, ItemStruct, Lit, Local, Pat, PathArguments,
    ReturnType, Type, UseTree,
};

use crate::errors::{self, Errors};

/// Returns the content of the module that describes a function, or `None` if no API Gateway request
/// starts it.
pub(crate) fn describe(name: &str, files: &[syn::File], shared: &Errors) -> Option<TokenStream> {
    let (main, body) = files.iter().find_map(|file| Some((file, file.items.iter().find_map(handler)?)))?;
    let imports = main.items.iter().filter(|item| is_import_of_types(item));
    let structs = main.items.iter().filter_map(answer_struct);
    let description = sentence(main).unwrap_or_else(|| panic!("{name}: begin the file with `` `ROUTE`: SENTENCE. ``"));

    let mut calls = Calls { function: name.to_owned(), ..Calls::default() };
    for file in files {
        calls.visit_file(file);
    }
    let lines = calls.lines;
    let errors = errors::of_code(files, shared);
    Some(quote! {
        #(#imports)*
        #(#structs)*
        pub(super) const DESCRIPTION: &str = #description;
        pub(super) fn describe(operation: &mut super::Operation) {
            #(#lines)*
            operation.answer::<#body>();
            #(operation.error(#errors);)*
        }
    })
}

/// Returns the type of the body that a handler answers: `T` of `-> Result<Response<T>, Error>`. A
/// handler takes the request by value.
fn handler(item: &Item) -> Option<&Type> {
    let Item::Fn(function) = item else { return None };
    let takes_request = function.sig.inputs.iter().any(|input| match input {
        FnArg::Typed(input) => matches!(&*input.ty, Type::Path(path) if path.path.is_ident("Request")),
        FnArg::Receiver(_) => false,
    });
    let ReturnType::Type(_, result) = &function.sig.output else { return None };
    takes_request.then(|| first_argument(first_argument(result)?)).flatten()
}

/// Returns the first generic argument of a type.
fn first_argument(of: &Type) -> Option<&Type> {
    let Type::Path(path) = of else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(argument) => Some(argument),
        _ => None,
    })
}

/// Returns whether an item imports names of `shared`, from which the answers and the input are
/// made.
fn is_import_of_types(item: &Item) -> bool {
    matches!(item, Item::Use(import) if matches!(&import.tree, UseTree::Path(path) if path.ident == "shared"))
}

/// Returns a struct that the function writes as JSON, with a schema instead of the code that writes
/// it.
fn answer_struct(item: &Item) -> Option<ItemStruct> {
    let Item::Struct(item) = item else { return None };
    let derives = |attribute: &syn::Attribute| attribute.path().is_ident("derive");
    let is_written = |attribute: &syn::Attribute| attribute.to_token_stream().to_string().contains("Serialize");
    if !item.attrs.iter().any(|attribute| derives(attribute) && is_written(attribute)) {
        return None;
    }
    let mut copy = item.clone();
    copy.attrs.retain(|attribute| !derives(attribute));
    copy.attrs.insert(0, syn::parse_quote!(#[derive(schemars::JsonSchema)]));
    Some(copy)
}

/// Returns what the documentation of its file says in its first paragraph after the route.
fn sentence(file: &syn::File) -> Option<String> {
    let lines = file.attrs.iter().filter_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(text) => match &text.lit {
                Lit::Str(text) => Some(text.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    let paragraph: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let (_route, sentence) = paragraph.join(" ").split_once("`: ").map(|(a, b)| (a.to_owned(), b.to_owned()))?;
    Some(sentence)
}

/// The lines of a description, one for each call that takes something from the request or begins an
/// answer.
#[derive(Default)]
struct Calls {
    function: String,
    /// The type that the `let` around the current expression gives.
    annotation: Option<Type>,
    /// The default of the current parameter.
    default: Option<Expr>,
    lines: Vec<TokenStream>,
}

impl<'ast> Visit<'ast> for Calls {
    fn visit_local(&mut self, local: &'ast Local) {
        self.annotation = match &local.pat {
            Pat::Type(pattern) => Some((*pattern.ty).clone()),
            _ => None,
        };
        visit::visit_local(self, local);
        self.annotation = None;
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if let Expr::Path(path) = &*call.func {
            let names: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            let generic = path.path.segments.last().and_then(|segment| match &segment.arguments {
                PathArguments::AngleBracketed(arguments) => arguments.args.first(),
                _ => None,
            });
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            self.call(&names, generic, &call.args.iter().collect::<Vec<_>>());
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let name = call.method.to_string();
        let generic = call.turbofish.as_ref().and_then(|turbofish| turbofish.args.first());
        let text = call.args.first().and_then(text);
        let line = match (name.as_str(), generic, text) {
            ("required", Some(kind), Some(field)) => Some(quote!(operation.required_field::<#kind>(#field);)),
            ("optional" | "patch", Some(kind), Some(field)) => Some(quote!(operation.nullable_field::<#kind>(#field);)),
            ("replacement", Some(kind), Some(field)) => Some(quote!(operation.optional_field::<#kind>(#field);)),
            ("document", None, Some(field)) => Some(quote!(operation.document_field(#field);)),
            ("excludes", None, Some(field)) => {
                let others = call.args.get(1);
                Some(quote!(operation.excludes(#field, #others);))
            }
            ("must_be", ..) => Some(quote!(operation.only_owner();)),
            ("must_be_either", ..) => Some(quote!(operation.only_either();)),
            ("must_be_in", ..) => call.args.first().map(|group| quote!(operation.only_group(#group);)),
            ("repeated", ..) => Some(quote!(operation.status(200);)),
            ("unwrap_or", ..) => {
                self.default = call.args.first().cloned();
                None
            }
            _ => None,
        };
        self.lines.extend(line);
        visit::visit_expr_method_call(self, call);
        self.default = None;
    }
}

impl Calls {
    fn call(&mut self, names: &[&str], generic: Option<&GenericArgument>, arguments: &[&Expr]) {
        let parameter = |calls: &Self| {
            let name = arguments.get(1).and_then(|argument| text(argument));
            let name = name.unwrap_or_else(|| panic!("{}: name the parameter by a literal", calls.function));
            let kind = match (generic, calls.annotation.as_ref()) {
                (Some(GenericArgument::Type(kind)), _) => kind.clone(),
                (_, Some(annotation)) => match first_argument(annotation) {
                    Some(inner) => inner.clone(),
                    None => annotation.clone(),
                },
                _ => panic!("{}: give {name} a type, in its `let` or as `::<T>`", calls.function),
            };
            (kind, name)
        };
        let line = match names {
            ["path"] => {
                let (kind, name) = parameter(self);
                quote!(operation.path::<#kind>(#name);)
            }
            ["escaped_path"] => {
                let (kind, name) = parameter(self);
                quote!(operation.escaped_path::<#kind>(#name);)
            }
            ["query"] if arguments.len() == 2 => {
                let (kind, name) = parameter(self);
                let default = self.default.iter();
                quote!(operation.query::<#kind>(#name, &[#(&#default),*]);)
            }
            ["required_query"] => {
                let (kind, name) = parameter(self);
                quote!(operation.required_query::<#kind>(#name);)
            }
            ["Page", "from_request"] => quote!(operation.page();),
            ["Precondition", "from_request"] => quote!(operation.precondition();),
            ["IdempotentRequest", "from_request"] => quote!(operation.idempotency_key();),
            ["Fields", "from_request"] => quote!(operation.object();),
            ["read_document" | "text"] => quote!(operation.document();),
            ["answer", "ok" | "private" | "seen_by"] => quote!(operation.status(200);),
            ["answer", "created"] => quote!(operation.status(201);),
            ["answer", "accepted"] => quote!(operation.status(202);),
            ["answer", "created_at"] => quote!(operation.location();),
            ["answer", "no_content"] => quote!(operation.status(204);),
            ["versioned", "ok"] => quote!(operation.version(200);),
            ["versioned", "created"] => quote!(operation.version(201); operation.location();),
            _ => return,
        };
        self.lines.push(line);
    }
}

/// Returns the text of a string literal.
fn text(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

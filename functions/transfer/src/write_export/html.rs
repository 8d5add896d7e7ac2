//! The pages of the archive. They need neither a network nor a script: their style is in each of
//! them, and their links and pictures are relative.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use shared::Error;
use shared::entities::Export;
use shared::values::Username;

use crate::write_export::source::SECTIONS;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
    color-scheme:light dark}article{border-top:1px solid;padding:1rem 0}img{max-width:100%;height:auto}\
    dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1rem;margin:0}dd{margin:0;overflow-wrap:anywhere}\
    nav{display:flex;gap:1rem}";

/// Returns the page to begin with.
pub(crate) fn index(owner: &Username, export: &Export, counts: &BTreeMap<String, u64>) -> String {
    let mut body = format!(
        "<p>This is what Quick Photos kept about {owner} at {}. Each page is also a JSON file beside it, which \
         <a href=\"schema.json\">schema.json</a> describes.</p>\n<ul>\n<li><a href=\"profile.html\">Profile and \
         account</a></li>\n",
        escaped(export.created.as_ref())
    );
    for section in SECTIONS {
        let count = counts.get(section.name).copied().unwrap_or_default();
        let (name, title) = (section.name, section.title);
        let _ = writeln!(body, "<li><a href=\"{name}/1.html\">{title}</a> ({count})</li>");
    }
    body += "</ul>\n";
    document(&format!("The data of {owner}"), &body)
}

/// Returns the page of the profile.
pub(crate) fn profile(profile: &RawValue) -> Result<String, Error> {
    let mut body = "<nav><a href=\"index.html\">All data</a></nav>\n".to_owned();
    write(&mut body, profile)?;
    Ok(document("Profile and account", &body))
}

/// Returns a page of a section.
pub(crate) fn page(title: &str, number: u32, has_next: bool, entries: &[Value]) -> Result<String, Error> {
    let mut body = "<nav><a href=\"../index.html\">All data</a>".to_owned();
    if number > 1 {
        let _ = write!(body, " <a href=\"{}.html\">Page before</a>", number - 1);
    }
    if has_next {
        let _ = write!(body, " <a href=\"{}.html\">Next page</a>", number + 1);
    }
    body += "</nav>\n";
    for entry in entries {
        body += "<article>\n";
        for shown in [entry].into_iter().chain(entry["pictures"].as_array().into_iter().flatten()) {
            let Some(picture) = shown["picture"].as_str() else { continue };
            let text = shown["altText"].as_str().or(entry["caption"].as_str()).unwrap_or_default();
            let _ = writeln!(body, "<img loading=\"lazy\" src=\"../{}\" alt=\"{}\">", escaped(picture), escaped(text));
        }
        write(&mut body, &to_raw_value(entry)?)?;
        body += "</article>\n";
    }
    if entries.is_empty() {
        body += "<p>None.</p>\n";
    }
    Ok(document(title, &body))
}

fn document(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <h1>{title}</h1>\n{body}</body>\n</html>\n"
    )
}

/// Writes a JSON value: an object as a list of terms, an array as a list, and a number with all its digits.
fn write(body: &mut String, value: &RawValue) -> Result<(), Error> {
    let json = value.get();
    match json.as_bytes().first() {
        Some(b'{') => {
            *body += "<dl>\n";
            for (name, value) in serde_json::from_str::<BTreeMap<String, &RawValue>>(json)? {
                let _ = write!(body, "<dt>{}</dt><dd>", escaped(&name));
                write(body, value)?;
                *body += "</dd>\n";
            }
            *body += "</dl>\n";
        }
        Some(b'[') => {
            *body += "<ul>";
            for element in serde_json::from_str::<Vec<&RawValue>>(json)? {
                *body += "<li>";
                write(body, element)?;
                *body += "</li>";
            }
            *body += "</ul>";
        }
        Some(b'"') => *body += &escaped(&serde_json::from_str::<String>(json)?).replace('\n', "<br>"),
        Some(b'n') => {}
        _ => *body += json,
    }
    Ok(())
}

/// Returns a text that is no markup in an element or in a value with quotation marks.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

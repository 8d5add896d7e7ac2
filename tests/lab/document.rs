//! The commands of a document, and the output that it shows after them.

/// The first words of commands. A paragraph of code that begins with another word is output.
const COMMANDS: [&str; 6] = ["aws", "python3", "export", "api", "smiley()", "cargo"];

/// The line after the output of each step.
pub(super) const END: &str = "---- end of the step ----";

/// The commands of the document for one stack.
pub(super) struct Session {
    /// The options of `cargo run`.
    pub(super) options: String,
    pub(super) steps: Vec<Step>,
}

pub(super) struct Step {
    pub(super) commands: String,
    /// The output that the document shows; empty if it shows none.
    pub(super) output: String,
}

/// Returns the sessions of a document. Each begins with `cargo run`.
pub(super) fn sessions(document: &str) -> Vec<Session> {
    let mut sessions: Vec<Session> = vec![];
    let paragraphs = document.split("\n\n").map(|paragraph| paragraph.trim_start_matches('\n'));
    for code in paragraphs.filter(|paragraph| paragraph.starts_with("    ")) {
        let word = code.split_whitespace().next().unwrap_or_default();
        if let Some(options) = code.trim().strip_prefix("cargo run -- ") {
            sessions.push(Session { options: options.to_owned(), steps: vec![] });
            continue;
        }
        let steps = &mut sessions.last_mut().unwrap().steps;
        if COMMANDS.contains(&word) {
            steps.push(Step { commands: code.to_owned(), output: String::new() });
        } else {
            let step = steps.last_mut().unwrap();
            assert_eq!(step.output, "", "the document shows the output of a command once");
            code.clone_into(&mut step.output);
        }
    }
    sessions
}

/// Returns the commands of the steps as one script of a shell, which prints [`END`] after each of
/// them.
pub(super) fn script(steps: &[Step]) -> String {
    let steps: Vec<_> = steps.iter().map(|step| format!("{}\necho '{END}'", step.commands)).collect();
    ["exec 2>&1", &steps.join("\n")].join("\n")
}

/// Returns whether a document shows this output. White space does not count, and `…` stands for any
/// text.
pub(super) fn shows(document: &str, output: &str) -> bool {
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    let (document, output) = (dense(document), dense(output));
    let Some((first, others)) = document.split_once('…') else { return document == output };
    let (middle, last) = others.rsplit_once('…').unwrap_or(("", others));
    let Some(mut rest) = output.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else { return false };
    for part in middle.split('…') {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

#[test]
fn a_document_shows_an_output_with_something_left_out() {
    let output = r#"{"a": 1, "b": [2, 3], "status": 404} 404"#;
    for document in [output, "{\"a\": 1,\n \"b\": …} 404", "…404", "{…, \"b\": […], …} 404", "{\"a\"…", "…"]
    {
        assert!(shows(document, output), "{document}");
    }
    for document in ["", "{\"a\": 1} 404", "{…} 200", "{\"b\"…", "{…\"status\"…\"b\"…} 404", "…404…404…404"]
    {
        assert!(!shows(document, output), "{document}");
    }
}

//! Runs the commands of the tour in the README against a stack, and checks what they print.

use std::fs;
use std::process::Stdio;

use local::stack::Options;
use tests::stack::{root, start};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::Command;

/// The line after the output of each paragraph of commands.
const END: &str = "---- end of the paragraph ----";

/// Returns the paragraphs of commands of the tour: its indented lines, without the answers that it shows.
fn paragraphs(readme: &str) -> impl Iterator<Item = &str> {
    let (_, tour) = readme.split_once("\n## A tour of two minutes\n").unwrap();
    let tour = tour.split("\n## ").next().unwrap();
    tour.split("\n\n").filter(|paragraph| paragraph.starts_with("    ") && !paragraph.starts_with("    {"))
}

/// What the tour says that its commands print, in this order.
const PRINTED: [&str; 18] = [
    r#""username":"ada","name":"Ada Marsh""#,
    r#""username":"dora","name":"Dora Okafor""#,
    " 201\n",
    r#""reactionType":"heart""#,
    " 201\n",
    r#""followedUser":"ada""#,
    " 201\n",
    r#""followers":2"#,
    r#""heart":2"#,
    r#""reactingUser":"dora""#,
    "uploaded ",
    r#""status":"ready""#,
    r#""followedUser":"ada""#,
    " 200\n",
    r#""photos":[{"username":"ada""#,
    "dora@example.com",
    r#""field":"colour""#,
    " 400\n",
];

#[tokio::test]
async fn the_commands_of_the_tour_print_what_the_readme_says() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let stack = start(Options::default()).await;
    let mut bash = Command::new("bash");
    bash.args(["-euo", "pipefail", "-s"]).current_dir(root()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut bash = bash.kill_on_drop(true).spawn().unwrap();
    let (mut input, mut output) = (bash.stdin.take().unwrap(), BufReader::new(bash.stdout.take().unwrap()));
    let mut printed = String::new();
    for commands in paragraphs(&readme) {
        let commands = commands.replace("http://localhost:3000", stack.api());
        input.write_all(format!("{commands}\necho '{END}'\n").as_bytes()).await.unwrap();
        while !printed.ends_with(&format!("{END}\n")) {
            let is_over = output.read_line(&mut printed).await.unwrap() == 0;
            assert!(!is_over, "the shell ended at\n{commands}\nafter\n{printed}");
        }
        printed.truncate(printed.len() - END.len() - 1);
        // A reader is slower than the functions that a command starts.
        stack.idle().await;
    }
    let mut rest = printed.as_str();
    for expected in PRINTED {
        let (_, after) = rest.split_once(expected).unwrap_or_else(|| panic!("no {expected} in\n{rest}\nof\n{printed}"));
        rest = after;
    }
    stack.shutdown().await;
}

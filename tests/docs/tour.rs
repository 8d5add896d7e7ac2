//! Runs the commands of the tour in the README, and of the longer one in docs/local-stack.md,
//! against a stack, and checks what they print.

use std::fs;
use std::process::Stdio;

use local::stack::Options;
use tests::stack::{root, start};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::Command;

/// The line after the output of each paragraph of commands.
const END: &str = "---- end of the paragraph ----";

/// Returns the paragraphs of commands in a section: its indented lines, without the answers that it
/// shows.
fn paragraphs<'a>(document: &'a str, section: &str) -> impl Iterator<Item = &'a str> {
    let (_, tour) = document.split_once(&format!("\n## {section}\n")).unwrap();
    let tour = tour.split("\n## ").next().unwrap();
    tour.split("\n\n").filter(|paragraph| paragraph.starts_with("    ") && !paragraph.starts_with("    {"))
}

/// Returns the members with a number or a text that the answers in a section show, such as
/// `"width":1600`, without the times of what the tour does. Also returns the new count of
/// followers, which a sentence names.
fn shown(document: &str, section: &str) -> Vec<String> {
    let (_, tour) = document.split_once(&format!("\n## {section}\n")).unwrap();
    let tour = tour.split("\n## ").next().unwrap();
    let answers = tour.split("\n\n").filter(|paragraph| paragraph.starts_with("    {"));
    let members = answers.flat_map(|answer| answer.split(['{', '}', '[', ']', ',']).map(str::trim));
    let members = members.filter(|member| member.contains(": ") && !member.contains('…') && !member.contains("\"202"));
    let words = tour.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, followers) = words.split_once("ada's `followers` to ").unwrap();
    let followers = format!("\"followers\":{}", followers.split(',').next().unwrap());
    members.map(|member| member.replacen(": ", ":", 1)).chain([followers]).collect()
}

/// Texts that the commands of the tours print, in this order.
const PRINTED: [&str; 30] = [
    r#""username":"ada","name":"Ada Marsh""#,
    r#""username":"dora","name":"Dora Okafor""#,
    " 201\n",
    r#""reactionType":"heart""#,
    " 201\n",
    r#""username":"dora""#,
    " 201\n",
    r#""followers":13"#,
    r#""heart":2"#,
    r#""username":"dora""#,
    "uploaded ",
    r#""status":"ready""#,
    r#""username":"dora""#,
    " 200\n",
    r#""photos":[{"username":"ada""#,
    "dora@example.com",
    r#""field":"colour""#,
    " 400\n",
    " 204\n",
    " 204\n",
    " 204\n",
    r#""title":"Tiles of Lisbon""#,
    " 201\n",
    r#""tagName":"アズレージョ""#,
    "Tiles of Lisbon",
    "收藏夹",
    " 204\n",
    " 201\n",
    r#""City":"Anytown","State":"OH","Street":"9 Main""#,
    "Hey Now",
];

#[tokio::test]
async fn the_commands_of_both_tours_print_what_the_documents_say() {
    let read = |document| fs::read_to_string(root().join(document)).unwrap();
    let (readme, local_stack) = (read("README.md"), read("docs/local-stack.md"));
    let tours = paragraphs(&readme, "A tour of two minutes").chain(paragraphs(&local_stack, "A longer tour"));
    let stack = start(Options::default()).await;
    let mut bash = Command::new("bash");
    bash.args(["-euo", "pipefail", "-s"]).current_dir(root()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut bash = bash.kill_on_drop(true).spawn().unwrap();
    let (mut input, mut output) = (bash.stdin.take().unwrap(), BufReader::new(bash.stdout.take().unwrap()));
    let mut printed = String::new();
    for commands in tours {
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
    for member in shown(&readme, "A tour of two minutes") {
        assert!(printed.contains(&member), "README.md shows {member}, but no answer has it");
    }
    stack.shutdown().await;
}

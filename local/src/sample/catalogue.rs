//! The sample data of the catalogues: songs and people with different attributes.

use shared::document;
use shared::dynamodb::Item;

/// Returns two songs of each of two artists. Three songs are of one genre, and one has no album.
pub(super) fn songs() -> Vec<Item> {
    items(include_str!("../../sample/songs.jsonl"))
}

/// Returns two people with different attributes.
pub(super) fn people() -> Vec<Item> {
    items(include_str!("../../sample/people.jsonl"))
}

fn items(lines: &str) -> Vec<Item> {
    lines.lines().map(|line| document::read_line(line).expect("the sample data is valid")).collect()
}

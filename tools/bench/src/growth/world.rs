//! Tables of any size. The cast of the sample data is in them, so that every event finds what it names; what lists and
//! searches read of the cast's grows with the tables; and households of people who keep to themselves are the rest.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use local::sample::favorites::{self, Collection};
use local::sample::{self, FAVORITE, MUSIC, PEOPLE, PhotoId, QUICK_PHOTOS, World};
use shared::document;
use shared::dynamodb::Item;
use shared::model::catalogue::{ALBUM_TITLE, GENRE, person_key, song_key};
use shared::model::favorites::MAX_TAGS_OF_USER;
use shared::model::photos::{Friendship, User};
use shared::values::{DataType, DocumentFormat, ReactionType, Timestamp, Username};
use time::OffsetDateTime;
use time::macros::format_description;

/// Entries of a page. The smallest tables have a page of everything, and another one after it.
pub(super) const PAGE: usize = 20;

/// How large each collection of the cast's is that a list shows, in tables of so many items.
pub(super) fn collection(items: usize) -> usize {
    (items / 100).max(PAGE + 1)
}

/// How much of it a function on a stream has to clear away: less, since it has to be put back for each measurement.
pub(super) fn cleared(items: usize) -> usize {
    (items / 1000).max(PAGE + 1)
}

const TITLES: [&str; 4] = ["Harbour at night", "Rye bread", "Roof of the old mill", "Two cranes"];

/// Items and the logical id of their table.
type Lump = Vec<(&'static str, Vec<Item>)>;

/// Writes so many items into files, one for each table, and names them.
pub(super) fn write(items: usize, directory: &Path) -> Result<BTreeMap<&'static str, PathBuf>, String> {
    let mut files = BTreeMap::new();
    let mut writers = BTreeMap::new();
    for table in [QUICK_PHOTOS, FAVORITE, MUSIC, PEOPLE] {
        let path = directory.join(table);
        let file = File::create(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        writers.insert(table, BufWriter::new(file));
        files.insert(table, path);
    }
    for (table, items) in lumps(items).flatten() {
        let writer = writers.get_mut(table).ok_or(table)?;
        for item in items {
            let line =
                document::write(DocumentFormat::DynamoDb, &item).map_err(|error| format!("{table}: {error:?}"))?;
            writeln!(writer, "{line}").map_err(|error| format!("{table}: {error}"))?;
        }
    }
    for (table, mut writer) in writers {
        writer.flush().map_err(|error| format!("{table}: {error}"))?;
    }
    Ok(files)
}

/// So many items, the cast's first.
fn lumps(items: usize) -> impl Iterator<Item = Lump> {
    let cast = cast(collection(items), cleared(items));
    let of_household = count(&household(0));
    let left = items.saturating_sub(count(&cast));
    let (households, rest) = (left / of_household, left % of_household);
    let strangers = (0..rest).map(|number| person(1_000_000_000 + number)).collect();
    let strangers = vec![(PEOPLE, strangers)];
    std::iter::once(cast).chain((0..households).map(household)).chain([strangers])
}

fn count(lump: &Lump) -> usize {
    lump.iter().map(|(_, items)| items.len()).sum()
}

/// The cast. Each of their collections has so many items more than in the sample data, and what is to be cleared away
/// has fewer.
fn cast(collection: usize, cleared: usize) -> Lump {
    let mut world = World::cast();
    let [ada, ben, cara] = [0, 1, 2].map(|index| world.users[index].clone());
    let [reacted_to, removed] = [0, 1].map(|index| world.photos[index].clone());
    for number in 0..collection {
        let fan = user(&cara, &name("fan", number));
        world.photos.push((ada.username.clone(), timestamp(number)));
        world.friendships.push(friendship(&ada, &fan));
        world.friendships.push(friendship(&fan, &ben));
        world.reactions.push(reaction(&fan, number, &reacted_to));
        if number < cleared {
            world.reactions.push(reaction(&fan, number, &removed));
        }
        world.users.push(fan);
    }

    let [mut of_ada, mut of_ben] = favorites::cast();
    for number in 0..collection {
        let (id, at) = (id(number), clip_time(number));
        let tags: &[&str] = if number < cleared { &["travel"] } else { &[] };
        of_ada.clip(&id, DataType::Image, "Lisbon", at, tags);
        of_ben.clip(&id, DataType::Image, "Owl", at, &["birds"]);
    }
    // The sample's five tags are among those that a user may have.
    for number in 0..collection.min(MAX_TAGS_OF_USER - 5) {
        of_ada.tag(&id(number), &format!("Tag {}", id(number)), clip_time(number), clip_time(number));
    }

    let mut songs = sample::cast(MUSIC);
    songs.extend((0..collection).map(|number| {
        song("The Harbour Lights", &format!("Long Way {}", id(number)), "Folk", &format!("Before {}", id(number)))
    }));
    vec![
        (QUICK_PHOTOS, world.items()),
        (FAVORITE, [of_ada.into_items(), of_ben.into_items()].concat()),
        (MUSIC, songs),
        (PEOPLE, sample::cast(PEOPLE)),
    ]
}

/// Three people with photos, who follow each other and react, with favorites, songs and a catalogue's entry each.
fn household(number: usize) -> Lump {
    let mut world = World::default();
    let pattern = &World::cast().users[2];
    world.users = ["a", "b", "c"].map(|member| user(pattern, &name(member, number))).to_vec();
    let members = world.users.clone();
    for (index, member) in members.iter().enumerate() {
        let next = &members[(index + 1) % members.len()];
        world.friendships.push(friendship(member, next));
        for photo in 0..3 {
            let photo = (member.username.clone(), timestamp(photo));
            world.reactions.push(reaction(next, index, &photo));
            world.photos.push(photo);
        }
    }
    let collection = |(index, member): (usize, &User)| {
        let mut collection = Collection::of(member.username.as_ref());
        collection.tag("later", "Later", clip_time(0), clip_time(0));
        collection.clip("first", DataType::Link, TITLES[index], clip_time(1), &["later"]);
        collection.clip("second", DataType::Image, TITLES[index + 1], clip_time(2), &[]);
        collection.into_items()
    };
    let songs = members.iter().map(|member| song(&member.name, &format!("Song of {}", member.username), "Pop", "Hits"));
    vec![
        (QUICK_PHOTOS, world.items()),
        (FAVORITE, members.iter().enumerate().flat_map(collection).collect()),
        (MUSIC, songs.collect()),
        (PEOPLE, (0..members.len()).map(|member| person(1000 + number * members.len() + member)).collect()),
    ]
}

/// Neighbours in number are apart in the order of keys, so that what is loaded lands anywhere.
fn name(of: &str, number: usize) -> String {
    format!("{:016x}.{of}", (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// As long at each size: a page of longer names takes more capacity.
fn id(number: usize) -> String {
    format!("{number:06}")
}

/// Somebody like another.
fn user(pattern: &User, username: &str) -> User {
    let email = Some(format!("{username}@example.com"));
    User { username: parsed(username), email, pinned_image: None, ..pattern.clone() }
}

fn friendship(followed: &User, following: &User) -> Friendship {
    Friendship {
        followed_user: followed.username.clone(),
        following_user: following.username.clone(),
        timestamp: timestamp(0),
    }
}

fn reaction(reacting: &User, number: usize, photo: &PhotoId) -> (Username, ReactionType, PhotoId, Timestamp) {
    let all = ReactionType::ALL;
    (reacting.username.clone(), all[number % all.len()], photo.clone(), parsed("2024-12-24T18:00:00"))
}

fn song(artist: &str, title: &str, genre: &str, album: &str) -> Item {
    let mut song = song_key(&parsed(artist), &parsed(title));
    song.extend([(GENRE.to_owned(), S(genre.to_owned())), (ALBUM_TITLE.to_owned(), S(album.to_owned()))]);
    song.insert("Year".to_owned(), N("2023".to_owned()));
    song
}

fn person(id: usize) -> Item {
    let mut person = person_key(&parsed(&id.to_string()));
    person.insert("FirstName".to_owned(), S("Sam".to_owned()));
    person
}

/// A moment of 2023.
fn timestamp(number: usize) -> Timestamp {
    let moment = OffsetDateTime::from_unix_timestamp(1_672_531_200 + 601 * number.cast_signed() as i64);
    let format = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]");
    parsed(&moment.ok().and_then(|moment| moment.format(format).ok()).unwrap_or_default())
}

/// A moment of 2023, in milliseconds.
fn clip_time(number: usize) -> u64 {
    1_672_531_200_000 + 1000 * number as u64
}

fn parsed<T: FromStr<Err: Debug>>(text: &str) -> T {
    text.parse().expect("what is generated follows the rules")
}

#[cfg(test)]
mod tests {
    use ops::audit;
    use ops::audit::Options;

    use super::super::Tables;
    use super::*;

    #[test]
    fn there_are_as_many_items_as_one_asks_for() {
        for items in [1_000, 1_001, 10_000] {
            assert_eq!(lumps(items).map(|lump| count(&lump)).sum::<usize>(), items);
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn all_of_it_is_loaded_and_no_count_is_wrong() {
        let Tables { bench, .. } = Tables::of(3_000, Path::new("")).await.expect("every item is loaded");
        let mut items = 0;
        for table in [QUICK_PHOTOS, FAVORITE] {
            let name = &bench.template().table(table).expect("a table").name;
            let report = audit::run(&bench.client(), name, Options::default(), |_| {}).await.expect("an audit");
            assert_eq!(report.findings, []);
            items += report.items;
        }
        assert!(items > 2_500, "{items}");
    }
}

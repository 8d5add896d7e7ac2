//! Generates a data set of any size.
//!
//! It contains the three users of the sample data that the events name, so that every event of
//! `events/` succeeds. The collections of these users that lists and searches read grow with the
//! data set. The rest are groups of users who interact only with each other.

use std::fmt::Debug;
use std::iter::{from_fn, once};
use std::str::FromStr;

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use local::sample::favorites::{self, Collection};
use local::sample::{self, FAVORITE, FEED, MUSIC, PEOPLE, PhotoKey, QUICK_PHOTOS, World};
use pictures::DIMENSIONS;
use shared::dynamodb::Item;
use shared::entities::{
    ALBUM_TITLE, Block, FollowRequest, Friendship, GENRE, Key, MAX_TAGS_PER_USER, Position, User, person_key, song_key,
    vector_item,
};
use shared::values::{DataType, ReactionType, Timestamp, Username};
use time::OffsetDateTime;
use time::macros::format_description;

/// The number of entries in a page. In the smallest data set a list has one page and one more
/// entry.
pub(super) const PAGE_SIZE: usize = 20;

/// Returns the size of each collection that a list reads, in a data set of `items` items.
fn collection_size(items: usize) -> usize {
    (items / 100).max(PAGE_SIZE + 1)
}

/// The number of items that a deleted photo or tag leaves for a stream function to clean up, in a
/// data set of any size: the requests of a clean-up grow with what it deletes.
const DELETION_SIZE: usize = PAGE_SIZE + 1;

/// The number of tags that ada has in the sample data.
const TAGS_OF_ADA: usize = 5;

const TITLES: [&str; 4] = ["Harbour at night", "Rye bread", "Roof of the old mill", "Two cranes"];

/// Items, grouped by the logical id of their table.
type ItemsByTable = Vec<(&'static str, Vec<Item>)>;

/// Generates exactly `items` items: the users of the sample data, then as many groups as fit, then
/// people in the catalogue for the remainder.
pub(super) fn generate(items: usize) -> impl Iterator<Item = ItemsByTable> {
    let named = named_users(collection_size(items));
    let (mut left, mut number) = (items.saturating_sub(count(&named)), 0);
    // The sizes of groups differ a little, because some beginnings of names are the same.
    let rest = from_fn(move || {
        if left == 0 {
            return None;
        }
        let group = group(number);
        number += 1;
        let size = count(&group);
        if size <= left {
            left -= size;
            return Some(group);
        }
        let people = (0..std::mem::take(&mut left)).map(|number| person(1_000_000_000 + number));
        Some(vec![(PEOPLE, people.collect())])
    });
    once(named).chain(rest)
}

fn count(items: &ItemsByTable) -> usize {
    items.iter().map(|(_, items)| items.len()).sum()
}

/// Generates the users whom events name. Each of their collections has `collection` more
/// entries than in the sample data. The photo and the tag that the stream events report as deleted
/// leave [`DELETION_SIZE`] more items each than in the sample data.
fn named_users(collection: usize) -> ItemsByTable {
    let mut data = World { pending: None, ..World::of_events() };
    let (request, mute) = (data.requests[0].clone(), data.blocks[0].clone());
    let [ada, ben, cara] = [0, 1, 2].map(|index| data.users[index].clone());
    let [liked_photo, deleted_photo] = [0, 1].map(|index| data.photos[index].clone());
    for number in 0..collection {
        let fan = user(&cara, &name("fan", number));
        data.photos.push((ada.username.clone(), timestamp(number).into()));
        data.friendships.push(friendship(&ada, &fan));
        data.friendships.push(friendship(&fan, &ben));
        data.requests.push(FollowRequest { asking_user: fan.username.clone(), ..request.clone() });
        data.blocks.push(Block { blocked_user: fan.username.clone(), ..mute.clone() });
        data.reactions.push(reaction(&fan, number, &liked_photo));
        if number < DELETION_SIZE {
            data.reactions.push(reaction(&fan, number, &deleted_photo));
        }
        if number < PAGE_SIZE {
            data.photos.push((fan.username.clone(), timestamp(number).into()));
        }
        data.users.push(fan);
    }

    let [mut of_ada, mut of_ben] = favorites::seed();
    for number in 0..collection {
        let (id, at) = (id(number), clip_time(number));
        let tags: &[&str] = if number < DELETION_SIZE { &["travel"] } else { &[] };
        of_ada.clip(&id, DataType::Image, "Lisbon", at, tags);
        of_ben.clip(&id, DataType::Image, "Owl", at, &["birds"]);
    }
    for number in 0..collection.min(MAX_TAGS_PER_USER - TAGS_OF_ADA) {
        of_ada.tag(&id(number), &format!("Tag {}", id(number)), clip_time(number), clip_time(number));
    }

    let mut songs = sample::seed(MUSIC);
    songs.extend((0..collection).map(|number| {
        song("The Harbour Lights", &format!("Long Way {}", id(number)), "Folk", &format!("Before {}", id(number)))
    }));
    let mut feeds = World { users: vec![], screens: data.screens.clone(), ..World::seed() }.feeds();
    feeds.extend((0..collection).map(|number| entry(&ben, &ada, number)));
    // A list of similar photos has a few photos of each owner, and reads on if some do not exist.
    let similar = (0..PAGE_SIZE).map(|number| (user(&cara, &name("fan", number)).username, timestamp(number).into()));
    feeds.extend(similar.map(|(owner, photo)| vector_item(&owner, &photo, None, &[1; DIMENSIONS], true)));
    feeds.extend(data.directory());
    vec![
        (QUICK_PHOTOS, data.items()),
        (FEED, feeds),
        (FAVORITE, [of_ada.into_items(), of_ben.into_items()].concat()),
        (MUSIC, songs),
        (PEOPLE, sample::seed(PEOPLE)),
    ]
}

/// Generates three users who follow each other and react to each other's photos. Each has a home
/// feed, favorites, a song and an entry in the catalogue of people.
fn group(number: usize) -> ItemsByTable {
    let mut data = World::default();
    let template = &World::seed().users[2];
    data.users = ["a", "b", "c"].map(|member| user(template, &name(member, number))).to_vec();
    let members = data.users.clone();
    for (index, member) in members.iter().enumerate() {
        let next = &members[(index + 1) % members.len()];
        data.friendships.push(friendship(member, next));
        for photo in 0..3 {
            let photo = (member.username.clone(), timestamp(photo).into());
            data.reactions.push(reaction(next, index, &photo));
            data.photos.push(photo);
        }
    }
    let collection = |(index, member): (usize, &User)| {
        let mut collection = Collection::new(member.username.as_ref());
        collection.tag("later", "Later", clip_time(0), clip_time(0));
        collection.clip("first", DataType::Link, TITLES[index], clip_time(1), &["later"]);
        collection.clip("second", DataType::Image, TITLES[index + 1], clip_time(2), &[]);
        collection.into_items()
    };
    let songs = members.iter().map(|member| song(&member.name, &format!("Song of {}", member.username), "Pop", "Hits"));
    vec![
        (QUICK_PHOTOS, data.items()),
        (FEED, data.feeds()),
        (FAVORITE, members.iter().enumerate().flat_map(collection).collect()),
        (MUSIC, songs.collect()),
        (PEOPLE, (0..members.len()).map(|member| person(1000 + number * members.len() + member)).collect()),
    ]
}

/// Returns a username. Names with neighbouring numbers are far apart in the order of keys, so that
/// the items lie in all parts of the table.
fn name(of: &str, number: usize) -> String {
    format!("{:016x}.{of}", (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Returns an id. All ids have the same length, because a page with longer ids would consume more
/// capacity.
fn id(number: usize) -> String {
    format!("{number:06}")
}

/// Returns a user with the attributes of another, under a new name.
fn user(template: &User, username: &str) -> User {
    let email = Some(format!("{username}@example.com"));
    User { username: parsed(username), email, pinned_image: None, pinned_picture: None, ..template.clone() }
}

fn friendship(followed: &User, following: &User) -> Friendship {
    Friendship {
        followed_user: followed.username.clone(),
        following_user: following.username.clone(),
        timestamp: timestamp(0),
    }
}

/// Returns the entry of a photo of `author` in the home feed of `reader`.
fn entry(reader: &User, author: &User, number: usize) -> Item {
    let position = Position { id: timestamp(number).into(), author: author.username.clone() };
    Key::entry(&reader.username, &position).into()
}

fn reaction(reacting: &User, number: usize, photo: &PhotoKey) -> (Username, ReactionType, PhotoKey, Timestamp) {
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

/// Returns a timestamp from 2023 on, 601 s after the previous number's.
fn timestamp(number: usize) -> Timestamp {
    let moment = OffsetDateTime::from_unix_timestamp(1_672_531_200 + 601 * number.cast_signed() as i64);
    let format = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]");
    parsed(&moment.ok().and_then(|moment| moment.format(format).ok()).unwrap_or_default())
}

/// Returns the clip time of a favorite in epoch milliseconds, from 2023 on, one second after the
/// previous number's.
fn clip_time(number: usize) -> u64 {
    1_672_531_200_000 + 1000 * number as u64
}

fn parsed<T: FromStr<Err: Debug>>(text: &str) -> T {
    text.parse().expect("generated values are valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generates_exactly_the_requested_number_of_items() {
        for items in [1_250, 1_251, 10_000] {
            assert_eq!(generate(items).map(|items| count(&items)).sum::<usize>(), items);
        }
    }
}

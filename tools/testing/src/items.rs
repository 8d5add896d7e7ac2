//! Items to put on the stage.

use std::fmt::Debug;
use std::str::FromStr;

use shared::dynamodb::Item;
use shared::model::entity;
use shared::model::photos::{Deletion, Friendship, Key, Photo, Reaction, User, photo_sk};
use shared::values::{ReactionType, Timestamp, Username};

/// A user.
#[must_use]
pub fn user(username: &str) -> Item {
    let username: Username = parse(username);
    let user = User {
        name: username.to_string(),
        email: None,
        birthdate: None,
        address: None,
        status: None,
        interests: vec![],
        pinned_image: None,
        followers: 0,
        following: 0,
        attributes: None,
        username,
    };
    entity::to_item(Key::user(&user.username), &user).expect("an item")
}

/// What stands in a user's place while they are being deleted.
#[must_use]
pub fn deletion(username: &str) -> Item {
    let deletion = Deletion { erasing: parse(username), since: Timestamp::now() };
    entity::to_item(Key::user(&deletion.erasing), &deletion).expect("an item")
}

/// A photo.
#[must_use]
pub fn photo(username: &str, timestamp: &str) -> Item {
    let photo = Photo {
        username: parse(username),
        timestamp: parse(timestamp),
        location: format!("s3://quick-photos/photos/{username}/{timestamp}.png"),
        reactions: ReactionType::ALL.iter().map(|&reaction| (reaction, 0)).collect(),
    };
    entity::to_item(Key::photo(&photo.username, &photo.timestamp), &photo).expect("an item")
}

/// A reaction. It is not counted.
#[must_use]
pub fn reaction(reacting: &str, reaction: &str, username: &str, timestamp: &str) -> Item {
    let (username, photo): (Username, Timestamp) = (parse(username), parse(timestamp));
    let reaction = Reaction {
        reacting_user: parse(reacting),
        reaction_type: parse(reaction),
        photo: photo_sk(&username, &photo),
        timestamp: Timestamp::now(),
    };
    let key = Key::reaction(&reaction.reacting_user, reaction.reaction_type, &username, &photo);
    entity::to_item(key, &reaction).expect("an item")
}

/// A friendship. It is not counted.
#[must_use]
pub fn friendship(followed: &str, following: &str) -> Item {
    let friendship =
        Friendship { followed_user: parse(followed), following_user: parse(following), timestamp: Timestamp::now() };
    entity::to_item(Key::friendship(&friendship.followed_user, &friendship.following_user), &friendship)
        .expect("an item")
}

fn parse<T: FromStr<Err: Debug>>(text: &str) -> T {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

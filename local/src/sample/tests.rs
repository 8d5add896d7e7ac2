#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use shared::photos::{PK, SK};

use super::*;

fn text<'a>(item: &'a Item, attribute: &str) -> &'a str {
    item[attribute].as_s().unwrap()
}

fn number(value: &AttributeValue) -> usize {
    value.as_n().unwrap().parse().unwrap()
}

/// Returns the users, photos, reactions, comments and friendships by primary key, distinguished by
/// their attributes.
fn kinds(items: &[Item]) -> [HashMap<(&str, &str), &Item>; 5] {
    let with = |attribute: &str| -> HashMap<_, _> {
        items
            .iter()
            .filter(|item| item.contains_key(attribute))
            .map(|item| ((text(item, PK), text(item, SK)), item))
            .collect()
    };
    [with("interests"), with("location"), with("reactionType"), with("text"), with("followedUser")]
}

/// Recounts the items of a table, independently of the code that creates them.
fn assert_consistent(items: &[Item], sizes: [usize; 5]) {
    let kinds = kinds(items);
    assert_eq!(
        kinds.each_ref().map(HashMap::len),
        sizes,
        "users, photos, reactions, comments, friendships, with a key each"
    );
    assert_eq!(items.len(), sizes.iter().sum::<usize>());
    let [users, photos, reactions, comments, friendships] = kinds;
    let photos_by_sk: HashMap<&str, &Item> = photos.iter().map(|((_, sk), photo)| (*sk, *photo)).collect();
    let names: HashSet<&str> = users.values().map(|user| text(user, "username")).collect();

    for user in users.values() {
        let name = text(user, "username");
        let following = |side| friendships.values().filter(|friendship| text(friendship, side) == name).count();
        assert_eq!(number(&user["followers"]), following("followedUser"), "followers of {name}");
        assert_eq!(number(&user["following"]), following("followingUser"), "followed by {name}");
        let of_user = photos.values().filter(|photo| text(photo, "username") == name);
        assert_eq!(number(&user["photos"]), of_user.count(), "photos of {name}");
        let written = comments.values().filter(|comment| text(comment, "author") == name);
        assert_eq!(user.get(COMMENTS_WRITTEN).map_or(0, number), written.count(), "comments of {name}");
        if let Some(pinned) = user.get("pinnedImage") {
            assert_eq!(text(photos_by_sk[pinned.as_s().unwrap().as_str()], "username"), name, "pinned by {name}");
        }
    }
    for ((_, sk), photo) in &photos {
        assert!(names.contains(text(photo, "username")));
        let mut counted: BTreeMap<&str, usize> =
            ReactionType::ALL.iter().map(|reaction| (reaction.as_ref(), 0)).collect();
        for reaction in reactions.values().filter(|reaction| text(reaction, "photo") == *sk) {
            *counted.get_mut(text(reaction, "reactionType")).unwrap() += 1;
        }
        let stated: BTreeMap<&str, usize> = photo["reactions"]
            .as_m()
            .unwrap()
            .iter()
            .map(|(reaction, count)| (reaction.as_str(), number(count)))
            .collect();
        assert_eq!(stated, counted, "reactions to {sk}");
        let on_photo = comments.keys().filter(|(_, of_comment)| of_comment == sk);
        assert_eq!(number(&photo["comments"]), on_photo.count(), "comments on {sk}");
    }
    for reaction in reactions.values() {
        let photo = photos_by_sk[text(reaction, "photo")];
        assert!(names.contains(text(reaction, "reactingUser")));
        assert!(text(reaction, "timestamp") > text(photo, "timestamp"), "{reaction:?} is older than its photo");
    }
    for ((_, sk), comment) in &comments {
        assert!(names.contains(text(comment, "author")));
        let photo = photos_by_sk[sk];
        assert!(text(comment, "timestamp") > text(photo, "timestamp"), "{comment:?} is older than its photo");
    }
    for friendship in friendships.values() {
        let (followed, following) = (text(friendship, "followedUser"), text(friendship, "followingUser"));
        assert!(names.contains(followed) && names.contains(following));
        assert_ne!(followed, following, "{followed} follows themself");
    }
}

#[test]
fn every_count_is_correct() {
    assert_consistent(&World::seed().items(), [3, 4, 1, 2, 1]);
    assert_consistent(&items(QUICK_PHOTOS), [USERS, PHOTOS + 1, REACTIONS, COMMENTS, FRIENDSHIPS]);
}

#[test]
fn the_sample_data_is_the_same_in_every_run() {
    assert_eq!(items(QUICK_PHOTOS), items(QUICK_PHOTOS));
    let world = World::sample();
    let (user, friendship) = (world.users.last().unwrap(), world.friendships.last().unwrap());
    let last = (user.birthdate.as_deref(), friendship.followed_user.as_ref(), friendship.following_user.as_ref());
    assert_eq!(last, (Some("1994-03-02"), "olga", "leo"), "the sample data differs from that of earlier versions");
}

#[test]
fn the_sample_data_contains_the_seed_data_unchanged() {
    let sample = items(QUICK_PHOTOS);
    for item in World::seed().items() {
        assert!(sample.contains(&item), "{item:?}");
    }
    let counts = ["ada", "ben", "cara"].map(|name| {
        let key = format!("#{name}");
        sample.iter().filter(|item| text(item, PK).contains(&key) || text(item, SK).contains(&key)).count()
    });
    assert_eq!(counts, [7, 5, 2], "the numbers of items with ada, ben and cara in their keys");
}

#[test]
fn the_seed_data_is_what_readme_and_events_assume() {
    let (ada, ben, cara): (Username, Username, Username) = (parsed("ada"), parsed("ben"), parsed("cara"));
    let photo: Timestamp = parsed("2024-05-30T15:42:38");
    let sample = items(QUICK_PHOTOS);
    let has = |key: Key| {
        let key = Item::from(key);
        sample.iter().any(|item| item[PK] == key[PK] && item[SK] == key[SK])
    };
    assert!(has(Key::friendship(&ada, &ben)) && has(Key::reaction(&cara, ReactionType::Heart, &ada, &photo)));
    let comment: CommentId = parsed("2024-06-02T18:05:41.250Z~ben");
    assert!(has(Key::comment(&comment, &ada, &photo)), "edit-comment.json edits, and delete-comment.json deletes");
    assert!(!has(Key::friendship(&ada, &cara)), "follow-user.json follows");
    assert!(!has(Key::reaction(&ben, ReactionType::Sunglasses, &ada, &photo)), "add-reaction.json reacts");
    assert!(!has(Key::user(&parsed("dora"))), "create-user.json creates");
}

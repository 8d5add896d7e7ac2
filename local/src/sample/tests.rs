#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, HashMap, HashSet};

use aws_sdk_dynamodb::types::AttributeValue;
use shared::entities::{
    BLOCKED_BY, BLOCKS, COMMENTS_WRITTEN, COMPLAINTS_MADE, Key, LINKS, MUTES, PK, REQUESTS_RECEIVED, REQUESTS_SENT, SK,
};
use shared::values::{CommentId, PhotoId, ReactionType, Timestamp, Username};
use time::Duration;

use super::generate::{COMMENTS, FRIENDSHIPS, PHOTOS, REACTIONS, REQUESTS, SAVED, USERS};
use super::pictures::Subject;
use super::world::{parsed, timestamp};
use super::*;

fn text<'a>(item: &'a Item, attribute: &str) -> &'a str {
    item[attribute].as_s().unwrap()
}

fn number(value: &AttributeValue) -> usize {
    value.as_n().unwrap().parse().unwrap()
}

/// Returns the users, photos, reactions, comments and friendships by primary key, distinguished by
/// their attributes.
fn kinds(items: &[Item]) -> [HashMap<(&str, &str), &Item>; 15] {
    let with = |attribute: &str| -> HashMap<_, _> {
        items
            .iter()
            .filter(|item| item.contains_key(attribute) && (attribute != "moderator" || !item.contains_key("hashtag")))
            .map(|item| ((text(item, PK), text(item, SK)), item))
            .collect()
    };
    let attributes = [
        "interests",
        "location",
        "reactionType",
        "author",
        "followedUser",
        "askedUser",
        "blockedUser",
        "reporter",
        "reportState",
        "owner",
        "moderator",
        "likingUser",
        "hashtag",
        "hashtags",
        "entries",
    ];
    attributes.map(with)
}

fn assert_replies_are_counted(comments: &HashMap<(&str, &str), &Item>) {
    for ((pk, sk), comment) in comments {
        let is_reply = |key: &&(&str, &str)| key.0.starts_with(&format!("{pk}#")) && key.1 == format!("{sk}#REPLIES");
        let replies = comments.keys().filter(is_reply).count();
        assert_eq!(comment.get("replies").map_or(0, number), replies, "replies to {pk}");
    }
}

fn assert_likes_are_counted(
    comments: &HashMap<(&str, &str), &Item>,
    likes: &HashMap<(&str, &str), &Item>,
    names: &HashSet<&str>,
) {
    let mut counted: HashMap<String, usize> = HashMap::new();
    for ((_, sk), like) in likes {
        assert!(names.contains(text(like, "likingUser")));
        *counted.entry((*sk).to_owned()).or_default() += 1;
    }
    for ((pk, sk), comment) in comments {
        let likes = counted.remove(&format!("{sk}#LIKES#{}", &pk["COMMENT#".len()..]));
        assert_eq!(comment.get("likes").map(number), likes, "likes of {pk}");
    }
    assert_eq!(counted, HashMap::new(), "likes of comments that do not exist");
}

fn assert_relations_are_consistent(
    blocks: &HashMap<(&str, &str), &Item>,
    friendships: &HashMap<(&str, &str), &Item>,
    names: &HashSet<&str>,
) {
    for block in blocks.values().filter(|block| text(block, "level") == "block") {
        let pair = HashSet::from([text(block, "blockingUser"), text(block, "blockedUser")]);
        assert!(pair.is_subset(names), "{pair:?}");
        let is_of_pair = |one: &&&Item| HashSet::from([text(one, "followedUser"), text(one, "followingUser")]) == pair;
        assert_eq!(friendships.values().filter(is_of_pair).count(), 0, "{pair:?} are friends beside a block");
    }
    for friendship in friendships.values() {
        let (followed, following) = (text(friendship, "followedUser"), text(friendship, "followingUser"));
        assert!(names.contains(followed) && names.contains(following));
        assert_ne!(followed, following, "{followed} follows themself");
    }
}

fn assert_comments_follow_their_photos(
    comments: &HashMap<(&str, &str), &Item>,
    photos_by_sk: &HashMap<&str, &Item>,
    names: &HashSet<&str>,
) {
    for ((_, sk), comment) in comments {
        assert!(names.contains(text(comment, "author")));
        let photo = photos_by_sk[sk.strip_suffix("#REPLIES").unwrap_or(sk)];
        assert!(text(comment, "timestamp") > text(photo, "timestamp"), "{comment:?} is older than its photo");
    }
}

type Items<'a> = HashMap<(&'a str, &'a str), &'a Item>;

fn assert_reports_agree(reports: &Items<'_>, photos: &Items<'_>, complaints: &Items<'_>, decisions: &Items<'_>) {
    for report in reports.values() {
        let id = text(report, "id");
        let about = complaints.values().filter(|complaint| text(complaint, "about") == id);
        assert_eq!(number(&report["complaints"]), about.count(), "{id}");
        let about = decisions.values().filter(|decision| text(decision, "about") == id);
        let last = about.map(|decision| text(decision, "timestamp")).max();
        assert_eq!(report.get("decided").map(|time| time.as_s().unwrap().as_str()), last, "{id}");
        let is_reported = |photo: &&&Item| id == format!("{}~{}", text(photo, "username"), text(photo, "timestamp"));
        let marked = photos.values().find(is_reported).filter(|photo| photo.contains_key("sensitiveBy"));
        assert_eq!(report.get("sensitive"), marked.map(|photo| &photo["sensitive"]), "{id}");
    }
}

fn assert_pictures_agree(photos: &Items<'_>, pictures: &Items<'_>) {
    let several = photos.iter().filter(|(_, photo)| photo.contains_key("pictures"));
    assert_eq!(several.clone().count(), pictures.len());
    for ((pk, sk), photo) in several {
        let entries = pictures[&(*pk, &*sk.replace("PHOTO#", "PICTURES#"))]["entries"].as_l().unwrap();
        let first = entries[0].as_m().unwrap();
        assert_eq!((number(&photo["pictures"]), &photo["picture"]), (entries.len(), &first["picture"]), "{sk}");
        assert_eq!(photo["altText"], first["altText"], "{sk}");
        let ids: HashSet<_> = entries
            .iter()
            .map(|entry| text(entry.as_m().unwrap()["picture"].as_m().unwrap()["sizes"].as_m().unwrap(), "id"))
            .collect();
        assert_eq!(ids.len(), 3, "{sk}");
    }
}

/// Recounts the items of a table, independently of the code that creates them.
fn assert_consistent(items: &[Item], sizes: [usize; 15]) {
    let kinds = kinds(items);
    assert_eq!(
        kinds.each_ref().map(HashMap::len),
        sizes,
        "users, photos, reactions, comments, friendships, requests, blocks, complaints, reports, links and targets, \
         decisions about them, likes, hidden hashtags with their decisions, followed hashtags, pictures, with a key each"
    );
    assert_eq!(items.len(), sizes.iter().sum::<usize>());
    let [
        users,
        photos,
        reactions,
        comments,
        friendships,
        requests,
        blocks,
        complaints,
        reports,
        shared,
        decisions,
        likes,
        _,
        _,
        pictures,
    ] = kinds;
    let photos_by_sk: HashMap<&str, &Item> = photos.iter().map(|((_, sk), photo)| (*sk, *photo)).collect();
    let names: HashSet<&str> = users.values().map(|user| text(user, "username")).collect();

    for user in users.values() {
        let name = text(user, "username");
        let following = |side| friendships.values().filter(|friendship| text(friendship, side) == name).count();
        assert_eq!(number(&user["followers"]), following("followedUser"), "followers of {name}");
        assert_eq!(number(&user["following"]), following("followingUser"), "followed by {name}");
        let of_user = photos.values().filter(|photo| text(photo, "username") == name);
        assert_eq!(number(&user["uploads"]), of_user.clone().count(), "photos of {name}");
        let counted = of_user.filter(|photo| !photo.contains_key("unready"));
        assert_eq!(number(&user["photos"]), counted.count(), "photos of {name}");
        let written = comments.values().filter(|comment| text(comment, "author") == name);
        assert_eq!(user.get(COMMENTS_WRITTEN).map_or(0, number), written.count(), "comments of {name}");
        let sent = requests.values().filter(|request| text(request, "askingUser") == name);
        assert_eq!(user.get(REQUESTS_SENT).map_or(0, number), sent.count(), "requests of {name}");
        let received = requests.values().filter(|request| text(request, "askedUser") == name);
        assert_eq!(user.get(REQUESTS_RECEIVED).map_or(0, number), received.count(), "requests to {name}");
        let links = shared.values().filter(|item| item.contains_key("token") && text(item, "owner") == name);
        assert_eq!(user.get(LINKS).map_or(0, number), links.count(), "links of {name}");
        let made = complaints.values().filter(|complaint| text(complaint, "reporter") == name);
        assert_eq!(user.get(COMPLAINTS_MADE).map_or(0, number), made.count(), "complaints of {name}");
        for (count, side, level) in
            [(BLOCKS, "blockingUser", "block"), (BLOCKED_BY, "blockedUser", "block"), (MUTES, "blockingUser", "mute")]
        {
            let counted = blocks.values().filter(|block| text(block, side) == name && text(block, "level") == level);
            assert_eq!(user.get(count).map_or(0, number), counted.count(), "{count} of {name}");
        }
        if let Some(pinned) = user.get("pinnedImage") {
            assert_eq!(text(photos_by_sk[pinned.as_s().unwrap().as_str()], "username"), name, "pinned by {name}");
        }
    }
    for request in requests.values() {
        let (asked, asking) = (text(request, "askedUser"), text(request, "askingUser"));
        assert!(names.contains(asked) && names.contains(asking) && asked != asking);
        let follows = |one: &&Item| text(one, "followedUser") == asked && text(one, "followingUser") == asking;
        assert!(!friendships.values().any(follows), "{asking} follows {asked} already");
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
        let on_photo =
            comments.keys().filter(|(_, of_comment)| of_comment.strip_suffix("#REPLIES").unwrap_or(of_comment) == *sk);
        assert_eq!(number(&photo["comments"]), on_photo.count(), "comments on {sk}");
    }
    assert_replies_are_counted(&comments);
    assert_likes_are_counted(&comments, &likes, &names);
    for reaction in reactions.values() {
        let photo = photos_by_sk[text(reaction, "photo")];
        assert!(names.contains(text(reaction, "reactingUser")));
        assert!(text(reaction, "timestamp") > text(photo, "timestamp"), "{reaction:?} is older than its photo");
    }
    assert_comments_follow_their_photos(&comments, &photos_by_sk, &names);
    for link in shared.values().filter(|item| item.contains_key("token")) {
        let (owner, token) = (text(link, "owner"), text(link, "token"));
        let photo = link.get("photo").map(|photo| format!("PHOTO#{owner}#{}", photo.as_s().unwrap()));
        assert!(names.contains(owner) && photo.is_none_or(|photo| photos_by_sk.contains_key(&*photo)), "{link:?}");
        let target = shared[&(&*format!("SHARE#{token}"), &*format!("#SHARE#{token}"))];
        assert_eq!((text(target, "owner"), target.get("photo")), (owner, link.get("photo")));
    }
    assert_pictures_agree(&photos, &pictures);
    assert_reports_agree(&reports, &photos, &complaints, &decisions);
    assert_relations_are_consistent(&blocks, &friendships, &names);
}

#[test]
fn every_count_is_correct() {
    assert_consistent(&World::seed().items(), [3, 4, 1, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_consistent(
        &items(QUICK_PHOTOS, TEST_START),
        [USERS, PHOTOS + 1, REACTIONS, COMMENTS, FRIENDSHIPS, REQUESTS, 2, 4, 3, 4, 3, 144, 2, 2, 3],
    );
}

#[test]
fn the_sample_data_is_the_same_in_every_run_but_for_its_dates() {
    assert_eq!(items(QUICK_PHOTOS, TEST_START), items(QUICK_PHOTOS, TEST_START));
    let (world, later) = (World::sample(TEST_START), World::sample(TEST_START + Duration::days(400)));
    let without_dates = |world: &World| {
        let photos: Vec<_> = world.photos.iter().map(|(owner, _)| owner.clone()).collect();
        let comments: Vec<_> =
            world.comments.iter().map(|(_, comment)| (comment.author.clone(), comment.text.clone())).collect();
        let saved: Vec<_> = world.saved.iter().map(|(user, index, _)| (user.clone(), *index)).collect();
        (photos, comments, saved)
    };
    assert_eq!(without_dates(&world), without_dates(&later));
    let (user, friendship) = (world.users.last().unwrap(), world.friendships.last().unwrap());
    let last = (user.birthdate.as_deref(), friendship.followed_user.as_ref(), friendship.following_user.as_ref());
    assert_eq!(last, (Some("1953-08-05"), "elif", "ben"), "the sample data differs from before");
}

#[test]
fn what_no_event_names_has_happened_in_the_months_before_the_start() {
    let (world, seed) = (World::sample(TEST_START), World::seed());
    let (first, start) = (timestamp(TEST_START - Duration::days(365)), timestamp(TEST_START));
    let reactions = world.reactions.iter().filter(|one| !seed.reactions.contains(one)).map(|(.., at)| at);
    let comments = world.comments.iter().filter(|one| !seed.comments.contains(one)).map(|(_, one)| &one.timestamp);
    let friendships =
        world.friendships.iter().map(|one| &one.timestamp).filter(|at| at.as_ref() != "2024-06-01T08:00:00");
    let photos: Vec<Timestamp> = world.photos[seed.photos.len()..].iter().map(|(_, id)| id.time()).collect();
    let used = world.devices.iter().map(|(_, device)| &device.used);
    for at in photos.iter().chain(reactions).chain(comments).chain(friendships).chain(used) {
        assert!(*at > first && *at < start, "{at}");
    }
    let days = |number| timestamp(TEST_START - Duration::days(number));
    let newer = |than: Timestamp| photos.iter().filter(|at| **at > than).count();
    assert!(newer(days(1)) >= 20 && newer(days(7)) >= 60, "{} {}", newer(days(1)), newer(days(7)));
}

#[test]
fn the_photos_of_a_page_show_different_pictures() {
    let world = World::sample(TEST_START);
    let after_portraits = World::seed().photos.len() + USERS - 1;
    let scenes = world.photos.iter().enumerate().skip(after_portraits);
    let mut photos: Vec<_> = scenes.map(|(index, (_, at))| (at, Subject::of_photo(index))).collect();
    photos.sort_by(|one, other| other.0.cmp(one.0));
    for page in photos.windows(40) {
        assert_eq!(page.iter().map(|(_, subject)| subject).collect::<HashSet<_>>().len(), 40);
    }
    for user in &world.users {
        let of_user = world
            .photos
            .iter()
            .enumerate()
            .filter(|(index, (owner, _))| *owner == user.username && *index >= World::seed().photos.len());
        let subjects: Vec<_> = of_user.map(|(index, _)| Subject::of_photo(index)).collect();
        assert_eq!(subjects.iter().collect::<HashSet<_>>().len(), subjects.len(), "{}", user.username);
    }
}

#[test]
fn the_first_three_users_are_the_richest() {
    let world = World::sample(TEST_START);
    let items = world.items();
    let feeds = world.feeds();
    let counted = |username: &Username| {
        let user = Item::from(Key::user(username));
        let user = items.iter().find(|item| item[PK] == user[PK] && item[SK] == user[SK]).unwrap();
        assert!(user.contains_key("pinnedPicture"), "{username} has no portrait");
        let feed = format!("Feed#{username}");
        [
            number(&user["photos"]),
            number(&user["followers"]),
            number(&user["following"]),
            feeds.iter().filter(|item| text(item, "pk") == feed).count(),
            world.reactions.iter().filter(|(reacting, ..)| reacting == username).count(),
            world.comments.iter().filter(|(_, comment)| comment.author == *username).count(),
            world.reactions.iter().filter(|(_, _, (owner, _), _)| owner == username).count(),
            world.comments.iter().filter(|((owner, _), _)| owner == username).count(),
            world.saved.iter().filter(|(saving, ..)| saving == username).count(),
        ]
    };
    let users = usernames();
    assert_eq!(users[..3], ["ada", "ben", "cara"].map(parsed::<Username>));
    for username in &users[..3] {
        let counted = counted(username);
        let least = [12, 8, 8, 40, 30, 10, 30, 10, SAVED];
        assert!(counted.iter().zip(least).all(|(counted, least)| *counted >= least), "{username} has {counted:?}");
    }
    for username in &users {
        assert!(counted(username)[0] >= 2, "{username}");
    }
}

#[test]
fn the_sample_data_contains_the_seed_data_unchanged() {
    let sample = items(QUICK_PHOTOS, TEST_START);
    // Only the users have more photos, followers and comments, and portraits of their own, the
    // reported photo has a picture, and a comment a like.
    let is_other = |item: &&Item| {
        item.contains_key("interests")
            || text(item, SK) == "PHOTO#ben#2024-07-14T10:21:01"
            || text(item, PK) == "COMMENT#2024-06-02T18:30:12.500Z#ada"
    };
    for item in World::seed().items().iter().filter(|item| !is_other(item)) {
        assert!(sample.contains(item), "{item:?}");
    }
    let favorites = items(FAVORITE, TEST_START);
    for item in World::seed().items_of(FAVORITE).iter().filter(|item| !item.contains_key("favorites")) {
        assert!(favorites.contains(item), "{item:?}");
    }
}

#[test]
fn the_seed_data_is_what_readme_and_events_assume() {
    let (ada, ben, cara): (Username, Username, Username) = (parsed("ada"), parsed("ben"), parsed("cara"));
    let photo: PhotoId = parsed("2024-05-30T15:42:38");
    let sample = items(QUICK_PHOTOS, TEST_START);
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
    let devices = World::sample(TEST_START).devices;
    assert!(devices.iter().any(|(id, _)| id.as_ref() == "phone"), "delete-device.json deletes");
}

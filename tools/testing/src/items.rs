//! Items of `quick-photos` for tests to write.

use std::fmt::Debug;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use aws_sdk_dynamodb::types::AttributeValue::{Bool, M, N, S};
use local::sample;
use pictures::DIMENSIONS;
use serde_json::Value;
use shared::dynamodb::{Item, entity};
use shared::entities::{
    Address, Block, Comment, Complaint, Decision, Deletion, Device, Engagement, Favorite, FollowRequest, Friendship,
    Key, Like, Link, Photo, PhotoDeletion, Picture, REQUESTS_SENT, Reaction, Report, Sizes, User, photo_of_sk,
    photo_sk, vector_item,
};
use shared::http::problems::PictureProblem;
use shared::show::Signer;
use shared::values::{
    CommentId, DecisionKind, EpochMillis, Level, PhotoId, PhotoReference, PictureId, ReactionType, ReportReason,
    SensitiveReason, Timestamp, Username,
};

/// Returns the item of a user without optional attributes.
#[must_use]
pub fn user(username: &str) -> Item {
    let username: Username = parse(username);
    let user = User { photos: Some(0), uploads: Some(0), ..sample::plain_user(&username, username.as_ref()) };
    entity::to_item(Key::user(&username), &user).expect("an item")
}

/// Returns the item that replaces a user who was deleted now. It counts no friendships, and the
/// name rests for a day.
#[must_use]
pub fn deletion(username: &str) -> Item {
    let until = Timestamp::from(SystemTime::now() + Duration::from_hours(24));
    let deletion = Deletion {
        erasing: parse(username),
        since: Timestamp::now(),
        requests_sent: 0,
        until,
        last_sweep: false,
        ttl: None,
    };
    entity::to_item(Key::user(&deletion.erasing), &deletion).expect("an item")
}

/// Returns the item of the engagement of `caller` with a photo of `owner`: these types of
/// reactions.
#[must_use]
pub fn engagement(caller: &str, owner: &str, photo: &str, reactions: &[&str]) -> Item {
    let reactions = reactions.iter().map(|reaction| parse::<ReactionType>(reaction)).collect();
    Engagement { reactions, saved: false }.item(&parse(caller), &parse(owner), &parse(photo))
}

/// Returns the item of a favorite of `caller` that refers to a photo of `owner`.
#[must_use]
pub fn saved_photo(caller: &str, owner: &str, photo: &str) -> Item {
    let photo = PhotoReference { username: parse(owner), id: parse(photo) };
    Favorite::of_photo(&photo).item(&parse(caller))
}

/// Returns an item with another value of an attribute.
#[must_use]
pub fn with(mut item: Item, attribute: &str, value: impl Into<String>) -> Item {
    item.insert(attribute.to_owned(), S(value.into()));
    item
}

/// Returns the item of a user with another value of a count.
#[must_use]
pub fn with_count(mut user: Item, count: &str, number: u64) -> Item {
    user.insert(count.to_owned(), N(number.to_string()));
    user
}

/// Returns the item of a block or a mute. The counts of both users do not include it.
#[must_use]
pub fn block(blocking: &str, blocked: &str, level: Level) -> Item {
    let (blocking_user, blocked_user): (Username, Username) = (parse(blocking), parse(blocked));
    let block = Block { blocking_user, blocked_user, level, timestamp: Timestamp::now() };
    entity::to_item(Key::block(&block.blocking_user, &block.blocked_user), &block).expect("an item")
}

/// Returns the item of a complaint. The report does not include it.
#[must_use]
pub fn complaint(reporter: &str, about: &str, reason: &str) -> Item {
    let (reporter, about, reason) = (parse(reporter), parse(about), parse(reason));
    let complaint = Complaint { reporter, about, reason, text: None, timestamp: Timestamp::now() };
    entity::to_item(Key::complaint(&complaint.reporter, &complaint.about), &complaint).expect("an item")
}

/// Returns the item of an open report of this time with this number of complaints for each reason.
#[must_use]
pub fn report(id: &str, time: &str, reasons: &[(&str, u64)]) -> Item {
    let report = Report {
        complaints: reasons.iter().map(|(_, complaints)| complaints).sum(),
        reasons: reasons.iter().map(|(reason, complaints)| (parse(reason), *complaints)).collect(),
        ..Report::new(parse(id), parse(time))
    };
    entity::to_item(Key::report(&report.id), &report).expect("an item")
}

/// Returns the item of a decision of this time about a report. A removal is for spam, and a mark for
/// nudity.
#[must_use]
pub fn decision(about: &str, decision: &str, moderator: &str, time: &str) -> Item {
    let (about, timestamp, kind) = (parse(about), parse(time), parse(decision));
    let decision = Decision {
        about,
        decision: kind,
        reason: (kind == DecisionKind::Remove).then_some(ReportReason::Spam),
        pictures: vec![],
        sensitive: (kind == DecisionKind::Mark).then_some(SensitiveReason::Nudity),
        note: None,
        moderator: parse(moderator),
        moderator_account: parse(moderator),
        ttl: Decision::expiry(&timestamp),
        timestamp,
    };
    entity::to_item(Key::decision(&decision.about, &decision.timestamp), &decision).expect("an item")
}

/// Returns the items of a link of `owner` with this token: of a photo, or of the profile. The owner's count
/// does not include it.
#[must_use]
pub fn link(owner: &str, photo: Option<&str>, token: &str) -> Vec<Item> {
    link_until(owner, photo, token, None)
}

/// Returns the items of a link that ends at this time.
#[must_use]
pub fn link_until(owner: &str, photo: Option<&str>, token: &str, until: Option<Timestamp>) -> Vec<Item> {
    let (owner, photo, token) = (parse(owner), photo.map(parse), parse(token));
    let link = Link { owner, photo, token, created: Timestamp::now(), until, indexed: false };
    let target = entity::to_item(Key::link_target(&link.token), &link.target());
    let link = entity::to_item(Key::link(&link.owner, link.photo.as_ref()), &link);
    vec![link.expect("an item"), target.expect("an item")]
}

/// Returns the item of a photo without reactions and comments.
#[must_use]
pub fn photo(username: &str, id: &str) -> Item {
    let location = format!("s3://quick-photos/photos/{username}/{id}.png");
    photo_item(username, id, location, None)
}

/// Returns the item of a photo whose picture is in this state. A pending one expires in an hour.
#[must_use]
pub fn photo_with(username: &str, id: &str, picture: Picture) -> Item {
    photo_item(username, id, format!("s3://quick-photos/photos/{username}/{id}"), Some(picture))
}

fn photo_item(username: &str, id: &str, location: String, picture: Option<Picture>) -> Item {
    let photo = Photo {
        unready: matches!(picture, Some(Picture::Pending | Picture::Rejected { .. })),
        rejected: matches!(picture, Some(Picture::Rejected { .. })),
        ttl: (picture == Some(Picture::Pending)).then(|| EpochMillis::now().seconds() + 3600),
        picture,
        ..Photo::pending(parse(username), parse(id), location)
    };
    entity::to_item(Key::photo(&photo.username, &photo.id), &photo).expect("an item")
}

/// Returns the item of a pending photo that the upload with this sequencer claims for this number
/// of seconds from now.
#[must_use]
pub fn claimed_photo(username: &str, id: &str, sequencer: &str, seconds: u64) -> Item {
    let ends = N((EpochMillis::now().seconds() + seconds).to_string());
    let claim = [("sequencer".to_owned(), S(sequencer.to_owned())), ("ends".to_owned(), ends)];
    let mut photo = photo_with(username, id, Picture::Pending);
    photo.insert("claim".to_owned(), M(claim.into()));
    photo
}

/// Returns the item of a pending photo that has expired now.
#[must_use]
pub fn expired_photo(username: &str, id: &str) -> Item {
    let mut photo = photo_with(username, id, Picture::Pending);
    photo.insert("ttl".to_owned(), N(EpochMillis::now().seconds().to_string()));
    photo
}

/// A PNG of one pixel.
pub const PNG: &[u8] = b"\
    \x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01\x00\x00\x00\x01\
    \x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\x0d\x49\x44\x41\x54\x78\xda\x63\x64\xf8\xcf\x50\
    \x0f\x00\x03\x86\x01\x80\x5a\x34\x7d\x6b\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82\
";

/// Returns the counts of reactions to a photo: these, and 0 of each other type.
#[must_use]
pub fn counts(given: &[(&str, u64)]) -> Value {
    let count = |name: &str| given.iter().find(|(given, _)| *given == name).map_or(0, |(_, count)| *count);
    ReactionType::ALL.iter().map(|reaction| (reaction.to_string(), Value::from(count(reaction.as_ref())))).collect()
}

/// Returns a picture that is ready, made from this uploaded file.
#[must_use]
pub fn ready(file: &[u8]) -> Picture {
    let id = PictureId::from_file(file);
    Picture::Ready(Sizes {
        number: None,
        id,
        width: 1600,
        height: 1200,
        bytes: 50_000,
        blurhash: "LEHV6nWB2yk8pyo0adR*.7kCMdnj".to_owned(),
    })
}

/// Returns a picture that was rejected because it is damaged.
#[must_use]
pub const fn rejected() -> Picture {
    Picture::Rejected { problem: PictureProblem::PictureDamaged, reason: None }
}

/// Returns the widths of the JPEGs of a photo's `urls` in an answer.
#[must_use]
pub fn widths(urls: &Value) -> Vec<u64> {
    let width = |url: &Value| {
        assert!(url["url"].is_string(), "{urls}");
        url["width"].as_u64().expect("a width")
    };
    urls.as_array().expect("a list").iter().map(width).collect()
}

/// The address of links in a fixture, and the key of their visitors.
pub(crate) const LINKS_URL: &str = "https://links.example";
pub(crate) const LINKS_KEY: &str = "links";
/// The address and the key with which the functions of a fixture sign URLs of pictures.
pub(crate) const PICTURES_URL: &str = "https://pictures.example";
pub(crate) const PICTURES_KEY: &str = "key";
/// The secret of which the functions of a fixture make the key for push services.
pub(crate) const VAPID_KEY: &str = "pushes";

/// Returns the address of the pictures, with which tests sign URLs.
#[must_use]
pub fn signer() -> Signer {
    Signer::new(PICTURES_URL, PICTURES_KEY)
}

/// Returns the item that replaces a photo during its deletion. It counts this number of hearts.
#[must_use]
pub fn photo_deletion(username: &str, id: &str, hearts: u64) -> Item {
    let deletion = PhotoDeletion {
        erasing: parse(username),
        id: parse(id),
        since: Timestamp::now(),
        unready: false,
        rejected: false,
        pictures: None,
        ttl: None,
    };
    let mut item = entity::to_item(Key::photo(&deletion.erasing, &deletion.id), &deletion).expect("an item");
    let reactions = [("heart", hearts), ("smiley", 0)].map(|(name, count)| (name.to_owned(), N(count.to_string())));
    item.insert("reactions".to_owned(), M(reactions.into()));
    item
}

/// Returns the item of a reaction. The count of the photo does not include it.
#[must_use]
pub fn reaction(reacting: &str, reaction: &str, username: &str, photo: &str) -> Item {
    let (username, photo): (Username, PhotoId) = (parse(username), parse(photo));
    let reaction = Reaction {
        reacting_user: parse(reacting),
        reaction_type: parse(reaction),
        photo: photo_sk(&username, &photo),
        timestamp: Timestamp::now(),
    };
    let key = Key::reaction(&reaction.reacting_user, reaction.reaction_type, &username, &photo);
    entity::to_item(key, &reaction).expect("an item")
}

/// Moves a reaction to its shard.
#[must_use]
pub fn in_shard(item: Item) -> Item {
    let reaction: Reaction = entity::from_item(item.clone()).expect("a reaction");
    let (username, photo) = photo_of_sk(&reaction.photo).expect("the sort key of a photo");
    let key = Key::reaction(&reaction.reacting_user, reaction.reaction_type, &username, &photo);
    item.into_iter().chain(Item::from(key.sharded())).collect()
}

/// Returns the item of a comment of `author` at `time` on a photo. The counts of the photo and of
/// the author do not include it.
#[must_use]
pub fn comment(author: &str, time: &str, username: &str, photo: &str) -> Item {
    comment_with_id(&CommentId::new(parse(time), parse(author)), username, photo)
}

/// Returns the item of a reply of `author` at `time` to a comment. No count includes it.
#[must_use]
pub fn reply(author: &str, time: &str, answered: &str, username: &str, photo: &str) -> Item {
    let answered: CommentId = parse(answered);
    comment_with_id(&answered.reply(parse(time), parse(author)), username, photo)
}

/// Returns the item of a like of a comment. The count of the comment does not include it.
#[must_use]
pub fn like(liking: &str, comment: &str, username: &str, photo: &str) -> Item {
    let like = Like { liking_user: parse(liking), timestamp: Timestamp::now() };
    let key = Key::like(&like.liking_user, &parse(comment), &parse(username), &parse(photo));
    entity::to_item(key, &like).expect("an item")
}

/// Returns the tombstone of a comment of `author` at `time` that had this number of replies.
#[must_use]
pub fn comment_deletion(author: &str, time: &str, username: &str, photo: &str, replies: u64) -> Item {
    let mut item =
        Item::from(Key::comment(&CommentId::new(parse(time), parse(author)), &parse(username), &parse(photo)));
    item = with(with(item, "erasing", author), "since", Timestamp::now().to_string());
    with_count(item, "replies", replies)
}

fn comment_with_id(id: &CommentId, username: &str, photo: &str) -> Item {
    let text = format!("A comment by {}", id.author);
    let comment = Comment::new(id.clone(), text);
    entity::to_item(Key::comment(id, &parse(username), &parse(photo)), &comment).expect("an item")
}

/// Returns the item of the devices of a user.
#[must_use]
pub fn devices(username: &str, devices: &[(&str, Device)]) -> Item {
    let devices: Vec<_> = devices.iter().map(|(id, device)| (parse(id), device.clone())).collect();
    sample::devices(&parse(username), &devices)
}

/// Returns a phone with Firebase and this token, used now.
#[must_use]
pub fn phone(token: &str) -> Device {
    Device { address: Address::Fcm { token: parse(token) }, locale: None, app_version: None, used: Timestamp::now() }
}

/// Returns the item of a friendship. The counts of the two users do not include it.
#[must_use]
pub fn friendship(followed: &str, following: &str) -> Item {
    let friendship =
        Friendship { followed_user: parse(followed), following_user: parse(following), timestamp: Timestamp::now() };
    entity::to_item(Key::friendship(&friendship.followed_user, &friendship.following_user), &friendship)
        .expect("an item")
}

/// Returns the item of a request to follow. The count of the asking user does not include it.
#[must_use]
pub fn follow_request(asked: &str, asking: &str) -> Item {
    let request = FollowRequest { asked_user: parse(asked), asking_user: parse(asking), timestamp: Timestamp::now() };
    entity::to_item(Key::follow_request(&request.asked_user, &request.asking_user), &request).expect("an item")
}

/// Returns the item of a user who approves followers, and who has sent some requests.
#[must_use]
pub fn approving_user(username: &str, requests_sent: u64) -> Item {
    let mut item = user(username);
    item.insert("approvesFollowers".to_owned(), Bool(true));
    item.insert(REQUESTS_SENT.to_owned(), N(requests_sent.to_string()));
    item
}

fn parse<T: FromStr<Err: Debug>>(text: &str) -> T {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

/// Returns the item of a vector of a photo that everyone may see: its first element, and zero for
/// all others. So the distance of two of them is the difference of their first elements.
#[must_use]
pub fn vector(username: &str, photo: &str, first: i8) -> Item {
    vector_of_audience(username, photo, first, true)
}

/// Returns the item of the same vector of a photo that not everyone may see.
#[must_use]
pub fn hidden_vector(username: &str, photo: &str, first: i8) -> Item {
    vector_of_audience(username, photo, first, false)
}

fn vector_of_audience(username: &str, photo: &str, first: i8, is_public: bool) -> Item {
    let mut vector = [0; DIMENSIONS];
    vector[0] = first;
    vector_item(&parse(username), &parse(photo), None, &vector, is_public)
}

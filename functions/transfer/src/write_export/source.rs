//! The sections of the archive, and the requests that read what is kept about a user.
//!
//! Reads are eventually consistent. What was written in the second before may be missing.
//!
//! An export leaves out what the user may not see any more: reactions to such photos, likes of such comments, notifications
//! about them and of people who are blocked or muted, and the photo of a comment, whose text is the
//! user's own. It also leaves out the addresses of devices: whoever gets the file could send pushes to
//! them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::{self, S};
use aws_sdk_s3::error::SdkError;
use aws_sdk_s3::operation::get_object::GetObjectError;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde::Serialize;
use serde_json::{Value, json};
use shared::access::Visible;
use shared::dynamodb::{Item, batch, entity, expiry};
use shared::entities::object::{Size, exported_name, picture_key};
use shared::entities::{
    ALERTS_OF, ASK_PREFIX, BLOCK_PREFIX, Block, COMMENTS_BY_AUTHOR, COMPLAINT_PREFIX, Complaint, DEVICES, Event,
    FOLLOWED_HASHTAGS_PREFIX, FRIEND_PREFIX, Favorite, FollowedHashtags, INVERTED_INDEX, Key, Like, Link, MUTES,
    Notification, PK, Photo, Pictures, Position, Reaction, SHARE_PREFIX, SK, ShownDevice, Tag, Topic, USER_PREFIX,
    Welcome, ask_sk, comment_from_item, comment_of_key, comment_of_like, devices, favorites_pk, friend_sk, has_any,
    has_blocks, histories_pk, inbox_pk, likes_pk, photo_from_item, photo_of_sk, photo_sk_prefix, reaction_pk,
    tags_of_favorite_pk, tags_pk, user_from_item, user_pk,
};
use shared::show::{About, ListedBlock, ListedUser, Profile, ShownComment, Signer};
use shared::values::{
    CommentId, PhotoId, PhotoReference, PictureId, PictureNumber, ReactionType, Subject, TagId, Time, Timestamp,
    Username,
};
use shared::{Bucket, Error, Table};

/// The maximum number of entries of a page.
const MAX_ENTRIES: i32 = 500;
/// The maximum number of photos, comments or followed users of a page, of which one `BatchGetItem` reads
/// several pictures, or all that the index of the others does not have. So a page of photos with the
/// longest texts has 5 MB.
pub(crate) const MAX_READ_AGAIN: i32 = 100;
/// The maximum number of notifications of a page. Each has up to 50 people of whom a block is looked
/// for, so that 100 requests read all blocks of a page.
const MAX_NOTIFICATIONS: i32 = 100;
/// The maximum number of photos whose pictures are read at once.
const MAX_PICTURES: i32 = 50;
/// The number of favorites whose tags are read concurrently.
const CONCURRENT_FAVORITES: usize = 16;

/// The folder of the pictures, and the name of the section that has them, which is written last.
pub(crate) const PICTURES: &str = "pictures";

/// A section of the archive.
pub(crate) struct Section {
    /// The name, which is that of its folder.
    pub(crate) name: &'static str,
    /// The heading of its pages.
    pub(crate) title: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Photos,
    Links,
    Comments,
    /// Those of a type, with which the section begins.
    Reactions(ReactionType),
    Likes,
    Followers,
    Following,
    RequestsReceived,
    RequestsSent,
    Blocks,
    FollowedHashtags,
    Reports,
    Favorites,
    DeletedFavorites,
    Tags,
    Notifications,
    Devices,
}

/// The sections with pages of entries.
pub(crate) const SECTIONS: [Section; 17] = [
    section("photos", "Photos", Kind::Photos),
    section("links", "Links that show your photos and your profile to anyone", Kind::Links),
    section("comments", "Comments that you have written", Kind::Comments),
    section("reactions", "Your reactions", Kind::Reactions(ReactionType::ALL[0])),
    section("likes", "Comments that you like", Kind::Likes),
    section("followers", "People who follow you", Kind::Followers),
    section("following", "People whom you follow", Kind::Following),
    section("requests-received", "People who ask to follow you", Kind::RequestsReceived),
    section("requests-sent", "People whom you ask to follow", Kind::RequestsSent),
    section("blocks", "People whom you block or mute", Kind::Blocks),
    section("followed-hashtags", "Hashtags that you follow", Kind::FollowedHashtags),
    section("reports", "What you have reported", Kind::Reports),
    section("favorites", "Favorites", Kind::Favorites),
    section("deleted-favorites", "Deleted favorites, which can be restored", Kind::DeletedFavorites),
    section("tags", "Tags", Kind::Tags),
    section("notifications", "Notifications", Kind::Notifications),
    section("devices", "Devices that are told what is new", Kind::Devices),
];

const fn section(name: &'static str, title: &'static str, kind: Kind) -> Section {
    Section { name, title, kind }
}

/// A page of a section.
pub(crate) struct Page {
    /// The entries as JSON, like in the answers of the API.
    pub(crate) entries: Vec<Value>,
    /// The last key, if there are further pages; otherwise empty.
    pub(crate) next: BTreeMap<String, String>,
}

/// The profile and the account. They are no [`Value`], which would round the numbers of the attributes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProfileAndAccount {
    user: Option<Profile>,
    account: Subject,
    welcomed: Option<Time>,
    seen_notifications: Option<Time>,
}

/// A picture of a photo.
pub(crate) struct Picture {
    pub(crate) photo: PhotoId,
    /// The number of one of several.
    pub(crate) number: Option<PictureNumber>,
    /// The number of bytes of all sizes.
    pub(crate) bytes: u64,
    /// The key of the photo, after which the next page begins.
    pub(crate) position: BTreeMap<String, String>,
    id: PictureId,
    size: Size,
}

/// The tables and the bucket that have the data of users.
#[derive(Debug, Clone)]
pub(crate) struct Stores {
    pub(crate) table: Table,
    pub(crate) favorites: Table,
    pub(crate) feed: Table,
    pub(crate) bucket: Bucket,
}

/// The data of a user.
pub(crate) struct Source<'a> {
    pub(crate) stores: &'a Stores,
    pub(crate) owner: &'a Username,
}

impl Source<'_> {
    /// Returns the profile and the account, and the number of photos.
    pub(crate) async fn profile(&self) -> Result<(ProfileAndAccount, u64), Error> {
        let Stores { table, feed, .. } = self.stores;
        let keys = [Key::user(self.owner)].into();
        let seen = [Key::seen(self.owner)].into();
        let [users, seen] = batch::get_from_tables([(table, keys), (feed, seen)], false).await?;
        let user = users.into_iter().next().map(user_from_item).transpose()?.flatten();
        let photos = user.as_ref().and_then(|user| user.photos).unwrap_or_default();
        let subject = match user.as_ref().and_then(|user| user.subject.clone()) {
            Some(subject) => subject,
            None => self.owner.as_ref().parse::<Subject>().map_err(|_| Error::internal("a username is no subject"))?,
        };
        let get = table.client.get_item().table_name(&table.name).set_key(Some(Key::welcome(&subject).into()));
        let welcome: Option<Welcome> = get.send().await?.item.map(entity::from_item).transpose()?;
        let seen: Option<Timestamp> = seen.first().and_then(|item| item.get("seen")?.as_s().ok()?.parse().ok());
        let profile = ProfileAndAccount {
            user: user.map(|user| user.seen_by(self.owner, &subject)),
            account: subject,
            welcomed: welcome.map(|welcome| welcome.welcomed.into()),
            seen_notifications: seen.map(Time::from),
        };
        Ok((profile, photos))
    }

    /// Returns the page of a section after a key.
    pub(crate) async fn page(&self, section: &Section, after: &BTreeMap<String, String>) -> Result<Page, Error> {
        let limit = match section.kind {
            Kind::Comments | Kind::Following | Kind::Photos => MAX_READ_AGAIN,
            Kind::Notifications => MAX_NOTIFICATIONS,
            _ => MAX_ENTRIES,
        };
        let (mut items, next) = match section.kind {
            Kind::Reactions(_) => self.reactions(after, limit).await?,
            kind => read(self.query(kind), after, limit).await?,
        };
        // The indexes do not have the texts of comments, and which followed users alert the user.
        if matches!(section.kind, Kind::Comments | Kind::Following) {
            items = self.at_keys(&items).await?;
        }
        items.retain(|item| !expiry::has_expired(item));
        Ok(Page { entries: self.entries(section.kind, items).await?, next })
    }

    /// Returns the entries of the items of a section.
    async fn entries(&self, kind: Kind, items: Vec<Item>) -> Result<Vec<Value>, Error> {
        match kind {
            Kind::Photos => self.photos(items).await,
            Kind::Links => {
                let links: Vec<Link> = entity::from_items(items)?;
                Ok(links.into_iter().filter(|link| !link.is_over()).map(link).collect())
            }
            Kind::Comments => self.comments_as_seen(items).await,
            Kind::Reactions(_) => self.reactions_as_seen(items).await,
            Kind::Likes => self.likes_as_seen(items).await,
            Kind::Followers => each(items, |item| user(ListedUser::follower(entity::from_item(item)?))),
            Kind::Following => each(items, followed),
            Kind::RequestsReceived => each(items, |item| user(ListedUser::asking(entity::from_item(item)?))),
            Kind::RequestsSent => Ok(items.iter().map(request_sent).collect()),
            Kind::Blocks => each(items, |item| block(entity::from_item(item)?)),
            Kind::FollowedHashtags => followed_hashtags(items),
            Kind::Reports => each(items, |item| report(entity::from_item(item)?)),
            Kind::Favorites => self.favorites(items).await,
            Kind::DeletedFavorites => each(items, value::<Favorite>),
            Kind::Tags => each(items, value::<Tag>),
            Kind::Notifications => self.notifications(items).await,
            Kind::Devices => shown_devices(items),
        }
    }

    fn query(&self, kind: Kind) -> QueryFluentBuilder {
        let Stores { table, favorites, feed, .. } = self.stores;
        let owner = self.owner;
        let range = |prefix: &str| {
            let query = table.client.query().table_name(&table.name);
            query
                .key_condition_expression("PK = :pk AND begins_with(SK, :prefix)")
                .expression_attribute_values(":pk", S(user_pk(owner)))
                .expression_attribute_values(":prefix", S(prefix.to_owned()))
        };
        let inverted = |sk: String| of_key(table, "SK", sk).index_name(INVERTED_INDEX);
        match kind {
            Kind::Photos => range(&photo_sk_prefix(owner)),
            Kind::Links => range(SHARE_PREFIX),
            Kind::Comments => of_key(table, "author", owner.to_string()).index_name(COMMENTS_BY_AUTHOR),
            Kind::Reactions(reaction) => of_key(table, PK, reaction_pk(owner, reaction)),
            Kind::Likes => of_key(table, PK, likes_pk(owner)),
            Kind::Followers => range(FRIEND_PREFIX),
            Kind::Following => inverted(friend_sk(owner)),
            Kind::RequestsReceived => range(ASK_PREFIX),
            Kind::RequestsSent => inverted(ask_sk(owner)),
            Kind::Blocks => range(BLOCK_PREFIX),
            Kind::FollowedHashtags => range(FOLLOWED_HASHTAGS_PREFIX),
            Kind::Reports => range(COMPLAINT_PREFIX),
            Kind::Favorites => of_key(favorites, "pk", favorites_pk(owner)),
            Kind::DeletedFavorites => of_key(favorites, "pk", histories_pk(owner)),
            Kind::Tags => of_key(favorites, "pk", tags_pk(owner)),
            Kind::Notifications => of_key(feed, "pk", inbox_pk(owner)),
            Kind::Devices => {
                let query =
                    feed.client.query().table_name(&feed.name).key_condition_expression("pk = :pk AND sk = :sk");
                let query = query.expression_attribute_values(":pk", S(inbox_pk(owner)));
                query.expression_attribute_values(":sk", S(DEVICES.to_owned()))
            }
        }
    }

    /// Returns at most `limit` reactions after a key, type by type, and the last key as in
    /// [`Page::next`]. Each type has a partition of its own. A key without `SK` is the beginning of
    /// one.
    async fn reactions(
        &self,
        after: &BTreeMap<String, String>,
        limit: i32,
    ) -> Result<(Vec<Item>, BTreeMap<String, String>), Error> {
        let pk = |reaction: ReactionType| reaction_pk(self.owner, reaction);
        let first = ReactionType::ALL.iter().position(|&reaction| after.get(PK) == Some(&pk(reaction)));
        let (mut items, mut left) = (vec![], limit);
        let mut after = if after.contains_key(SK) { after.clone() } else { BTreeMap::new() };
        for &reaction in &ReactionType::ALL[first.unwrap_or_default()..] {
            if left == 0 {
                return Ok((items, [(PK.to_owned(), pk(reaction))].into()));
            }
            let (found, last) = read(self.query(Kind::Reactions(reaction)), &after, left).await?;
            left -= i32::try_from(found.len()).unwrap_or(left);
            items.extend(found);
            if !last.is_empty() {
                return Ok((items, last));
            }
            after = last;
        }
        Ok((items, BTreeMap::new()))
    }

    /// Returns the items at the keys that an index has, in their order.
    async fn at_keys(&self, entries: &[Item]) -> Result<Vec<Item>, Error> {
        let keys = entries.iter().map(Key::of_item).collect::<Result<_, _>>()?;
        let mut items = batch::get(&self.stores.table, keys, false).await?;
        items.sort_by_cached_key(|item| item.get(PK).and_then(|pk| pk.as_s().ok()).cloned());
        Ok(items)
    }

    /// Returns which of the photos with these keys the user may see, and which of these people the user hides or
    /// is hidden from. A `BatchGetItem` reads 100 photos, and the user with them.
    async fn visible(&self, mut keys: BTreeSet<Key>, people: BTreeSet<Username>) -> Result<Visible<'_>, Error> {
        let table = &self.stores.table;
        let mut visible = Visible::new(self.owner);
        if keys.is_empty() && people.is_empty() {
            return Ok(visible);
        }
        keys.insert(Key::user(self.owner));
        let mut found = batch::get(table, keys, false).await?;
        let user = batch::take(&mut found, Key::user(self.owner));
        let has_silenced = user.is_some_and(|user| has_blocks(&user) || has_any(&user, MUTES));
        visible.add(table, found, has_silenced, people).await?;
        Ok(visible)
    }

    /// Returns comments of the user, each with its photo if the user may see it.
    async fn comments_as_seen(&self, items: Vec<Item>) -> Result<Vec<Value>, Error> {
        let comments = items.into_iter().map(|item| {
            let (_, author, id) = comment_of_key(&item)?;
            Ok(comment_from_item(item)?.map(|comment| (Position { author, id }, ShownComment::from(comment))))
        });
        let comments = comments.filter_map(Result::transpose);
        let comments: Vec<(Position, ShownComment)> = comments.collect::<Result<_, Error>>()?;
        let visible = self.visible(photo_keys(comments.iter().map(|(photo, _)| photo)), BTreeSet::new()).await?;
        let entries = comments.into_iter().map(|(photo, comment)| {
            let mut entry = serde_json::to_value(comment)?;
            entry["photo"] = if visible.has(&photo) { reference(photo) } else { Value::Null };
            Ok(entry)
        });
        entries.collect()
    }

    /// Returns reactions of the user to photos that the user may see. Another program may have written one to
    /// something that is no photo.
    async fn reactions_as_seen(&self, items: Vec<Item>) -> Result<Vec<Value>, Error> {
        let reactions: Vec<Reaction> = entity::from_items(items)?;
        let reactions = reactions.into_iter().filter_map(|reaction| {
            let (author, id) = photo_of_sk(&reaction.photo).ok()?;
            Some((Position { id, author }, reaction))
        });
        let reactions: Vec<(Position, Reaction)> = reactions.collect();
        let visible = self.visible(photo_keys(reactions.iter().map(|(photo, _)| photo)), BTreeSet::new()).await?;
        let reactions = reactions.into_iter().filter(|(photo, _)| visible.has(photo));
        let entry = |(photo, Reaction { reaction_type, timestamp, .. })| json!({"reactionType": reaction_type, "timestamp": Time::from(timestamp), "photo": reference(photo)});
        Ok(reactions.map(entry).collect())
    }

    /// Returns likes of the user on photos that the user may see, of comments whose authors are in no block
    /// with the user.
    async fn likes_as_seen(&self, items: Vec<Item>) -> Result<Vec<Value>, Error> {
        let likes = items.into_iter().map(|item| {
            let (comment, author, id) = comment_of_like(&item)?;
            Ok((Position { author, id }, comment, entity::from_item(item)?))
        });
        let mut likes: Vec<(Position, CommentId, Like)> = likes.collect::<Result<_, Error>>()?;
        let authors = likes.iter().flat_map(|(_, comment, _)| comment.authors().cloned()).collect();
        let visible = self.visible(photo_keys(likes.iter().map(|(photo, ..)| photo)), authors).await?;
        likes
            .retain(|(photo, comment, _)| visible.has(photo) && !comment.authors().any(|author| visible.hides(author)));
        let entry = |(photo, comment, Like { timestamp, .. })| json!({"comment": comment, "timestamp": Time::from(timestamp), "photo": reference(photo)});
        Ok(likes.into_iter().map(entry).collect())
    }

    /// Returns what the inbox shows of notifications.
    async fn notifications(&self, items: Vec<Item>) -> Result<Vec<Value>, Error> {
        let notifications = items.into_iter().filter_map(|item| {
            // The other items of an inbox have no topic.
            let topic = Topic::parse(item.get("sk")?.as_s().ok()?)?;
            Some(entity::from_item(item).map(|notification| (topic, notification)))
        });
        let notifications: Vec<(Topic, Notification)> = notifications.collect::<Result<_, _>>()?;
        let keys = Visible::keys(self.owner, notifications.iter().map(|(topic, _)| topic));
        let people = notifications.iter().flat_map(|(_, notification)| notification.people()).collect();
        let visible = self.visible(keys, people).await?;
        let is_shown = |event: &&Event| event.person().is_some_and(|person| !visible.silences(&person));
        let event = |event: &Event| json!({"time": event.time().map(Time::from), "username": event.person()});
        let mut entries = vec![];
        for (topic, notification) in notifications.into_iter().filter(|(topic, _)| visible.shows(topic)) {
            let events: Vec<Value> = notification.events.iter().filter(is_shown).map(event).collect();
            if !events.is_empty() {
                let mut entry = json!({"day": topic.day(), "kind": topic.kind, "events": events});
                if let Some(photo) = topic.photo {
                    entry["photo"] = reference(photo);
                }
                entries.push(entry);
            }
        }
        Ok(entries)
    }

    /// Returns photos as their owner sees them.
    async fn photos(&self, items: Vec<Item>) -> Result<Vec<Value>, Error> {
        let (photos, mut several) = self.with_pictures(items).await?;
        photos.into_iter().map(|one| photo(several.remove(&one.id).as_ref(), one)).collect()
    }

    /// Returns the photos of items, and the pictures of those that were made with several. A `BatchGetItem` reads
    /// the pictures of 100 photos.
    async fn with_pictures(&self, items: Vec<Item>) -> Result<(Vec<Photo>, HashMap<PhotoId, Pictures>), Error> {
        let photos: Vec<Photo> =
            items.into_iter().filter_map(|item| photo_from_item(item).transpose()).collect::<Result<_, _>>()?;
        let of_several = photos.iter().filter(|photo| photo.pictures.is_some());
        let keys = of_several.map(|photo| Key::pictures(self.owner, &photo.id)).collect();
        let pictures: Vec<Pictures> = entity::from_items(batch::get(&self.stores.table, keys, false).await?)?;
        let several = pictures.into_iter().map(|pictures| (pictures.id.clone(), pictures)).collect();
        Ok((photos, several))
    }

    /// Returns favorites, each with the ids of its tags. A favorite of another program, which has no
    /// count, has the tags of its entries.
    async fn favorites(&self, items: Vec<Item>) -> Result<Vec<Value>, Error> {
        let entries = stream::iter(items).map(async |item| {
            let mut favorite: Favorite = entity::from_item(item)?;
            if favorite.tag_count.is_none() {
                let pk = tags_of_favorite_pk(self.owner, &favorite.data_id);
                let mut items = of_key(&self.stores.favorites, "pk", pk).into_paginator().items().send();
                while let Some(item) = items.try_next().await? {
                    favorite.tag_ids.extend(item.get("sk").and_then(|sk| sk.as_s().ok()?.parse::<TagId>().ok()));
                }
            }
            Ok::<_, Error>(serde_json::to_value(favorite)?)
        });
        entries.buffered(CONCURRENT_FAVORITES).try_collect().await
    }

    /// Returns the pictures of the photos after a key, and the last key as in [`Page::next`].
    pub(crate) async fn pictures(
        &self,
        after: &BTreeMap<String, String>,
    ) -> Result<(Vec<Picture>, BTreeMap<String, String>), Error> {
        let query = self.query(Kind::Photos).limit(MAX_PICTURES).set_exclusive_start_key(start_key(after));
        let output = query.send().await?;
        let (photos, several) = self.with_pictures(output.items.unwrap_or_default()).await?;
        let mut found = vec![];
        for photo in &photos {
            let entries = several.get(&photo.id).into_iter().flat_map(|pictures| &pictures.entries);
            let pictures =
                entries.map(|entry| &entry.picture).chain(photo.picture.iter().filter(|_| photo.pictures.is_none()));
            for sizes in pictures.filter_map(shared::entities::Picture::sizes) {
                found.push(Picture {
                    photo: photo.id.clone(),
                    number: sizes.number,
                    bytes: sizes.bytes,
                    position: position(Key::photo(self.owner, &photo.id).into()),
                    id: sizes.id.clone(),
                    size: Size::largest(sizes.width),
                });
            }
        }
        Ok((found, position(output.last_evaluated_key.unwrap_or_default())))
    }

    /// Returns the largest size of a picture, or `None` if the photo has been deleted since.
    pub(crate) async fn picture(&self, picture: &Picture) -> Result<Option<Vec<u8>>, Error> {
        let bucket = &self.stores.bucket;
        let key = picture_key(self.owner, &picture.photo, picture.number, &picture.id, picture.size);
        match bucket.client.get_object().bucket(&bucket.name).key(key).send().await {
            Ok(output) => {
                let body = output.body.collect().await.map_err(|error| Error::Busy(error.into()))?;
                Ok(Some(body.to_vec()))
            }
            Err(SdkError::ServiceError(error)) if matches!(error.err(), GetObjectError::NoSuchKey(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns the keys of photos, each once.
fn photo_keys<'a>(photos: impl IntoIterator<Item = &'a Position>) -> BTreeSet<Key> {
    photos.into_iter().map(|photo| Key::photo(&photo.author, &photo.id)).collect()
}

/// Returns the entry of a followed user. It says if the user is told of their new photos.
fn followed(item: Item) -> Result<Value, Error> {
    let alerts = item.contains_key(ALERTS_OF);
    let mut entry = user(ListedUser::followed(entity::from_item(item)?))?;
    if alerts {
        entry["alerts"] = Value::Bool(true);
    }
    Ok(entry)
}

/// Returns the `Query` of all items of which the partition key, of this name, has this value.
fn of_key(table: &Table, name: &str, value: String) -> QueryFluentBuilder {
    let query = table.client.query().table_name(&table.name);
    query.key_condition_expression(format!("{name} = :key")).expression_attribute_values(":key", S(value))
}

/// Returns at most `limit` items of a `Query` after a key, and the last key as in [`Page::next`].
async fn read(
    query: QueryFluentBuilder,
    after: &BTreeMap<String, String>,
    limit: i32,
) -> Result<(Vec<Item>, BTreeMap<String, String>), Error> {
    let output = query.limit(limit).set_exclusive_start_key(start_key(after)).send().await?;
    Ok((output.items.unwrap_or_default(), position(output.last_evaluated_key.unwrap_or_default())))
}

/// Returns a key as it is kept between two parts. All attributes of all keys are strings.
fn position(key: Item) -> BTreeMap<String, String> {
    let text = |(name, value): (String, AttributeValue)| Some((name, value.as_s().ok()?.clone()));
    key.into_iter().filter_map(text).collect()
}

fn start_key(position: &BTreeMap<String, String>) -> Option<Item> {
    let key = position.iter().map(|(name, value)| (name.clone(), S(value.clone())));
    (!position.is_empty()).then(|| key.collect())
}

/// Returns the entry of each item.
fn each(items: Vec<Item>, entry: impl Fn(Item) -> Result<Value, Error>) -> Result<Vec<Value>, Error> {
    items.into_iter().map(entry).collect()
}

/// Returns the JSON of an entity as answers show it.
fn value<T: Serialize + serde::de::DeserializeOwned>(item: Item) -> Result<Value, Error> {
    Ok(serde_json::to_value(entity::from_item::<T>(item)?)?)
}

/// Returns a photo as its owner sees it, with the names of files in the place of URLs, and without the
/// hashtags, which the caption has.
fn photo(pictures: Option<&Pictures>, photo: Photo) -> Result<Value, Error> {
    let signer = Signer::new("", "");
    let pictures = pictures.map(|pictures| signer.show_pictures_to_owner(&photo.username, pictures));
    let (id, is_several) = (photo.id.clone(), photo.pictures.is_some());
    let mut entry = serde_json::to_value(signer.show_to_owner(photo))?;
    if let Some(fields) = entry.as_object_mut() {
        fields.remove("hashtags");
        let has_urls = fields.remove("urls").is_some();
        if has_urls && !is_several {
            fields.insert("picture".to_owned(), exported_name(&id, None).into());
        }
    }
    if let Some(pictures) = pictures {
        let entries = pictures.into_iter().map(|mut picture| {
            let name = (!picture.urls.is_empty()).then(|| exported_name(&id, Some(picture.number)));
            picture.urls.clear();
            let mut entry = serde_json::to_value(picture)?;
            if let Some(name) = name {
                entry["picture"] = name.into();
            }
            Ok(entry)
        });
        entry["pictures"] = entries.collect::<Result<_, Error>>()?;
    }
    Ok(entry)
}

/// Returns a link without its address, which depends on the domain of the app.
fn link(link: Link) -> Value {
    let Link { owner: username, photo, token, created, until, indexed } = link;
    let mut entry = json!({"token": token, "created": Time::from(created), "indexed": indexed});
    if let Some(id) = photo {
        entry["photo"] = json!(PhotoReference { username, id });
    }
    if let Some(until) = until {
        entry["until"] = json!(Time::from(until));
    }
    entry
}

/// Returns the JSON that names a photo.
fn reference(Position { id, author: username }: Position) -> Value {
    json!(PhotoReference { username, id })
}

/// Returns all devices, which one item has.
fn shown_devices(items: Vec<Item>) -> Result<Vec<Value>, Error> {
    let mut entries = vec![];
    for item in items {
        for (id, device) in devices(item)? {
            entries.push(serde_json::to_value(ShownDevice::new(id, device))?);
        }
    }
    Ok(entries)
}

/// Returns all hashtags that the user follows, which one item has.
fn followed_hashtags(items: Vec<Item>) -> Result<Vec<Value>, Error> {
    let mut entries = vec![];
    for item in items {
        let FollowedHashtags { hashtags } = entity::from_item(item)?;
        entries.extend(hashtags.iter().map(|hashtag| json!({"hashtag": hashtag})));
    }
    Ok(entries)
}

fn user(user: ListedUser) -> Result<Value, Error> {
    Ok(serde_json::to_value(user)?)
}

fn block(block: Block) -> Result<Value, Error> {
    Ok(serde_json::to_value(ListedBlock::from(block))?)
}

/// Returns a request to follow that the user has sent. The index has no other attributes of it.
fn request_sent(item: &Item) -> Value {
    let text = |name: &str| item.get(name).and_then(|value| value.as_s().ok());
    let time = text("timestamp").and_then(|time| time.parse::<Timestamp>().ok()).map(Time::from);
    json!({"username": text(PK).and_then(|pk| pk.strip_prefix(USER_PREFIX)), "timestamp": time})
}

fn report(complaint: Complaint) -> Result<Value, Error> {
    let Complaint { about, reason, text, timestamp, .. } = complaint;
    let mut entry = serde_json::to_value(About::from(about))?;
    entry["reason"] = json!(reason);
    entry["timestamp"] = json!(Time::from(timestamp));
    if let Some(text) = text {
        entry["text"] = json!(text);
    }
    Ok(entry)
}

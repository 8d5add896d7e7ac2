//! The writes of an import. They have the conditions of upload-photo, create-tag, clip-favorite and
//! tag-favorite.

use std::cell::Cell;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue::{self, L, N, S};
use aws_sdk_dynamodb::types::{ConditionCheck, Put, Update};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::dynamodb::unless_condition_failed;
use shared::entities::account::{Account, OF_ACCOUNT, refusal, subject_value};
use shared::entities::object::{exported_name, imported_key, incoming_key, location};
use shared::entities::{
    Favorite, FavoriteTag, ImportWork, Key, MAX_FAVORITES, MAX_PHOTOS, MAX_TAGS_PER_FAVORITE, MAX_TAGS_PER_USER, Photo,
    Picture, PinnedPicture, Tag, count_new_photo, favorite_count, get_photo, photo_sk, tag_name_reservation,
};
use shared::http::precondition::{VERSION, new_version};
use shared::runtime::queue::Queue;
use shared::runtime::upload::ObjectMessage;
use shared::values::{
    AltText, Audience, Caption, CreatorId, DataId, DataType, EpochMillis, Interests, ReportId, ReportState, Status,
    Subject, TagId, TagName, Timestamp, Title, Url, Username,
};
use shared::{Bucket, Table};
use tokio::time::sleep;

use crate::read_import::archive::{Archive, Taken, Unreadable, parse};

/// The maximum number of transactions of an import, with those that change nothing.
pub(crate) const MAX_WRITES: u64 = 500_000;
/// The maximum number of pictures that an import gives to process-photo. There is one import a day,
/// and a photo expires that is pending for a day. So no user has many more photos that are pending.
pub(crate) const MAX_PICTURES: u64 = 10_000;

/// The kinds of things.
const TAG: &str = "tag";
const FAVORITE: &str = "favorite";
const PHOTO: &str = "photo";

/// The time for which an import waits for the picture of the profile: 30 times a second.
/// process-photo takes less for all but the largest files.
const PIN_ATTEMPTS: usize = 30;
const PIN_INTERVAL: Duration = Duration::from_millis(if cfg!(test) { 1 } else { 1000 });

/// The tables, the bucket, and the queue of the pictures.
#[derive(Debug, Clone)]
pub(crate) struct Stores {
    pub(crate) table: Table,
    pub(crate) favorites: Table,
    pub(crate) feed: Table,
    pub(crate) bucket: Bucket,
    pub(crate) pictures: Queue,
}

/// The user for whom things are made.
pub(crate) struct Target<'a> {
    stores: &'a Stores,
    owner: &'a Username,
    subject: &'a Subject,
    archive: &'a Archive<'a>,
    profile: &'a Profile,
    /// The costs of the import so far.
    pub(crate) work: Cell<ImportWork>,
    /// The kind of things of which the user has the maximum. No request is sent for another one.
    full: Cell<Option<&'static str>>,
}

/// The part of the profile that an import takes, as far as it obeys the rules of the API.
pub(crate) struct Profile {
    status: Option<Status>,
    interests: Option<Interests>,
    pinned_image: Option<Timestamp>,
}

impl Profile {
    /// Parses the file `profile.json`.
    pub(crate) fn parse(content: &[u8]) -> Result<Self, Unreadable> {
        #[derive(Deserialize)]
        struct Content<'a> {
            #[serde(borrow)]
            user: Option<User<'a>>,
        }
        #[derive(Default, Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct User<'a> {
            #[serde(borrow)]
            status: Option<&'a RawValue>,
            #[serde(borrow)]
            interests: Option<&'a RawValue>,
            #[serde(borrow)]
            pinned_image: Option<&'a RawValue>,
        }

        let User { status, interests, pinned_image } = parse::<Content<'_>>(content)?.user.unwrap_or_default();
        Ok(Self { status: valid(status), interests: valid(interests), pinned_image: valid(pinned_image) })
    }
}

/// Returns a value if it is there and obeys the rules of the API.
fn valid<T: DeserializeOwned>(value: Option<&RawValue>) -> Option<T> {
    serde_json::from_str(value?.get()).ok()
}

/// The outcome of the write of a thing.
pub(crate) enum Written {
    /// It is there, now or since before.
    There,
    /// It was left out: what it is, and the reason.
    LeftOut(String, String),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TagEntry {
    tag_id: TagId,
    tag_name: TagName,
    create_time: EpochMillis,
    last_access_time: EpochMillis,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FavoriteEntry {
    data_id: DataId,
    data_type: DataType,
    title: Title,
    creator_id: Option<CreatorId>,
    thumbnail_url: Option<Url>,
    content_url: Option<Url>,
    clip_time: EpochMillis,
    tags: Vec<TagId>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PhotoEntry {
    timestamp: Timestamp,
    caption: Option<Caption>,
    alt_text: Option<AltText>,
    #[serde(default)]
    audience: Audience,
    picture: Option<String>,
}

/// The ids by which an entry is named that breaks a rule.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ids<'a> {
    #[serde(borrow)]
    tag_name: Option<&'a RawValue>,
    #[serde(borrow)]
    data_id: Option<&'a RawValue>,
    #[serde(borrow)]
    timestamp: Option<&'a RawValue>,
}

/// Parses an entry by the rules of the API, or returns what is wrong with it.
fn parse_entry<T: DeserializeOwned>(entry: &RawValue, kind: &str) -> Result<T, Written> {
    serde_json::from_str(entry.get()).map_err(|error| {
        let Ids { tag_name, data_id, timestamp } = serde_json::from_str(entry.get()).unwrap_or_default();
        let id: Option<String> = valid(tag_name.or(data_id).or(timestamp));
        let reason: String = error.to_string().chars().take(200).collect();
        left_out(kind, &format!("{:.64}", id.as_deref().unwrap_or("without an id")), reason)
    })
}

impl<'a> Target<'a> {
    /// Returns the user of an import that has cost `work` so far.
    pub(crate) const fn new(
        stores: &'a Stores,
        owner: &'a Username,
        subject: &'a Subject,
        archive: &'a Archive<'a>,
        profile: &'a Profile,
        work: ImportWork,
    ) -> Self {
        Self { stores, owner, subject, archive, profile, work: Cell::new(work), full: Cell::new(None) }
    }

    /// Returns why no request is sent for another thing of a kind: there is the maximum of it, or the
    /// import has cost enough.
    fn refusal(&self, kind: &'static str) -> Option<String> {
        if self.full.get() == Some(kind) {
            return Some(maximum_of(kind));
        }
        let ImportWork { writes, pictures, .. } = self.work.get();
        if writes >= MAX_WRITES {
            return Some(format!("one import makes {MAX_WRITES} writes at most; import the file again tomorrow"));
        }
        let has_all_pictures = kind == PHOTO && pictures >= MAX_PICTURES;
        has_all_pictures
            .then(|| format!("one import makes {MAX_PICTURES} photos at most; import the file again tomorrow"))
    }

    /// Leaves out a thing of which the user has the maximum, and all later ones.
    fn leave_out_full(&self, kind: &'static str, id: &str) -> Written {
        self.full.set(Some(kind));
        left_out(kind, id, maximum_of(kind))
    }

    fn count(&self, writes: u64, pictures: u64) {
        let work = self.work.get();
        self.work.set(ImportWork { writes: work.writes + writes, pictures: work.pictures + pictures, ..work });
    }

    fn account(&self) -> Account<'_> {
        Account { table_name: &self.stores.table.name, username: self.owner, subject: self.subject }
    }

    /// Sets the status and the interests of the profile, if the user has none.
    pub(crate) async fn set_profile(&self) -> Result<(), Unreadable> {
        if let Some(status) = self.profile.status.clone() {
            self.set_if_unset("status", S(String::from(status))).await?;
        }
        if let Some(interests) = self.profile.interests.clone() {
            let interests = Vec::<String>::from(interests).into_iter().map(S).collect();
            self.set_if_unset("interests", L(interests)).await?;
        }
        Ok(())
    }

    /// Sets an attribute of the profile, if there is none, or an empty list.
    async fn set_if_unset(&self, name: &str, value: AttributeValue) -> Result<(), Unreadable> {
        let table = &self.stores.table;
        let update = table
            .client
            .update_item()
            .table_name(&table.name)
            .set_key(Some(Key::user(self.owner).into()))
            .condition_expression(format!("{OF_ACCOUNT} AND (attribute_not_exists(#name) OR #name = :empty)"))
            .update_expression("SET #name = :value, #version = :version")
            .expression_attribute_names("#name", name)
            .expression_attribute_names("#version", VERSION)
            .expression_attribute_values(":value", value)
            .expression_attribute_values(":empty", L(vec![]))
            .expression_attribute_values(":version", S(new_version()))
            .expression_attribute_values(":subject", subject_value(self.subject));
        unless_condition_failed(update.send().await)?;
        Ok(())
    }

    /// Pins the photo that the profile had pinned, unless the user has pinned one since. Its
    /// picture is the file of an upload, which process-photo makes ready at the same time, so this
    /// waits for it.
    pub(crate) async fn pin(&self) -> Result<Written, Unreadable> {
        let Some(timestamp) = &self.profile.pinned_image else { return Ok(Written::There) };
        let left_out = |reason: &str| Ok(left_out("the pinned photo", timestamp.as_ref(), reason));
        let (table, owner) = (&self.stores.table, self.owner);
        let mut photo = get_photo(table, owner, timestamp).await?;
        for _ in 0..PIN_ATTEMPTS {
            if photo.as_ref().is_none_or(|photo| photo.picture != Some(Picture::Pending)) {
                break;
            }
            sleep(PIN_INTERVAL).await;
            photo = get_photo(table, owner, timestamp).await?;
        }
        let Some(sizes) = photo.filter(Photo::is_public).and_then(|photo| photo.picture?.sizes().cloned()) else {
            return left_out("it is not ready, or its audience is not everyone");
        };
        let picture = PinnedPicture::from(sizes);
        let pin = Update::builder()
            .table_name(&table.name)
            .set_key(Some(Key::user(owner).into()))
            .condition_expression(format!("{OF_ACCOUNT} AND attribute_not_exists(pinnedImage)"))
            .update_expression("SET pinnedImage = :photo, pinnedPicture = :picture, #version = :version")
            .expression_attribute_names("#version", VERSION)
            .expression_attribute_values(":photo", S(photo_sk(owner, timestamp)))
            .expression_attribute_values(
                ":picture",
                serde_dynamo::to_attribute_value(&picture).map_err(shared::Error::from)?,
            )
            .expression_attribute_values(":version", S(new_version()))
            .expression_attribute_values(":subject", subject_value(self.subject))
            .build()
            .map_err(shared::Error::from)?;
        let mut transaction = Transaction::new();
        transaction.update(pin);
        let pinned = transaction.condition_check(PinnedPicture::check(Some(&picture), &table.name, owner, timestamp)?);
        match transaction.write(&table.client).await? {
            Outcome::ConditionFailed(failed) if failed.contains(pinned) => left_out("it has changed since"),
            // The user has pinned a photo, or is deleted, which the next write of the import finds.
            Outcome::Committed | Outcome::ConditionFailed(_) => Ok(Written::There),
        }
    }

    /// Sends a transaction with the check of the account at its end. Fails with
    /// [`Unreadable::Gone`] if the account is over.
    async fn write(&self, mut transaction: Transaction) -> Result<Outcome, Unreadable> {
        self.count(1, 0);
        let check = transaction.condition_check(self.account().check()?);
        let outcome = transaction.write(&self.stores.table.client).await?;
        match &outcome {
            Outcome::ConditionFailed(failed) if self.account().require(failed, check).is_err() => Err(Unreadable::Gone),
            _ => Ok(outcome),
        }
    }

    /// Puts a tag under its id, and reserves its name.
    pub(crate) async fn tag(&self, entry: &RawValue) -> Result<Written, Unreadable> {
        let TagEntry { tag_id, tag_name, create_time, last_access_time } = match parse_entry(entry, TAG) {
            Ok(entry) => entry,
            Err(left_out) => return Ok(left_out),
        };
        if let Some(reason) = self.refusal(TAG) {
            return Ok(left_out(TAG, tag_name.as_ref(), reason));
        }
        let table = &self.stores.favorites.name;
        let tag = Tag { tag_id, tag_name: tag_name.to_string(), create_time, last_access_time };
        let put = |item| {
            Put::builder().table_name(table).set_item(Some(item)).condition_expression("attribute_not_exists(pk)")
        };
        let count = Update::builder()
            .table_name(table)
            .set_key(Some(Key::tag_count(self.owner).into()))
            .condition_expression("attribute_not_exists(tags) OR tags < :max")
            .update_expression("ADD tags :one")
            .expression_attribute_values(":max", N(MAX_TAGS_PER_USER.to_string()))
            .expression_attribute_values(":one", N("1".to_owned()))
            .build()?;
        let mut transaction = Transaction::new();
        let id = transaction.put(put(tag.item(self.owner)).build()?);
        let name = transaction.put(put(tag_name_reservation(self.owner, &tag_name, &tag.tag_id)).build()?);
        transaction.update(count);
        Ok(match self.write(transaction).await? {
            Outcome::Committed => Written::There,
            Outcome::ConditionFailed(failed) if failed.contains(id) => Written::There,
            Outcome::ConditionFailed(failed) if failed.contains(name) => {
                left_out(TAG, &tag.tag_name, "another tag has this name")
            }
            Outcome::ConditionFailed(_) => self.leave_out_full(TAG, &tag.tag_name),
        })
    }

    /// Puts a favorite, and its entries under its tags.
    pub(crate) async fn favorite(&self, entry: &RawValue) -> Result<Written, Unreadable> {
        let entry: FavoriteEntry = match parse_entry(entry, FAVORITE) {
            Ok(entry) => entry,
            Err(left_out) => return Ok(left_out),
        };
        let id = entry.data_id.to_string();
        if entry.data_id.photo().is_some() {
            return Ok(left_out(FAVORITE, &id, "it is a saved photo, which has to be saved again"));
        }
        if let Some(reason) = self.refusal(FAVORITE) {
            return Ok(left_out(FAVORITE, &id, reason));
        }
        let favorite = Favorite {
            data_id: entry.data_id,
            data_type: entry.data_type,
            title: entry.title.into(),
            creator_id: entry.creator_id.map(Into::into),
            thumbnail_url: entry.thumbnail_url.map(Into::into),
            content_url: entry.content_url.map(Into::into),
            clip_time: entry.clip_time,
            tag_count: Some(0),
        };
        let table = &self.stores.favorites.name;
        let put = Put::builder()
            .table_name(table)
            .set_item(Some(favorite.item(self.owner)))
            .condition_expression("attribute_not_exists(pk)")
            .build()?;
        let mut transaction = Transaction::new();
        let put = transaction.put(put);
        transaction.update(favorite_count::increment(table, self.owner)?);
        if let Outcome::ConditionFailed(failed) = self.write(transaction).await?
            && !failed.contains(put)
        {
            return Ok(self.leave_out_full(FAVORITE, &id));
        }
        for tag_id in entry.tags.into_iter().take(MAX_TAGS_PER_FAVORITE) {
            if self.work.get().writes >= MAX_WRITES {
                return Ok(left_out("tags of favorite", &id, "one import makes no more writes"));
            }
            self.tag_favorite(&FavoriteTag::new(&favorite, tag_id)).await?;
        }
        Ok(Written::There)
    }

    /// Puts the entry of a favorite under a tag, unless it is there, or the tag is not.
    async fn tag_favorite(&self, entry: &FavoriteTag) -> Result<(), Unreadable> {
        let table = &self.stores.favorites.name;
        let put = Put::builder()
            .table_name(table)
            .set_item(Some(entry.item(self.owner)))
            .condition_expression("attribute_not_exists(pk)")
            .build()?;
        let count = Update::builder()
            .table_name(table)
            .set_key(Some(Key::favorite(self.owner, &entry.data_id).into()))
            .condition_expression("tagCount < :max AND clipTime = :clipTime")
            .update_expression("SET tagCount = tagCount + :one ADD tagVersion :one")
            .expression_attribute_values(":max", N(MAX_TAGS_PER_FAVORITE.to_string()))
            .expression_attribute_values(":clipTime", S(entry.clip_time.to_string()))
            .expression_attribute_values(":one", N("1".to_owned()))
            .build()?;
        let tag = ConditionCheck::builder()
            .table_name(table)
            .set_key(Some(Key::tag(self.owner, &entry.tag_id).into()))
            .condition_expression("attribute_exists(pk)")
            .build()?;
        let mut transaction = Transaction::new();
        transaction.put(put);
        transaction.update(count);
        transaction.condition_check(tag);
        self.write(transaction).await?;
        Ok(())
    }

    /// Puts a photo with its picture, if no maximum is reached.
    pub(crate) async fn photo(&self, entry: &RawValue) -> Result<Written, Unreadable> {
        let entry: PhotoEntry = match parse_entry(entry, PHOTO) {
            Ok(entry) => entry,
            Err(left_out) => return Ok(left_out),
        };
        let id = entry.timestamp.to_string();
        let without = |reason: &str| left_out(PHOTO, &id, reason);
        if entry.timestamp > Timestamp::now() {
            return Ok(without("it is of the future"));
        }
        // Each photo has a name of its own for its picture, so no picture is that of two photos,
        // whatever attempt reads them.
        let name = exported_name(&entry.timestamp);
        match &entry.picture {
            None => return Ok(without("it has no picture")),
            Some(other) if *other != name => return Ok(without(&format!("its picture has another name than {name}"))),
            Some(_) => {}
        }
        if let Some(reason) = self.refusal(PHOTO) {
            return Ok(without(&reason));
        }
        // The picture is counted before it is read, because others are read at the same time.
        self.count(0, 1);
        let refused = match self.archive.take(&name).await? {
            Taken::None => Some(without("there is no picture for it, or another entry is the same photo")),
            Taken::Damaged => Some(without("its picture is damaged")),
            Taken::Picture(picture) => self.put_photo(entry, picture).await?,
        };
        let Some(refused) = refused else { return Ok(Written::There) };
        let work = self.work.get();
        self.work.set(ImportWork { pictures: work.pictures - 1, ..work });
        Ok(refused)
    }

    /// Puts a photo whose picture is pending, and the picture as its uploaded file. Returns the
    /// outcome if the picture was not needed.
    async fn put_photo(&self, entry: PhotoEntry, picture: Vec<u8>) -> Result<Option<Written>, Unreadable> {
        let (owner, id) = (self.owner, entry.timestamp.to_string());
        let refused = |reason: &str| Ok(Some(left_out(PHOTO, &id, reason)));
        self.count(1, 0);
        let location = location(&self.stores.bucket.name, owner, &entry.timestamp);
        let photo = Photo {
            caption: entry.caption.as_ref().map(ToString::to_string),
            alt_text: entry.alt_text.as_ref().map(ToString::to_string),
            audience: entry.audience,
            ..Photo::pending(owner.clone(), entry.timestamp, location).imported()
        };
        let table = &self.stores.table;
        let count = count_new_photo(&table.name, owner, self.subject, "").build()?;
        let mut transaction = Transaction::new();
        let put = transaction.put(photo.put_new(&table.name)?);
        let user = transaction.update(count);
        let report = transaction.condition_check(self.check_report(&photo.timestamp)?);
        if let Outcome::ConditionFailed(failed) = transaction.write(&table.client).await? {
            if failed.contains(report) {
                return refused("a moderator has removed it");
            }
            if !failed.contains(put) {
                if refusal(failed.item(user), owner, self.subject).is_some() {
                    return Err(Unreadable::Gone);
                }
                return Ok(Some(self.leave_out_full(PHOTO, &id)));
            }
            // An earlier attempt may have put the photo and not its picture.
            match get_photo(table, owner, &photo.timestamp).await? {
                Some(existing) if existing.imported && existing.picture == Some(Picture::Pending) => {}
                Some(_) => return Ok(Some(Written::There)),
                None => return refused("a photo of this time has been deleted within the last days"),
            }
        }
        // The pinned photo has to be ready soon, so it does not wait for the others.
        let is_pinned = self.profile.pinned_image.as_ref() == Some(&photo.timestamp);
        let key = if is_pinned { incoming_key } else { imported_key }(owner, &photo.timestamp);
        let bucket = &self.stores.bucket;
        let put = bucket.client.put_object().bucket(&bucket.name).key(&key).content_type("image/jpeg");
        put.body(picture.into()).send().await.map_err(shared::Error::from)?;
        if !is_pinned {
            self.stores.pictures.send_of(owner, &ObjectMessage { key }).await?;
        }
        Ok(None)
    }

    /// Returns a check that no moderator has removed a photo with this key.
    fn check_report(&self, timestamp: &Timestamp) -> Result<ConditionCheck, Unreadable> {
        let id = ReportId::Photo(self.owner.clone(), timestamp.clone());
        let check = ConditionCheck::builder()
            .table_name(&self.stores.table.name)
            .set_key(Some(Key::report(&id).into()))
            .condition_expression("attribute_not_exists(reportState) OR reportState <> :removed")
            .expression_attribute_values(":removed", S(ReportState::Removed.to_string()))
            .build()?;
        Ok(check)
    }
}

/// Returns why no other thing of a kind is put.
fn maximum_of(kind: &str) -> String {
    match kind {
        TAG => format!("you have {MAX_TAGS_PER_USER} tags, the maximum"),
        FAVORITE => format!("you have {MAX_FAVORITES} favorites, the maximum"),
        _ => format!("you have {MAX_PHOTOS} photos, the maximum"),
    }
}

fn left_out(kind: &str, id: &str, reason: impl Into<String>) -> Written {
    Written::LeftOut(format!("{kind} {id}"), reason.into())
}

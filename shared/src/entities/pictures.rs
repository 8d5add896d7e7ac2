//! The pictures of a photo that was made with several.
//!
//! They are an item beside the photo, so that a reaction, which writes the photo, costs the same however many
//! there are. The photo has a copy of the first one, for lists, cards and feeds. A photo that was made with
//! one picture has no such item.
//!
//! **Every writer uses [optimistic
//! locking](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/DynamoDBMapper.OptimisticLocking.html).**
//! It reads the item, computes the next state, and puts it on the condition that the version is the one
//! that was read. A failed condition means that another writer has succeeded.

use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::{Put, ReturnValuesOnConditionCheckFailure};
use serde::{Deserialize, Serialize};

use super::key::{Key, PK, USER_PREFIX, user_pk};
use super::picture::{CLAIM_SECONDS, Picture, Sizes};
use crate::dynamodb::{Item, entity};
use crate::values::{EpochMillis, PhotoId, PictureNumber, ReportReason, Username};
use crate::{Error, Table};

/// The prefix of the sort keys of [`Pictures`]. They sort after the photos of their owner, so that no Query
/// of photos reads them.
pub const PICTURES_PREFIX: &str = "PICTURES#";
/// The prefix of the sort keys of each [`PictureDeletion`](super::PictureDeletion).
pub const PICTURE_DELETION_PREFIX: &str = "PICTURE#";
/// A sort key after those of all [`Pictures`] of a user: `$` follows `#`.
pub const AFTER_PICTURES: &str = "PICTURES$";
/// The maximum number of pictures of a photo, with those that are rejected or removed.
pub const MAX_PICTURES: usize = 10;
/// The retry budget: the maximum number of attempts to write [`Pictures`].
///
/// An attempt fails only if another writer has succeeded since its read. While ten pictures are processed at
/// the same time, the nine others write twice each, and at most four times if Lambda repeats their
/// events twice. That is 36 times.
pub const MAX_PICTURES_ATTEMPTS: usize = 40;

/// The pictures of a photo that was made with several, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pictures {
    /// The id of the photo.
    #[serde(rename = "timestamp")]
    pub id: PhotoId,
    /// The number of the version, which each write increments.
    pub version: u64,
    /// The number of the next picture.
    pub next: PictureNumber,
    /// The pictures, from 1 to [`MAX_PICTURES`]. `InvertedIndex` projects the attribute `pictures` of photos, so
    /// this one has another name.
    pub entries: Vec<PictureEntry>,
}

/// One of several pictures of a photo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PictureEntry {
    /// The number.
    pub number: PictureNumber,
    /// The state.
    pub picture: Picture,
    /// The text alternative.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alt_text: Option<String>,
    /// The upload that is being processed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
}

/// The claim of an upload, which keeps other uploads for the same picture from being processed at the same
/// time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The sequencer of the upload.
    pub sequencer: String,
    /// The time at which the claim ends, in seconds since 1970.
    pub ends: u64,
}

impl PictureEntry {
    /// Returns a new picture, for which no file has been uploaded.
    #[must_use]
    pub const fn pending(number: PictureNumber, alt_text: Option<String>) -> Self {
        Self { number, picture: Picture::Pending, alt_text, claim: None }
    }

    /// Returns the sizes of a picture that is shown.
    #[must_use]
    pub const fn shown(&self) -> Option<&Sizes> {
        match &self.picture {
            Picture::Ready(sizes) => Some(sizes),
            Picture::Pending | Picture::Rejected { .. } | Picture::Removed { .. } => None,
        }
    }

    /// Returns whether the picture is pending, and no other upload than the one with this sequencer
    /// holds a claim.
    fn is_free(&self, sequencer: &str) -> bool {
        let holds = |claim: &Claim| claim.sequencer != sequencer && claim.ends > EpochMillis::now().seconds();
        self.picture == Picture::Pending && !self.claim.as_ref().is_some_and(holds)
    }
}

impl Pictures {
    /// Returns new pictures with these text alternatives.
    #[must_use]
    pub fn pending(id: PhotoId, alt_texts: impl IntoIterator<Item = Option<String>>) -> Self {
        let mut pictures = Self { id, version: 1, next: PictureNumber::FIRST, entries: vec![] };
        for alt_text in alt_texts {
            pictures.push(alt_text);
        }
        pictures
    }

    /// Adds a new picture. Returns its number, or `None` if no number is left.
    pub fn push(&mut self, alt_text: Option<String>) -> Option<PictureNumber> {
        let number = self.next;
        self.next = number.next()?;
        self.entries.push(PictureEntry::pending(number, alt_text));
        Some(number)
    }

    /// Returns the picture with a number.
    #[must_use]
    pub fn get(&self, number: PictureNumber) -> Option<&PictureEntry> {
        self.entries.iter().find(|entry| entry.number == number)
    }

    /// Returns the first picture that is shown, or will be when the photo is ready. If there is none,
    /// returns the first one.
    #[must_use]
    pub fn first(&self) -> Option<&PictureEntry> {
        let is_shown = |entry: &&PictureEntry| matches!(entry.picture, Picture::Ready(_) | Picture::Pending);
        self.entries.iter().find(is_shown).or_else(|| self.entries.first())
    }

    /// Returns the number of pictures that are shown, or will be when the photo is ready. A rejected one counts
    /// until its owner replaces it or leaves it out.
    #[must_use]
    pub fn count(&self) -> u32 {
        let is_removed = |entry: &&PictureEntry| matches!(entry.picture, Picture::Removed { .. });
        u32::try_from(self.entries.iter().filter(|entry| !is_removed(entry)).count()).unwrap_or(u32::MAX)
    }

    /// Returns whether the photo can be shown: no picture is pending or rejected, and at least one is ready.
    #[must_use]
    pub fn are_ready(&self) -> bool {
        let is_settled = |entry: &PictureEntry| matches!(entry.picture, Picture::Ready(_) | Picture::Removed { .. });
        self.entries.iter().all(is_settled) && self.entries.iter().any(|entry| entry.shown().is_some())
    }

    /// Returns the number of pictures that are rejected.
    #[must_use]
    pub fn rejected(&self) -> usize {
        self.entries.iter().filter(|entry| matches!(entry.picture, Picture::Rejected { .. })).count()
    }

    /// Returns the picture that the photo has as its copy, if it has `picture` now.
    #[must_use]
    pub fn copy(&self, picture: &Picture) -> Picture {
        let first = || self.first().and_then(PictureEntry::shown).cloned();
        match picture {
            Picture::Pending if self.are_ready() => first().map_or(Picture::Pending, Picture::Ready),
            Picture::Ready(_) => first().map_or_else(|| picture.clone(), Picture::Ready),
            Picture::Removed { reason, .. } => Picture::Removed { reason: *reason, sizes: first() },
            Picture::Pending | Picture::Rejected { .. } => picture.clone(),
        }
    }

    /// Returns the state after an upload has claimed a picture. Returns `None` if there is no such picture, if
    /// it is not pending, or while another upload holds a claim.
    #[must_use]
    pub fn claimed(&self, number: PictureNumber, sequencer: &str) -> Option<Self> {
        let ends = EpochMillis::now().seconds() + CLAIM_SECONDS;
        self.with(number, |entry| {
            entry.is_free(sequencer).then(|| entry.claim = Some(Claim { sequencer: sequencer.to_owned(), ends }))
        })
    }

    /// Returns the state after a pending picture has become ready or rejected. Returns `None` if it is not pending,
    /// or while another upload than the one with `sequencer`, if there is one, holds a claim.
    #[must_use]
    pub fn settled(&self, number: PictureNumber, picture: Picture, sequencer: Option<&str>) -> Option<Self> {
        self.with(number, |entry| {
            let is_free = sequencer.map_or(entry.picture == Picture::Pending, |sequencer| entry.is_free(sequencer));
            is_free.then(|| (entry.picture, entry.claim) = (picture, None))
        })
    }

    /// Returns the state after a moderator has removed these pictures and no others: a picture that was
    /// removed before is ready again.
    #[must_use]
    pub fn decided(&self, removed: &[PictureNumber], removed_for: ReportReason) -> Self {
        let mut after = self.next_version();
        for entry in &mut after.entries {
            let is_removed = removed.contains(&entry.number);
            entry.picture = match (entry.picture.clone(), is_removed) {
                (Picture::Ready(sizes), true) => Picture::Removed { reason: removed_for, sizes: Some(sizes) },
                (Picture::Removed { sizes, .. }, true) => Picture::Removed { reason: removed_for, sizes },
                (Picture::Removed { sizes: Some(sizes), .. }, false) => Picture::Ready(sizes),
                (picture, _) => picture,
            };
        }
        after
    }

    fn with(&self, number: PictureNumber, change: impl FnOnce(&mut PictureEntry) -> Option<()>) -> Option<Self> {
        let mut after = self.next_version();
        change(after.entries.iter_mut().find(|entry| entry.number == number)?)?;
        Some(after)
    }

    /// Returns the same pictures with the number of the next version.
    #[must_use]
    pub fn next_version(&self) -> Self {
        Self { version: self.version + 1, ..self.clone() }
    }

    /// Returns the put of new pictures, in the transaction that puts their photo.
    pub fn put_new(&self, table_name: &str, owner: &Username) -> Result<Put, Error> {
        let item = entity::to_item(Key::pictures(owner, &self.id), self)?;
        Ok(Put::builder().table_name(table_name).set_item(Some(item)).build()?)
    }

    /// Returns the put of the next version, on the condition that the item has the version before. A failed
    /// condition returns the item.
    pub fn put(&self, table_name: &str, owner: &Username) -> Result<Put, Error> {
        let put = Put::builder()
            .table_name(table_name)
            .set_item(Some(entity::to_item(Key::pictures(owner, &self.id), self)?))
            .condition_expression("version = :before")
            .expression_attribute_values(":before", N((self.version - 1).to_string()))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()?;
        Ok(put)
    }
}

/// Returns the pictures of a photo by a consistent `GetItem`, or `None` if the photo has no such item.
pub async fn get_pictures(table: &Table, owner: &Username, photo: &PhotoId) -> Result<Option<Pictures>, Error> {
    let output = table
        .client
        .get_item()
        .table_name(&table.name)
        .set_key(Some(Key::pictures(owner, photo).into()))
        .consistent_read(true)
        .send()
        .await?;
    output.item.map(entity::from_item).transpose()
}

/// Returns the owner of [`Pictures`] from their key.
pub fn owner_of_pictures(keys: &Item) -> Result<Username, Error> {
    let pk = keys.get(PK).and_then(|pk| pk.as_s().ok()).map_or("", String::as_str);
    let owner = pk.strip_prefix(USER_PREFIX).and_then(|owner| owner.parse().ok());
    owner.ok_or_else(|| Error::internal(format!("the partition key {pk:?} is not that of pictures")))
}

impl Key {
    /// Returns the key of the [`Pictures`](super::Pictures) of a photo.
    #[must_use]
    pub fn pictures(owner: &Username, photo: &PhotoId) -> Self {
        Self::of_photos(user_pk(owner), format!("{PICTURES_PREFIX}{owner}#{photo}"))
    }

    /// Returns the key of a [`PictureDeletion`](super::PictureDeletion).
    #[must_use]
    pub fn picture_deletion(owner: &Username, photo: &PhotoId, number: PictureNumber) -> Self {
        Self::of_photos(user_pk(owner), format!("{PICTURE_DELETION_PREFIX}{owner}#{photo}#{number}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::problems::PictureProblem;
    use crate::values::PictureId;

    fn number(number: u32) -> PictureNumber {
        number.try_into().unwrap()
    }

    fn sizes(of: u32) -> Sizes {
        let id = PictureId::from_file(&of.to_be_bytes());
        Sizes { number: Some(number(of)), id, width: 800, height: 600, bytes: 1000, blurhash: String::new() }
    }

    fn three() -> Pictures {
        let alt_texts = [Some("A pier".to_owned()), None, None];
        Pictures::pending("2024-05-30T15:42:38".parse().unwrap(), alt_texts)
    }

    fn settle(pictures: &Pictures, numbers: impl IntoIterator<Item = u32>) -> Pictures {
        let settle = |pictures: Pictures, of| pictures.settled(number(of), Picture::Ready(sizes(of)), None).unwrap();
        numbers.into_iter().fold(pictures.clone(), settle)
    }

    const REJECTED: Picture = Picture::Rejected { problem: PictureProblem::PictureDamaged, reason: None };

    #[test]
    fn pictures_are_numbered_in_their_order_and_no_number_is_used_again() {
        let mut pictures = three();
        assert_eq!(pictures.entries.iter().map(|entry| entry.number.get()).collect::<Vec<_>>(), [1, 2, 3]);
        pictures.entries.pop();
        assert_eq!(pictures.push(None), Some(number(4)));
        assert_eq!((pictures.count(), pictures.get(number(3))), (3, None));
    }

    #[test]
    fn one_upload_at_a_time_claims_a_picture() {
        let claimed = three().claimed(number(2), "0001").unwrap();
        assert_eq!((claimed.version, &claimed.entries[0]), (2, &three().entries[0]));
        assert_eq!(claimed.claimed(number(2), "0002"), None, "another upload");
        assert!(claimed.claimed(number(2), "0001").is_some(), "a repetition");
        assert!(claimed.claimed(number(1), "0002").is_some(), "another picture");
        assert_eq!(claimed.claimed(number(4), "0001"), None, "no picture");
        let mut over = claimed.clone();
        over.entries[1].claim.as_mut().unwrap().ends = EpochMillis::now().seconds();
        assert!(over.claimed(number(2), "0002").is_some(), "the claim has ended");
        assert_eq!(claimed.settled(number(2), REJECTED, Some("0002")), None);
        let rejected = claimed.settled(number(2), REJECTED, Some("0001")).unwrap();
        assert_eq!((&rejected.entries[1].picture, &rejected.entries[1].claim), (&REJECTED, &None));
        assert_eq!(rejected.claimed(number(2), "0001"), None, "it is settled");
        assert_eq!(rejected.settled(number(2), Picture::Ready(sizes(2)), None), None);
    }

    #[test]
    fn the_photo_is_ready_when_all_pictures_are() {
        let (pending, some, all) = (three(), settle(&three(), [2, 3]), settle(&three(), [2, 3, 1]));
        for (pictures, are_ready) in [(&pending, false), (&some, false), (&all, true)] {
            assert_eq!((pictures.are_ready(), pictures.count()), (are_ready, 3));
            let copy = if are_ready { Picture::Ready(sizes(1)) } else { Picture::Pending };
            assert_eq!((pictures.copy(&Picture::Pending), pictures.first().unwrap().number), (copy, number(1)));
        }
        let rejected = some.settled(number(1), REJECTED, None).unwrap();
        assert_eq!((rejected.are_ready(), rejected.count()), (false, 3));
        assert_eq!((rejected.copy(&Picture::Pending), rejected.first().unwrap().number), (Picture::Pending, number(2)));
    }

    #[test]
    fn a_decision_removes_its_pictures_and_no_others() {
        let all = settle(&three(), [1, 2, 3]);
        let removed = all.decided(&[number(1)], ReportReason::Spam);
        assert_eq!((removed.version, removed.count(), removed.are_ready()), (all.version + 1, 2, true));
        assert_eq!(removed.copy(&Picture::Ready(sizes(1))), Picture::Ready(sizes(2)));
        let other = removed.decided(&[number(3)], ReportReason::Nudity);
        assert_eq!(other.entries[0], all.entries[0]);
        let picture = Picture::Removed { reason: ReportReason::Nudity, sizes: Some(sizes(3)) };
        assert_eq!(other.entries[2].picture, picture);
        assert_eq!(other.decided(&[], ReportReason::Other).entries, all.entries);
        // The photo is removed as a whole.
        let whole = |of| Picture::Removed { reason: ReportReason::Hate, sizes: Some(sizes(of)) };
        assert_eq!(removed.copy(&whole(1)), whole(2));
    }
}

//! One `TransactWriteItems` changes the photo, on the condition that it exists and has not expired,
//! and checks that the caller's name is not that of another account. A transaction returns no item,
//! so a consistent `GetItem` reads the photo for the answer. A patch without a field changes
//! nothing, not even the time of the last change.
//!
//! The picture of a profile is for everyone who sees the profile. So the transaction that restricts
//! the audience, or marks the photo as sensitive, also checks that the photo is not pinned. The owner
//! cannot change the mark of a moderator, which the condition of the update says.
//!
//! Only photos that everyone may see are in the vector index, by which list-similar-photos finds
//! them. So before a change of the audience, a consistent `BatchGetItem` reads the photo, and its
//! vector from `<stage>.Feed`. The transaction also moves the vector into the index or out of it,
//! on the condition that both are still as they were read. If they are not, the function reads
//! again.
//!
//! If only the owner may see the photo from now on, the transaction also deletes its link with the
//! target, and decrements the owner's count of links, unless `keepLink` is true.
//!
//! A photo of several pictures has the text alternative of the first one. So the transaction that changes
//! `altText` also has the condition that the photo has one picture. If it has several, or with `pictures`, a
//! consistent `GetItem` reads the [`Pictures`] after the photo. The transaction puts the next version, and changes
//! the photo's copy of the first one, and the picture of the profile if the photo is pinned. Each picture that is
//! left out gets a [`PictureDeletion`](shared::entities::PictureDeletion) and loses its vector. If all pictures of a
//! pending photo are ready then, the transaction also makes the photo ready, as process-photo does. A change of the
//! audience moves all vectors, which a `BatchGetItem` reads.
//!
//! A change of the pinned comment reads the same before. The transaction marks the comment as pinned, on
//! the condition that it is there and shown, and takes the mark off the comment that was pinned before.

use aws_sdk_dynamodb::types::AttributeValue::{self, N, S};
use aws_sdk_dynamodb::types::{ConditionCheck, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update};
use shared::dynamodb::transaction::{Outcome, Transaction, Write};
use shared::dynamodb::{Item, batch, entity};
use shared::entities::account::{FREE_FOR_ACCOUNT, OF_ACCOUNT, refusal, subject_value};
use shared::entities::{
    Key, LINKS, Link, MAX_PICTURES, MAX_PICTURES_ATTEMPTS, NO_MODERATOR_MARK, PINNED, PINNED_COMMENT, Photo, Picture,
    Pictures, PinnedPicture, get_photo, get_pictures, photo_from_item, photo_sk, place_vector,
};
use shared::http::answer;
use shared::http::extract::{Body, FromFields, Owner, Path};
use shared::http::fields::{Fields, Patch};
use shared::http::form::FormSigner;
use shared::http::request::Caller;
use shared::show::{ShownPhoto, Signer};
use shared::values::{
    AltText, AnsweredComment, Audience, Caption, CommentId, EpochMillis, PhotoId, PictureNumber, SensitiveReason,
    Timestamp, Username,
};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

use self::arrange::{Arranged, Wanted};
use crate::new_picture::NewPicture;

mod arrange;
#[cfg(test)]
mod tests;

/// The route.
pub struct UpdatePhoto {
    table: Table,
    feed: Table,
    signer: Signer,
    forms: FormSigner,
}

impl Route for UpdatePhoto {
    const NAME: &'static str = "update-photo";
    const ROUTE: &'static str = "PATCH /users/{username}/photos/{photo}";
    const SUMMARY: &'static str = "Applies a [JSON merge patch](https://www.rfc-editor.org/rfc/rfc7396) to the caption, the description, \
         the audience, the mark, the pinned comment and the pictures of a photo of the caller. `pictures` has all \
         pictures that stay, in their new order. Without a number, an entry is a new picture of a pending photo.";
    const ERRORS: &'static [ErrorKind] = &[
        ErrorKind::NoComment,
        ErrorKind::NoPhoto,
        ErrorKind::NoProfile,
        ErrorKind::OtherAccount,
        ErrorKind::PhotoMarked,
        ErrorKind::PhotoPinned,
    ];

    type Input = (Owner, Path<PhotoId>, Body<Changes>);
    type Body = ShownPhoto;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            feed: process.table("FEED_TABLE_NAME")?,
            signer: Signer::from_process(process)?,
            forms: FormSigner::from_process(process)?,
        })
    }

    async fn answer(
        &self,
        (Owner(caller), Path(id), Body(changes)): Self::Input,
    ) -> Result<Response<ShownPhoto>, Error> {
        let Self { table, feed, .. } = self;
        let username = &caller.username;

        let mut has_several = changes.pictures.is_some();
        let mut is_pinned = false;
        for _ in 0..MAX_PICTURES_ATTEMPTS {
            let before = match (&changes.audience, &changes.pinned_comment, has_several) {
                (Patch::Keep, Patch::Keep, false) => None,
                _ => Some(Before::read(table, feed, username, &id, &changes).await?),
            };
            if before.as_ref().is_some_and(|before| before.photo.is_none()) && changes.pictures.is_some() {
                return Err(self.error_for(&caller, Error::no_photo(username, &id)).await?);
            }
            let arranged = match before.as_ref().map(|before| before.arrange(&changes)).transpose() {
                Ok(arranged) => arranged.flatten(),
                Err(error) => return Err(self.error_for(&caller, error).await?),
            };
            let mut transaction = Transaction::new();
            let update = if changes.are_none() {
                None
            } else {
                Some(transaction.update(change(table, username, &id, &changes, before.as_ref(), arranged.as_ref())?))
            };
            if let Some(before) = &before {
                before.write(table, feed, &changes, arranged.as_ref(), &mut transaction)?;
            }
            let ended = before.as_ref().and_then(|before| before.link.as_ref()).filter(|_| changes.end_link());
            for delete in ended.map(|link| link.deletes(&table.name)).transpose()?.into_iter().flatten() {
                transaction.delete(delete);
            }
            let photo = before.as_ref().and_then(|before| before.photo.as_ref());
            let copies = photo.zip(arranged.as_ref());
            let owner = OwnerWrite {
                forbids_pin: changes.forbid_pin(),
                ends_link: ended.is_some(),
                publishes: copies.is_some_and(|(photo, arranged)| arranged.publishes(photo)),
                first: match copies.and_then(|(photo, arranged)| other_first(photo, arranged)) {
                    None => First::Same,
                    Some(first) if is_pinned => First::OfProfile(first),
                    Some(_) => First::Other,
                },
            };
            let owner = transaction.add(owner.build(table, &caller, &id)?);
            let pin = match &before {
                None => None,
                Some(before) => pin(table, username, &id, &changes, before, &mut transaction)?,
            };
            let Outcome::ConditionFailed(failed) = transaction.write(&table.client).await? else {
                let new = arranged.as_ref().map_or(&[][..], |arranged| &arranged.new);
                return self.show(username, &id, new).await;
            };
            if failed.contains(owner) {
                let found = failed.item(owner);
                if let Some(refusal) = refusal(found, username, &caller.subject) {
                    return Err(refusal);
                }
                if changes.forbid_pin() {
                    return Err(self::is_pinned());
                }
                is_pinned = found.and_then(|user| user.get("pinnedImage")) == Some(&S(photo_sk(username, &id)));
                continue;
            }
            let found = failed.item(update);
            if changes.sensitive != Patch::Keep && found.map(is_marked_by_moderator).transpose()? == Some(true) {
                return Err(is_marked());
            }
            if before.is_none() && found.is_some_and(|photo| photo.contains_key("pictures")) && !has_several {
                has_several = true;
                continue;
            }
            if before.is_none_or(|before| before.photo.is_none()) {
                return Err(Error::no_photo(username, &id));
            }
            if let (Patch::Set(comment), true) = (&changes.pinned_comment, failed.contains(pin)) {
                return Err(Error::no_comment(&comment.0));
            }
        }
        Err(Error::Busy("the photo changed during each attempt".into()))
    }
}

impl UpdatePhoto {
    /// Returns an error that tells something of the photo, or the refusal of another account with the name, by a
    /// consistent `GetItem`.
    async fn error_for(&self, caller: &Caller, error: Error) -> Result<Error, Error> {
        let get = self.table.client.get_item().table_name(&self.table.name).consistent_read(true);
        let user = get.set_key(Some(Key::user(&caller.username).into())).send().await?.item;
        Ok(refusal(user.as_ref(), &caller.username, &caller.subject).unwrap_or(error))
    }

    /// Returns the answer: the photo as it is now, with the form or the request for each new picture.
    async fn show(
        &self,
        owner: &Username,
        id: &PhotoId,
        new: &[(PictureNumber, &NewPicture)],
    ) -> Result<Response<ShownPhoto>, Error> {
        let Self { table, signer, forms, .. } = self;
        let photo = get_photo(table, owner, id).await?.filter(|photo| !photo.has_expired());
        let photo = photo.ok_or_else(|| Error::no_photo(owner, id))?;
        let (ttl, several) = (photo.ttl, photo.pictures);
        let mut shown = signer.show_to_owner(photo);
        if several.is_some()
            && let Some(pictures) = get_pictures(table, owner, id).await?
        {
            shown.pictures = signer.show_pictures_to_owner(owner, &pictures);
        }
        for (number, new) in new {
            let picture = shown.pictures.iter_mut().find(|picture| picture.number == *number);
            if let (Some(picture), Some(ttl)) = (picture, ttl) {
                picture.upload = Some(new.upload(forms, owner, id, Some(*number), ttl)?);
            }
        }
        answer::ok(&shown)
    }
}

/// Returns the picture of the profile if the photo is pinned, unless the first picture stays the same.
fn other_first(photo: &Photo, arranged: &Arranged<'_>) -> Option<PinnedPicture> {
    let first = |picture: &Picture| match picture {
        Picture::Ready(sizes) => Some(PinnedPicture::from(sizes.clone())),
        Picture::Pending | Picture::Rejected { .. } | Picture::Removed { .. } => None,
    };
    let before = photo.picture.as_ref().and_then(first)?;
    first(&arranged.picture).filter(|after| *after != before)
}

/// A photo with its vectors, its pictures and its link, as they were before a change that depends on them.
struct Before {
    photo: Option<Photo>,
    vector: Option<Item>,
    link: Option<Link>,
    /// The pictures of a photo of several.
    pictures: Option<Pictures>,
    /// The vectors of these, which a change of the audience moves.
    vectors: Vec<(PictureNumber, Option<Item>)>,
}

impl Before {
    async fn read(
        table: &Table,
        feed: &Table,
        owner: &Username,
        id: &PhotoId,
        changes: &Changes,
    ) -> Result<Self, Error> {
        let photo_and_link = vec![Key::photo(owner, id).into(), Key::link(owner, Some(id)).into()];
        let vector = vec![Key::vector(owner, id, None).into()];
        let [mut found, mut vector] = batch::get_from_tables([(table, photo_and_link), (feed, vector)], true).await?;
        let link = batch::take(&mut found, Key::link(owner, Some(id))).map(entity::from_item).transpose()?;
        let photo = found.pop().map(photo_from_item).transpose()?.flatten().filter(|photo| !photo.has_expired());
        let mut before = Self { photo, vector: vector.pop(), link, pictures: None, vectors: vec![] };
        if before.photo.as_ref().is_some_and(|photo| photo.pictures.is_some()) {
            before.pictures = get_pictures(table, owner, id).await?;
        }
        let with_vector = before.pictures.iter().flat_map(|pictures| &pictures.entries);
        let with_vector =
            with_vector.filter(|entry| entry.picture.sizes().is_some() && changes.audience != Patch::Keep);
        let numbers: Vec<PictureNumber> = with_vector.map(|entry| entry.number).collect();
        let key = |number: PictureNumber| Key::vector(owner, id, Some(number));
        let mut found = batch::get(feed, numbers.iter().map(|number| key(*number).into()).collect(), true).await?;
        before.vectors = numbers.into_iter().map(|number| (number, batch::take(&mut found, key(number)))).collect();
        Ok(before)
    }

    /// Returns what the changes make of several pictures, if they change any.
    fn arrange<'a>(&self, changes: &'a Changes) -> Result<Option<Arranged<'a>>, Error> {
        let Some(photo) = &self.photo else { return Ok(None) };
        let Some(pictures) = &self.pictures else {
            return match (&changes.pictures, photo.pictures) {
                (None, _) => Ok(None),
                (Some(_), None) => {
                    Err(Error::invalid("pictures", "must be left out, because the photo was made with one picture"))
                }
                // The photo was deleted between the two reads.
                (Some(_), Some(_)) => Err(Error::no_photo(&photo.username, &photo.id)),
            };
        };
        if let Some(list) = &changes.pictures {
            return Arranged::by_list(photo, pictures, list).map(Some);
        }
        let alt_text = match &changes.texts[1].1 {
            Patch::Keep => return Ok(None),
            Patch::Remove => None,
            Patch::Set(text) => text.as_s().ok().cloned(),
        };
        Ok(Some(Arranged::by_alt_text(photo, pictures, alt_text)))
    }

    /// Adds the writes of the pictures and of the vectors.
    fn write(
        &self,
        table: &Table,
        feed: &Table,
        changes: &Changes,
        arranged: Option<&Arranged<'_>>,
        transaction: &mut Transaction,
    ) -> Result<(), Error> {
        let Some((photo, pictures)) = self.photo.as_ref().zip(self.pictures.as_ref()) else {
            if changes.audience != Patch::Keep
                && let Some(vector) = self.place_vector(feed, changes.is_restricted())?
            {
                transaction.add(vector);
            }
            return Ok(());
        };
        let after = arranged.map_or(pictures, |arranged| &arranged.after);
        match arranged {
            Some(arranged) => arranged.write(table, feed, &photo.username, transaction)?,
            None if changes.audience != Patch::Keep => {
                transaction.condition_check(arrange::check_version(table, &photo.username, pictures)?);
            }
            None => {}
        }
        let publishes = arranged.is_some_and(|arranged| arranged.publishes(photo));
        let is_public = match changes.audience {
            Patch::Keep => photo.audience.is_everyone(),
            Patch::Remove | Patch::Set(_) => !changes.is_restricted(),
        };
        let vectors = Some(self.vectors.as_slice()).filter(|_| changes.audience != Patch::Keep);
        if vectors.is_some() || publishes && is_public {
            let is_shown = is_public && (photo.is_ready() || publishes);
            arrange::place_vectors(feed, photo, after, vectors, is_shown, transaction)?;
        }
        Ok(())
    }

    /// Returns the comment that is pinned.
    fn pinned_comment(&self) -> Option<&CommentId> {
        self.photo.as_ref()?.pinned_comment.as_ref()
    }

    /// Returns the condition that the photo is still the same, as far as that says where its vector
    /// belongs, and the values of the condition. The vector of a photo that is not ready comes when
    /// the photo is.
    fn is_unchanged(&self) -> (&'static str, Vec<(&'static str, AttributeValue)>) {
        let status = match self.photo.as_ref().and_then(|photo| photo.picture.as_ref()) {
            Some(Picture::Ready(_)) => "ready",
            Some(Picture::Removed { sizes: Some(_), .. }) => "removed",
            _ => return ("attribute_not_exists(picture.sizes)", vec![]),
        };
        let mut values = vec![(":status", S(status.to_owned()))];
        match self.photo.as_ref().map(|photo| photo.audience).filter(|audience| !audience.is_everyone()) {
            None => ("picture.#status = :status AND attribute_not_exists(audience)", values),
            Some(audience) => {
                values.push((":before", S(audience.to_string())));
                ("picture.#status = :status AND audience = :before", values)
            }
        }
    }

    /// Returns the write that puts the vector where it belongs.
    fn place_vector(&self, feed: &Table, is_restricted: bool) -> Result<Option<TransactWriteItem>, Error> {
        let has_files = |photo: &&Photo| photo.picture.as_ref().and_then(Picture::sizes).is_some();
        let Some(photo) = self.photo.as_ref().filter(has_files) else { return Ok(None) };
        let is_public = photo.is_ready() && !is_restricted;
        place_vector(feed, &photo.username, &photo.id, None, self.vector.as_ref(), is_public).map(Some)
    }
}

/// The patches of a photo.
pub struct Changes {
    /// The patches of the texts, by the names of their attributes.
    texts: [(&'static str, Patch<AttributeValue>); 2],
    /// The pictures that the photo has from now on.
    pictures: Option<Vec<Wanted>>,
    audience: Patch<Audience>,
    pinned_comment: Patch<AnsweredComment>,
    sensitive: Patch<SensitiveReason>,
    keeps_link: bool,
}

impl Changes {
    fn are_none(&self) -> bool {
        let others_are_none = self.sensitive == Patch::Keep && self.pinned_comment == Patch::Keep;
        !self.have_texts() && self.audience == Patch::Keep && self.pictures.is_none() && others_are_none
    }

    fn have_texts(&self) -> bool {
        self.texts.iter().any(|(_, patch)| *patch != Patch::Keep)
    }

    /// Returns whether not everyone may see the photo any more.
    fn is_restricted(&self) -> bool {
        matches!(self.audience, Patch::Set(Audience::Followers | Audience::Me))
    }

    /// Returns whether the photo cannot be the picture of the profile any more.
    fn forbid_pin(&self) -> bool {
        self.is_restricted() || matches!(self.sensitive, Patch::Set(_))
    }

    /// Returns whether the link of the photo ends.
    fn end_link(&self) -> bool {
        self.audience == Patch::Set(Audience::Me) && !self.keeps_link
    }
}

impl FromFields for Changes {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        fields.excludes("pictures", &["altText"]);
        let caption = fields.patch::<Caption>("caption");
        let pictures = fields.list::<Wanted, 1, MAX_PICTURES>("pictures");
        let alt_text = fields.patch::<AltText>("altText");
        let audience = fields.patch::<Audience>("audience");
        let pinned_comment = fields.patch::<AnsweredComment>("pinnedComment");
        let sensitive = fields.patch::<SensitiveReason>("sensitive");
        let keeps_link = fields.optional::<bool>("keepLink");
        fields.finish()?;
        let texts =
            [("caption", caption?.map(|text| S(text.into()))), ("altText", alt_text?.map(|text| S(text.into())))];
        let (audience, sensitive, keeps_link) = (audience?, sensitive?, keeps_link?.unwrap_or_default());
        Ok(Changes { texts, pictures: pictures?, audience, pinned_comment: pinned_comment?, sensitive, keeps_link })
    }
}

/// The write of the owner in a transaction: its conditions and its changes.
struct OwnerWrite {
    /// Whether the photo must not be pinned.
    forbids_pin: bool,
    /// Whether the photo loses its link.
    ends_link: bool,
    /// Whether the photo becomes ready.
    publishes: bool,
    first: First,
}

/// The first picture after a transaction.
enum First {
    Same,
    /// The photo has another one, and is not pinned.
    Other,
    /// The photo has this one, and so has the profile, because the photo is pinned.
    OfProfile(PinnedPicture),
}

impl OwnerWrite {
    /// Returns the write, or the check if there is nothing to write. Its condition is that the caller's name is not
    /// that of another account.
    fn build(&self, table: &Table, owner: &Caller, id: &PhotoId) -> Result<TransactWriteItem, Error> {
        let photo = S(photo_sk(&owner.username, id));
        let mut conditions = vec![if self.publishes { OF_ACCOUNT } else { FREE_FOR_ACCOUNT }];
        let mut values = vec![(":subject", subject_value(&owner.subject))];
        match self.first {
            First::OfProfile(_) => conditions.push("pinnedImage = :photo"),
            First::Same if !self.forbids_pin => {}
            First::Same | First::Other => conditions.push("NOT pinnedImage = :photo"),
        }
        if conditions.len() > 1 {
            values.push((":photo", photo));
        }
        let mut actions = vec![];
        if let First::OfProfile(first) = &self.first {
            actions.push("SET pinnedPicture = :first".to_owned());
            values.push((":first", serde_dynamo::to_attribute_value(first)?));
        }
        let counts = [(self.ends_link, "#links", ":minus", "-1"), (self.publishes, "photos", ":one", "1")];
        let counts: Vec<_> = counts.into_iter().filter(|(is_changed, ..)| *is_changed).collect();
        if !counts.is_empty() {
            let adds: Vec<String> = counts.iter().map(|(_, count, value, _)| format!("{count} {value}")).collect();
            actions.push(format!("ADD {}", adds.join(", ")));
            values.extend(counts.iter().map(|(.., value, number)| (*value, N((*number).to_owned()))));
        }
        let values = values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let key = Item::from(Key::user(&owner.username));
        let condition = conditions.join(" AND ");
        if actions.is_empty() {
            let check = ConditionCheck::builder()
                .table_name(&table.name)
                .set_key(Some(key))
                .condition_expression(condition)
                .set_expression_attribute_values(Some(values))
                .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
            return Ok(TransactWriteItem::builder().condition_check(check.build()?).build());
        }
        let names = self.ends_link.then(|| [("#links".to_owned(), LINKS.to_owned())].into());
        let update = Update::builder()
            .table_name(&table.name)
            .set_key(Some(key))
            .condition_expression(condition)
            .update_expression(actions.join(" "))
            .set_expression_attribute_names(names)
            .set_expression_attribute_values(Some(values))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        Ok(TransactWriteItem::builder().update(update.build()?).build())
    }
}

fn is_pinned() -> Error {
    let detail = "This photo is the picture of your profile, which everyone sees. Pin another one, or none, before you \
                  restrict the audience or mark the photo as sensitive.";
    Error::refused(ErrorKind::PhotoPinned, detail).with_hint("The field `pinnedImage` of PATCH /users/me pins a photo.")
}

/// Returns whether an item is a photo, which has not expired, with the mark of a moderator.
fn is_marked_by_moderator(photo: &Item) -> Result<bool, Error> {
    let photo = photo_from_item(photo.clone())?.filter(|photo| !photo.has_expired());
    Ok(photo.is_some_and(|photo| photo.sensitive_by.is_some()))
}

fn is_marked() -> Error {
    Error::refused(ErrorKind::PhotoMarked, "A moderator has marked this photo as sensitive. You cannot change this.")
}

/// Returns the update that applies the patches, and sets the time of the change if a text changes.
/// A change of the audience is on the condition that the photo is as `before`, and a change of the mark
/// that it is not that of a moderator.
fn change(
    table: &Table,
    username: &Username,
    id: &PhotoId,
    changes: &Changes,
    before: Option<&Before>,
    arranged: Option<&Arranged<'_>>,
) -> Result<Update, Error> {
    // A `PhotoDeletion` has no `username`, and only a pending photo has a `ttl`.
    const EXISTS: &str = "attribute_exists(username) AND (attribute_not_exists(#ttl) OR #ttl > :now)";
    let mut update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::photo(username, id).into()))
        .expression_attribute_names("#ttl", "ttl")
        .expression_attribute_values(":now", N(EpochMillis::now().seconds().to_string()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    let mut conditions = vec![EXISTS];
    if changes.sensitive != Patch::Keep {
        conditions.push(NO_MODERATOR_MARK);
    }
    if before.is_none() && changes.texts[1].1 != Patch::Keep {
        conditions.push("attribute_not_exists(pictures)");
    }
    if let Some(before) = before {
        let (condition, values) = before.is_unchanged();
        let pinned = match before.pinned_comment() {
            None => "attribute_not_exists(pinnedComment)",
            Some(comment) => {
                update = update.expression_attribute_values(":pinned", S(comment.to_string()));
                "pinnedComment = :pinned"
            }
        };
        conditions.extend([condition, pinned]);
        for (name, value) in values {
            update = update.expression_attribute_names("#status", "status").expression_attribute_values(name, value);
        }
    }
    let has_texts = changes.have_texts() || arranged.is_some_and(|arranged| arranged.has_other_texts);
    let edited = if has_texts { Patch::Set(S(Timestamp::now().to_string())) } else { Patch::Keep };
    let audience = match changes.audience {
        Patch::Keep => Patch::Keep,
        // The audience `everyone` has no attribute.
        Patch::Remove | Patch::Set(Audience::Everyone) => Patch::Remove,
        Patch::Set(audience) => Patch::Set(S(audience.to_string())),
    };
    let pinned = match &changes.pinned_comment {
        Patch::Keep => Patch::Keep,
        Patch::Remove => Patch::Remove,
        Patch::Set(AnsweredComment(comment)) => Patch::Set(S(comment.to_string())),
    };
    let sensitive = changes.sensitive.clone().map(|reason| S(reason.to_string()));
    let others = [("edited", edited), ("audience", audience), ("sensitive", sensitive), (PINNED_COMMENT, pinned)];
    let (mut set, mut remove) = (vec![], vec![]);
    let mut texts = changes.texts.clone();
    let photo = before.and_then(|before| before.photo.as_ref());
    if let Some((arranged, photo)) = arranged.zip(photo) {
        texts[1].1 = arranged.alt_text().map_or(Patch::Remove, |text| Patch::Set(S(text.clone())));
        conditions.push("picture = :picture_before");
        set.extend(["picture = :picture".to_owned(), "pictures = :count".to_owned()]);
        update = update
            .expression_attribute_values(":picture_before", serde_dynamo::to_attribute_value(&photo.picture)?)
            .expression_attribute_values(":picture", serde_dynamo::to_attribute_value(&arranged.picture)?)
            .expression_attribute_values(":count", N(arranged.after.count().to_string()));
        if arranged.publishes(photo) {
            // The audience says where the vectors belong.
            let is_public = photo.audience.is_everyone();
            conditions.push(if is_public { "attribute_not_exists(audience)" } else { "attribute_exists(audience)" });
            // The photo does not expire any more.
            remove.extend(["#ttl".to_owned(), "unready".to_owned()]);
        }
    }
    for (attribute, patch) in texts.into_iter().chain(others) {
        match patch {
            Patch::Keep => continue,
            Patch::Remove => remove.push(format!("#{attribute}")),
            Patch::Set(value) => {
                set.push(format!("#{attribute} = :{attribute}"));
                update = update.expression_attribute_values(format!(":{attribute}"), value);
            }
        }
        // `sensitive` is a reserved word of DynamoDB.
        update = update.expression_attribute_names(format!("#{attribute}"), attribute);
    }
    let clauses = [("SET", set), ("REMOVE", remove)].into_iter().filter(|(_, actions)| !actions.is_empty());
    let clauses: Vec<String> = clauses.map(|(name, actions)| format!("{name} {}", actions.join(", "))).collect();
    let update = update.condition_expression(conditions.join(" AND "));
    Ok(update.update_expression(clauses.join(" ")).build()?)
}

/// Adds the updates of the comment that is pinned from now on, and of the one that was. Returns that of
/// the first one.
fn pin(
    table: &Table,
    owner: &Username,
    photo: &PhotoId,
    changes: &Changes,
    before: &Before,
    transaction: &mut Transaction,
) -> Result<Option<Write>, Error> {
    let new = match &changes.pinned_comment {
        Patch::Keep => return Ok(None),
        Patch::Remove => None,
        Patch::Set(AnsweredComment(comment)) => Some(comment),
    };
    let old = before.pinned_comment();
    if new == old {
        return Ok(None);
    }
    let update = |comment: &CommentId| {
        Update::builder()
            .table_name(&table.name)
            .set_key(Some(Key::comment(comment, owner, photo).into()))
            .expression_attribute_names("#pinned", PINNED)
    };
    if let Some(old) = old {
        let unpin = update(old).condition_expression("attribute_exists(PK)").update_expression("REMOVE #pinned");
        transaction.update(unpin.build()?);
    }
    let Some(new) = new else { return Ok(None) };
    let pin = update(new)
        // A tombstone has no author.
        .condition_expression("attribute_exists(author) AND attribute_not_exists(removed)")
        .update_expression("SET #pinned = :now")
        .expression_attribute_values(":now", S(Timestamp::now().to_string()));
    Ok(Some(transaction.update(pin.build()?)))
}

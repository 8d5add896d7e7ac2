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
//! the condition that it is there and shown, and that there is no block between the owner and its author. It takes
//! the mark off the comment that was pinned before.

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::{ReturnValuesOnConditionCheckFailure, Update};
use shared::dynamodb::Item;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::account::refusal;
use shared::entities::{
    Key, MAX_PICTURES_ATTEMPTS, NO_MODERATOR_MARK, PINNED_COMMENT, Photo, Picture, PinnedPicture, get_photo,
    get_pictures, photo_from_item, photo_sk,
};
use shared::http::answer;
use shared::http::extract::{Body, Owner, Path};
use shared::http::fields::Patch;
use shared::http::form::FormSigner;
use shared::http::request::Caller;
use shared::show::{ShownPhoto, Signer};
use shared::values::{AnsweredComment, Audience, EpochMillis, PhotoId, PictureNumber, Timestamp, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

use self::arrange::Arranged;
use self::before::Before;
use self::changes::Changes;
use self::owner::{First, OwnerWrite};
use self::pin::pin;
use crate::new_picture::NewPicture;

mod arrange;
mod before;
mod changes;
mod owner;
mod pin;
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
                None => vec![],
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
            if let (Patch::Set(comment), true) = (&changes.pinned_comment, failed.contains_any(pin)) {
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

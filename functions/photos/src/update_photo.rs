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
//! A change of the pinned comment reads the same before. The transaction marks the comment as pinned, on
//! the condition that it is there and shown, and takes the mark off the comment that was pinned before.

use aws_sdk_dynamodb::types::AttributeValue::{self, N, S};
use aws_sdk_dynamodb::types::{ConditionCheck, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update};
use shared::dynamodb::transaction::{Outcome, Transaction, Write};
use shared::dynamodb::{Item, batch, entity};
use shared::entities::account::{FREE_FOR_ACCOUNT, refusal, subject_value};
use shared::entities::{
    Key, LINKS, Link, NO_MODERATOR_MARK, PINNED, PINNED_COMMENT, Photo, Picture, get_photo, photo_from_item, photo_sk,
    place_vector,
};
use shared::http::answer;
use shared::http::extract::{Body, FromFields, Owner, Path};
use shared::http::fields::{Fields, Patch};
use shared::http::request::Caller;
use shared::show::{ShownPhoto, Signer};
use shared::values::{
    AltText, AnsweredComment, Audience, Caption, CommentId, EpochMillis, PhotoId, SensitiveReason, Timestamp, Username,
};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of attempts to change an audience. More than one are needed
/// only if the photo becomes ready, is removed, or gets another audience, between the read and the
/// write.
const MAX_ATTEMPTS: usize = 5;

/// The route.
pub struct UpdatePhoto {
    table: Table,
    feed: Table,
    signer: Signer,
}

impl Route for UpdatePhoto {
    const NAME: &'static str = "update-photo";
    const ROUTE: &'static str = "PATCH /users/{username}/photos/{photo}";
    const SUMMARY: &'static str = "Applies a [JSON merge patch](https://www.rfc-editor.org/rfc/rfc7396) to the caption, the description, \
         the audience, the mark and the pinned comment of a photo of the caller.";
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
        })
    }

    async fn answer(
        &self,
        (Owner(caller), Path(id), Body(changes)): Self::Input,
    ) -> Result<Response<ShownPhoto>, Error> {
        let Self { table, feed, signer } = self;
        let username = &caller.username;

        for _ in 0..MAX_ATTEMPTS {
            let before = match (&changes.audience, &changes.pinned_comment) {
                (Patch::Keep, Patch::Keep) => None,
                _ => Some(Before::read(table, feed, username, &id).await?),
            };
            let mut transaction = Transaction::new();
            let update = if changes.are_none() {
                None
            } else {
                Some(transaction.update(change(table, username, &id, &changes, before.as_ref())?))
            };
            if let Some(before) = &before
                && changes.audience != Patch::Keep
                && let Some(vector) = before.place_vector(feed, changes.is_restricted())?
            {
                transaction.add(vector);
            }
            let ended = before.as_ref().and_then(|before| before.link.as_ref()).filter(|_| changes.end_link());
            let check = check_owner(table, &caller, &id, changes.forbid_pin())?;
            let owner = match ended {
                None => transaction.condition_check(check),
                Some(link) => {
                    for delete in link.deletes(&table.name)? {
                        transaction.delete(delete);
                    }
                    transaction.update(decrement_links(check)?)
                }
            };
            let pin = match &before {
                None => None,
                Some(before) => pin(table, username, &id, &changes, before, &mut transaction)?,
            };
            let Outcome::ConditionFailed(failed) = transaction.write(&table.client).await? else {
                let photo = get_photo(table, username, &id).await?.filter(|photo| !photo.has_expired());
                return answer::ok(&signer.show_to_owner(photo.ok_or_else(|| Error::no_photo(username, &id))?));
            };
            if failed.contains(owner) {
                return Err(refusal(failed.item(owner), username, &caller.subject).unwrap_or_else(is_pinned));
            }
            if changes.sensitive != Patch::Keep
                && failed.item(update).map(is_marked_by_moderator).transpose()? == Some(true)
            {
                return Err(is_marked());
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

/// A photo with its vector and its link, as they were before a change of the audience or of the pinned
/// comment.
struct Before {
    photo: Option<Photo>,
    vector: Option<Item>,
    link: Option<Link>,
}

impl Before {
    async fn read(table: &Table, feed: &Table, owner: &Username, id: &PhotoId) -> Result<Self, Error> {
        let photo_and_link = vec![Key::photo(owner, id).into(), Key::link(owner, Some(id)).into()];
        let vector = vec![Key::vector(owner, id, None).into()];
        let [mut found, mut vector] = batch::get_from_tables([(table, photo_and_link), (feed, vector)], true).await?;
        let link = batch::take(&mut found, Key::link(owner, Some(id))).map(entity::from_item).transpose()?;
        let photo = found.pop().map(photo_from_item).transpose()?.flatten().filter(|photo| !photo.has_expired());
        Ok(Self { photo, vector: vector.pop(), link })
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
    audience: Patch<Audience>,
    pinned_comment: Patch<AnsweredComment>,
    sensitive: Patch<SensitiveReason>,
    keeps_link: bool,
}

impl Changes {
    fn are_none(&self) -> bool {
        let others_are_none = self.sensitive == Patch::Keep && self.pinned_comment == Patch::Keep;
        !self.have_texts() && self.audience == Patch::Keep && others_are_none
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
        let caption = fields.patch::<Caption>("caption");
        let alt_text = fields.patch::<AltText>("altText");
        let audience = fields.patch::<Audience>("audience");
        let pinned_comment = fields.patch::<AnsweredComment>("pinnedComment");
        let sensitive = fields.patch::<SensitiveReason>("sensitive");
        let keeps_link = fields.optional::<bool>("keepLink");
        fields.finish()?;
        let texts =
            [("caption", caption?.map(|text| S(text.into()))), ("altText", alt_text?.map(|text| S(text.into())))];
        let (audience, sensitive, keeps_link) = (audience?, sensitive?, keeps_link?.unwrap_or_default());
        Ok(Changes { texts, audience, pinned_comment: pinned_comment?, sensitive, keeps_link })
    }
}

/// Returns the check that the caller's name is not that of another account, and that the photo is
/// not pinned if the changes forbid this.
fn check_owner(table: &Table, owner: &Caller, id: &PhotoId, forbids_pin: bool) -> Result<ConditionCheck, Error> {
    let check = ConditionCheck::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(&owner.username).into()))
        .expression_attribute_values(":subject", subject_value(&owner.subject))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    let check = if forbids_pin {
        check
            .condition_expression(format!("{FREE_FOR_ACCOUNT} AND NOT pinnedImage = :photo"))
            .expression_attribute_values(":photo", S(photo_sk(&owner.username, id)))
    } else {
        check.condition_expression(FREE_FOR_ACCOUNT)
    };
    Ok(check.build()?)
}

/// Returns the update that decrements the owner's count of links, on the condition of a check of the
/// owner.
fn decrement_links(check: ConditionCheck) -> Result<Update, Error> {
    let update = Update::builder()
        .table_name(check.table_name)
        .set_key(Some(check.key))
        .condition_expression(check.condition_expression)
        .update_expression("ADD #links :minus")
        .set_expression_attribute_names(check.expression_attribute_names)
        .expression_attribute_names("#links", LINKS)
        .set_expression_attribute_values(check.expression_attribute_values)
        .expression_attribute_values(":minus", N("-1".to_owned()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    Ok(update)
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
    let edited = if changes.have_texts() { Patch::Set(S(Timestamp::now().to_string())) } else { Patch::Keep };
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
    for (attribute, patch) in changes.texts.clone().into_iter().chain(others) {
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

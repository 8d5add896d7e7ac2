//! The picture of a photo: its states, and the writes that change them.

use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::{self, M, N, S};
use aws_sdk_dynamodb::types::{Put, ReturnValue, ReturnValuesOnConditionCheckFailure, Update};
use serde::{Deserialize, Serialize};

use super::key::Key;
use super::vector::vector_item;
use crate::dynamodb::transaction::{Transaction, Write};
use crate::http::problems::PictureProblem;
use crate::values::{EpochMillis, PhotoId, PictureId, PictureNumber, ReportReason, Username};
use crate::{Error, Table};

/// The attribute of a user with the number of their photos whose picture was rejected, with those
/// whose deletion is not finished. What is neither in it nor in `photos`, but in `uploads`, is
/// pending.
pub const REJECTED: &str = "rejectedPhotos";

/// The state of the picture of a photo. process-photo changes it once, from
/// [`Pending`](Self::Pending) to [`Ready`](Self::Ready) or [`Rejected`](Self::Rejected). A
/// moderator's decision rejects a pending one for ever, and changes a ready one to
/// [`Removed`](Self::Removed) and back.
///
/// It is one attribute, because the inverted index projects it: its members would have the names of
/// other attributes of users, for example `status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "PictureAttribute", into = "PictureAttribute")]
pub enum Picture {
    /// The owner has not uploaded a file yet, or process-photo has not processed it.
    Pending,
    /// The bucket holds the sizes of the picture.
    Ready(Sizes),
    /// The uploaded file is no picture that process-photo can process, or a moderator has removed
    /// the photo before process-photo has processed the file.
    Rejected {
        /// The problem of the picture.
        problem: PictureProblem,
        /// The rule that the photo breaks, if a moderator or the function for moderation has
        /// refused it.
        reason: Option<ReportReason>,
    },
    /// A moderator has removed the photo.
    Removed {
        /// The rule that the photo breaks.
        reason: ReportReason,
        /// The sizes, which the owner still sees. A photo of another program has none.
        sizes: Option<Sizes>,
    },
}

impl Picture {
    /// Returns the sizes in the bucket, if there are any.
    #[must_use]
    pub const fn sizes(&self) -> Option<&Sizes> {
        match self {
            Self::Ready(sizes) => Some(sizes),
            Self::Removed { sizes, .. } => sizes.as_ref(),
            Self::Pending | Self::Rejected { .. } => None,
        }
    }
}

/// The members of the attribute `picture`. Serde could derive them for the enum, but its error for
/// another shape, which is logged, would contain the value.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct PictureAttribute {
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sizes: Option<Sizes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<PictureProblem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<ReportReason>,
}

impl TryFrom<PictureAttribute> for Picture {
    type Error = &'static str;

    fn try_from(attribute: PictureAttribute) -> Result<Self, Self::Error> {
        match (attribute.status.as_str(), attribute.sizes, attribute.reason) {
            ("pending", ..) => Ok(Self::Pending),
            ("ready", Some(sizes), _) => Ok(Self::Ready(sizes)),
            ("rejected", _, reason) => {
                let problem = attribute.problem.ok_or("the attribute picture has no problem")?;
                Ok(Self::Rejected { problem, reason })
            }
            ("removed", sizes, Some(reason)) => Ok(Self::Removed { reason, sizes }),
            _ => Err("the attribute picture has neither a known status nor what belongs to it"),
        }
    }
}

impl From<Picture> for PictureAttribute {
    fn from(picture: Picture) -> Self {
        let (status, sizes, problem, reason) = match picture {
            Picture::Pending => ("pending", None, None, None),
            Picture::Ready(sizes) => ("ready", Some(sizes), None, None),
            Picture::Rejected { problem, reason } => ("rejected", None, Some(problem), reason),
            Picture::Removed { reason, sizes } => ("removed", sizes, None, Some(reason)),
        };
        Self { status: status.to_owned(), sizes, problem, reason }
    }
}

/// The [sizes](super::object::Size::of_picture) of a picture in the bucket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// The number of the picture, if it is one of [several](super::Pictures).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<PictureNumber>,
    /// The id of the picture among those that were uploaded for the photo.
    pub id: PictureId,
    /// The width of the largest size in pixels.
    pub width: u32,
    /// The height of the largest size in pixels.
    pub height: u32,
    /// The number of bytes of all files.
    pub bytes: u64,
    /// The [blurhash](https://github.com/woltapp/blurhash/blob/master/Algorithm.md), which a client
    /// shows until the picture is loaded.
    pub blurhash: String,
}

/// The time for which a claim holds after the attempt that wrote it began, in seconds: five
/// minutes. An attempt ends within 30 seconds, and Lambda
/// [waits](https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html) for
/// two minutes at most before it repeats an event whose attempt failed. So the next attempt renews
/// the claim before it ends.
pub(super) const CLAIM_SECONDS: u64 = 5 * 60;
/// The condition that the one picture of a photo is pending, and that the photo has not expired.
const IS_PENDING: &str = "picture.#status = :pending AND #ttl > :now AND attribute_not_exists(pictures)";
/// The condition that no other upload holds a claim.
const IS_FREE: &str = "(attribute_not_exists(claim) OR claim.sequencer = :sequencer OR claim.ends <= :now)";

/// Returns an `UpdateItem` of a photo whose condition is [`IS_PENDING`].
fn update_pending(table: &Table, owner: &Username, photo: &PhotoId) -> UpdateItemFluentBuilder {
    table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(Key::photo(owner, photo).into()))
        .condition_expression(IS_PENDING)
        .expression_attribute_names("#status", "status")
        .expression_attribute_names("#ttl", "ttl")
        .expression_attribute_values(":pending", S("pending".to_owned()))
        .expression_attribute_values(":now", N(EpochMillis::now().seconds().to_string()))
}

/// Returns an `UpdateItem` of a pending photo whose condition also fails while another upload than
/// the one with this sequencer holds a claim.
#[must_use]
pub fn unless_claimed(update: UpdateItemFluentBuilder, sequencer: &str) -> UpdateItemFluentBuilder {
    update
        .condition_expression(format!("{IS_PENDING} AND {IS_FREE}"))
        .expression_attribute_values(":sequencer", S(sequencer.to_owned()))
}

/// Returns the `UpdateItem` with which an upload claims a pending picture, so that no other upload
/// of the photo is processed at the same time. Its condition fails if there is no photo, if it has
/// expired, if its picture is not pending, or while another upload holds a claim. It returns the
/// photo that there was before, with its claim.
#[must_use]
pub fn claim_picture(table: &Table, owner: &Username, photo: &PhotoId, sequencer: &str) -> UpdateItemFluentBuilder {
    let ends = EpochMillis::now().seconds() + CLAIM_SECONDS;
    let claim =
        [("sequencer".to_owned(), S(sequencer.to_owned())), ("ends".to_owned(), N(ends.to_string()))].into_iter();
    unless_claimed(update_pending(table, owner, photo), sequencer)
        .update_expression("SET claim = :claim")
        .return_values(ReturnValue::AllOld)
        .expression_attribute_values(":claim", M(claim.collect()))
}

/// Returns the `UpdateItem` that replaces the pending picture of a photo with a picture that is
/// ready or rejected. The photo does not expire any more. Its condition fails if there is no photo,
/// if it has expired, or if its picture is not pending.
pub fn settle_picture(
    table: &Table,
    owner: &Username,
    photo: &PhotoId,
    picture: &Picture,
) -> Result<UpdateItemFluentBuilder, Error> {
    Ok(update_pending(table, owner, photo)
        .update_expression("SET picture = :picture REMOVE #ttl, claim")
        .expression_attribute_values(":picture", serde_dynamo::to_attribute_value(picture)?))
}

/// Returns the transaction that rejects a pending picture, by [`settle_picture`], and adds the photo
/// to the owner's count of rejected photos. It also fails while another upload than the one with
/// `sequencer`, if there is one, holds a claim, and if the owner is deleted.
pub fn reject_picture(
    table: &Table,
    owner: &Username,
    photo: &PhotoId,
    picture: &Picture,
    sequencer: Option<&str>,
) -> Result<Transaction, Error> {
    let settle = settle_picture(table, owner, photo, picture)?;
    let settle = match sequencer {
        Some(sequencer) => unless_claimed(settle, sequencer),
        None => settle,
    };
    let settle = settle.expression_attribute_values(":true", AttributeValue::Bool(true));
    let settle = settle.as_input();
    let update = Update::builder()
        .table_name(&table.name)
        .set_key(settle.get_key().clone())
        .set_condition_expression(settle.get_condition_expression().clone())
        .update_expression("SET picture = :picture, rejected = :true REMOVE #ttl, claim")
        .set_expression_attribute_names(settle.get_expression_attribute_names().clone())
        .set_expression_attribute_values(settle.get_expression_attribute_values().clone())
        .build()?;
    let mut transaction = Transaction::new();
    transaction.update(update);
    transaction.update(count_rejected(&table.name, owner)?);
    Ok(transaction)
}

/// Returns the update that adds a photo to the owner's count of rejected photos, unless the owner is
/// deleted.
pub fn count_rejected(table_name: &str, owner: &Username) -> Result<Update, Error> {
    let update = Update::builder()
        .table_name(table_name)
        .set_key(Some(Key::user(owner).into()))
        .condition_expression("attribute_exists(username)")
        .update_expression(format!("ADD {REJECTED} :one"))
        .expression_attribute_values(":one", N("1".to_owned()));
    Ok(update.build()?)
}

/// Returns the update that adds a photo to the owner's count of photos, unless the owner is deleted.
pub fn count_ready_photo(table_name: &str, owner: &Username) -> Result<Update, Error> {
    let update = Update::builder()
        .table_name(table_name)
        .set_key(Some(Key::user(owner).into()))
        .condition_expression("attribute_exists(username)")
        .update_expression("ADD photos :one")
        .expression_attribute_values(":one", N("1".to_owned()));
    Ok(update.build()?)
}

/// The transaction that makes a photo ready.
#[derive(Debug)]
pub struct Publication {
    /// The transaction.
    pub transaction: Transaction,
    /// The update of the photo.
    pub photo: Write,
    /// The increment of the owner's count of photos, which fails if the owner is deleted.
    pub owner: Write,
}

/// Returns the transaction that makes a photo ready, by [`settle_picture`], counts it, and puts its
/// vector into the table of the feeds. So there is neither a vector without a ready photo, nor such
/// a photo without its vector. The vector is in the index if everyone may see the photo: the first
/// condition also fails, and returns the photo, if that is not what `is_public` says.
pub fn publish_picture(
    table: &Table,
    feed: &Table,
    owner: &Username,
    photo: &PhotoId,
    sizes: Sizes,
    vector: &[i8],
    is_public: bool,
) -> Result<Publication, Error> {
    let settle = settle_picture(table, owner, photo, &Picture::Ready(sizes))?;
    let settle = settle.as_input();
    // The audience `everyone` has no attribute.
    let audience = if is_public { "attribute_not_exists(audience)" } else { "attribute_exists(audience)" };
    let update = Update::builder()
        .table_name(&table.name)
        .set_key(settle.get_key().clone())
        .condition_expression(format!("{IS_PENDING} AND {audience}"))
        .update_expression("SET picture = :picture REMOVE #ttl, claim, unready")
        .set_expression_attribute_names(settle.get_expression_attribute_names().clone())
        .set_expression_attribute_values(settle.get_expression_attribute_values().clone())
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let item = vector_item(owner, photo, None, vector, is_public);
    let put = Put::builder().table_name(&feed.name).set_item(Some(item)).build()?;
    let mut transaction = Transaction::new();
    let photo = transaction.update(update);
    let owner = transaction.update(count_ready_photo(&table.name, owner)?);
    transaction.put(put);
    Ok(Publication { transaction, photo, owner })
}

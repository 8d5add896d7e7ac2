//! One `TransactWriteItems` puts the reaction, checks that the caller has a profile of the caller's
//! account, adds the reaction to the caller's engagement with the photo in `<stage>.Feed`, and
//! increments the photo's count of that type, on the condition that the photo is ready. A repeated
//! request changes nothing and returns the existing reaction: the engagement has the condition that
//! it does not have the reaction yet.
//!
//! The conditions also say that everyone may see the photo and nobody blocks the caller. If one of
//! them fails, another `TransactWriteItems` checks the friendship with the owner or the owner's
//! block ([`Access`]).
//!
//! If the photo takes more writes than one item can, the transaction conflicts or is throttled each
//! time. Then an eventually consistent `GetItem` reads the photo, and another `TransactWriteItems`
//! puts the reaction without the count, with the mark `uncounted`, in a shard of the photo
//! ([`Key::sharded`]), because one partition of the inverted index does not take so many either.
//! `process-changes` adds it to the count. For ten seconds after that, this process does so for
//! each reaction to the photo at once.

use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::{Put, ReturnValuesOnConditionCheckFailure, Update};
use shared::access::Access;
use shared::dynamodb::transaction::{Contended, Outcome, Transaction, Write};
use shared::dynamodb::{Item, batch, entity};
use shared::entities::account::{OF_ACCOUNT, refusal};
use shared::entities::{Key, Reaction, ReactionToPhoto, engage_by_reaction, mark_uncounted, photo_sk};
use shared::http::answer;
use shared::http::extract::Path;
use shared::http::request::Caller;
use shared::values::{PhotoId, ReactionType, Timestamp, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of attempts. More than two are needed only if the audience
/// of the photo, the blocks of the caller or the reaction itself change between two of them.
const MAX_ATTEMPTS: usize = 5;

/// The writes of a transaction that puts a reaction, by which its failed conditions are known.
struct Writes {
    reaction: Write,
    caller: Write,
    engagement: Write,
    /// The photo, if the transaction increments its count.
    photo: Option<Write>,
    /// The checks of the access, and the photo.
    access: Vec<Write>,
}

/// The route.
pub struct AddReaction {
    table: Table,
    feed: String,
    hot_photos: Contended<Key>,
}

impl Route for AddReaction {
    const NAME: &'static str = "add-reaction";
    const ROUTE: &'static str = "PUT /users/{username}/photos/{photo}/reactions/{type}";
    const SUMMARY: &'static str = "Adds the caller's reaction to a photo.";
    const SUCCESSES: &'static [Success] = &[Success::OK, Success::CREATED];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoPhoto, ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Path<Username>, Path<PhotoId>, Path<ReactionType>, Caller);
    type Body = ReactionToPhoto;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            feed: process.variable("FEED_TABLE_NAME")?,
            hot_photos: Contended::default(),
        })
    }

    async fn answer(
        &self,
        (Path(username), Path(id), Path(reaction_type), caller): Self::Input,
    ) -> Result<Response<ReactionToPhoto>, Error> {
        let Self { table, feed, hot_photos } = self;
        let reaction = Reaction {
            reacting_user: caller.username.clone(),
            reaction_type,
            photo: photo_sk(&username, &id),
            timestamp: Timestamp::now(),
        };
        let key = Key::reaction(&caller.username, reaction_type, &username, &id);
        let counted = entity::to_item(key.clone(), &reaction)?;
        let uncounted = mark_uncounted(entity::to_item(key.clone().sharded(), &reaction)?);
        let engagement = Key::engagement(&caller.username, &username, &id);
        let engage = engage_by_reaction(feed, engagement, reaction_type)?;
        let mut access = Access::new(&table.name, &caller.username, &username, &id);
        for _ in 0..MAX_ATTEMPTS {
            let (outcome, writes) =
                react(table, hot_photos, &caller, [&counted, &uncounted], &engage, reaction_type, &mut access).await?;
            let Outcome::ConditionFailed(failed) = outcome else {
                let Reaction { reacting_user: username, reaction_type, timestamp, .. } = reaction;
                return answer::created(&ReactionToPhoto { username, reaction_type, timestamp: timestamp.into() });
            };
            let user = failed.item(writes.caller);
            if failed.contains(writes.caller)
                && let Some(refusal) = refusal(user, &caller.username, &caller.subject)
            {
                return Err(refusal);
            }
            if access.learn(user, failed.item(writes.photo)) {
                continue;
            }
            if failed.contains_any(writes.access) {
                return Err(Error::no_photo(&username, &id));
            }
            let mut existing = failed.item(writes.reaction).cloned();
            if existing.is_none() && failed.contains(writes.engagement) {
                // It has the other key.
                let keys = [key.clone(), key.clone().sharded()].into();
                existing = batch::get(table, keys, true).await?.pop();
            }
            if let Some(existing) = existing {
                return answer::ok(&entity::from_item::<ReactionToPhoto>(existing)?);
            }
        }
        Err(Error::Busy("the access of the caller to the photo, or the reaction, changed during each attempt".into()))
    }
}

/// Sends the transaction with the photo's count, or the one without it if the photo takes too many
/// writes.
async fn react(
    table: &Table,
    hot_photos: &Contended<Key>,
    caller: &Caller,
    [counted, uncounted]: [&Item; 2],
    engage: &Update,
    reaction_type: ReactionType,
    access: &mut Access<'_>,
) -> Result<(Outcome, Writes), Error> {
    let photo = Some(increment_count(access, reaction_type)?);
    let (counted, writes) = build(table, caller, counted.clone(), engage, access, photo)?;
    if let Some(outcome) = hot_photos.write(&access.photo(), &table.client, &counted).await? {
        return Ok((outcome, writes));
    }
    if access.read_photo(table).await? {
        let (uncounted, writes) = build(table, caller, uncounted.clone(), engage, access, None)?;
        return Ok((uncounted.write(&table.client).await?, writes));
    }
    // The read may be out of date, so the condition of the transaction decides.
    Ok((counted.write(&table.client).await?, writes))
}

/// Returns the transaction that puts a reaction, with the update of the photo, if it increments the
/// photo's count.
fn build(
    table: &Table,
    caller: &Caller,
    reaction: Item,
    engage: &Update,
    access: &Access<'_>,
    photo: Option<Update>,
) -> Result<(Transaction, Writes), Error> {
    let put_reaction = Put::builder()
        .table_name(&table.name)
        .set_item(Some(reaction))
        .condition_expression("attribute_not_exists(PK)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let mut transaction = Transaction::new();
    let reaction = transaction.put(put_reaction);
    let caller = transaction.condition_check(access.check_caller(OF_ACCOUNT, &caller.subject)?);
    let engagement = transaction.update(engage.clone());
    let (mut access, _) = access.add_checks(&mut transaction)?;
    let photo = photo.map(|photo| transaction.update(photo));
    access.extend(photo);
    Ok((transaction, Writes { reaction, caller, engagement, photo, access }))
}

fn increment_count(access: &Access<'_>, reaction_type: ReactionType) -> Result<Update, Error> {
    let update = access
        .update_photo()
        .update_expression("SET reactions.#type = if_not_exists(reactions.#type, :zero) + :one")
        .expression_attribute_names("#type", reaction_type.as_ref())
        .expression_attribute_values(":zero", N("0".to_owned()))
        .expression_attribute_values(":one", N("1".to_owned()))
        .build()?;
    Ok(update)
}

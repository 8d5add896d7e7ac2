//! One `TransactWriteItems` puts the [`HashtagDecision`], and puts or deletes the [`HiddenHashtag`], on
//! the condition that there is none, or one. If the hashtag is as the caller decides already, nothing
//! is written. Lists, searches and feeds read the hidden hashtag, so a decision counts at once. What
//! is derived has followed the photos meanwhile.

use aws_sdk_dynamodb::types::{Delete, Put};
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::{Decision, HashtagDecision, HiddenHashtag, Key};
use shared::http::answer;
use shared::http::extract::{Body, FromFields, Moderator, Path};
use shared::http::fields::Fields;
use shared::values::{DecisionNote, Hashtag, HashtagDecisionKind, Timestamp};
use shared::{Error, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of attempts. More than one are needed only if somebody decides
/// about the same hashtag in the same millisecond.
const MAX_ATTEMPTS: usize = 5;

/// The decision of a moderator.
pub struct NewDecision {
    decision: HashtagDecisionKind,
    note: Option<DecisionNote>,
}

impl FromFields for NewDecision {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        let decision = fields.required::<HashtagDecisionKind>("decision");
        let note = fields.optional::<DecisionNote>("note");
        fields.finish()?;
        Ok(Self { decision: decision?, note: note? })
    }
}

/// The route.
pub struct DecideHashtag {
    table: Table,
}

impl Route for DecideHashtag {
    const NAME: &'static str = "decide-hashtag";
    const ROUTE: &'static str = "PUT /tags/{tag}/decision";
    const SUMMARY: &'static str = "A moderator hides a hashtag, or shows it again. No search finds a hidden hashtag, its list of photos is \
         empty, and it brings nothing into feeds. Captions stay as they are. Only members of the group `moderators` may do this.";
    const SUCCESSES: &'static [Success] = &[Success::no_content("The hashtag is as the moderator has decided.")];

    type Input = (Path<Hashtag>, Moderator, Body<NewDecision>);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(&self, (Path(hashtag), Moderator(caller), Body(new)): Self::Input) -> Result<Response<()>, Error> {
        let Self { table } = self;

        for _ in 0..MAX_ATTEMPTS {
            let timestamp = Timestamp::now();
            let decision = HashtagDecision {
                hashtag: hashtag.clone(),
                decision: new.decision,
                note: new.note.clone(),
                moderator: caller.username.clone(),
                moderator_account: caller.subject.clone(),
                ttl: Decision::expiry(&timestamp),
                timestamp,
            };
            let mut transaction = Transaction::new();
            let hidden = match new.decision {
                HashtagDecisionKind::Hide => {
                    let hidden = HiddenHashtag { hashtag: hashtag.clone(), timestamp: decision.timestamp.clone() };
                    let put = Put::builder().table_name(&table.name).set_item(Some(hidden.item()?));
                    transaction.put(put.condition_expression("attribute_not_exists(PK)").build()?)
                }
                HashtagDecisionKind::Show => {
                    let key = Key::hidden_hashtag(&hashtag).into();
                    let delete = Delete::builder().table_name(&table.name).set_key(Some(key));
                    transaction.delete(delete.condition_expression("attribute_exists(PK)").build()?)
                }
            };
            let put = Put::builder().table_name(&table.name).set_item(Some(decision.item()?));
            transaction.put(put.condition_expression("attribute_not_exists(PK)").build()?);
            match transaction.write(&table.client).await? {
                Outcome::ConditionFailed(failed) if !failed.contains(hidden) => {}
                Outcome::Committed | Outcome::ConditionFailed(_) => return Ok(answer::no_content()),
            }
        }
        Err(Error::Busy("others decided about the hashtag in the same milliseconds".into()))
    }
}

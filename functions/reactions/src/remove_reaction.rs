//! One `TransactWriteItems` deletes the reaction, removes it from the caller's engagement with the
//! photo in `<stage>.Feed`, decrements the photo's count of that type, and checks that the caller's
//! name is not that of another account. If there is nothing to decrement, because the photo is
//! deleted or its count is zero, a second one checks that instead. If the count does not include
//! the reaction yet, because it has the mark `uncounted`, a second one deletes it alone. If there
//! is no reaction with this key, the same is done with its key in a shard of the photo
//! ([`Key::sharded`]). A repeated request changes nothing.

use shared::dynamodb::counter::Decrement;
use shared::entities::account::Account;
use shared::entities::{CountedItem, Key, delete_counted, disengage_by_reaction};
use shared::http::answer;
use shared::http::extract::Path;
use shared::http::request::Caller;
use shared::values::{PhotoId, ReactionType, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct RemoveReaction {
    table: Table,
    feed: String,
}

impl Route for RemoveReaction {
    const NAME: &'static str = "remove-reaction";
    const ROUTE: &'static str = "DELETE /users/{username}/photos/{photo}/reactions/{type}";
    const SUMMARY: &'static str = "Removes the caller's reaction to a photo.";
    const SUCCESSES: &'static [Success] =
        &[Success::no_content("The caller has no reaction of this type to the photo.")];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Path<Username>, Path<PhotoId>, Path<ReactionType>, Caller);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, feed: process.variable("FEED_TABLE_NAME")? })
    }

    async fn answer(
        &self,
        (Path(username), Path(id), Path(reaction_type), caller): Self::Input,
    ) -> Result<Response<()>, Error> {
        let Self { table, feed } = self;
        let count = Decrement::new(&table.name, Key::photo(&username, &id), "reactions.#type")
            .with_name("#type", reaction_type.as_ref());
        let engagement = Key::engagement(&caller.username, &username, &id);
        let disengage = disengage_by_reaction(feed, engagement, reaction_type);
        let account = Account { table_name: &table.name, username: &caller.username, subject: &caller.subject };
        let key = Key::reaction(&caller.username, reaction_type, &username, &id);
        for key in [key.clone(), key.sharded()] {
            let (if_counted, always) = (Some(count.clone()), vec![disengage.clone()]);
            let reaction = CountedItem { key: key.into(), if_counted, always, dependents: &[] };
            if delete_counted(table, vec![reaction], Some(&account.guard())).await? > 0 {
                break;
            }
        }
        Ok(answer::no_content())
    }
}

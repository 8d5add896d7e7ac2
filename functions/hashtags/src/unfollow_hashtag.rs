//! One `TransactWriteItems` takes the hashtag out of those that the caller follows, and checks that the
//! caller's profile is of the caller's account. A repeated request changes nothing.

use aws_sdk_dynamodb::types::AttributeValue::{S, Ss};
use aws_sdk_dynamodb::types::Update;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::account::Account;
use shared::entities::{FOLLOWED_HASHTAGS, Key};
use shared::http::answer;
use shared::http::extract::{Owner, Path};
use shared::values::Hashtag;
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct UnfollowHashtag {
    table: Table,
}

impl Route for UnfollowHashtag {
    const NAME: &'static str = "unfollow-hashtag";
    const ROUTE: &'static str = "DELETE /tags/{tag}/followers/{username}";
    const SUMMARY: &'static str = "The caller does not follow a hashtag any more.";
    const SUCCESSES: &'static [Success] = &[Success::no_content("The caller does not follow the hashtag.")];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Path<Hashtag>, Owner);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(&self, (Path(hashtag), Owner(caller)): Self::Input) -> Result<Response<()>, Error> {
        let Self { table } = self;
        let username = &caller.username;
        let update = Update::builder()
            .table_name(&table.name)
            .set_key(Some(Key::followed_hashtags(username).into()))
            // Without the condition, the update would make an empty item.
            .condition_expression("contains(#hashtags, :hashtag)")
            .update_expression("DELETE #hashtags :hashtags")
            .expression_attribute_names("#hashtags", FOLLOWED_HASHTAGS)
            .expression_attribute_values(":hashtag", S(hashtag.to_string()))
            .expression_attribute_values(":hashtags", Ss(vec![hashtag.to_string()]))
            .build()?;
        let account = Account { table_name: &table.name, username, subject: &caller.subject };
        let mut transaction = Transaction::new();
        transaction.update(update);
        let profile = transaction.condition_check(account.check_profile()?);
        if let Outcome::ConditionFailed(failed) = transaction.write(&table.client).await? {
            account.require(&failed, profile)?;
        }
        Ok(answer::no_content())
    }
}

//! One `TransactWriteItems` adds the hashtag to those that the caller follows, on the condition that
//! the maximum is kept, and checks that the caller's profile is of the caller's account. A repeated
//! request changes nothing.
//!
//! The hashtag may have no photos, or be hidden. The answer does not tell.

use aws_sdk_dynamodb::types::AttributeValue::{N, S, Ss};
use aws_sdk_dynamodb::types::Update;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::account::Account;
use shared::entities::{FOLLOWED_HASHTAGS, Key, MAX_FOLLOWED_HASHTAGS};
use shared::http::answer;
use shared::http::extract::{Owner, Path};
use shared::values::Hashtag;
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct FollowHashtag {
    table: Table,
}

impl Route for FollowHashtag {
    const NAME: &'static str = "follow-hashtag";
    const ROUTE: &'static str = "PUT /tags/{tag}/followers/{username}";
    const SUMMARY: &'static str =
        "The caller follows a hashtag, whose newest photos come into the caller's feed. At most 20 can be followed.";
    const SUCCESSES: &'static [Success] = &[Success::no_content("The caller follows the hashtag.")];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NoProfile, ErrorKind::OtherAccount, ErrorKind::TooManyFollowedHashtags];

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
            .condition_expression(
                "attribute_not_exists(#hashtags) OR size(#hashtags) < :max OR contains(#hashtags, :hashtag)",
            )
            .update_expression("ADD #hashtags :hashtags")
            .expression_attribute_names("#hashtags", FOLLOWED_HASHTAGS)
            .expression_attribute_values(":max", N(MAX_FOLLOWED_HASHTAGS.to_string()))
            .expression_attribute_values(":hashtag", S(hashtag.to_string()))
            .expression_attribute_values(":hashtags", Ss(vec![hashtag.to_string()]))
            .build()?;
        let account = Account { table_name: &table.name, username, subject: &caller.subject };
        let mut transaction = Transaction::new();
        transaction.update(update);
        let profile = transaction.condition_check(account.check_profile()?);
        if let Outcome::ConditionFailed(failed) = transaction.write(&table.client).await? {
            account.require(&failed, profile)?;
            let detail = format!(
                "You have reached the maximum of {MAX_FOLLOWED_HASHTAGS} followed hashtags. Unfollow one of them first."
            );
            return Err(Error::refused(ErrorKind::TooManyFollowedHashtags, detail));
        }
        Ok(answer::no_content())
    }
}

//! One `Query` reads the blocks, which sort before the followers. With `include=people`, one
//! `BatchGetItem` reads the profiles of the users, and another one whether those of them block the
//! caller whose profiles say that they block anybody.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Serialize;
use shared::access::Relations;
use shared::dynamodb::{batch, entity};
use shared::entities::{BLOCK_PREFIX, Block, Key, user_pk};
use shared::http::answer;
use shared::http::extract::{Owner, Query};
use shared::http::page::{Page, PageParameters};
use shared::show::{ListedBlock, People, Signer};
use shared::values::{PeopleParts, Username};
use shared::{Error, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// A page of the users whom the caller blocks or mutes.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnBlocks {
    /// The blocks and mutes.
    blocks: Vec<ListedBlock>,
    /// The cards of the users by username, without those who have been deleted or who block the
    /// caller. Empty without `include=people`.
    people: People,
    next_cursor: Option<String>,
}

/// The route.
pub struct ListBlocks {
    table: Table,
    signer: Signer,
}

impl Route for ListBlocks {
    const NAME: &'static str = "list-blocks";
    const ROUTE: &'static str = "GET /users/{username}/blocks";
    const SUMMARY: &'static str = "Returns a page of the users whom the caller blocks or mutes, by their names.";

    type Input = (Owner, Query<PeopleParts>, PageParameters);
    type Body = OwnBlocks;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, signer: Signer::from_process(process)? })
    }

    async fn answer(&self, (Owner(caller), Query(include), page): Self::Input) -> Result<Response<OwnBlocks>, Error> {
        let Self { table, signer } = self;
        let username = &caller.username;
        let page: Page<Username> = page.of("blocks", username)?;

        let output = table
            .client
            .query()
            .table_name(&table.name)
            .key_condition_expression("PK = :user AND begins_with(SK, :blocks)")
            .expression_attribute_values(":user", S(user_pk(username)))
            .expression_attribute_values(":blocks", S(BLOCK_PREFIX.to_owned()))
            .set_exclusive_start_key(page.after.as_ref().map(|last| Key::block(username, last).into()))
            .limit(page.limit)
            .send()
            .await?;
        let blocks: Vec<Block> = entity::from_items(output.items.unwrap_or_default())?;
        let blocks: Vec<ListedBlock> = blocks.into_iter().map(ListedBlock::from).collect();

        let mut relations = Relations::new(username);
        let people = if include.people {
            let keys = blocks.iter().map(|block| Key::user(&block.username)).collect();
            let users = batch::get(table, keys, false).await?;
            let mut people = signer.cards(&users)?;
            let found = people.keys().filter_map(|user| Some((user, batch::find(&users, Key::user(user))?)));
            let deciding: Vec<Key> = found.flat_map(|(user, item)| relations.deciding(user, item, &[])).collect();
            relations.read(table, deciding).await?;
            people.retain(|user, _| !relations.is_blocked_by(user));
            people
        } else {
            People::new()
        };
        let last = blocks.last().map(|block| block.username.clone());
        let next_cursor = page.next_cursor(output.last_evaluated_key, last)?;
        answer::private(&OwnBlocks { blocks, people, next_cursor })
    }
}

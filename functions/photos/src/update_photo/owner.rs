//! The write of the owner in the transaction of a patch.

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::{ConditionCheck, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update};
use shared::dynamodb::Item;
use shared::entities::account::{FREE_FOR_ACCOUNT, OF_ACCOUNT, subject_value};
use shared::entities::{Key, LINKS, PinnedPicture, photo_sk};
use shared::http::request::Caller;
use shared::values::PhotoId;
use shared::{Error, Table};

/// The write of the owner in a transaction: its conditions and its changes.
pub(super) struct OwnerWrite {
    /// Whether the photo must not be pinned.
    pub(super) forbids_pin: bool,
    /// Whether the photo loses its link.
    pub(super) ends_link: bool,
    /// Whether the photo becomes ready.
    pub(super) publishes: bool,
    pub(super) first: First,
}

/// The first picture after a transaction.
pub(super) enum First {
    Same,
    /// The photo has another one, and is not pinned.
    Other,
    /// The photo has this one, and so has the profile, because the photo is pinned.
    OfProfile(PinnedPicture),
}

impl OwnerWrite {
    /// Returns the write, or the check if there is nothing to write. Its condition is that the caller's name is not
    /// that of another account.
    pub(super) fn build(&self, table: &Table, owner: &Caller, id: &PhotoId) -> Result<TransactWriteItem, Error> {
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

//! Inspects and repairs the copies of the hashtags that users follow.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue::Ss;
use shared::dynamodb::{Item, entity};
use shared::entities::{FOLLOWED_HASHTAGS, FollowedHashtags, Key};
use shared::values::{Hashtag, Username};

use super::feeds_check::FeedsCheck;
use crate::audit::error::Error;
use crate::audit::finding::FeedsFinding;
use crate::audit::photos::user_state::{UserState, user_state};
use crate::audit::read;
use crate::audit::write::{check, check_part, delete, delete_part, put, put_part, write};

impl FeedsCheck {
    pub(super) async fn pulled_hashtags(&self, reader: &Username) -> Result<Option<FeedsFinding>, Error> {
        let followed = hashtags(read::get(&self.table, Key::followed_hashtags(reader)).await?);
        let copied = hashtags(read::get(&self.feed, Key::pulled_hashtags(reader)).await?);
        // Somebody can repair a malformed item.
        let (Some(followed), Some(copied)) = (followed, copied) else { return Ok(None) };
        let is_wrong = followed != copied && user_state(&self.table, reader).await? == UserState::Present;
        Ok(is_wrong.then(|| FeedsFinding::PulledHashtags { reader: reader.clone(), followed, copied }))
    }

    /// Writes the copy, if the hashtags have not changed since the inspection, as process-changes does.
    pub(super) async fn copy_hashtags(&self, reader: &Username, followed: &BTreeSet<Hashtag>) -> Result<bool, Error> {
        let check = check(&self.table, Key::followed_hashtags(reader))
            .expression_attribute_names("#hashtags", FOLLOWED_HASHTAGS);
        let copy = Key::pulled_hashtags(reader);
        let parts = if followed.is_empty() {
            let check = check.condition_expression("attribute_not_exists(#hashtags)");
            vec![check_part(check)?, delete_part(delete(&self.feed, copy))?]
        } else {
            let set = Ss(followed.iter().map(ToString::to_string).collect());
            let check = check.condition_expression("#hashtags = :hashtags");
            let item = entity::to_item(copy, &FollowedHashtags { hashtags: followed.clone() })?;
            let check = check.expression_attribute_values(":hashtags", set);
            vec![check_part(check)?, put_part(put(&self.feed, item))?]
        };
        write(&self.feed, parts).await
    }
}

/// Returns the hashtags of an item, none without an item, or `None` if it is malformed.
fn hashtags(item: Option<Item>) -> Option<BTreeSet<Hashtag>> {
    let followed: Option<FollowedHashtags> = item.map(entity::from_item).transpose().ok()?;
    Some(followed.unwrap_or_default().hashtags)
}

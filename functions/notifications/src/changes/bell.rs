//! Notes in the bell of a user which new notifications the inbox shows, and which it hides.
//!
//! The requests:
//!
//! - One consistent `BatchGetItem` reads the user, the [`Bell`] and the notifications that have
//!   changed. If a block or an audience has changed, another one reads the notifications that the
//!   bell names.
//! - For a mention on a photo of somebody else, one reads the photo, and one the friendship that a
//!   photo for followers needs. For a user who is in a block, or mutes anybody, one reads the blocks.
//! - One `UpdateItem` changes the bell, on the condition that nobody has changed it since.
//! - All of it is read again, until there is nothing to change. So what changes between a read and
//!   the write is seen by this invocation, or by that of its own record.
//!
//! The photos of the user are not read: when one is gone, its reactions and comments go too.

use aws_sdk_dynamodb::types::AttributeValue::N;
use shared::Error;
use shared::access::in_inbox;
use shared::changes::Context;
use shared::dynamodb::{batch, entity, unless_condition_failed};
use shared::entities::{Bell, Key, Topic};
use shared::values::Username;

/// The retry budget: the maximum number of times that a bell is read. Two are needed for a change.
const MAX_ATTEMPTS: usize = 12;
/// The maximum number of notifications that are read beside the user and the bell.
const MAX_TOPICS: usize = batch::MAX_GET_KEYS - 2;

/// The notifications to look at.
pub(super) enum About {
    /// Those of these topics.
    Topics(Vec<Topic>),
    /// All that the bell names.
    All,
    /// Those that the bell names that are about photos of this user.
    PhotosOf(Username),
}

/// Updates the bell of a user.
pub(super) async fn update(context: &Context, user: &Username, about: About) -> Result<(), Error> {
    match about {
        About::Topics(topics) => {
            for topics in topics.chunks(MAX_TOPICS) {
                update_until_right(context, user, &About::Topics(topics.to_vec())).await?;
            }
            Ok(())
        }
        about => update_until_right(context, user, &about).await,
    }
}

async fn update_until_right(context: &Context, user: &Username, about: &About) -> Result<(), Error> {
    for _ in 0..MAX_ATTEMPTS {
        let changed = match about {
            About::Topics(topics) => topics.clone(),
            About::All | About::PhotosOf(_) => vec![],
        };
        let keys = [Key::user(user)].into();
        let own = [Key::seen(user)].into_iter().chain(changed.iter().map(|topic| Key::notification(user, topic)));
        let [users, mut inbox] =
            batch::get_from_tables([(&context.table, keys), (&context.feed, own.collect())], true).await?;
        let item = batch::take(&mut inbox, Key::seen(user));
        let has_bell = item.is_some();
        let bell: Bell = item.map(entity::from_item).transpose()?.unwrap_or_default();
        let Some(profile) = users.first().filter(|item| item.contains_key("username")) else {
            // finish-deletion deletes the inbox, and may have done so before this.
            if has_bell {
                let delete = context.feed.client.delete_item().table_name(&context.feed.name);
                delete.set_key(Some(Key::seen(user).into())).send().await?;
            }
            return Ok(());
        };
        let topics = match about {
            About::Topics(_) => changed,
            About::All => bell.topics(user),
            About::PhotosOf(owner) => {
                let is_of_owner = |topic: &Topic| topic.photo.as_ref().is_some_and(|photo| photo.author == *owner);
                bell.topics(user).into_iter().filter(is_of_owner).collect()
            }
        };
        if !matches!(about, About::Topics(_)) {
            let keys = topics.iter().map(|topic| Key::notification(user, topic)).collect();
            inbox = batch::get(&context.feed, keys, true).await?;
        }
        let states = in_inbox(&context.table, user, profile, topics, inbox).await?;
        let Some(next) = bell.after(user, &states) else { return Ok(()) };
        write(context, user, &bell, next).await?;
    }
    Err(Error::Busy("the bell changed during each attempt".into()))
}

/// Writes a bell, if it is still as it was read. see-notifications may have moved `seen` meanwhile.
async fn write(context: &Context, user: &Username, read: &Bell, next: Bell) -> Result<(), Error> {
    let update = context
        .feed
        .client
        .update_item()
        .table_name(&context.feed.name)
        .set_key(Some(Key::seen(user).into()))
        .expression_attribute_names("#hidden", "hidden")
        .expression_attribute_values(":next", N(next.revision.to_string()))
        .expression_attribute_values(":unseen", Bell::attribute(&next.unseen)?)
        .expression_attribute_values(":hidden", Bell::attribute(&next.hidden)?);
    let update = match read.revision {
        0 => update.condition_expression("attribute_not_exists(revision)"),
        revision => update
            .condition_expression("revision = :revision")
            .expression_attribute_values(":revision", N(revision.to_string())),
    };
    let mut set = "SET revision = :next, unseen = :unseen, #hidden = :hidden".to_owned();
    let (mut update, mut remove) = (update, "");
    if let Some(ttl) = next.ttl {
        set.push_str(", #ttl = :ttl");
        update =
            update.expression_attribute_names("#ttl", "ttl").expression_attribute_values(":ttl", N(ttl.to_string()));
    }
    match next.evicted {
        Some(evicted) => {
            set.push_str(", evicted = :evicted");
            update = update.expression_attribute_values(":evicted", N(evicted.to_string()));
        }
        None => remove = " REMOVE evicted",
    }
    unless_condition_failed(update.update_expression(format!("{set}{remove}")).send().await)?;
    Ok(())
}

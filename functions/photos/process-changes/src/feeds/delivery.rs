//! The way in which the photos of an author reach the followers, and its changes.

use aws_sdk_dynamodb::types::AttributeValue::S;
use futures_util::{StreamExt, TryStreamExt, stream};
use shared::Error;
use shared::dynamodb::unless_condition_failed;
use shared::feed::{Delivery, reader_of};
use shared::values::Username;

use shared::photos::Key;

use super::{Feeds, MAX_CONCURRENT_REQUESTS};

/// The number of followers after which a conversion keeps how far it has got.
const MAX_CONVERTED_AT_ONCE: i32 = 500;

impl Feeds {
    /// Returns the delivery of a photo of an author with this number of followers, and sets it for the author if it
    /// changes.
    ///
    /// An author becomes a pulled one above the maximum, and is pushed again at half of it. In between nothing changes, so
    /// that an author whose number of followers goes up and down around the maximum is not converted each time.
    pub(super) async fn next_delivery(
        &self,
        author: &Username,
        delivery: Delivery,
        followers: u64,
    ) -> Result<Delivery, Error> {
        let next = match delivery {
            Delivery::Push | Delivery::PushAgain if followers > self.max_pushed => Delivery::Converting,
            Delivery::Pull if followers <= self.max_pushed / 2 => Delivery::PushAgain,
            unchanged => return Ok(unchanged),
        };
        self.set_delivery(author, delivery, next).await?;
        Ok(next)
    }

    /// Gives every follower of an author a pull or an exception. From then on, the author is a pulled one.
    ///
    /// A follower who comes meanwhile finds that the author is being converted, and gets a pull without this. An invocation
    /// that is interrupted keeps the last follower of each page, from which the next one continues.
    pub(super) async fn convert(&self, author: &Username) -> Result<(), Error> {
        let converted = self.latest(author).await?.and_then(|latest| latest.converted);
        let start = converted.map(|reader| Key::friendship(author, &reader).into());
        let followers = self.followers(author).set_exclusive_start_key(start).limit(MAX_CONVERTED_AT_ONCE);
        let mut pages = followers.into_paginator().send();
        while let Some(page) = pages.try_next().await? {
            let readers = page.items.unwrap_or_default().into_iter().map(reader_of).collect::<Result<Vec<_>, _>>()?;
            let pulls = readers.iter().map(|reader| self.pull(reader, author));
            stream::iter(pulls).buffer_unordered(MAX_CONCURRENT_REQUESTS).try_collect::<()>().await?;
            if let Some(last) = readers.last() {
                let keep = self.update_latest(author).condition_expression("attribute_exists(pk)");
                let keep = keep.update_expression("SET converted = :reader");
                unless_condition_failed(keep.expression_attribute_values(":reader", S(last.to_string())).send().await)?;
            }
        }
        self.set_delivery(author, Delivery::Converting, Delivery::Pull).await
    }

    /// Changes the delivery, unless another invocation has changed it or the author has been deleted.
    async fn set_delivery(&self, author: &Username, from: Delivery, to: Delivery) -> Result<(), Error> {
        // The author has no delivery until the first change. Without an author, the item is gone, because the author has been
        // deleted meanwhile, and the update must not make another one.
        let condition = if from == Delivery::Push {
            "attribute_exists(author) AND attribute_not_exists(delivery)"
        } else {
            "delivery = :from"
        };
        let mut set = self
            .update_latest(author)
            .condition_expression(condition)
            .update_expression("SET delivery = :to REMOVE converted")
            .expression_attribute_values(":to", serde_dynamo::to_attribute_value(to)?);
        if from != Delivery::Push {
            set = set.expression_attribute_values(":from", serde_dynamo::to_attribute_value(from)?);
        }
        unless_condition_failed(set.send().await)?;
        Ok(())
    }
}

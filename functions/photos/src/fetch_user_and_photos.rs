//! One `Query` reads both in ascending order: the user's item first, and then the photos, which
//! sort after it. With `order=desc`, the newest photos come first: then a `GetItem` reads the user,
//! and at the same time a `Query` reads the photos, backward.
//!
//! If the user blocks anybody, or only followers may see some of the photos, a `BatchGetItem` reads
//! the user's block of the caller, and the friendship. On a page after the first one, which does
//! not read the user, a `GetItem` at the same time as the `Query` reads the block. For somebody
//! whom the user blocks, there is no such user. If some of the photos are sensitive, a `BatchGetItem`
//! reads the caller's settings.
//!
//! If a page is not full because the caller may not see some photos, or because they are being
//! deleted, a `Query` reads the next ones, up to 5 times in total.
//!
//! With `include=viewer`, a `Query` of `<stage>.Feed` reads the caller's engagements with the
//! photos of the page, which are neighbors there. On the first page, a `BatchGetItem` reads the
//! friendships between the user and the caller at the same time, the caller's request if the user
//! approves followers, and the caller's block if anybody blocks the user. If there is another
//! `BatchGetItem` before, it reads these too.

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Serialize;
use shared::access::{Relations, is_blocked};
use shared::dynamodb::Item;
use shared::entities::{
    AFTER_PHOTOS, Key, Photo, existing_user, metadata_sk, photo_sk_prefix, photos_of_page, query_engagements, user_pk,
};
use shared::http::answer;
use shared::http::extract::{Path, Query};
use shared::http::page::{Page, PageParameters};
use shared::http::request::Caller;
use shared::show::{PhotoPage, Profile, ShownPhoto, Signer, add_engagements};
use shared::values::{Order, OrderBy, PhotoId, Username, ViewerParts};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// A user and a page of their photos.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UserAndPhotos {
    /// The user. Only the first page has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<Profile>,
    /// The photos.
    photos: Vec<ShownPhoto>,
    next_cursor: Option<String>,
}

/// The route.
pub struct FetchUserAndPhotos {
    table: Table,
    feed: Table,
    signer: Signer,
}

impl Route for FetchUserAndPhotos {
    const NAME: &'static str = "fetch-user-and-photos";
    const ROUTE: &'static str = "GET /users/{username}/profile";
    const SUMMARY: &'static str = "Returns a user and a page of their photos, oldest first.";
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::NoUser];

    type Input = (Path<Username>, Caller, Query<OrderBy<false>>, Query<ViewerParts>, PageParameters);
    type Body = UserAndPhotos;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            feed: process.table("FEED_TABLE_NAME")?,
            signer: Signer::from_process(process)?,
        })
    }

    async fn answer(
        &self,
        (Path(username), caller, Query(OrderBy(order)), Query(include), page): Self::Input,
    ) -> Result<Response<UserAndPhotos>, Error> {
        let Self { table, feed, signer } = self;
        let scope = match order {
            Order::Ascending => username.to_string(),
            Order::Descending => format!("{username}/{order}"),
        };
        let page: Page<PhotoId> = page.of("profile", scope)?;

        let is_first_page = page.after.is_none();
        // On the first page, the item of the user tells whether there is any block to look for.
        let is_blocked =
            async { if is_first_page { Ok(false) } else { is_blocked(table, &username, &caller.username).await } };
        let part = read_first(table, &username, order, &page);
        let (Part { user: item, photos, has_more }, is_blocked) = tokio::try_join!(part, is_blocked)?;
        let found = photos_of_page(photos)?;
        let mut relations = Relations::new(&caller.username);
        let mut shown_keys = vec![];
        if let Some(item) = &item {
            let mut keys = relations.deciding(&username, item, &found.0);
            if include.viewer {
                shown_keys = Relations::friendships(&caller.username, &username);
                shown_keys.extend(relations.block_and_request(&username, item));
            }
            if !keys.is_empty() {
                keys.extend(shown_keys.iter().cloned());
                relations.read(table, keys).await?;
            }
        }
        if is_blocked || relations.is_blocked_by(&username) {
            return Err(Error::no_user(&username));
        }
        let mut user = if is_first_page {
            Some(signer.profile(existing_user(item, &username, &caller.username)?, &caller.username, &caller.subject))
        } else {
            None
        };
        let mut shown = PhotoPage::new(page.limit, page.after.clone())?;
        let has_more = fill(table, &username, order, &mut shown, (found, has_more), signer, &mut relations).await?;
        let PhotoPage { mut photos, last, .. } = shown;

        if include.viewer {
            let engagements = read_engagements(feed, &caller.username, &photos);
            let ((), engagements) = tokio::try_join!(relations.read(table, shown_keys), engagements)?;
            if let Some(user) = &mut user {
                user.viewer = Some(relations.between(&username));
            }
            add_engagements(&mut photos, engagements)?;
        }
        let next_cursor = page.cursor(last.filter(|_| has_more))?;
        answer::seen_by(&caller.username, &username, &UserAndPhotos { user, photos, next_cursor })
    }
}

/// Adds the photos that were read, and then further ones until the page is full. Returns whether
/// there are more.
async fn fill(
    table: &Table,
    username: &Username,
    order: Order,
    page: &mut PhotoPage,
    (mut found, mut has_more): ((Vec<Photo>, Option<PhotoId>), bool),
    signer: &Signer,
    relations: &mut Relations<'_>,
) -> Result<bool, Error> {
    for round in 1..=PhotoPage::MAX_ROUNDS {
        let (photos, end) = found;
        relations.read_audiences(table, &photos).await?;
        relations.read_settings(table, &photos).await?;
        has_more |= page.add(photos, end, signer, relations);
        if page.is_full() || !has_more || round == PhotoPage::MAX_ROUNDS {
            break;
        }
        let output =
            query_photos(table, username, order, page.last.as_ref()).limit(PhotoPage::PHOTOS_OF_ROUND).send().await?;
        has_more = output.last_evaluated_key.is_some();
        found = photos_of_page(output.items.unwrap_or_default())?;
    }
    Ok(has_more)
}

/// The items that a page needs. Only the first page reads the user.
struct Part {
    user: Option<Item>,
    photos: Vec<Item>,
    has_more: bool,
}

/// Reads the user and the oldest or newest photos, or the photos after the cursor.
async fn read_first(table: &Table, username: &Username, order: Order, page: &Page<PhotoId>) -> Result<Part, Error> {
    if page.after.is_some() {
        let output = query_photos(table, username, order, page.after.as_ref()).limit(page.limit).send().await?;
        let has_more = output.last_evaluated_key.is_some();
        return Ok(Part { user: None, photos: output.items.unwrap_or_default(), has_more });
    }
    match order {
        Order::Ascending => read_oldest(table, username, page.limit).await,
        Order::Descending => {
            let user = table.client.get_item().table_name(&table.name).set_key(Some(Key::user(username).into())).send();
            let photos = query_photos(table, username, order, None).limit(page.limit).send();
            let user = async { Ok::<_, Error>(user.await?.item) };
            let (user, output) = tokio::try_join!(user, async { Ok(photos.await?) })?;
            let has_more = output.last_evaluated_key.is_some();
            Ok(Part { user, photos: output.items.unwrap_or_default(), has_more })
        }
    }
}

/// Reads the user and the oldest photos, which sort after the user.
async fn read_oldest(table: &Table, username: &Username, limit: i32) -> Result<Part, Error> {
    let output = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("PK = :user AND SK BETWEEN :metadata AND :photos_end")
        .expression_attribute_values(":user", S(user_pk(username)))
        .expression_attribute_values(":metadata", S(metadata_sk(username)))
        .expression_attribute_values(":photos_end", S(AFTER_PHOTOS.to_owned()))
        .limit(limit + 1)
        .send()
        .await?;
    let mut photos = output.items.unwrap_or_default();
    let user = (!photos.is_empty()).then(|| photos.remove(0));
    Ok(Part { user, photos, has_more: output.last_evaluated_key.is_some() })
}

/// Returns the `Query` of the photos after `last`, or of all of them.
fn query_photos(table: &Table, username: &Username, order: Order, last: Option<&PhotoId>) -> QueryFluentBuilder {
    table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("PK = :user AND begins_with(SK, :photos)")
        .expression_attribute_values(":user", S(user_pk(username)))
        .expression_attribute_values(":photos", S(photo_sk_prefix(username)))
        .scan_index_forward(order == Order::Ascending)
        .set_exclusive_start_key(last.map(|last| Key::photo(username, last).into()))
}

/// Reads the caller's engagements with these photos of one user, which are sorted by time.
async fn read_engagements(feed: &Table, caller: &Username, photos: &[ShownPhoto]) -> Result<Vec<Item>, Error> {
    let (Some(one), Some(other)) = (photos.first(), photos.last()) else { return Ok(vec![]) };
    let query = query_engagements(feed, caller, &one.username, &one.id, &other.id);
    Ok(query.send().await?.items.unwrap_or_default())
}

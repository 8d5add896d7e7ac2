//! One `Query` reads the photos in descending order. It does not read the user, so the list of an
//! unknown user is empty. At the same time, a `GetItem` reads whether the user blocks the caller,
//! for whom the list is empty then too.
//!
//! If only followers may see some of the photos, another `BatchGetItem` reads the friendship, and one the
//! caller's settings if some are sensitive. If a
//! page is not full because the caller may not see some photos, or because they are being deleted,
//! the `Query` is sent again for older ones, up to 5 times in total.
//!
//! With `include=viewer`, a `Query` of `<stage>.Feed` reads the caller's engagements with the
//! photos of the page, which are neighbors there.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Serialize;
use shared::access::{Relations, is_blocked};
use shared::entities::{Key, photo_sk_prefix, photos_of_page, query_engagements, user_pk};
use shared::http::answer;
use shared::http::extract::{Path, Query};
use shared::http::page::{Page, PageParameters};
use shared::http::request::Caller;
use shared::show::{PhotoPage, ShownPhoto, Signer, add_engagements};
use shared::values::{PhotoId, Username, ViewerParts};
use shared::{Error, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// A page of the photos of a user.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecentPhotos {
    /// The photos, newest first.
    photos: Vec<ShownPhoto>,
    next_cursor: Option<String>,
}

/// The route.
pub struct ListRecentPhotos {
    table: Table,
    feed: Table,
    signer: Signer,
}

impl Route for ListRecentPhotos {
    const NAME: &'static str = "list-recent-photos";
    const ROUTE: &'static str = "GET /users/{username}/photos";
    const SUMMARY: &'static str = "Returns a page of a user's photos, newest first.";

    type Input = (Path<Username>, Caller, Query<ViewerParts>, PageParameters);
    type Body = RecentPhotos;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            feed: process.table("FEED_TABLE_NAME")?,
            signer: Signer::from_process(process)?,
        })
    }

    async fn answer(
        &self,
        (Path(username), caller, Query(include), page): Self::Input,
    ) -> Result<Response<RecentPhotos>, Error> {
        let Self { table, feed, signer } = self;
        let page: Page<PhotoId> = page.of("photos", &username)?;

        let photos = read_photos(table, &username, &caller, page.limit, page.after.clone(), signer);
        // At the same time, because no photo tells it.
        let is_blocked = is_blocked(table, &username, &caller.username);
        let ((mut photos, last), is_blocked) = tokio::try_join!(photos, is_blocked)?;
        if is_blocked {
            return answer::ok(&RecentPhotos { photos: vec![], next_cursor: None });
        }
        if include.viewer
            && let (Some(newest), Some(oldest)) = (photos.first(), photos.last())
        {
            let engagements =
                query_engagements(feed, &caller.username, &username, &newest.id, &oldest.id).send().await?;
            add_engagements(&mut photos, engagements.items.unwrap_or_default())?;
        }
        let next_cursor = page.cursor(last)?;
        answer::seen_by(&caller.username, &username, &RecentPhotos { photos, next_cursor })
    }
}

/// Reads the newest photos before `last` that the caller may see, and the photo after which the
/// next page begins, if there are more.
async fn read_photos(
    table: &Table,
    username: &Username,
    caller: &Caller,
    limit: i32,
    last: Option<PhotoId>,
    signer: &Signer,
) -> Result<(Vec<ShownPhoto>, Option<PhotoId>), Error> {
    let mut relations = Relations::new(&caller.username);
    let mut page = PhotoPage::new(limit, last)?;
    for round in 1..=PhotoPage::MAX_ROUNDS {
        let output = table
            .client
            .query()
            .table_name(&table.name)
            .key_condition_expression("PK = :user AND begins_with(SK, :photos)")
            .expression_attribute_values(":user", S(user_pk(username)))
            .expression_attribute_values(":photos", S(photo_sk_prefix(username)))
            .scan_index_forward(false)
            .set_exclusive_start_key(page.last.as_ref().map(|last| Key::photo(username, last).into()))
            .limit(if round == 1 { limit } else { PhotoPage::PHOTOS_OF_ROUND })
            .send()
            .await?;
        let (photos, end) = photos_of_page(output.items.unwrap_or_default())?;
        relations.read_audiences(table, &photos).await?;
        relations.read_settings(table, &photos).await?;
        let has_more = page.add(photos, end, signer, &relations) || output.last_evaluated_key.is_some();
        if !has_more {
            return Ok((page.photos, None));
        }
        if page.is_full() {
            break;
        }
    }
    Ok((page.photos, page.last))
}

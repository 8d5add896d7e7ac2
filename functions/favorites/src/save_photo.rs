//! `PUT /users/{username}/saved/{author}/{photo}` saves a photo of the app. A saved photo is a
//! favorite of the type `photo`, whose id is made of the photo, so a user saves each photo once.
//!
//! One `TransactWriteItems` puts the favorite, on the condition that the user has none with this
//! id, increments the user's count of favorites, on the condition that it is less than
//! [`MAX_FAVORITES`], and marks the photo as saved in the caller's engagement with it, in
//! `<stage>.Feed`. It also checks that the photo is ready, that the caller has [`Access`] to it, and
//! that the name is not that of another account ([`account`](shared::entities::account)). If the
//! photo is saved already, nothing is written, also at the maximum.
//!
//! Then one `BatchGetItem` reads the photo, for the answer
//! ([`show_favorites`](Signer::show_favorites)).
//!
//! The title of the favorite is the name of the author, so that search finds the photo by it. The
//! caption is not copied: the copy would outlive the caption's edit, its audience and its author.
//!
//! [`MAX_FAVORITES`]: shared::entities::MAX_FAVORITES

use aws_sdk_dynamodb::types::{Put, ReturnValuesOnConditionCheckFailure};
use shared::access::Access;
use shared::dynamodb::entity;
use shared::dynamodb::transaction::{Outcome, Transaction, Write};
use shared::entities::account::{FREE_FOR_ACCOUNT, refusal};
use shared::entities::{Favorite, Key, engage_by_save, favorite_count};
use shared::http::answer;
use shared::http::extract::Owner;
use shared::http::request::Caller;
use shared::show::{PhotoTables, ShownFavorite, Signer};
use shared::values::{PhotoReference, PhotosParts, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

use crate::saved_photo::SavedPhoto;

#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of attempts. More than two are needed only if the audience
/// of the photo or the blocks of the caller change between two of them.
const MAX_ATTEMPTS: usize = 5;

/// The writes of the transaction, by which its failed conditions are known.
struct Writes {
    favorite: Write,
    account: Write,
    photo: Write,
    /// The checks of the access to the photo, and the photo.
    access: Vec<Write>,
}

/// The route.
pub struct SavePhoto {
    table: Table,
    tables: PhotoTables,
    signer: Signer,
}

impl Route for SavePhoto {
    const NAME: &'static str = "save-photo";
    const ROUTE: &'static str = "PUT /users/{username}/saved/{author}/{photo}";
    const SUMMARY: &'static str = "Saves a photo among the caller's favorites.";
    const SUCCESSES: &'static [Success] = &[Success::OK, Success::CREATED_AT];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NoPhoto, ErrorKind::NoProfile, ErrorKind::OtherAccount, ErrorKind::TooManyFavorites];

    type Input = (Owner, SavedPhoto);
    type Body = ShownFavorite;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            tables: PhotoTables::from_process(process)?,
            signer: Signer::from_process(process)?,
        })
    }

    async fn answer(&self, (Owner(caller), SavedPhoto(photo)): Self::Input) -> Result<Response<ShownFavorite>, Error> {
        let Self { table, tables, .. } = self;
        let favorite = Favorite::of_photo(&photo);
        let PhotoReference { username: author, id } = &photo;
        let mut access = Access::new(&tables.photos.name, &caller.username, author, id);
        for _ in 0..MAX_ATTEMPTS {
            let (transaction, writes) = build(table, &tables.feed.name, &caller, &favorite, &photo, &access)?;
            let failed = match transaction.write(&table.client).await? {
                Outcome::Committed => {
                    let location = format!("/users/{}/favorites/{}", caller.username, favorite.data_id);
                    return answer::created_at(&location, &self.shown(favorite, &caller.username).await?);
                }
                Outcome::ConditionFailed(failed) => failed,
            };
            let user = failed.item(writes.account);
            if failed.contains(writes.account)
                && let Some(refusal) = refusal(user, &caller.username, &caller.subject)
            {
                return Err(refusal);
            }
            if access.learn(user, failed.item(writes.photo)) {
                continue;
            }
            if let Some(existing) = failed.item(writes.favorite) {
                let existing = entity::from_item(existing.clone())?;
                return answer::ok(&self.shown(existing, &caller.username).await?);
            }
            return Err(if failed.contains_any(writes.access) {
                Error::no_photo(author, id)
            } else {
                favorite_count::too_many()
            });
        }
        Err(Error::Busy("the access of the caller to the photo changed during each attempt".into()))
    }
}

impl SavePhoto {
    /// Returns the favorite as lists show it.
    async fn shown(&self, favorite: Favorite, owner: &Username) -> Result<ShownFavorite, Error> {
        let Self { tables, signer, .. } = self;
        let shown = signer.show_favorites(tables, vec![favorite], owner, PhotosParts::default(), None).await?;
        shown.favorites.into_iter().next().ok_or_else(|| Error::internal("a favorite is not shown"))
    }
}

/// Returns the transaction that saves a photo to which the caller has `access`.
fn build(
    table: &Table,
    feed: &str,
    caller: &Caller,
    favorite: &Favorite,
    photo: &PhotoReference,
    access: &Access<'_>,
) -> Result<(Transaction, Writes), Error> {
    let put_favorite = Put::builder()
        .table_name(&table.name)
        .set_item(Some(favorite.item(&caller.username)))
        .condition_expression("attribute_not_exists(pk)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let engagement = Key::engagement(&caller.username, &photo.username, &photo.id);
    let mut transaction = Transaction::new();
    let put = transaction.put(put_favorite);
    transaction.update(favorite_count::increment(&table.name, &caller.username)?);
    transaction.update(engage_by_save(feed, engagement, true)?);
    let account = transaction.condition_check(access.check_caller(FREE_FOR_ACCOUNT, &caller.subject)?);
    let photo = transaction.condition_check(access.check_photo()?);
    let (mut checks, _) = access.add_checks(&mut transaction)?;
    checks.push(photo);
    Ok((transaction, Writes { favorite: put, account, photo, access: checks }))
}

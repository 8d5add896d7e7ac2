//! One `UpdateItem` changes the user, on the condition that the user is of the caller's account and
//! has the version in `If-Match`, if the request has one. A patch of the document `attributes`
//! needs a consistent `GetItem` before it, and the update is then on the condition that
//! `attributes` have not changed since.
//!
//! A patch of `pinnedImage` copies the picture of the photo into the user, so that no answer about
//! the user has to read the photo. A consistent `GetItem` reads the photo. The update is then part
//! of a `TransactWriteItems`, which checks that the photo is still ready, and a consistent
//! `GetItem` reads the user for the answer.

use std::collections::HashMap;

use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue, ReturnValuesOnConditionCheckFailure, Update};
use shared::document::{AttributeChanges, apply};
use shared::dynamodb::Item;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::account::{OF_ACCOUNT, refusal, subject_value};
use shared::entities::{
    Key, PK, Photo, Picture, PinnedPicture, check_attributes_size, existing_user, get_photo, photo_sk,
};
use shared::http::answer;
use shared::http::extract::{Body, FromFields, Owner};
use shared::http::fields::{Fields, Patch};
use shared::http::precondition::{Condition, Precondition, VERSION, new_version, take_tag};
use shared::show::{Profile, Signer};
use shared::values::{
    Address, Audience, Birthdate, Email, Interests, LockScreen, Name, PhotoId, PhotoReference, PushOff, QuietHours,
    SensitivePhotos, Status, Subject, Username,
};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table, document};

#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of attempts. Each attempt reads `attributes` and tries to
/// update them.
///
/// An attempt fails only if another request changes the same `attributes` between its read and its
/// write. At 20 ms each, all attempts take a tenth of a second of the function's timeout of 10
/// seconds.
const MAX_ATTEMPTS: usize = 5;

/// The route.
pub struct UpdateUser {
    table: Table,
    signer: Signer,
}

impl Route for UpdateUser {
    const NAME: &'static str = "update-user";
    const ROUTE: &'static str = "PATCH /users/{username}";
    const SUMMARY: &'static str =
        "Applies a [JSON merge patch](https://www.rfc-editor.org/rfc/rfc7396) to the caller's profile.";
    const SUCCESSES: &'static [Success] = &[Success::OK.versioned()];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Owner, Precondition, Body<UserPatch>);
    type Body = Profile;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, signer: Signer::from_process(process)? })
    }

    async fn answer(
        &self,
        (Owner(caller), precondition, Body(patch)): Self::Input,
    ) -> Result<Response<Profile>, Error> {
        let Self { table, signer } = self;
        let username = &caller.username;
        let precondition = precondition.of_versions();

        for _ in 0..MAX_ATTEMPTS {
            // The maximum size applies to the patched `attributes`, so a patch of them reads them
            // first.
            let attributes = match &patch.attributes {
                Patch::Set(_) => get_attributes(table, username).await?,
                Patch::Keep | Patch::Remove => None,
            };
            let mut expressions = build_expressions(&patch, attributes, &caller.subject, &precondition)?;
            let updated = match &patch.pinned_image {
                Patch::Set(PhotoReference { username: owner, id: photo }) => {
                    if owner != username {
                        return Err(not_ready());
                    }
                    let picture = get_ready_picture(table, username, photo).await?;
                    expressions.pin(username, photo, picture.clone())?;
                    update_and_check_photo(table, username, photo, picture, expressions).await?
                }
                Patch::Remove => {
                    expressions.change("pinnedImage", Patch::Remove);
                    expressions.change("pinnedPicture", Patch::Remove);
                    update(table, username, expressions).await?
                }
                Patch::Keep => update(table, username, expressions).await?,
            };
            match updated {
                Updated::Done(mut item) => {
                    let tag = take_tag(&mut item);
                    let user = existing_user(Some(item), username, username)?;
                    let profile = signer.profile(user, &caller.username, &caller.subject);
                    return answer::tagged_with_hash(answer::ok(&profile)?, &tag);
                }
                Updated::ConditionFailed(item) => {
                    if let Some(refused) = refusal(item.as_ref(), &caller.username, &caller.subject) {
                        return Err(refused);
                    }
                    // Every change of `attributes` changes the version too.
                    if let Precondition::Version(_) | Precondition::NotExists = precondition {
                        return Err(Error::PreconditionFailed);
                    }
                }
            }
        }
        Err(Error::Busy(format!("other requests changed the attributes during {MAX_ATTEMPTS} attempts").into()))
    }
}

/// A patch of a user.
pub struct UserPatch {
    /// The patches of the user's own fields, by attribute name.
    fields: [(&'static str, Patch<AttributeValue>); 12],
    /// The patch of the pinned photo.
    pinned_image: Patch<PhotoReference>,
    /// The patch of the document `attributes`.
    attributes: Patch<AttributeChanges>,
}

impl FromFields for UserPatch {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        let name = fields.replacement::<Name>("name");
        let email = fields.patch::<Email>("email");
        let birthdate = fields.patch::<Birthdate>("birthdate");
        let address = fields.patch::<Address>("address");
        let status = fields.patch::<Status>("status");
        let interests = fields.patch::<Interests>("interests");
        let approves_followers = fields.patch::<bool>("approvesFollowers");
        let default_audience = fields.patch::<Audience>("defaultAudience");
        let push_off = fields.patch::<PushOff>("pushOff");
        let quiet_hours = fields.patch::<QuietHours>("quietHours");
        let lock_screen = fields.patch::<LockScreen>("lockScreen");
        let sensitive_photos = fields.patch::<SensitivePhotos>("sensitivePhotos");
        let pinned_image = fields.patch::<PhotoReference>("pinnedImage");
        let attributes = fields.document("attributes", document::patch_nested);
        fields.finish()?;

        let string = |text: String| AttributeValue::S(text);
        let fields = [
            ("name", name?.map(|name| string(name.into()))),
            ("email", email?.map(|email| string(email.into()))),
            ("birthdate", birthdate?.map(|birthdate| string(birthdate.into()))),
            ("address", address?.map(|address| string(address.into()))),
            ("status", status?.map(|status| string(status.into()))),
            (
                "interests",
                interests?.map(|interests| AttributeValue::L(Vec::from(interests).into_iter().map(string).collect())),
            ),
            // follow-user asks whether the attribute exists.
            (
                "approvesFollowers",
                match approves_followers? {
                    Patch::Set(true) => Patch::Set(AttributeValue::Bool(true)),
                    Patch::Set(false) | Patch::Remove => Patch::Remove,
                    Patch::Keep => Patch::Keep,
                },
            ),
            // So does upload-photo.
            (
                "defaultAudience",
                match default_audience? {
                    Patch::Set(Audience::Everyone) => Patch::Remove,
                    patch => patch.map(|audience| string(audience.to_string())),
                },
            ),
            ("pushOff", attribute(push_off?, PushOff::is_empty)?),
            ("quietHours", attribute(quiet_hours?, |_| false)?),
            ("lockScreen", attribute(lock_screen?, LockScreen::is_everything)?),
            ("sensitivePhotos", attribute(sensitive_photos?, SensitivePhotos::is_hide)?),
        ];
        Ok(UserPatch { fields, pinned_image: pinned_image?, attributes: attributes? })
    }
}

/// Returns the patch of the attribute with a value, which a user whose value is the default lacks.
fn attribute<T: serde::Serialize>(
    patch: Patch<T>,
    is_default: impl FnOnce(&T) -> bool,
) -> Result<Patch<AttributeValue>, Error> {
    Ok(match patch {
        Patch::Set(value) if is_default(&value) => Patch::Remove,
        Patch::Set(value) => Patch::Set(serde_dynamo::to_attribute_value(value)?),
        Patch::Remove => Patch::Remove,
        Patch::Keep => Patch::Keep,
    })
}

/// Builds the expressions that apply the patch to a user whose `attributes` are `before`. Only a
/// patch of `attributes` uses `before`.
fn build_expressions(
    patch: &UserPatch,
    before: Option<Item>,
    subject: &Subject,
    precondition: &Precondition,
) -> Result<Expressions, Error> {
    let mut expressions = Expressions {
        conditions: vec![OF_ACCOUNT.to_owned()],
        values: [(":subject".to_owned(), subject_value(subject))].into(),
        ..Expressions::default()
    };
    let Condition { expression, names, values } = precondition.condition(PK);
    expressions.conditions.extend(expression.map(|expression| format!("({expression})")));
    expressions.names = names;
    expressions.values.extend(values.unwrap_or_default());
    for (attribute, patch) in patch.fields.clone() {
        expressions.change(attribute, patch);
    }
    match &patch.attributes {
        Patch::Keep => {}
        Patch::Remove => expressions.change("attributes", Patch::Remove),
        Patch::Set(changes) => {
            let after = apply(changes, before.clone().unwrap_or_default());
            check_attributes_size(&after)?;
            expressions.change("attributes", Patch::Set(AttributeValue::M(after)));
            expressions.require_attributes(before);
        }
    }
    Ok(expressions)
}

/// Returns the picture of a photo of the user, or `None` if another program wrote it without a picture.
/// Fails unless the photo exists and [may be pinned](Photo::may_be_pinned).
async fn get_ready_picture(
    table: &Table,
    username: &Username,
    photo: &PhotoId,
) -> Result<Option<PinnedPicture>, Error> {
    let photo = get_photo(table, username, photo).await?.filter(Photo::may_be_pinned).ok_or_else(not_ready)?;
    Ok(photo.picture.as_ref().and_then(Picture::sizes).cloned().map(Into::into))
}

fn not_ready() -> Error {
    Error::invalid(
        "pinnedImage",
        "must be one of your photos that is ready and not sensitive, and whose audience is everyone",
    )
}

/// Returns the `attributes` of the user. The read is consistent, so that the condition of the
/// update can hold.
async fn get_attributes(table: &Table, username: &Username) -> Result<Option<Item>, Error> {
    let output = table
        .client
        .get_item()
        .table_name(&table.name)
        .set_key(Some(Key::user(username).into()))
        .consistent_read(true)
        .send()
        .await?;
    Ok(existing_user(output.item, username, username)?.attributes)
}

/// The expressions of an `UpdateItem` request, with their names and values.
#[derive(Default)]
struct Expressions {
    set: Vec<String>,
    remove: Vec<String>,
    conditions: Vec<String>,
    names: Option<HashMap<String, String>>,
    values: HashMap<String, AttributeValue>,
}

impl Expressions {
    /// Adds the change of one attribute.
    fn change(&mut self, attribute: &str, patch: Patch<AttributeValue>) {
        match patch {
            Patch::Keep => return,
            Patch::Remove => self.remove.push(format!("#{attribute}")),
            Patch::Set(value) => {
                self.set.push(format!("#{attribute} = :{attribute}"));
                self.values.insert(format!(":{attribute}"), value);
            }
        }
        // `name`, `status` and other attribute names are reserved words of DynamoDB.
        self.names.get_or_insert_default().insert(format!("#{attribute}"), attribute.to_owned());
    }

    /// Adds the condition that `attributes`, which the update also changes, are still as they were
    /// read.
    fn require_attributes(&mut self, before: Option<Item>) {
        if let Some(before) = before {
            self.conditions.push("#attributes = :before".to_owned());
            self.values.insert(":before".to_owned(), AttributeValue::M(before));
        } else {
            self.conditions.push("attribute_not_exists(#attributes)".to_owned());
        }
    }

    /// Adds the pin of a photo.
    fn pin(&mut self, username: &Username, photo: &PhotoId, picture: Option<PinnedPicture>) -> Result<(), Error> {
        self.change("pinnedImage", Patch::Set(AttributeValue::S(photo_sk(username, photo))));
        let picture = picture.map(serde_dynamo::to_attribute_value).transpose()?;
        self.change("pinnedPicture", picture.map_or(Patch::Remove, Patch::Set));
        Ok(())
    }

    /// Returns the update expression, or `None` for a patch that changes nothing. An `UpdateItem`
    /// without one still checks its condition and returns the user.
    fn update(&mut self) -> Option<String> {
        if self.set.is_empty() && self.remove.is_empty() {
            return None;
        }
        self.change(VERSION, Patch::Set(AttributeValue::S(new_version())));
        let clauses: Vec<String> = [("SET", &self.set), ("REMOVE", &self.remove)]
            .into_iter()
            .filter(|(_, actions)| !actions.is_empty())
            .map(|(clause, actions)| format!("{clause} {}", actions.join(", ")))
            .collect();
        Some(clauses.join(" "))
    }
}

/// The result of an update.
enum Updated {
    /// The user as it is now.
    Done(Item),
    /// The user that does not meet the conditions, or `None` if there is none.
    ConditionFailed(Option<Item>),
}

/// Updates the user. If the answer of the `UpdateItem` was lost, the SDK sends it again, and the
/// condition may fail on its own write, which has the version that only this update sets.
async fn update(table: &Table, username: &Username, mut expressions: Expressions) -> Result<Updated, Error> {
    let expression = expressions.update();
    let version = expressions.values.get(&format!(":{VERSION}")).cloned();
    let result = table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(Key::user(username).into()))
        .set_update_expression(expression)
        .condition_expression(expressions.conditions.join(" AND "))
        .set_expression_attribute_names(expressions.names)
        .set_expression_attribute_values(Some(expressions.values))
        .return_values(ReturnValue::AllNew)
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await;
    match result {
        Ok(output) => Ok(Updated::Done(output.attributes.unwrap_or_default())),
        Err(error) => match error.as_service_error() {
            Some(UpdateItemError::ConditionalCheckFailedException(failed)) => Ok(match failed.item().cloned() {
                Some(user) if version.is_some() && user.get(VERSION) == version.as_ref() => Updated::Done(user),
                other => Updated::ConditionFailed(other),
            }),
            _ => Err(error.into()),
        },
    }
}

/// Updates the user, on the condition that the pinned photo still has this picture. A transaction
/// returns no items, so a consistent `GetItem` reads the user after it.
async fn update_and_check_photo(
    table: &Table,
    username: &Username,
    photo: &PhotoId,
    picture: Option<PinnedPicture>,
    mut expressions: Expressions,
) -> Result<Updated, Error> {
    let key = Key::user(username);
    let update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(key.clone().into()))
        .set_update_expression(expressions.update())
        .condition_expression(expressions.conditions.join(" AND "))
        .set_expression_attribute_names(expressions.names)
        .set_expression_attribute_values(Some(expressions.values))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let mut transaction = Transaction::new();
    let user = transaction.update(update);
    transaction.condition_check(PinnedPicture::check(picture.as_ref(), &table.name, username, photo)?);
    match transaction.write(&table.client).await? {
        Outcome::Committed => {
            let get = table.client.get_item().table_name(&table.name).set_key(Some(key.into())).consistent_read(true);
            Ok(Updated::Done(get.send().await?.item.unwrap_or_default()))
        }
        Outcome::ConditionFailed(failed) if failed.contains(user) => {
            Ok(Updated::ConditionFailed(failed.item(user).cloned()))
        }
        Outcome::ConditionFailed(_) => Err(not_ready()),
    }
}

//! One `PutItem` puts the user, on the condition that no item has the user's key. If the condition
//! fails, DynamoDB returns the existing item, and there are three cases:
//!
//! - The item has the `creationId` of this invocation: an earlier attempt of the SDK put it, and
//!   its answer was lost. The answer is 201.
//! - The item has the same fields: the caller repeats a request. The answer is 200.
//! - Otherwise the answer is 409. If the item is a `Deletion`, the name rests, and the answer says
//!   until when.

use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure;
use shared::dynamodb::{Item, entity};
use shared::entities::account::refusal;
use shared::entities::{self, Deletion, User, check_attributes_size, user_item};
use shared::http::answer;
#[cfg(feature = "schema")]
use shared::http::describe::{Callers, Operation};
use shared::http::extract::{Body, FromFields, FromRequest};
use shared::http::fields::{Fields, Patch};
use shared::http::request::Caller;
use shared::show::{Profile, Signer};
use shared::values::{
    Address, Audience, Birthdate, Email, Interests, LockScreen, Name, NewUsername, PushOff, SensitivePhotos, Status,
    Username,
};
use shared::{Error, ErrorKind, Process, Request, Response, Route, StartError, Success, Table, document};
use uuid::Uuid;

#[cfg(test)]
mod tests;

/// The route.
pub struct CreateUser {
    table: Table,
    signer: Signer,
}

impl Route for CreateUser {
    const NAME: &'static str = "create-user";
    const ROUTE: &'static str = "POST /users";
    const SUMMARY: &'static str = "Creates the caller's profile.";
    const SUCCESSES: &'static [Success] = &[Success::OK, Success::CREATED_AT];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::OtherAccount, ErrorKind::ProfileExists, ErrorKind::UsernameResting];

    type Input = (NewProfile,);
    type Body = Profile;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, signer: Signer::from_process(process)? })
    }

    async fn answer(&self, (NewProfile { user, caller },): Self::Input) -> Result<Response<Profile>, Error> {
        let Self { table, signer } = self;
        let user = User { subject: Some(caller.subject.clone()), ..user };

        let put = table
            .client
            .put_item()
            .table_name(&table.name)
            .set_item(Some(user_item(&user)?))
            .condition_expression("attribute_not_exists(PK)")
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .send()
            .await;

        let Err(error) = put else { return created(user, &caller) };
        let Some(PutItemError::ConditionalCheckFailedException(failed)) = error.as_service_error() else {
            return Err(error.into());
        };
        let existing = conflicting_user(&caller, failed.item.clone().unwrap_or_default())?;
        if existing.creation_id == user.creation_id {
            // Another request may have changed the item since then. The answer shows the user as this
            // request created them.
            return created(user, &caller);
        }
        require_same_fields(&user, &existing)?;
        answer::ok(&signer.profile(existing, &caller.username, &caller.subject))
    }
}

fn created(user: User, caller: &Caller) -> Result<Response<Profile>, Error> {
    answer::created_at(&format!("/users/{}", user.username), &user.seen_by(&caller.username, &caller.subject))
}

/// Returns the user whose item has the key of the new user. Fails if that user is of another
/// account, or has been deleted.
fn conflicting_user(caller: &Caller, item: Item) -> Result<User, Error> {
    if item.contains_key("erasing") {
        return Err(resting(&entity::from_item(item)?));
    }
    match refusal(Some(&item), &caller.username, &caller.subject) {
        None => entities::user_from_item(item)?.ok_or_else(|| Error::internal("the item of a user is none")),
        Some(refusal) => Err(refusal),
    }
}

/// Returns the error for a name whose user was deleted.
fn resting(Deletion { erasing, since, until, .. }: &Deletion) -> Error {
    let detail = format!("The user {erasing} was deleted at {since}. Nobody can take the name before {until}.");
    let hint = "The name is free when the deletion is complete, which may take some days longer.";
    Error::refused(ErrorKind::UsernameResting, detail).with_hint(hint)
}

/// Fails with a conflict unless the existing user has the fields of the new one. The counts, the pinned photo and
/// the settings that only a patch has may have changed since the user was created, a repeated request has another
/// creation id, and a user of another program has no subject, so these are not compared.
fn require_same_fields(user: &User, existing: &User) -> Result<(), Error> {
    let comparable = |user: &User| User {
        followers: 0,
        following: 0,
        photos: None,
        uploads: None,
        creation_id: None,
        subject: None,
        push_off: PushOff::default(),
        quiet_hours: None,
        lock_screen: LockScreen::default(),
        sensitive_photos: SensitivePhotos::default(),
        pinned_image: None,
        pinned_picture: None,
        attributes: None,
        ..user.clone()
    };
    if comparable(existing) == comparable(user) && document::same(&existing.attributes, &user.attributes) {
        Ok(())
    } else {
        let hint = format!("PATCH /users/{} changes the profile.", user.username);
        Err(Error::refused(ErrorKind::ProfileExists, "You have a profile already.").with_hint(hint))
    }
}

/// The user that a request describes.
pub struct NewUser(User);

impl FromFields for NewUser {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        let username = fields.required::<NewUsername>("username");
        let name = fields.required::<Name>("name");
        let email = fields.optional::<Email>("email");
        let birthdate = fields.optional::<Birthdate>("birthdate");
        let address = fields.optional::<Address>("address");
        let status = fields.optional::<Status>("status");
        let interests = fields.optional::<Interests>("interests");
        let approves_followers = fields.optional::<bool>("approvesFollowers");
        let default_audience = fields.optional::<Audience>("defaultAudience");
        let attributes = fields.document("attributes", document::read_nested);
        fields.finish()?;

        let username = Username::from(username?);
        let attributes = match attributes? {
            Patch::Set(attributes) => Some(attributes),
            Patch::Keep | Patch::Remove => None,
        };
        attributes.as_ref().map(check_attributes_size).transpose()?;
        Ok(Self(User {
            name: name?.into(),
            email: email?.map(Into::into),
            birthdate: birthdate?.map(Into::into),
            address: address?.map(Into::into),
            status: status?.map(Into::into),
            interests: interests?.map(Into::into).unwrap_or_default(),
            approves_followers: approves_followers?.unwrap_or_default(),
            default_audience: default_audience?.unwrap_or_default(),
            push_off: PushOff::default(),
            quiet_hours: None,
            lock_screen: LockScreen::default(),
            sensitive_photos: SensitivePhotos::default(),
            pinned_image: None,
            pinned_picture: None,
            followers: 0,
            following: 0,
            photos: Some(0),
            uploads: Some(0),
            creation_id: Some(Uuid::now_v7().to_string()),
            subject: None,
            attributes,
            username,
        }))
    }
}

/// A new user, and the caller, who must be this user. Everybody else gets 403.
pub struct NewProfile {
    user: User,
    caller: Caller,
}

impl FromRequest for NewProfile {
    fn from_request(request: &Request) -> Result<Self, Error> {
        let (Body(NewUser(user)), caller) = <(Body<NewUser>, Caller)>::from_request(request)?;
        caller.must_be(&user.username)?;
        Ok(Self { user, caller })
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        <(Body<NewUser>, Caller)>::describe(operation);
        operation.callers(Callers::Owner);
    }
}

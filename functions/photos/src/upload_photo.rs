//! One `TransactWriteItems` puts the photo, with the current time in its key, and increments the
//! user's count of uploads, on the condition that the caller has a profile and fewer than
//! [`MAX_PHOTOS`] photos. If the user has another photo of the same millisecond, the function tries
//! again with a later id.
//!
//! If the request has no `audience`, the photo gets that of the profile, `defaultAudience`. Without
//! reading it, the transaction has the condition that the profile has none. If it has one, the
//! failed condition returns it, and another transaction has the condition that it is still the
//! same.
//!
//! With the header `Idempotency-Key`, the same transaction also puts a record of the key into the
//! table `<stage>.Favorite`, on the condition that there is none. If there is one, a consistent
//! `GetItem` reads the photo that the first request created, and the answer is 200 with this photo.
//! While its picture is pending, the answer has a new form. A photo that has expired counts as
//! deleted, also while DynamoDB has not deleted it yet.
//!
//! With `pictures`, the same transaction puts the [`Pictures`], and the answer has a form or a request for each. A
//! repetition also reads them, by another consistent `GetItem`.
//!
//! The form is signed without any request to S3, and so is the request of a client that announces
//! the size and the hash of its file. The file starts process-photo, which makes the
//! photo ready. A photo whose file never comes expires after a day.

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::Update;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::account::refusal;
use shared::entities::{
    IdempotencyScope, IdempotentRequest, MAX_PHOTOS, MAX_PICTURES, Photo, Picture, Pictures, count_new_photo,
    existing_user, get_photo, get_pictures,
};
use shared::http::answer;
use shared::http::extract::{Body, FromFields, Owner};
use shared::http::fields::Fields;
use shared::http::form::FormSigner;
use shared::http::idempotency::Idempotency;
use shared::http::request::Caller;
use shared::show::{ShownPhoto, Signer, UploadedPhoto};
use shared::values::{Audience, Caption, PhotoId, SensitiveReason, Timestamp, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

use crate::new_picture::{FIELDS, NewPicture};

#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of attempts. Each attempt uses another id.
///
/// An upload loses an id only to another photo that the same user uploads in the same
/// millisecond. At 10 ms each, all attempts take half a second of the function's timeout of 10
/// seconds.
const MAX_ATTEMPTS: usize = 50;

/// The route.
pub struct UploadPhoto {
    table: Table,
    favorites: String,
    signer: Signer,
    forms: FormSigner,
}

impl Route for UploadPhoto {
    const NAME: &'static str = "upload-photo";
    const ROUTE: &'static str = "POST /users/{username}/photos";
    const SUMMARY: &'static str = "Creates a photo of the caller, and the form, or with `\"upload\": \"put\"` the request, with which its file is \
         uploaded to S3. With `pictures`, the photo has several, and each has a form or a request.";
    const SUCCESSES: &'static [Success] = &[Success::OK, Success::CREATED_AT];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount, ErrorKind::TooManyPhotos];

    type Input = (Owner, Body<NewPhoto>, Idempotency);
    type Body = UploadedPhoto;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            favorites: process.variable("FAVORITE_TABLE_NAME")?,
            signer: Signer::from_process(process)?,
            forms: FormSigner::from_process(process)?,
        })
    }

    async fn answer(
        &self,
        (Owner(caller), Body(new), idempotency): Self::Input,
    ) -> Result<Response<UploadedPhoto>, Error> {
        let Self { table, favorites, signer, forms } = self;
        let username = &caller.username;
        let idempotent = IdempotentRequest::of(idempotency, username, &IdempotencyScope::Photos);

        // Most users have not chosen another one, and the condition of the transaction says so.
        let mut default_audience = Audience::Everyone;
        for _ in 0..MAX_ATTEMPTS {
            let photo = new_photo(username, &new, new.audience.unwrap_or(default_audience), forms);
            let pictures = new.pictures(&photo.id);
            let uploaded = uploaded(photo.clone(), pictures.as_ref(), &new, signer, forms)?;
            let increment_uploads = increment_uploads(table, &caller, default_audience, new.audience.is_some())?;
            let put_record =
                idempotent.as_ref().map(|idempotent| idempotent.put_record(favorites, &without_uploads(&uploaded)));
            let put_record = put_record.transpose()?;
            let mut transaction = Transaction::new();
            transaction.put(photo.put_new(&table.name)?);
            if let Some(pictures) = &pictures {
                transaction.put(pictures.put_new(&table.name, username)?);
            }
            let owner = transaction.update(increment_uploads);
            let record = put_record.map(|put_record| transaction.put(put_record));

            match transaction.write(&table.client).await? {
                Outcome::Committed => {
                    let location = format!("/users/{username}/photos/{}", photo.id);
                    return answer::created_at(&location, &uploaded);
                }
                Outcome::ConditionFailed(failed) => {
                    let is_owner_refused = failed.contains(owner);
                    let owner = failed.item(owner);
                    if is_owner_refused && let Some(refusal) = refusal(owner, username, &caller.subject) {
                        return Err(refusal);
                    }
                    if let (Some(idempotent), Some(record)) = (&idempotent, failed.item(record)) {
                        return repeat(table, idempotent.made(record.clone())?, &new, signer, forms).await;
                    }
                    if is_owner_refused {
                        let user = existing_user(owner.cloned(), username, username)?;
                        if new.audience.is_some() || user.default_audience == default_audience {
                            return Err(too_many_photos());
                        }
                        default_audience = user.default_audience;
                    }
                    // The user has another photo of this millisecond.
                }
            }
        }
        Err(Error::Busy(format!("{MAX_ATTEMPTS} ids in a row belong to other photos").into()))
    }
}

/// Returns the increment of the count of uploads. The conditions are that the caller has a profile
/// with fewer than [`MAX_PHOTOS`] photos, and this audience of new photos, unless the request has
/// its own.
fn increment_uploads(
    table: &Table,
    caller: &Caller,
    default_audience: Audience,
    has_audience: bool,
) -> Result<Update, Error> {
    let update = |further| count_new_photo(&table.name, &caller.username, &caller.subject, further);
    let update = match default_audience {
        _ if has_audience => update(""),
        Audience::Everyone => update(" AND attribute_not_exists(defaultAudience)"),
        Audience::Followers | Audience::Me => update(" AND defaultAudience = :audience")
            .expression_attribute_values(":audience", S(default_audience.to_string())),
    };
    Ok(update.build()?)
}

fn too_many_photos() -> Error {
    let detail = format!("You have reached the maximum of {MAX_PHOTOS} photos. Delete a photo first.");
    Error::refused(ErrorKind::TooManyPhotos, detail)
}

/// The content of a request.
pub struct NewPhoto {
    caption: Option<Caption>,
    /// The audience. Without it, the one that the profile has for new photos.
    audience: Option<Audience>,
    sensitive: Option<SensitiveReason>,
    /// The picture, or the first of several.
    first: NewPicture,
    /// The other ones of several. Empty for a photo of one picture.
    others: Vec<NewPicture>,
}

/// One of several pictures.
struct OneOfSeveral(NewPicture);

impl NewPhoto {
    /// Returns the pictures of a new photo of several.
    fn pictures(&self, id: &PhotoId) -> Option<Pictures> {
        let alt_texts = self.all().map(|new| new.alt_text.as_ref().map(ToString::to_string));
        (!self.others.is_empty()).then(|| Pictures::pending(id.clone(), alt_texts))
    }

    fn all(&self) -> impl Iterator<Item = &NewPicture> {
        [&self.first].into_iter().chain(&self.others)
    }
}

/// Returns a new photo of the current time.
fn new_photo(username: &Username, new: &NewPhoto, audience: Audience, forms: &FormSigner) -> Photo {
    let id = PhotoId::from(Timestamp::now());
    let location = forms.location(username, &id);
    Photo {
        caption: new.caption.as_ref().map(ToString::to_string),
        alt_text: new.first.alt_text.as_ref().map(ToString::to_string),
        audience,
        sensitive: new.sensitive,
        pictures: new.pictures(&id).map(|pictures| pictures.count()),
        ..Photo::pending(username.clone(), id, location)
    }
}

/// Returns the answer to a repeated request: the photo `made` as it is now, or as it was made if it
/// has expired or been deleted since.
async fn repeat(
    table: &Table,
    made: ShownPhoto,
    new: &NewPhoto,
    signer: &Signer,
    forms: &FormSigner,
) -> Result<Response<UploadedPhoto>, Error> {
    let photo = get_photo(table, &made.username, &made.id).await?;
    let Some(photo) = photo.filter(|photo| !photo.has_expired()) else {
        return answer::ok(&UploadedPhoto { photo: made, upload: None });
    };
    let pictures = match photo.pictures {
        Some(_) => get_pictures(table, &photo.username, &photo.id).await?,
        None => None,
    };
    answer::ok(&uploaded(photo, pictures.as_ref(), new, signer, forms)?)
}

/// Returns the photo of an answer without the forms, which a repetition signs again.
fn without_uploads(uploaded: &UploadedPhoto) -> ShownPhoto {
    let mut photo = uploaded.photo.clone();
    for picture in &mut photo.pictures {
        picture.upload = None;
    }
    photo
}

/// Returns the answer for a photo of the caller, with a form or a request for each picture of the request
/// that is pending.
fn uploaded(
    photo: Photo,
    pictures: Option<&Pictures>,
    new: &NewPhoto,
    signer: &Signer,
    forms: &FormSigner,
) -> Result<UploadedPhoto, Error> {
    let (owner, id, ttl) = (photo.username.clone(), photo.id.clone(), photo.ttl);
    let mut uploaded = UploadedPhoto { photo: signer.show_to_owner(photo), upload: None };
    let Some(pictures) = pictures else {
        uploaded.upload = ttl.map(|ttl| new.first.upload(forms, &owner, &id, None, ttl)).transpose()?;
        return Ok(uploaded);
    };
    uploaded.photo.pictures = signer.show_pictures_to_owner(&owner, pictures);
    // The pictures of the request have the numbers from 1 on.
    for (made, new) in new.pictures(&id).into_iter().flat_map(|made| made.entries).zip(new.all()) {
        let is_pending = pictures.get(made.number).is_some_and(|entry| entry.picture == Picture::Pending);
        let shown = uploaded.photo.pictures.iter_mut().find(|shown| shown.number == made.number);
        if let (Some(shown), Some(ttl), true) = (shown, ttl, is_pending) {
            shown.upload = Some(new.upload(forms, &owner, &id, Some(made.number), ttl)?);
        }
    }
    Ok(uploaded)
}

impl FromFields for OneOfSeveral {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        NewPicture::take(fields, Fields::finish).map(|(new, ())| Self(new))
    }
}

impl FromFields for NewPhoto {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        fields.excludes("pictures", FIELDS);
        let (one, (caption, audience, sensitive, several)) = NewPicture::take(fields, |fields| {
            let caption = fields.optional::<Caption>("caption");
            let audience = fields.optional::<Audience>("audience");
            let sensitive = fields.optional::<SensitiveReason>("sensitive");
            let several = fields.list::<OneOfSeveral, 2, MAX_PICTURES>("pictures");
            fields.finish()?;
            Ok((caption?, audience?, sensitive?, several?))
        })?;
        let mut several = several.into_iter().flatten().map(|OneOfSeveral(new)| new);
        let first = several.next().unwrap_or(one);
        Ok(Self { caption, audience, sensitive, first, others: several.collect() })
    }
}

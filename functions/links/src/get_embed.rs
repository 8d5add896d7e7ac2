//! [`SharedThing`] has the two requests. The answer is that of [oEmbed
//! 1.0](https://oembed.com/#section2.3), by which other sites show a link that a person writes there. That
//! of a sensitive photo has no picture.

use serde::Serialize;
use shared::http::answer;
use shared::http::caching::SHARED_SECONDS;
use shared::http::extract::{OptionalQuery, Query, RequiredQuery};
use shared::http::visitor::Nobody;
use shared::show::{PictureUrl, Signer};
use shared::values::{EmbedFormat, LinkUrl, MaxPixels};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

use crate::own_link::token_of_url;
use crate::shared_thing::SharedThing;

#[cfg(test)]
mod tests;

/// The oEmbed of a link.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
pub struct Embed {
    /// `photo`, or `link` for a profile and for a sensitive photo.
    #[serde(rename = "type")]
    kind: EmbedType,
    /// The version of oEmbed, `1.0`.
    version: &'static str,
    /// The beginning of the caption, or the name of the user.
    title: String,
    /// The display name of the user who shares.
    author_name: String,
    /// `Quick Photos`.
    provider_name: &'static str,
    /// The time for which a site may keep the answer, in seconds.
    cache_age: u64,
    #[serde(flatten)]
    picture: Option<EmbeddedPicture>,
}

/// The type of an oEmbed.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbedType {
    /// A photo.
    Photo,
    /// A profile.
    Link,
}

/// The picture of a photo.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
pub struct EmbeddedPicture {
    /// The address of the picture.
    url: String,
    /// The width in pixels, at most `maxwidth`.
    width: u32,
    /// The height in pixels, at most `maxheight`.
    height: u32,
    /// The address of the small picture.
    thumbnail_url: String,
    /// The width of the small picture in pixels, at most `maxwidth`.
    thumbnail_width: u32,
    /// The height of the small picture in pixels, at most `maxheight`.
    thumbnail_height: u32,
}

/// The route.
pub struct GetEmbed {
    table: Table,
    signer: Signer,
}

impl Route for GetEmbed {
    const NAME: &'static str = "get-embed";
    const ROUTE: &'static str = "GET /oembed";
    const SUMMARY: &'static str = "Returns the oEmbed of a link, with which another site shows the photo.";
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoLink];

    type Input = (
        Nobody,
        RequiredQuery<LinkUrl>,
        OptionalQuery<MaxPixels<true>>,
        OptionalQuery<MaxPixels<false>>,
        Query<EmbedFormat>,
    );
    type Body = Embed;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, signer: Signer::from_process(process)? })
    }

    async fn answer(
        &self,
        (Nobody, RequiredQuery(url), OptionalQuery(max_width), OptionalQuery(max_height), Query(EmbedFormat::Json)): Self::Input,
    ) -> Result<Response<Embed>, Error> {
        let shared = SharedThing::read(&self.table, token_of_url(url.as_ref()).as_ref()).await?;
        let title = shared.title();
        let picture = shared.photo.filter(|photo| photo.sensitive.is_none()).and_then(|photo| {
            let photo = self.signer.show_to_owner(photo);
            let max = (max_width.map_or(u32::MAX, MaxPixels::get), max_height.map_or(u32::MAX, MaxPixels::get));
            EmbeddedPicture::within(max, (photo.width?, photo.height?), &photo.urls)
        });
        let embed = Embed {
            kind: if picture.is_some() { EmbedType::Photo } else { EmbedType::Link },
            version: "1.0",
            title,
            author_name: shared.owner.name,
            provider_name: "Quick Photos",
            cache_age: SHARED_SECONDS,
            picture,
        };
        answer::ok(&embed).map(answer::shared)
    }
}

impl EmbeddedPicture {
    /// Returns the largest JPEG, as large as it may be. It is shown smaller where even the smallest is
    /// too large.
    fn within(max: (u32, u32), largest: (u32, u32), urls: &[PictureUrl]) -> Option<Self> {
        let height_of = |width: u32| scaled(largest.1, width, largest.0);
        let fits = |picture: &&PictureUrl| picture.width <= max.0 && height_of(picture.width) <= max.1;
        let small = urls.first()?;
        let picture = urls.iter().rfind(fits).unwrap_or(small);
        let shrunk = |width: u32| {
            let (mut width, mut height) = (width, height_of(width));
            if width > max.0 {
                (width, height) = (max.0, scaled(height, max.0, width));
            }
            if height > max.1 {
                (width, height) = (scaled(width, max.1, height), max.1);
            }
            (width, height)
        };
        let ((width, height), (thumbnail_width, thumbnail_height)) = (shrunk(picture.width), shrunk(small.width));
        Some(Self {
            url: picture.url.clone(),
            width,
            height,
            thumbnail_url: small.url.clone(),
            thumbnail_width,
            thumbnail_height,
        })
    }
}

/// Returns `length * numerator / denominator`, rounded as process-photo rounds heights, and 1 at least.
fn scaled(length: u32, numerator: u32, denominator: u32) -> u32 {
    let denominator = u64::from(denominator.max(1));
    let scaled = (u64::from(length) * u64::from(numerator) + denominator / 2) / denominator;
    u32::try_from(scaled).unwrap_or(u32::MAX).max(1)
}

//! The patches of a photo.

use aws_sdk_dynamodb::types::AttributeValue::{self, S};
use shared::Error;
use shared::entities::MAX_PICTURES;
use shared::http::extract::FromFields;
use shared::http::fields::{Fields, Patch};
use shared::values::{AltText, AnsweredComment, Audience, Caption, SensitiveReason};

use super::arrange::Wanted;

/// The patches of a photo.
pub struct Changes {
    /// The patches of the texts, by the names of their attributes.
    pub(super) texts: [(&'static str, Patch<AttributeValue>); 2],
    /// The pictures that the photo has from now on.
    pub(super) pictures: Option<Vec<Wanted>>,
    pub(super) audience: Patch<Audience>,
    pub(super) pinned_comment: Patch<AnsweredComment>,
    pub(super) sensitive: Patch<SensitiveReason>,
    keeps_link: bool,
}

impl Changes {
    pub(super) fn are_none(&self) -> bool {
        let others_are_none = self.sensitive == Patch::Keep && self.pinned_comment == Patch::Keep;
        !self.have_texts() && self.audience == Patch::Keep && self.pictures.is_none() && others_are_none
    }

    pub(super) fn have_texts(&self) -> bool {
        self.texts.iter().any(|(_, patch)| *patch != Patch::Keep)
    }

    /// Returns whether not everyone may see the photo any more.
    pub(super) fn is_restricted(&self) -> bool {
        matches!(self.audience, Patch::Set(Audience::Followers | Audience::Me))
    }

    /// Returns whether the photo cannot be the picture of the profile any more.
    pub(super) fn forbid_pin(&self) -> bool {
        self.is_restricted() || matches!(self.sensitive, Patch::Set(_))
    }

    /// Returns whether the link of the photo ends.
    pub(super) fn end_link(&self) -> bool {
        self.audience == Patch::Set(Audience::Me) && !self.keeps_link
    }
}

impl FromFields for Changes {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        fields.excludes("pictures", &["altText"]);
        let caption = fields.patch::<Caption>("caption");
        let pictures = fields.list::<Wanted, 1, MAX_PICTURES>("pictures");
        let alt_text = fields.patch::<AltText>("altText");
        let audience = fields.patch::<Audience>("audience");
        let pinned_comment = fields.patch::<AnsweredComment>("pinnedComment");
        let sensitive = fields.patch::<SensitiveReason>("sensitive");
        let keeps_link = fields.optional::<bool>("keepLink");
        fields.finish()?;
        let texts =
            [("caption", caption?.map(|text| S(text.into()))), ("altText", alt_text?.map(|text| S(text.into())))];
        let (audience, sensitive, keeps_link) = (audience?, sensitive?, keeps_link?.unwrap_or_default());
        Ok(Changes { texts, pictures: pictures?, audience, pinned_comment: pinned_comment?, sensitive, keeps_link })
    }
}

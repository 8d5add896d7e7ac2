//! The photo or the profile that a link opens, for everybody who has its token.
//!
//! One `GetItem` reads the target of the token. One `BatchGetItem` reads the owner and the photo.
//! Each reason why a link does not open gives the same error, so a guessed token learns nothing.

use shared::dynamodb::{Item, batch, entity};
use shared::entities::{Key, LinkTarget, Photo, User, photo_from_item, user_without_attributes};
use shared::values::{Caption, LinkToken};
use shared::{Error, Table};

use crate::own_link::no_link;

/// A photo or a profile that a link opens.
pub struct SharedThing {
    /// The target of the link.
    pub target: LinkTarget,
    /// The owner.
    pub owner: User,
    /// The photo, which is ready, whatever its audience is. `None` if the link opens the profile.
    pub photo: Option<Photo>,
}

/// The maximum number of characters of a title.
const MAX_TITLE: usize = 70;

impl SharedThing {
    /// Returns the title: the beginning of the first visible line of the caption, or the name of the user.
    #[must_use]
    pub fn title(&self) -> String {
        let User { name, username, .. } = &self.owner;
        let caption = self.photo.as_ref().and_then(|photo| photo.caption.as_deref()).unwrap_or_default();
        // A text without a visible character is no caption.
        let first_line = caption.lines().find(|line| line.parse::<Caption>().is_ok()).map(str::trim);
        match first_line {
            Some(line) if line.chars().count() <= MAX_TITLE => line.to_owned(),
            Some(line) => line.chars().take(MAX_TITLE).chain(['…']).collect(),
            None if self.photo.is_some() => format!("A photo by {name}"),
            None => format!("{name} (@{username})"),
        }
    }

    /// Returns what a token opens. Fails if there is no such link, if it has ended, or if its owner
    /// or its photo is gone or removed.
    pub async fn read(table: &Table, token: Option<&LinkToken>) -> Result<Self, Error> {
        Self::read_with(table, token, false, |_| vec![]).await.map(|(shared, _)| shared)
    }

    /// Returns what a token opens, and the items at further keys about it, which the same
    /// `BatchGetItem` reads.
    pub async fn read_with(
        table: &Table,
        token: Option<&LinkToken>,
        consistent: bool,
        further: impl FnOnce(&LinkTarget) -> Vec<Key>,
    ) -> Result<(Self, Vec<Item>), Error> {
        let token = token.ok_or_else(no_link)?;
        let output = table
            .client
            .get_item()
            .table_name(&table.name)
            .set_key(Some(Key::link_target(token).into()))
            .send()
            .await?;
        let target: Option<LinkTarget> = output.item.map(entity::from_item).transpose()?;
        let target = target.filter(|target| !target.is_over()).ok_or_else(no_link)?;

        let user = Key::user(&target.owner);
        let key_of_photo = target.photo.as_ref().map(|id| Key::photo(&target.owner, id));
        let keys = [user.clone()].into_iter().chain(key_of_photo.clone()).chain(further(&target));
        let mut found = batch::get(table, keys.collect(), consistent).await?;
        let owner = batch::take(&mut found, user).as_ref().map(user_without_attributes).transpose()?.flatten();
        let owner = owner.ok_or_else(no_link)?;
        let mut photo = None;
        if let Some(key) = key_of_photo {
            let item = batch::take(&mut found, key).map(photo_from_item).transpose()?.flatten();
            photo = Some(item.filter(Photo::is_ready).ok_or_else(no_link)?);
        }
        Ok((Self { target, owner, photo }, found))
    }
}

//! Several pictures of a reported photo.

use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::ConditionCheck;
use shared::dynamodb::transaction::Transaction;
use shared::dynamodb::{Item, batch};
use shared::entities::{Key, Photo, Pictures, Report, get_pictures, place_vector};
use shared::values::{PictureNumber, ReportReason};
use shared::{Error, Table};

/// The pictures of a photo, with their vectors, as they were read.
pub(super) struct Several {
    pictures: Pictures,
    vectors: Vec<(PictureNumber, Option<Item>)>,
}

impl Several {
    /// Reads the pictures by a consistent `GetItem`, and their vectors by a `BatchGetItem`.
    pub(super) async fn read(table: &Table, feed: &Table, photo: &Photo) -> Result<Option<Self>, Error> {
        let (owner, id) = (&photo.username, &photo.id);
        let Some(pictures) = get_pictures(table, owner, id).await? else { return Ok(None) };
        let with_files = pictures.entries.iter().filter(|entry| entry.picture.sizes().is_some());
        let numbers: Vec<PictureNumber> = with_files.map(|entry| entry.number).collect();
        let key = |number: PictureNumber| Key::vector(owner, id, Some(number));
        let mut found = batch::get(feed, numbers.iter().map(|number| key(*number)).collect(), true).await?;
        let vectors = numbers.into_iter().map(|number| (number, batch::take(&mut found, key(number)))).collect();
        Ok(Some(Self { pictures, vectors }))
    }

    /// Returns the pictures after a decision.
    pub(super) fn after(&self, decided: &Report) -> Pictures {
        self.pictures.decided(&decided.pictures, decided.removed_for.unwrap_or(ReportReason::Other))
    }

    /// Returns whether the pictures are as a decision says.
    pub(super) fn agrees(&self, decided: &Report) -> bool {
        self.after(decided).entries == self.pictures.entries
    }

    /// Fails if a decision removes pictures that are not there, or leaves none. Those that the report names may be
    /// gone, because their owner can leave out what was removed.
    pub(super) fn check(&self, report: &Report, decided: &Report) -> Result<(), Error> {
        let is_known = |number| self.pictures.get(number).is_some() || report.pictures.contains(&number);
        if !decided.pictures.iter().copied().all(is_known) {
            return Err(Error::invalid("pictures", "must be numbers of pictures of the photo"));
        }
        if !self.after(decided).entries.iter().any(|entry| entry.shown().is_some()) {
            let rule = "must leave a picture that is shown; leave pictures out to remove the photo";
            return Err(Error::invalid("pictures", rule));
        }
        Ok(())
    }

    /// Adds the writes of the pictures and of their vectors. The condition is that the pictures are still as they were
    /// read, also if they stay so. `is_shown` tells whether everyone may see the photo.
    pub(super) fn write(
        &self,
        table: &Table,
        feed: &Table,
        photo: &Photo,
        decided: &Report,
        is_shown: bool,
        transaction: &mut Transaction,
    ) -> Result<(), Error> {
        let (owner, id) = (&photo.username, &photo.id);
        let after = self.after(decided);
        if self.agrees(decided) {
            let check = ConditionCheck::builder()
                .table_name(&table.name)
                .set_key(Some(Key::pictures(owner, id).into()))
                .condition_expression("version = :version")
                .expression_attribute_values(":version", N(self.pictures.version.to_string()));
            transaction.condition_check(check.build()?);
        } else {
            transaction.put(after.put(&table.name, owner)?);
        }
        for (number, vector) in &self.vectors {
            let is_shown = is_shown && after.get(*number).is_some_and(|entry| entry.shown().is_some());
            transaction.add(place_vector(feed, owner, id, Some(*number), vector.as_ref(), is_shown)?);
        }
        Ok(())
    }
}

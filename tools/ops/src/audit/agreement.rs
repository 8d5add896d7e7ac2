//! Whether the table, the bucket and the table of feeds belong together.

use super::error::Error;

/// The number of objects, or of items of the feeds, that refer to something in the table, and of
/// all of them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Share {
    found: u64,
    all: u64,
}

impl Share {
    pub(super) fn add(&mut self, is_found: bool) {
        self.found += u64::from(is_found);
        self.all += 1;
    }

    /// Fails unless at least half of them refer to something in the table. In a system of its own
    /// nearly all do, because the functions delete what they no longer need. With the wrong table,
    /// nearly none do, and with an empty one none.
    pub(super) fn require_agreement(self, table: &str, other: &str, references: &str) -> Result<(), Error> {
        let Self { found, all } = self;
        if found * 2 >= all {
            return Ok(());
        }
        Err(Error::Refused(format!(
            "{other} does not belong to the table {table}: {found} of its {all} {references} in the table, and at least half of \
             them have to be; check the names, and audit without --repair to see what is missing"
        )))
    }
}

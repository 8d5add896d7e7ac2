//! The memory of a process: what it has read of authors and hashtags that many readers pull.

use std::time::Duration;

use shared::dynamodb::Item;
use shared::dynamodb::memory::Memory;
use shared::entities::{Key, Latest, Position};
use shared::values::{Hashtag, Username};

/// The time for which a process remembers what it has read of pulled authors and of hashtags, if it
/// has read it [`OFTEN`] times in that time.
pub(super) const MEMORY: Duration = Duration::from_secs(1);
/// The number of times in a second that a process reads the same of a pulled author or a hashtag.
/// Others come from its memory.
pub const OFTEN: u32 = 2;

/// The newest photos of pulled authors and of hashtags, these photos and the profiles, as this
/// process has read them within the last second. Millions may read them at the same time, and one
/// item serves [3,000 read units a
/// second](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html).
pub(super) struct Remembered {
    pub(super) latest: Memory<Username, Latest>,
    /// Nothing of a hidden hashtag.
    pub(super) hashtags: Memory<Hashtag, Vec<Position>>,
    /// Photos and profiles.
    pub(super) items: Memory<Key, Item>,
}

impl Default for Remembered {
    fn default() -> Self {
        Self {
            latest: Memory::new(MEMORY, OFTEN),
            hashtags: Memory::new(MEMORY, OFTEN),
            items: Memory::new(MEMORY, OFTEN),
        }
    }
}

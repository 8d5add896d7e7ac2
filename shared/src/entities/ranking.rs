//! The photos that many have reacted to: what process-changes derives from photos, and what
//! rank-photos makes of it.
//!
//! - A [`PopularPhoto`] lets rank-photos find a photo by the day of its upload and by its level.
//! - A [`Ranking`] has the photos that Explore shows, in their order.
//!
//! Only photos that everyone may see have a popular photo, so neither tells of any other photo.
//! Both follow from photos alone, and neither from what a reader does.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue::N;
use serde::{Deserialize, Serialize};

use super::key::{FEED_SK, Key};
use super::photo::Photo;
use super::position::Position;
use crate::Error;
use crate::dynamodb::expiry::{self, TTL};
use crate::dynamodb::{Item, entity};
use crate::search::prefix;
use crate::values::{Timestamp, Username};

/// The prefix of the partition keys of popular photos. The day of the upload follows.
pub(super) const POPULAR_PREFIX: &str = "Popular#";
/// The partition key of rankings.
pub const RANKING_PK: &str = "Ranking";

/// The lowest level of a popular photo: one with two reactions is one.
///
/// A photo with `n` reactions has crossed `log2(n) - MIN_POPULAR_LEVEL + 1` levels, and each takes
/// a put and the delete of the level before. So `R` reactions a day to new photos make at most
/// `4 R / 2^MIN_POPULAR_LEVEL` writes a day, however they are distributed, because at most
/// `R / 2^level` photos reach a level. A partition takes 1,000 writes a second. Level 1 is enough for
/// 24 million reactions a day with a peak of 1.8 times the mean, which is an app of about 12 million
/// users. One of 100 million has 200 million reactions a day, so it needs level 5, with 520 writes a
/// second at the peak. Above, popular photos wait in the queue of the job, and nothing else does.
pub const MIN_POPULAR_LEVEL: u32 = 1;
/// The maximum level of a popular photo, which has two digits in a key.
const MAX_LEVEL: u32 = 99;
/// The number of days of uploads that a ranking has photos of, with the day on which it is made.
pub const RANKED_DAYS: u64 = 3;
/// The time after the upload of a photo at which its popular photo expires, in seconds: four days,
/// which is longer than [`RANKED_DAYS`].
pub const POPULAR_LIFETIME_SECONDS: u64 = 4 * DAY;
/// The maximum number of photos of a ranking, which has about 30 KB then.
pub const MAX_RANKED: usize = 500;
/// The maximum number of photos of one owner in a ranking.
pub const MAX_RANKED_OF_OWNER: usize = 3;
/// The time after which a ranking expires, in seconds: an hour. A page with a cursor comes before.
pub const RANKING_LIFETIME_SECONDS: u64 = 60 * 60;

/// The number of seconds in a day.
const DAY: u64 = 24 * 60 * 60;

const _: () = assert!(POPULAR_LIFETIME_SECONDS > RANKED_DAYS * DAY, "a ranking finds the popular photos of its days");

/// A photo that many have reacted to, as rank-photos finds it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PopularPhoto {
    /// The binary logarithm of the number of reactions, rounded down.
    pub level: u32,
    /// The photo.
    pub photo: Position,
}

impl Photo {
    /// Returns whether Explore may show the photo: everyone may see it, and it is not sensitive. The
    /// time of a photo of an import is whatever the file says, so Explore shows none.
    #[must_use]
    pub fn may_be_popular(&self) -> bool {
        self.may_be_pinned() && !self.imported
    }

    /// Returns the popular photo of the photo, if it has one.
    #[must_use]
    pub fn popular(&self) -> Option<PopularPhoto> {
        let level = self.reactions.values().sum::<u64>().checked_ilog2()?.min(MAX_LEVEL);
        let photo = Position { id: self.id.clone(), author: self.username.clone() };
        (self.may_be_popular() && level >= MIN_POPULAR_LEVEL).then_some(PopularPhoto { level, photo })
    }
}

impl Key {
    /// Returns the key of a [`PopularPhoto`](super::PopularPhoto).
    #[must_use]
    pub fn popular_photo(PopularPhoto { level, photo: Position { id, author } }: &PopularPhoto) -> Self {
        let pk = popular_pk(prefix(id.as_ref(), 10));
        Self::of_feed(pk, format!("{level:02}#{id}#{author}"))
    }

    /// Returns the key of a [`Ranking`](super::Ranking).
    #[must_use]
    pub fn ranking(minute: &str) -> Self {
        Self::of_feed(RANKING_PK.to_owned(), minute.to_owned())
    }
}

/// Returns the partition key of the popular photos that were uploaded on a day, such as `2026-11-29`,
/// in UTC.
#[must_use]
pub fn popular_pk(day: &str) -> String {
    format!("{POPULAR_PREFIX}{day}")
}

/// Returns the days of the uploads of which a ranking has photos, from the newest.
#[must_use]
pub fn ranked_days(now: &Timestamp) -> Vec<String> {
    let day = |age: u64| {
        let millis = (now.seconds().saturating_sub(age * DAY)) * 1000;
        let time = Timestamp::from_epoch_millis(i64::try_from(millis).ok()?)?;
        Some(prefix(time.as_ref(), 10).to_owned())
    };
    (0..RANKED_DAYS).filter_map(day).collect()
}

impl PopularPhoto {
    /// Returns the item of the popular photo, which is the same whenever it is made.
    #[must_use]
    pub fn item(&self) -> Item {
        let mut item = Item::from(Key::popular_photo(self));
        item.insert(TTL.to_owned(), N(self.expiry().to_string()));
        item
    }

    /// Returns the popular photo that an item holds, from its sort key.
    pub fn from_item(item: &Item) -> Result<Self, Error> {
        let sk = item.get(FEED_SK).and_then(|sk| sk.as_s().ok()).map_or("", String::as_str);
        let parse = |sk: &str| {
            let (level, photo) = sk.split_once('#')?;
            let (id, author) = photo.split_once('#')?;
            let photo = Position { id: id.parse().ok()?, author: author.parse().ok()? };
            Some(Self { level: level.parse().ok()?, photo })
        };
        parse(sk).ok_or_else(|| Error::internal(format!("the sort key {sk:?} is not that of a popular photo")))
    }

    /// Returns whether DynamoDB may have deleted the popular photo, because the photo is too old.
    #[must_use]
    pub fn has_expired(&self) -> bool {
        expiry::is_over(self.expiry())
    }

    /// Returns the time at which the popular photo expires, in seconds since 1970.
    fn expiry(&self) -> u64 {
        self.photo.id.time().seconds() + POPULAR_LIFETIME_SECONDS
    }

    /// Returns the level minus the age in whole days, by which a ranking is ordered. So a photo has to
    /// have twice as many reactions as one that is a day newer.
    fn score(&self, now: &Timestamp) -> i64 {
        let age = now.seconds().saturating_sub(self.photo.id.time().seconds()) / DAY;
        i64::from(self.level) - i64::try_from(age).unwrap_or(i64::MAX)
    }
}

/// The photos that Explore shows, as they were ranked in a minute. It never changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ranking {
    /// The minute, such as `2026-11-29T16:53`, in UTC.
    pub minute: String,
    /// The photos in their order, at most [`MAX_RANKED`].
    pub photos: Vec<Position>,
    /// The time at which it expires, in seconds since 1970.
    pub ttl: u64,
}

impl Ranking {
    /// Ranks popular photos: the highest level minus the age in days first, and of those the newest
    /// upload. Leaves out all but [`MAX_RANKED_OF_OWNER`] photos of an owner, and all after
    /// [`MAX_RANKED`]. A photo that is between two levels has two popular photos, and is ranked by the
    /// higher one.
    #[must_use]
    pub fn new(mut popular: Vec<PopularPhoto>, now: &Timestamp) -> Self {
        popular.sort_by_cached_key(|one| (one.score(now), one.photo.clone()));
        let (mut photos, mut owners): (Vec<Position>, HashMap<Username, usize>) = (vec![], HashMap::new());
        for PopularPhoto { photo, .. } in popular.into_iter().rev() {
            let of_owner = owners.entry(photo.author.clone()).or_default();
            if photos.len() < MAX_RANKED && *of_owner < MAX_RANKED_OF_OWNER && !photos.contains(&photo) {
                *of_owner += 1;
                photos.push(photo);
            }
        }
        let minute = prefix(now.as_ref(), 16).to_owned();
        Self { minute, photos, ttl: now.seconds() + RANKING_LIFETIME_SECONDS }
    }

    /// Returns the item of the ranking.
    pub fn item(&self) -> Result<Item, Error> {
        entity::to_item(Key::ranking(&self.minute), self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-11-29T12:00:30.000Z";

    fn popular(level: u32, id: &str, owner: &str) -> PopularPhoto {
        PopularPhoto { level, photo: Position { id: id.parse().unwrap(), author: owner.parse().unwrap() } }
    }

    fn ranked(popular: Vec<PopularPhoto>) -> Vec<String> {
        let ranking = Ranking::new(popular, &NOW.parse().unwrap());
        ranking.photos.into_iter().map(|photo| format!("{} {}", photo.author, photo.id)).collect()
    }

    #[test]
    fn a_photo_that_is_a_day_older_needs_twice_the_reactions() {
        let ids = ["2026-11-28T12:00:31.000Z", "2026-11-28T11:00:00.000Z", "2026-11-27T11:00:00.000Z"];
        let popular =
            [popular(2, NOW, "dan"), popular(5, ids[2], "ada"), popular(3, ids[0], "cara"), popular(4, ids[1], "ben")];
        let expected = [("cara", ids[0]), ("ben", ids[1]), ("ada", ids[2]), ("dan", NOW)];
        assert_eq!(ranked(popular.to_vec()), expected.map(|(owner, id)| format!("{owner} {id}")));
    }

    #[test]
    fn a_photo_between_two_levels_is_ranked_once() {
        let popular = [popular(3, NOW, "ada"), popular(4, NOW, "ben"), popular(5, NOW, "ada")];
        assert_eq!(ranked(popular.to_vec()), ["ada", "ben"].map(|owner| format!("{owner} {NOW}")));
    }

    #[test]
    fn a_ranking_has_few_photos_of_one_owner_and_is_bounded() {
        let id = |number: usize| format!("2026-11-29T11:{:02}:{:02}.000Z", number / 60, number % 60);
        let of_one: Vec<PopularPhoto> = (0..10).map(|number| popular(9, &id(number), "ada")).collect();
        assert_eq!(ranked(of_one), [9, 8, 7].map(|number| format!("ada {}", id(number))));
        let of_many = (0..600).map(|number| popular(1, &id(number), &format!("user{number}"))).collect();
        assert_eq!(ranked(of_many).len(), MAX_RANKED);
    }

    #[test]
    fn an_item_has_the_popular_photo() {
        for photo in [popular(1, NOW, "ada"), popular(17, "2024-05-30T15:42:38", "ben")] {
            assert_eq!(PopularPhoto::from_item(&photo.item()).unwrap(), photo);
        }
        let key = Item::from(Key::popular_photo(&popular(7, NOW, "ada")));
        assert_eq!(key["pk"].as_s().unwrap(), "Popular#2026-11-29");
        assert_eq!(key["sk"].as_s().unwrap(), "07#2026-11-29T12:00:30.000Z#ada");
        for sk in ["", "7", "a#2026-11-29T12:00:30.000Z#ada", "07#today#ada", "07#2026-11-29T12:00:30.000Z#"] {
            let key = Key::of_feed(popular_pk("2026-11-29"), sk.to_owned());
            assert!(PopularPhoto::from_item(&key.into()).is_err(), "{sk}");
        }
    }

    #[test]
    fn a_ranking_has_photos_of_three_days() {
        assert_eq!(ranked_days(&NOW.parse().unwrap()), ["2026-11-29", "2026-11-28", "2026-11-27"]);
    }
}

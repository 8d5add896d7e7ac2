//! Photos with reactions, and rankings of photos.

use aws_sdk_dynamodb::types::AttributeValue::{M, N};
use shared::dynamodb::Item;
use shared::entities::{Position, Ranking};
use shared::values::{EpochMillis, Timestamp};
use testing::{FEED, Fixture, QUICK_PHOTOS, photo};

/// Returns the item of a photo with this number of hearts, which everyone may see.
pub(crate) fn liked(owner: &str, id: &str, hearts: u64) -> Item {
    let mut photo = photo(owner, id);
    photo.insert("reactions".to_owned(), M([("heart".to_owned(), N(hearts.to_string()))].into()));
    photo
}

/// Puts photos, each with its owner and its id.
pub(crate) async fn put_photos(fixture: &Fixture, photos: &[(&str, &str)]) {
    for (owner, id) in photos {
        fixture.put_in(QUICK_PHOTOS, liked(owner, id, 8)).await;
    }
}

/// Puts a ranking of photos that was made this number of minutes ago.
pub(crate) async fn put_ranking(fixture: &Fixture, minutes: u64, photos: &[(&str, &str)]) {
    let made = (EpochMillis::now().seconds() - minutes * 60) * 1000;
    let made = Timestamp::from_epoch_millis(i64::try_from(made).unwrap()).unwrap();
    let position = |(owner, id): &(&str, &str)| Position { id: id.parse().unwrap(), author: owner.parse().unwrap() };
    let photos = photos.iter().map(position).collect();
    let ranking = Ranking { photos, ..Ranking::new(vec![], &made) };
    fixture.put_in(FEED, ranking.item().unwrap()).await;
}

//! The keys and entities of the table `<stage>.Favorite`.
//!
//! | entity | `pk` | `sk` | index keys |
//! |---|---|---|---|
//! | [`Favorite`] | `FavoriteData#<username>` | `<dataId>` | `lsiOneSk`, `gsiOneSk` = `<clipTime>#<dataId>`; `gsiOnePk` = `FavoriteData#<username>#<type>` |
//! | [history](history_item) | `FavoriteDataHistory#<username>` | `<dataId>` | the same, with `FavoriteDataHistory#…` |
//! | [`FavoriteTag`] | `FavoriteDataTag#<username>#<dataId>` | `<tagId>` | `gsiOnePk` = `FavoriteDataTag#<username>#<tagId>`; `gsiTwoPk` = that + `#<type>`; `gsiOneSk`, `gsiTwoSk` = `<clipTime>#<dataId>` |
//! | [`Tag`] | `Tag#<username>` | `<tagId>` | `lsiOneSk` = name; `lsiTwoSk` = time of creation; `lsiThreeSk` = time of last use |
//! | [`TagNameReservation`] | `TagName#<username>` | the folded name | |
//! | [tag count](Key::tag_count) | `TagCount#<username>` | `TagCount` | |
//! | [favorite count](Key::favorite_count) | `FavoriteCount#<username>` | `FavoriteCount` | |
//! | [`Term`] | `FavoriteDataTerm#<username>#<term>` | `<clipTime>#<dataId>` | |
//! | [`IdempotencyRecord`] | `IdempotencyKey#<username>` | `photos#<key>` or `favorites#<key>` | |
//!
//! Lists of favorites are in the order of `<clipTime>#<dataId>` ([`ClipPosition`]), whichever index
//! they read.
//!
//! The last five entities exist in this program only. The other entities may come from tables of
//! other programs, which lack the newer attributes and items. So code that reads them must work
//! without a `tagCount` of a favorite, a reservation of each tag name, the two counts of a user,
//! and terms.
//!
//! No two entities can have the same key: a username contains no `#`, and the variable part after
//! it is the last one, or is followed by a type, which contains no `#` either.

mod attributes;
pub mod count;
mod favorite;
mod idempotency;
mod keys;
pub mod tag;
pub mod tag_name;
mod term;

pub use attributes::number;
pub use count::MAX_FAVORITES;
pub use favorite::{Favorite, history_item, restored_item, unchanged};
pub use idempotency::{IdempotencyRecord, IdempotencyScope};
pub use keys::{
    ClipPosition, GSI_ONE, GSI_ONE_PK, GSI_ONE_SK, GSI_TWO, GSI_TWO_PK, GSI_TWO_SK, Key, LSI_ONE, LSI_ONE_SK,
    LSI_THREE, LSI_THREE_SK, LSI_TWO, LSI_TWO_SK, PK, SK, favorite_count_pk, favorites_of_tag_and_type_pk,
    favorites_of_tag_pk, favorites_of_type_pk, favorites_pk, histories_pk, idempotency_keys_pk, owner_of_favorite,
    owner_of_tag, tag_count_pk, tag_names_pk, tags_of_favorite_pk, tags_pk, term_pk,
};
pub use tag::{FavoriteTag, MAX_TAGS_PER_FAVORITE, MAX_TAGS_PER_USER, Tag, Tags};
pub use tag_name::{TagNameReservation, tag_name_reservation};
pub use term::{Term, term_items};

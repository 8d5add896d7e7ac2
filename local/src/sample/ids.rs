//! The logical ids of the resources of template.yaml that have sample data.

/// The logical id of the table of users, photos, reactions, comments and friendships.
pub const QUICK_PHOTOS: &str = "QuickPhotosTable";
/// The logical id of the table of favorites and tags.
pub const FAVORITE: &str = "FavoriteTable";
/// The logical id of the table of the home feeds.
pub const FEED: &str = "FeedTable";

/// The logical id of the bucket of the photos.
pub const PHOTOS_BUCKET: &str = "PhotosBucket";
/// The logical id of the catalogue of songs.
pub const MUSIC: &str = "MusicTable";
/// The logical id of the catalogue of people.
pub const PEOPLE: &str = "PeopleTable";

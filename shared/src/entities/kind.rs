//! The kinds of items in all tables.

use aws_sdk_dynamodb::types::AttributeValue;

use super::alert::ALERT_PREFIX;
use super::block::BLOCK_PREFIX;
use super::comment::COMMENT_PREFIX;
use super::complaint::COMPLAINT_PREFIX;
use super::decision::is_decision_sk;
use super::device::DEVICES;
use super::directory::DIRECTORY_PREFIX;
use super::engagement::ENGAGEMENTS_PREFIX;
use super::exception::EXCEPTIONS_PREFIX;
use super::export::EXPORT_PREFIX;
use super::favorite::FAVORITES_PREFIX;
use super::favorite_count::FAVORITE_COUNT_PREFIX;
use super::favorite_tag::FAVORITE_TAGS_PREFIX;
use super::feed_entry::FEED_PREFIX;
use super::follow_request::ASK_PREFIX;
use super::followed_hashtags::FOLLOWED_HASHTAGS_PREFIX;
use super::friendship::FRIEND_PREFIX;
use super::hashtag::{HASHTAG_ENTRIES_PREFIX, HASHTAG_LISTINGS_PREFIX, HASHTAG_SUMMARY_PREFIX};
use super::hidden_hashtag::{HASHTAG_DECISION_PREFIX, HIDDEN_HASHTAG_PREFIX, MODERATED_HASHTAG_PREFIX};
use super::history::HISTORIES_PREFIX;
use super::idempotency::IDEMPOTENCY_KEYS_PREFIX;
use super::import::IMPORT_PREFIX;
use super::key::{FAVORITE_PK, FAVORITE_SK, FEED_PK, FEED_SK, PK, SK, USER_PREFIX};
use super::latest::LATEST_PREFIX;
use super::like::LIKE_PREFIX;
use super::link::SHARE_PREFIX;
use super::notification::{INBOX_PREFIX, SEEN};
use super::person::PERSON_ID;
use super::photo::PHOTO_PREFIX;
use super::pictures::{PICTURE_DELETION_PREFIX, PICTURES_PREFIX};
use super::pull::{PULL_COUNT, PULL_PREFIX, PULLED_HASHTAGS};
use super::ranking::{POPULAR_PREFIX, RANKING_PK};
use super::reaction::REACTION_PREFIX;
use super::report::REPORT_PREFIX;
use super::rest::REST_PREFIX;
use super::screen::{LIVE_PREFIX, TOLD, WATCH_PREFIX, WATCHER_PREFIX};
use super::song::{ARTIST, SONG_TITLE};
use super::tag::TAGS_PREFIX;
use super::tag_count::TAG_COUNT_PREFIX;
use super::tag_name::TAG_NAMES_PREFIX;
use super::term::TERMS_PREFIX;
use super::user::METADATA_PREFIX;
use super::vector::VECTORS_PREFIX;
use super::visitor::VISITOR_PREFIX;
use super::welcome::WELCOME_PREFIX;
use crate::dynamodb::Item;

/// The kind of an item, which its key tells. A tombstone has the kind of what it replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A [`User`](super::User), or the [`Deletion`](super::Deletion) in its place.
    User,
    /// A [`Photo`](super::Photo), or the [`PhotoDeletion`](super::PhotoDeletion) in its place.
    Photo,
    /// The [`Pictures`](super::Pictures) of a photo that was made with several.
    Pictures,
    /// A [`PictureDeletion`](super::PictureDeletion).
    PictureDeletion,
    /// A [`Reaction`](super::Reaction).
    Reaction,
    /// A [`Comment`](super::Comment).
    Comment,
    /// A [`Like`](super::Like) of a comment.
    Like,
    /// A [`Friendship`](super::Friendship).
    Friendship,
    /// A [`FollowRequest`](super::FollowRequest).
    FollowRequest,
    /// An [`Alert`](super::Alert).
    Alert,
    /// A [`Block`](super::Block).
    Block,
    /// A [`Decision`](super::Decision).
    Decision,
    /// A [`Report`](super::Report).
    Report,
    /// A [`Complaint`](super::Complaint).
    Complaint,
    /// A [`Rest`](super::Rest).
    Rest,
    /// A [`Welcome`](super::Welcome).
    Welcome,
    /// A [`Link`](super::Link).
    Link,
    /// A [`LinkTarget`](super::LinkTarget).
    LinkTarget,
    /// A [`Visitor`](super::Visitor).
    Visitor,
    /// A [`HiddenHashtag`](super::HiddenHashtag).
    HiddenHashtag,
    /// A [`HashtagDecision`](super::HashtagDecision).
    HashtagDecision,
    /// The [`FollowedHashtags`](super::FollowedHashtags) of a user.
    FollowedHashtags,
    /// A [`Favorite`](super::Favorite).
    Favorite,
    /// The [history](super::history_item) of a favorite.
    History,
    /// A [`FavoriteTag`](super::FavoriteTag).
    FavoriteTag,
    /// A [`Tag`](super::Tag).
    Tag,
    /// A [`TagNameReservation`](super::TagNameReservation).
    TagName,
    /// The [count of a user's tags](super::Key::tag_count).
    TagCount,
    /// The [count of a user's favorites](super::Key::favorite_count).
    FavoriteCount,
    /// A [`Term`](super::Term).
    Term,
    /// An [`IdempotencyRecord`](super::IdempotencyRecord).
    IdempotencyRecord,
    /// A [pull](super::Key::pull) in a feed.
    Pull,
    /// The [count of a reader's pulls](super::Key::pull_count).
    PullCount,
    /// The [copy of the followed hashtags](super::Key::pulled_hashtags) in a feed.
    PulledHashtags,
    /// An [entry](super::Key::entry) of a feed.
    FeedEntry,
    /// A [`Latest`](super::Latest).
    Latest,
    /// An [exception](super::Key::exception) of an author with fan-out on read.
    Exception,
    /// A [`Bell`](super::Bell).
    Seen,
    /// The [devices](super::Device) of a user.
    Devices,
    /// A [`Notification`](super::Notification).
    Notification,
    /// The [`Screens`](super::Screens) of a user.
    Screens,
    /// A [`Watcher`](super::Watcher) of a photo.
    Watcher,
    /// The time at which the watchers of a photo were [last told](super::Key::told).
    Told,
    /// An [`Import`](super::Import).
    Import,
    /// An [`Export`](super::Export).
    Export,
    /// A [`Listing`](super::Listing) in a list of the directory.
    Listing,
    /// A [`HashtagEntry`](super::HashtagEntry).
    HashtagEntry,
    /// A [`HashtagSummary`](super::HashtagSummary).
    HashtagSummary,
    /// A [`HashtagListing`](super::HashtagListing) in a list of hashtags.
    HashtagListing,
    /// A [`PopularPhoto`](super::PopularPhoto).
    PopularPhoto,
    /// A [`Ranking`](super::Ranking).
    Ranking,
    /// An [`Engagement`](super::Engagement).
    Engagement,
    /// The [vector](super::vector_item) of a photo.
    Vector,
    /// A [song](super::song_key).
    Song,
    /// A [person](super::person_key) of the catalogue.
    Person,
}

impl Kind {
    /// All kinds. Of two that match the same key, the first one is the kind of the item.
    pub const ALL: [Self; 55] = [
        Self::User,
        Self::Photo,
        Self::Pictures,
        Self::PictureDeletion,
        Self::Reaction,
        Self::Comment,
        Self::Like,
        Self::Friendship,
        Self::FollowRequest,
        Self::Alert,
        Self::Block,
        Self::Decision,
        Self::Report,
        Self::Complaint,
        Self::Rest,
        Self::Welcome,
        Self::Link,
        Self::LinkTarget,
        Self::Visitor,
        Self::HiddenHashtag,
        Self::HashtagDecision,
        Self::FollowedHashtags,
        Self::Favorite,
        Self::History,
        Self::FavoriteTag,
        Self::Tag,
        Self::TagName,
        Self::TagCount,
        Self::FavoriteCount,
        Self::Term,
        Self::IdempotencyRecord,
        Self::Pull,
        Self::PullCount,
        Self::PulledHashtags,
        Self::FeedEntry,
        Self::Latest,
        Self::Exception,
        Self::Seen,
        Self::Devices,
        Self::Notification,
        Self::Screens,
        Self::Watcher,
        Self::Told,
        Self::Import,
        Self::Export,
        Self::Listing,
        Self::HashtagEntry,
        Self::HashtagSummary,
        Self::HashtagListing,
        Self::PopularPhoto,
        Self::Ranking,
        Self::Engagement,
        Self::Vector,
        Self::Song,
        Self::Person,
    ];

    /// Returns the kind of an item, or `None` if its key is of no kind. The attributes of the key
    /// suffice. Of an item of a catalogue, which may have attributes with any names, it takes the
    /// key alone.
    #[must_use]
    pub fn of(keys: &Item) -> Option<Self> {
        Self::of_key(|name| match keys.get(name) {
            Some(AttributeValue::S(text) | AttributeValue::N(text)) => Some(text),
            _ => None,
        })
    }

    /// Returns the kind of the item of whose key `text` returns each attribute by its name.
    pub fn of_key<'a>(text: impl Fn(&str) -> Option<&'a String>) -> Option<Self> {
        let matches = |kind: &Self| {
            kind.prefixes().iter().all(|(name, prefix)| text(name).is_some_and(|text| text.starts_with(prefix)))
                && (*kind != Self::Decision || text(SK).is_some_and(|sk| is_decision_sk(sk)))
        };
        Self::ALL.into_iter().find(matches)
    }

    /// Returns whether an item is of this kind.
    #[must_use]
    pub fn is_of(self, keys: &Item) -> bool {
        Self::of(keys) == Some(self)
    }

    /// Returns the names of the attributes of the key, each with the prefix that all items of the
    /// kind have in it. A prefix may be empty.
    #[must_use]
    pub const fn prefixes(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::User => &[(PK, USER_PREFIX), (SK, METADATA_PREFIX)],
            Self::Photo => &[(PK, USER_PREFIX), (SK, PHOTO_PREFIX)],
            Self::Pictures => &[(PK, USER_PREFIX), (SK, PICTURES_PREFIX)],
            Self::PictureDeletion => &[(PK, USER_PREFIX), (SK, PICTURE_DELETION_PREFIX)],
            Self::Reaction => &[(PK, REACTION_PREFIX), (SK, "")],
            Self::Comment => &[(PK, COMMENT_PREFIX), (SK, "")],
            Self::Like => &[(PK, LIKE_PREFIX), (SK, "")],
            Self::Friendship => &[(PK, USER_PREFIX), (SK, FRIEND_PREFIX)],
            Self::FollowRequest => &[(PK, USER_PREFIX), (SK, ASK_PREFIX)],
            Self::Alert => &[(PK, USER_PREFIX), (SK, ALERT_PREFIX)],
            Self::Block => &[(PK, USER_PREFIX), (SK, BLOCK_PREFIX)],
            Self::Decision | Self::Report => &[(PK, USER_PREFIX), (SK, REPORT_PREFIX)],
            Self::Complaint => &[(PK, USER_PREFIX), (SK, COMPLAINT_PREFIX)],
            Self::Rest => &[(PK, REST_PREFIX), (SK, "")],
            Self::Welcome => &[(PK, WELCOME_PREFIX), (SK, "")],
            Self::Link => &[(PK, USER_PREFIX), (SK, SHARE_PREFIX)],
            Self::LinkTarget => &[(PK, SHARE_PREFIX), (SK, "")],
            Self::Visitor => &[(PK, VISITOR_PREFIX), (SK, "")],
            Self::HiddenHashtag => &[(PK, MODERATED_HASHTAG_PREFIX), (SK, HIDDEN_HASHTAG_PREFIX)],
            Self::HashtagDecision => &[(PK, MODERATED_HASHTAG_PREFIX), (SK, HASHTAG_DECISION_PREFIX)],
            Self::FollowedHashtags => &[(PK, USER_PREFIX), (SK, FOLLOWED_HASHTAGS_PREFIX)],
            Self::Favorite => &[(FAVORITE_PK, FAVORITES_PREFIX), (FAVORITE_SK, "")],
            Self::History => &[(FAVORITE_PK, HISTORIES_PREFIX), (FAVORITE_SK, "")],
            Self::FavoriteTag => &[(FAVORITE_PK, FAVORITE_TAGS_PREFIX), (FAVORITE_SK, "")],
            Self::Tag => &[(FAVORITE_PK, TAGS_PREFIX), (FAVORITE_SK, "")],
            Self::TagName => &[(FAVORITE_PK, TAG_NAMES_PREFIX), (FAVORITE_SK, "")],
            Self::TagCount => &[(FAVORITE_PK, TAG_COUNT_PREFIX), (FAVORITE_SK, "")],
            Self::FavoriteCount => &[(FAVORITE_PK, FAVORITE_COUNT_PREFIX), (FAVORITE_SK, "")],
            Self::Term => &[(FAVORITE_PK, TERMS_PREFIX), (FAVORITE_SK, "")],
            Self::IdempotencyRecord => &[(FAVORITE_PK, IDEMPOTENCY_KEYS_PREFIX), (FAVORITE_SK, "")],
            Self::Pull => &[(FEED_PK, FEED_PREFIX), (FEED_SK, PULL_PREFIX)],
            Self::PullCount => &[(FEED_PK, FEED_PREFIX), (FEED_SK, PULL_COUNT)],
            Self::PulledHashtags => &[(FEED_PK, FEED_PREFIX), (FEED_SK, PULLED_HASHTAGS)],
            Self::FeedEntry => &[(FEED_PK, FEED_PREFIX), (FEED_SK, "")],
            Self::Latest => &[(FEED_PK, LATEST_PREFIX), (FEED_SK, "")],
            Self::Exception => &[(FEED_PK, EXCEPTIONS_PREFIX), (FEED_SK, "")],
            Self::Seen => &[(FEED_PK, INBOX_PREFIX), (FEED_SK, SEEN)],
            Self::Devices => &[(FEED_PK, INBOX_PREFIX), (FEED_SK, DEVICES)],
            Self::Notification => &[(FEED_PK, INBOX_PREFIX), (FEED_SK, "")],
            Self::Screens => &[(FEED_PK, LIVE_PREFIX), (FEED_SK, "")],
            Self::Watcher => &[(FEED_PK, WATCH_PREFIX), (FEED_SK, WATCHER_PREFIX)],
            Self::Told => &[(FEED_PK, WATCH_PREFIX), (FEED_SK, TOLD)],
            Self::Import => &[(FEED_PK, IMPORT_PREFIX), (FEED_SK, "")],
            Self::Export => &[(FEED_PK, EXPORT_PREFIX), (FEED_SK, "")],
            Self::Listing => &[(FEED_PK, DIRECTORY_PREFIX), (FEED_SK, "")],
            Self::HashtagEntry => &[(FEED_PK, HASHTAG_ENTRIES_PREFIX), (FEED_SK, "")],
            Self::HashtagSummary => &[(FEED_PK, HASHTAG_SUMMARY_PREFIX), (FEED_SK, "")],
            Self::HashtagListing => &[(FEED_PK, HASHTAG_LISTINGS_PREFIX), (FEED_SK, "")],
            Self::PopularPhoto => &[(FEED_PK, POPULAR_PREFIX), (FEED_SK, "")],
            Self::Ranking => &[(FEED_PK, RANKING_PK), (FEED_SK, "")],
            Self::Engagement => &[(FEED_PK, ENGAGEMENTS_PREFIX), (FEED_SK, "")],
            Self::Vector => &[(FEED_PK, VECTORS_PREFIX), (FEED_SK, "")],
            Self::Song => &[(ARTIST, ""), (SONG_TITLE, "")],
            Self::Person => &[(PERSON_ID, "")],
        }
    }

    /// Returns the name of the kind, as the pages of the nouns have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "User",
            Self::Photo => "Photo",
            Self::Pictures => "Pictures",
            Self::PictureDeletion => "PictureDeletion",
            Self::Reaction => "Reaction",
            Self::Comment => "Comment",
            Self::Like => "Like",
            Self::Friendship => "Friendship",
            Self::FollowRequest => "FollowRequest",
            Self::Alert => "Alert",
            Self::Block => "Block",
            Self::Decision => "Decision",
            Self::Report => "Report",
            Self::Complaint => "Complaint",
            Self::Rest => "Rest",
            Self::Welcome => "Welcome",
            Self::Link => "Link",
            Self::LinkTarget => "LinkTarget",
            Self::Visitor => "Visitor",
            Self::HiddenHashtag => "HiddenHashtag",
            Self::HashtagDecision => "HashtagDecision",
            Self::FollowedHashtags => "FollowedHashtags",
            Self::Favorite => "Favorite",
            Self::History => "history",
            Self::FavoriteTag => "FavoriteTag",
            Self::Tag => "Tag",
            Self::TagName => "tag name reservation",
            Self::TagCount => "tag count",
            Self::FavoriteCount => "favorite count",
            Self::Term => "Term",
            Self::IdempotencyRecord => "idempotency record",
            Self::Pull => "pull",
            Self::PullCount => "pull count",
            Self::PulledHashtags => "pulled hashtags",
            Self::FeedEntry => "entry",
            Self::Latest => "Latest",
            Self::Exception => "exception",
            Self::Seen => "bell",
            Self::Devices => "devices",
            Self::Notification => "notification",
            Self::Screens => "Screens",
            Self::Watcher => "Watcher",
            Self::Told => "told",
            Self::Import => "import",
            Self::Export => "export",
            Self::Listing => "listing",
            Self::HashtagEntry => "hashtag entry",
            Self::HashtagSummary => "HashtagSummary",
            Self::HashtagListing => "hashtag listing",
            Self::PopularPhoto => "popular photo",
            Self::Ranking => "Ranking",
            Self::Engagement => "engagement",
            Self::Vector => "vector",
            Self::Song => "song",
            Self::Person => "person",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_tells_the_kind() {
        for (names, keys, kind) in [
            ([PK, SK], ["USER#ada", "#METADATA#ada"], Some(Kind::User)),
            ([PK, SK], ["USER#ada", "PHOTO#ada#2024-05-30T15:42:38"], Some(Kind::Photo)),
            ([PK, SK], ["USER#ada", "PICTURES#ada#2024-05-30T15:42:38"], Some(Kind::Pictures)),
            ([PK, SK], ["USER#ada", "PICTURE#ada#2024-05-30T15:42:38#3"], Some(Kind::PictureDeletion)),
            ([PK, SK], ["REACTION#ada#heart", "PHOTO#ben#2024-05-30T15:42:38#3"], Some(Kind::Reaction)),
            ([PK, SK], ["COMMENT#2024-05-30T15:42:38#ada", "PHOTO#ben#2024-05-30T15:42:38"], Some(Kind::Comment)),
            ([PK, SK], ["LIKE#ben", "PHOTO#ada#2024-05-30T15:42:38#LIKES#2024-05-30T15:42:38#ada"], Some(Kind::Like)),
            ([PK, SK], ["USER#ada", "#FRIEND#ben"], Some(Kind::Friendship)),
            ([PK, SK], ["USER#ada", "#ASK#ben"], Some(Kind::FollowRequest)),
            ([PK, SK], ["USER#ada", "#ALERT#ben#2024-05-30T15:42:38"], Some(Kind::Alert)),
            ([PK, SK], ["USER#ada", "#BLOCK#ben"], Some(Kind::Block)),
            ([PK, SK], ["USER#ada", "#CASE#ada"], Some(Kind::Report)),
            ([PK, SK], ["USER#ada", "#CASE#ada#2024-05-30T15:42:38.000Z"], Some(Kind::Decision)),
            ([PK, SK], ["USER#ada", "#COMPLAINT#ben"], Some(Kind::Complaint)),
            ([PK, SK], ["SUBJECT#1", "#WELCOME#1"], Some(Kind::Welcome)),
            ([PK, SK], ["REST#ada", "#REST#ada"], Some(Kind::Rest)),
            ([PK, SK], ["USER#ada", "SHARE#ada"], Some(Kind::Link)),
            ([PK, SK], ["USER#ada", "SHARE#ada#2024-05-30T15:42:38"], Some(Kind::Link)),
            ([PK, SK], ["SHARE#1", "#SHARE#1"], Some(Kind::LinkTarget)),
            ([PK, SK], ["VISITOR#1", "#VISITOR#1"], Some(Kind::Visitor)),
            ([PK, SK], ["HASHTAG#dawn", "#HIDDEN#dawn"], Some(Kind::HiddenHashtag)),
            ([PK, SK], ["HASHTAG#dawn", "#DECISION#2024-07-16T08:30:00.000Z"], Some(Kind::HashtagDecision)),
            ([PK, SK], ["USER#ada", "#FOLLOWS#ada"], Some(Kind::FollowedHashtags)),
            ([PK, SK], ["USER#ada", "OTHER#ada"], None),
            ([PK, SK], ["Feed#ada", "#PULLS"], None),
            ([FEED_PK, FEED_SK], ["FavoriteData#ada", "1"], Some(Kind::Favorite)),
            ([FEED_PK, FEED_SK], ["FavoriteDataHistory#ada", "1"], Some(Kind::History)),
            ([FEED_PK, FEED_SK], ["FavoriteDataTag#ada#1", "2"], Some(Kind::FavoriteTag)),
            ([FEED_PK, FEED_SK], ["Tag#ada", "2"], Some(Kind::Tag)),
            ([FEED_PK, FEED_SK], ["TagName#ada", "travel"], Some(Kind::TagName)),
            ([FEED_PK, FEED_SK], ["TagCount#ada", "TagCount"], Some(Kind::TagCount)),
            ([FEED_PK, FEED_SK], ["FavoriteCount#ada", "FavoriteCount"], Some(Kind::FavoriteCount)),
            ([FEED_PK, FEED_SK], ["FavoriteDataTerm#ada#dawn", "1#2"], Some(Kind::Term)),
            ([FEED_PK, FEED_SK], ["IdempotencyKey#ada", "photos#1"], Some(Kind::IdempotencyRecord)),
            ([FEED_PK, FEED_SK], ["Feed#ada", "2024-05-30T15:42:38#ben"], Some(Kind::FeedEntry)),
            ([FEED_PK, FEED_SK], ["Feed#ada", "PULL#pia"], Some(Kind::Pull)),
            ([FEED_PK, FEED_SK], ["Feed#ada", "TAGS"], Some(Kind::PulledHashtags)),
            ([FEED_PK, FEED_SK], ["Feed#ada", "#PULLS"], Some(Kind::PullCount)),
            ([FEED_PK, FEED_SK], ["Latest#ada", "Latest"], Some(Kind::Latest)),
            ([FEED_PK, FEED_SK], ["Push#ada", "ben"], Some(Kind::Exception)),
            ([FEED_PK, FEED_SK], ["Engagement#ada", "ben#2024-05-30T15:42:38"], Some(Kind::Engagement)),
            ([FEED_PK, FEED_SK], ["People#ad", "8#ada#ada"], Some(Kind::Listing)),
            ([FEED_PK, FEED_SK], ["Hashtag#dawn#2024-05", "2024-05-30T15:42:38#ada"], Some(Kind::HashtagEntry)),
            ([FEED_PK, FEED_SK], ["HashtagSummary#dawn", "Summary"], Some(Kind::HashtagSummary)),
            ([FEED_PK, FEED_SK], ["Hashtags#da", "8#dawn"], Some(Kind::HashtagListing)),
            ([FEED_PK, FEED_SK], ["Popular#2024-05-30", "07#2024-05-30T15:42:38#ada"], Some(Kind::PopularPhoto)),
            ([FEED_PK, FEED_SK], ["Ranking", "2024-05-30T15:42"], Some(Kind::Ranking)),
            ([FEED_PK, FEED_SK], ["Inbox#ada", "2024-05-30#follower"], Some(Kind::Notification)),
            ([FEED_PK, FEED_SK], ["Inbox#ada", "SEEN"], Some(Kind::Seen)),
            ([FEED_PK, FEED_SK], ["Inbox#ada", "DEVICES"], Some(Kind::Devices)),
            ([FEED_PK, FEED_SK], ["Live#ada", "Screens"], Some(Kind::Screens)),
            ([FEED_PK, FEED_SK], ["Watch#ada#2024-05-30T15:42:38", "SCREEN#ben#1"], Some(Kind::Watcher)),
            ([FEED_PK, FEED_SK], ["Watch#ada#2024-05-30T15:42:38", "TOLD"], Some(Kind::Told)),
            ([FEED_PK, FEED_SK], ["Vector#ada", "2024-05-30T15:42:38"], Some(Kind::Vector)),
            ([FEED_PK, FEED_SK], ["Vector#ada", "2024-05-30T15:42:38#3"], Some(Kind::Vector)),
            ([FEED_PK, FEED_SK], ["Export#ada", "Export"], Some(Kind::Export)),
            ([FEED_PK, FEED_SK], ["Import#ada", "Import"], Some(Kind::Import)),
            ([FEED_PK, FEED_SK], ["USER#ada", "#METADATA#ada"], None),
            ([ARTIST, SONG_TITLE], ["USER#ada", "#METADATA#ada"], Some(Kind::Song)),
        ] {
            let attribute = |(name, text): (&str, &str)| (name.to_owned(), AttributeValue::S(text.to_owned()));
            let keys: Item = names.into_iter().zip(keys).map(attribute).collect();
            assert_eq!(Kind::of(&keys), kind, "{keys:?}");
        }
        assert!(Kind::ALL.is_sorted() && Kind::ALL.last() == Some(&Kind::Person), "ALL has the order of the enum");
        assert_eq!(Kind::of(&[(PERSON_ID.to_owned(), AttributeValue::N("10".to_owned()))].into()), Some(Kind::Person));
        assert_eq!(Kind::of(&Item::new()), None);
    }
}

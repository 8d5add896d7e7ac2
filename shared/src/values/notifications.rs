//! Values of notifications.

use super::macros::choice_value;

choice_value! {
    /// The kind of what somebody did.
    NotificationKind,
    /// They accepted a request to follow them.
    Accepted = "accepted",
    /// They commented on a photo of the user.
    Comment = "comment",
    /// They began to follow the user.
    Follower = "follower",
    /// They like a comment of the user.
    Like = "like",
    /// They mentioned the user in a comment.
    Mention = "mention",
    /// They shared a photo, of which the user wants to be told.
    Photo = "photo",
    /// They pinned a comment of the user on their photo.
    Pin = "pin",
    /// They reacted to a photo of the user.
    Reaction = "reaction",
    /// They replied to a comment of the user.
    Reply = "reply",
    /// They asked to follow the user.
    Request = "request",
}

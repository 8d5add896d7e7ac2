//! The body of a request that writes a comment.

use shared::Error;
use shared::http::extract::FromFields;
use shared::http::fields::Fields;
use shared::values::{AnsweredComment, CommentId, CommentText};

/// A new comment: its text, and the comment that it answers.
pub struct NewComment {
    /// The text.
    pub text: CommentText,
    /// The comment that a reply answers.
    pub reply_to: Option<CommentId>,
}

impl FromFields for NewComment {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        let text = fields.required("text");
        let reply_to = fields.optional::<AnsweredComment>("replyTo");
        fields.finish()?;
        Ok(Self { text: text?, reply_to: reply_to?.map(|AnsweredComment(id)| id) })
    }
}

/// The text of a comment.
pub struct Text(pub CommentText);

impl FromFields for Text {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        let text = fields.required("text");
        fields.finish()?;
        text.map(Self)
    }
}

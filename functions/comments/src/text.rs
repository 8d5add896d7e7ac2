//! The body of a request that writes a comment.

use shared::Error;
use shared::http::extract::FromFields;
use shared::http::fields::Fields;
use shared::values::CommentText;

/// The text of a comment.
pub struct Text(pub CommentText);

impl FromFields for Text {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        let text = fields.required("text");
        fields.finish()?;
        text.map(Self)
    }
}

//! What a caller sees of the comments on a photo.

use std::collections::BTreeSet;

use shared::access::{Relations, own_likes};
use shared::dynamodb::{Item, batch};
use shared::entities::{Comment, Key, comment_from_item, has_blocks, photo_from_item};
use shared::show::{CommentViewer, People, ShownComment, Signer};
use shared::values::{CommentId, PageParts, PhotoId, Username};
use shared::{Error, Table};

/// A caller who looks at the comments on a photo.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    /// The table `quick-photos`.
    pub(crate) table: &'a Table,
    /// The signer of the pictures of people.
    pub(crate) signer: &'a Signer,
    /// The caller.
    pub(crate) caller: &'a Username,
    /// The owner of the photo.
    pub(crate) owner: &'a Username,
    /// The photo.
    pub(crate) photo: &'a PhotoId,
    /// The parts of the answer.
    pub(crate) include: PageParts,
}

impl View<'_> {
    /// Returns the keys of the items that [`show`](Self::show) needs beside the comments: the photo and
    /// the caller.
    #[must_use]
    pub(crate) fn keys(&self) -> [Key; 2] {
        [Key::photo(self.owner, self.photo), Key::user(self.caller)]
    }

    /// Returns the [likes of the caller](own_likes), if the answer shows them.
    pub(crate) async fn own_likes(&self, comments: &[Comment]) -> Result<BTreeSet<CommentId>, Error> {
        let Self { table, caller, owner, photo, include, .. } = self;
        own_likes(table, caller, (owner, photo), if include.viewer { comments } else { &[] }).await
    }

    /// Returns the comments that the caller may see, and the cards of their authors, or `None` if the
    /// caller may not see the photo, or the comment with the key `answered`, whose replies these are.
    /// `found` has the items that were read beside the comments.
    ///
    /// If only followers may see the photo, a `BatchGetItem` reads the friendship. If the caller blocks
    /// anybody, or anybody blocks the caller, one reads the blocks between the caller, the authors and
    /// the owner.
    pub(crate) async fn show(
        &self,
        mut comments: Vec<Comment>,
        answered: Option<Key>,
        mut found: Vec<Item>,
        likes: &BTreeSet<CommentId>,
    ) -> Result<Option<(Vec<ShownComment>, People)>, Error> {
        let Self { table, signer, caller, owner, include, .. } = *self;
        let [photo, user] = self.keys();
        let has_blocks = batch::find(&found, user).is_some_and(has_blocks);
        let photo = batch::take(&mut found, photo).map(photo_from_item).transpose()?.flatten();
        let is_of_replies = answered.is_some();
        let answered = answered.and_then(|key| batch::take(&mut found, key)).map(comment_from_item);
        let answered = answered.transpose()?.flatten();

        let mut relations = Relations::new(caller);
        if has_blocks {
            let authors = comments.iter().chain(&answered).map(|comment| &comment.author);
            relations.read_blocks(table, authors.chain([owner])).await?;
        }
        relations.read_audiences(table, photo.as_slice()).await?;
        let is_shown = !is_of_replies || answered.is_some_and(|answered| relations.may_see_comment(&answered));
        if !is_shown || !photo.is_some_and(|photo| relations.may_see(&photo)) {
            return Ok(None);
        }
        comments.retain(|comment| relations.may_see_comment(comment));

        let mut people = if include.people { signer.cards(&found)? } else { People::new() };
        people.retain(|author, _| comments.iter().any(|comment| comment.author == *author));
        let show = |comment: Comment| {
            let viewer = include.viewer.then(|| CommentViewer::new(caller, &comment, owner, likes));
            ShownComment { viewer, ..comment.into() }
        };
        Ok(Some((comments.into_iter().map(show).collect(), people)))
    }
}

//! The comments on a photo as a caller sees them.

use std::collections::BTreeSet;

use shared::access::{Relations, own_likes};
use shared::dynamodb::{Item, batch};
use shared::entities::{Comment, Key, comment_from_item, has_blocks, photo_from_item};
use shared::show::{CommentViewer, People, ShownComment, Signer};
use shared::values::{CommentId, PageParts, PhotoId, Username};
use shared::{Error, Table};

/// The comments of a page that a caller may see.
pub(crate) struct Shown {
    pub(crate) comments: Vec<ShownComment>,
    pub(crate) people: People,
    pub(crate) pinned: Option<ShownComment>,
}

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
    /// the owner. With `with_pinned`, one reads the pinned comment, if there is one.
    pub(crate) async fn show(
        &self,
        mut comments: Vec<Comment>,
        answered: Option<Key>,
        with_pinned: bool,
        mut found: Vec<Item>,
        likes: &BTreeSet<CommentId>,
    ) -> Result<Option<Shown>, Error> {
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
            let pinned = photo.as_ref().and_then(|photo| Some(&photo.pinned_comment.as_ref()?.author));
            relations.read_blocks(table, authors.chain(pinned).chain([owner])).await?;
        }
        relations.read_audiences(table, photo.as_slice()).await?;
        let is_shown = !is_of_replies || answered.is_some_and(|answered| relations.may_see_comment(&answered));
        let Some(photo) = photo.filter(|photo| is_shown && relations.may_see(photo)) else { return Ok(None) };
        comments.retain(|comment| relations.may_see_comment(comment));
        let pinned = match photo.pinned_comment.filter(|_| with_pinned) {
            None => None,
            Some(pinned) => self.read_pinned(&pinned, &mut found).await?,
        };
        let pinned = pinned.filter(|(comment, _)| relations.may_see_comment(comment));

        let mut people = if include.people { signer.cards(&found)? } else { People::new() };
        let of_pinned = pinned.iter().map(|(comment, _)| comment);
        let shown: BTreeSet<&Username> = comments.iter().chain(of_pinned).map(|comment| &comment.author).collect();
        people.retain(|author, _| shown.contains(author));
        let show = |comment: Comment, likes: &BTreeSet<CommentId>| {
            let viewer = include.viewer.then(|| CommentViewer::new(caller, &comment, owner, likes));
            ShownComment { viewer, ..comment.into() }
        };
        let pinned = pinned.map(|(comment, likes)| show(comment, &likes));
        Ok(Some(Shown { comments: comments.into_iter().map(|comment| show(comment, likes)).collect(), people, pinned }))
    }

    /// Reads the pinned comment, and the caller's like of it. Adds the author to `found`.
    async fn read_pinned(
        &self,
        id: &CommentId,
        found: &mut Vec<Item>,
    ) -> Result<Option<(Comment, BTreeSet<CommentId>)>, Error> {
        let Self { table, caller, owner, photo, include, .. } = self;
        let (comment, author) = (Key::comment(id, owner, photo), Key::user(&id.author));
        let author = include.people.then_some(author).filter(|author| batch::find(found, author.clone()).is_none());
        let like = include.viewer.then(|| Key::like(caller, id, owner, photo));
        let keys = [comment.clone()].into_iter().chain(author).chain(like.clone());
        let mut read = batch::get(table, keys.collect(), false).await?;
        let comment = batch::take(&mut read, comment).map(comment_from_item).transpose()?.flatten();
        let is_liked = like.is_some_and(|like| batch::take(&mut read, like).is_some());
        found.extend(read);
        Ok(comment.map(|comment| (comment, is_liked.then(|| id.clone()).into_iter().collect())))
    }
}

//! The values that select how a list is returned, and what an answer includes.

use super::macros::{choice_value, parts_value};

choice_value! {
    /// The direction in which a list is sorted.
    Order,
    /// From the smallest sort key to the largest.
    Ascending = "asc",
    /// From the largest sort key to the smallest.
    Descending = "desc",
}

parts_value! {
    /// The parts that an answer with users or photos has on request, because they cost read units.
    ViewerParts,
    /// What the caller did to each photo, or whether the caller and each user follow each other.
    viewer,
}

parts_value! {
    /// The parts that a page of blocks has on request, because they cost read units.
    PeopleParts,
    /// The name and the picture of each person on the page.
    people,
}

parts_value! {
    /// The parts that a page of people or comments has on request, because they cost read units.
    PageParts,
    /// The name and the picture of each person on the page.
    people,
    /// Whether the caller and each person follow each other, or what the caller may do to each
    /// comment.
    viewer,
}

parts_value! {
    /// The parts that the answer with a photo has on request, because they cost read units.
    PhotoParts,
    /// The newest comments.
    comments,
    /// The name and the picture of each person in the answer.
    people,
    /// What the caller did to the photo.
    viewer,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::Value;

    #[test]
    fn parts_are_a_list_of_known_words() {
        assert_eq!("people".parse(), Ok(PageParts { people: true, viewer: false }));
        for both in ["people,viewer", "viewer,people", "viewer,people,viewer"] {
            assert_eq!(both.parse(), Ok(PageParts { people: true, viewer: true }), "{both}");
        }
        for bad in ["", ",", "people,", "People", "people, viewer", "comments"] {
            assert!(bad.parse::<PageParts>().is_err(), "{bad}");
        }
        assert_eq!(PageParts::RULE, "one or more of people, viewer, separated by commas");
    }
}

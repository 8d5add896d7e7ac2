//! Compares the acknowledged writes with the stored items.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use shared::entities::Engagement;
use shared::entities::object::Size;

use super::items::{CommentOn, Items, Photo};
use super::user::{File, User};

/// Returns the differences between the acknowledged writes and the stored items, while all
/// functions are idle. The comments that were `removed` may have been written by any of the users.
pub(crate) fn differences(users: &BTreeMap<String, User>, removed: &BTreeSet<CommentOn>, items: &Items) -> Vec<String> {
    let mut differences = vec![];
    let mut compare = |description: String, expected: bool| {
        if !expected {
            differences.push(description);
        }
    };
    for deletion in &items.deletions {
        compare(format!("unfinished deletion: {deletion}"), false);
    }
    for (name, user) in users {
        let item = items.users.get(name);
        let attribute = |attribute: &str| item.and_then(|item| item[attribute].as_str());
        let status = user.status.as_deref();
        compare(
            format!("{name}: status {status:?} was acknowledged, {:?} is stored", attribute("status")),
            item.is_some() == status.is_some() && attribute("status").unwrap_or_default() == status.unwrap_or_default(),
        );

        let photos: BTreeSet<&String> =
            items.photos.keys().filter(|(owner, _)| owner == name).map(|(_, id)| id).collect();
        for id in &user.photos {
            compare(format!("{name}: photo {id} is lost"), photos.contains(id));
        }
        let unknown = photos.len().saturating_sub(user.photos.len());
        compare(
            format!("{name}: {unknown} unknown photos, but only {} lost answers", user.unknown_photos),
            unknown <= user.unknown_photos,
        );
        let pinned = user.pinned.as_deref();
        // Deleting a photo removes its pin.
        let pinned = pinned.filter(|sk| user.photos.iter().any(|id| sk.ends_with(&format!("#{id}"))));
        let stored = attribute("pinnedImage");
        compare(format!("{name}: pin {pinned:?} was acknowledged, {stored:?} is stored"), stored == pinned);

        // Deleting a photo deletes its reactions, and a deleted photo is never created again.
        let reactions: BTreeSet<(&String, &Photo)> = items
            .reactions
            .iter()
            .filter(|(reacting, ..)| reacting == name)
            .map(|(_, reaction, photo)| (reaction, photo))
            .collect();
        let expected: BTreeSet<(&String, &Photo)> = user
            .reactions
            .iter()
            .filter(|(_, photo)| items.photos.contains_key(photo))
            .map(|(reaction, photo)| (reaction, photo))
            .collect();
        for reaction in reactions.symmetric_difference(&expected) {
            let state = if reactions.contains(reaction) { "unexpected" } else { "lost" };
            compare(format!("{name}: reaction {reaction:?} is {state}"), false);
        }

        // Deleting a photo deletes the comments on it, and its owner can delete one of them.
        for (comment, text) in user.comments.iter().filter(|(comment, _)| items.photos.contains_key(&comment.0)) {
            let stored = items.comments.get(comment);
            let expected = (!removed.contains(comment)).then_some(text);
            compare(
                format!("{name}: comment {comment:?} is {stored:?} and should be {expected:?}"),
                stored == expected,
            );
        }
        let of_user = items.comments.keys().filter(|(_, id)| id.ends_with(&format!("~{name}")));
        let unknown = of_user.filter(|comment| !user.comments.contains_key(*comment)).count();
        compare(
            format!("{name}: {unknown} unknown comments, but only {} lost answers", user.unknown_comments),
            unknown <= user.unknown_comments,
        );

        for other in users.keys() {
            let stored = items.friendships.contains(&(name.clone(), other.clone()));
            let expected = match user.following.get(other) {
                None => Some(false),
                Some((begin, end)) => {
                    let deletions = &users[other].deletions;
                    if deletions.iter().any(|(deletion_begin, _)| deletion_begin > end) {
                        Some(false)
                    } else if deletions.iter().all(|(_, deletion_end)| deletion_end < begin) {
                        Some(true)
                    } else {
                        // The follow request and the deletion were concurrent, so both results are
                        // right.
                        None
                    }
                }
            };
            compare(
                format!("{name} follows {other}: {expected:?} was acknowledged, {stored} is stored"),
                expected.is_none_or(|expected| expected == stored),
            );
        }
    }
    for (name, user) in users {
        differences.extend(differences_of_pictures(name, user, items));
        differences.extend(differences_of_engagements(name, user, items));
    }
    differences
}

/// Returns the differences between the files that a user has uploaded and the pictures of the user's photos.
fn differences_of_pictures(name: &str, user: &User, items: &Items) -> Vec<String> {
    let mut differences = vec![];
    for id in &user.photos {
        let photo = (name.to_owned(), id.clone());
        let entries = items.pictures.get(&photo);
        let pictures: Vec<(String, &Value)> = match entries {
            None => items.photos.get(&photo).map(|picture| (id.clone(), picture)).into_iter().collect(),
            Some(entries) => {
                entries.iter().map(|entry| (format!("{id}/{}", entry["number"]), &entry["picture"])).collect()
            }
        };
        for (key, picture) in pictures {
            let files = user.files.get(&key).map_or(&[][..], Vec::as_slice);
            if !is_right(picture, files) {
                differences.push(format!("{name}: photo {key} has {files:?} and {picture}"));
            }
        }
        let numbers: Vec<u64> = entries.into_iter().flatten().filter_map(|entry| entry["number"].as_u64()).collect();
        if user.several.get(id).is_some_and(|acknowledged| *acknowledged != numbers) {
            let acknowledged = &user.several[id];
            differences.push(format!("{name}: photo {id} has the pictures {numbers:?} instead of {acknowledged:?}"));
        }
    }
    differences
}

/// Returns the differences between the photos that a user saved and the stored ones, and between
/// the engagements of the user and their reactions and saved photos.
fn differences_of_engagements(name: &str, user: &User, items: &Items) -> Vec<String> {
    // A saved photo stays when its photo is deleted.
    let of_user = items.saved.iter().filter(|(owner, _)| owner == name);
    let saved: BTreeSet<&Photo> = of_user.map(|(_, photo)| photo).collect();
    let mut differences = vec![];
    for photo in saved.symmetric_difference(&user.saved.iter().collect()) {
        let state = if saved.contains(photo) { "unexpectedly saved" } else { "lost from the saved photos" };
        differences.push(format!("{name}: {photo:?} is {state}"));
    }
    // An engagement with a deleted photo has no reactions.
    let of_user = items.engagements.keys().filter(|(caller, _)| caller == name).map(|(_, photo)| photo);
    for photo in items.photos.keys().chain(of_user).collect::<BTreeSet<_>>() {
        let engagement = items.engagements.get(&(name.to_owned(), photo.clone())).cloned().unwrap_or_default();
        let reactions = items.reactions.iter().filter(|(reacting, _, reacted)| reacting == name && reacted == photo);
        let reactions = reactions.map(|(_, reaction, _)| reaction.parse().unwrap()).collect();
        let expected = Engagement { reactions, saved: saved.contains(photo) };
        if engagement != expected {
            differences.push(format!("{name}: {engagement:?} with {photo:?} should be {expected:?}"));
        }
    }
    differences
}

/// Returns whether a photo can have this picture after these files have been uploaded and
/// processed.
fn is_right(picture: &Value, files: &[File]) -> bool {
    match picture["status"].as_str() {
        // A photo of the sample data.
        None | Some("ready" | "removed") if files.is_empty() => true,
        Some("pending") => files.is_empty(),
        Some("ready") => files.iter().any(|file| file.is_picture && picture["sizes"]["id"] == file.id.as_str()),
        Some("rejected") => match picture["problem"].as_str() {
            // process-photo can have been killed three times with a file of any kind.
            Some("tag:quick-photos.example,2026:picture-damaged") => !files.is_empty(),
            Some("tag:quick-photos.example,2026:not-a-picture") => files.iter().any(|file| !file.is_picture),
            _ => false,
        },
        _ => false,
    }
}

/// Returns the differences between the pictures of the stored photos and the objects in the bucket.
pub(crate) fn differences_of_objects(items: &Items, objects: &BTreeSet<String>) -> Vec<String> {
    let ready = items.photos.iter().filter(|(photo, _)| !items.pictures.contains_key(photo));
    let ready = ready.map(|((owner, photo), picture)| (format!("{owner}/{photo}"), picture));
    let several = items.pictures.iter().flat_map(|((owner, photo), entries)| {
        entries.iter().map(move |entry| (format!("{owner}/{photo}/{}", entry["number"]), &entry["picture"]))
    });
    let shown = ready.chain(several).filter(|(_, picture)| picture["status"] == "ready");
    let expected = shown.flat_map(|(prefix, picture)| {
        let id = picture["sizes"]["id"].as_str().unwrap();
        let width = picture["sizes"]["width"].as_u64().and_then(|width| width.try_into().ok()).unwrap_or_default();
        Size::of_picture(width).map(|(size, _)| format!("photos/{prefix}/{id}/{}.jpg", size.name())).collect::<Vec<_>>()
    });
    let expected: BTreeSet<String> = expected.collect();
    let missing = expected.difference(objects).map(|key| format!("the object {key} is missing"));
    missing.chain(objects.difference(&expected).map(|key| format!("no photo has the object {key}"))).collect()
}

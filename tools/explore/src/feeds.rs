//! The judge of the home feeds: at the end of a schedule, every reader finds every photo of those
//! whom they follow.

use std::collections::BTreeSet;

use serde_json::Value;

/// Returns the photos that a reader does not find, among the items of all tables: there is neither
/// an entry nor a pull of an author whose newest photos have it. No world has so many photos that a
/// follower gets only the newest ones.
pub(crate) fn missing<'a>(items: impl Iterator<Item = &'a Value>) -> Vec<String> {
    let (mut photos, mut friendships, mut found) = (vec![], vec![], BTreeSet::new());
    for item in items {
        let text = |name: &str| item[name]["S"].as_str().unwrap_or_default().to_owned();
        if item.get("followedUser").is_some() {
            friendships.push((text("followedUser"), text("followingUser")));
        } else if item.get("location").is_some() && reaches_followers(item) {
            photos.push((text("username"), text("timestamp")));
        } else if item.get("pk").is_some() {
            found.insert(format!("{} {}", text("pk"), text("sk")));
            let latest = item["photos"]["SS"].as_array().into_iter().flatten().filter_map(Value::as_str);
            found.extend(latest.map(|id| format!("{} {id}", text("pk"))));
        }
    }
    let pairs = friendships.iter().flat_map(|friendship| photos.iter().map(move |photo| (friendship, photo)));
    let of_followed = pairs.filter(|((author, _), (owner, _))| author == owner);
    let missing = of_followed.filter(|((author, reader), (_, id))| {
        let is_pushed = found.contains(&format!("Feed#{reader} {id}#{author}"));
        let is_pulled =
            found.contains(&format!("Feed#{reader} PULL#{author}")) && found.contains(&format!("Latest#{author} {id}"));
        !is_pushed && !is_pulled
    });
    let missing = missing.map(|((author, reader), (_, id))| (author, reader, id));
    missing.map(|(author, reader, id)| format!("{reader} does not find {id} of {author}")).collect()
}

fn reaches_followers(photo: &Value) -> bool {
    photo.get("picture").is_none_or(|picture| picture["M"]["status"]["S"] == "ready")
        && photo["audience"]["S"] != "me"
        && photo.get("imported").is_none()
}

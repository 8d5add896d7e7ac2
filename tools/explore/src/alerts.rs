//! Judges who is told of a photo.
//!
//! - A follower who has alerts throughout is told of a photo that the followers can see in the end.
//! - Nobody else is told of a photo, unless they had alerts at some time.

use std::collections::BTreeSet;

use anyhow::{Result, anyhow};
use shared::Error;
use shared::dynamodb::{Item, entity};
use shared::entities::{ALERTS_OF, Alert, Friendship, Kind, photo_from_item};

use crate::schedule::Scenario;

/// Returns who is not told of a photo, or is told although they should not be.
pub(crate) fn wrong(scenario: &Scenario, before: &[Item], after: &[Item]) -> Result<Vec<String>> {
    let (before, after) = (State::of(before)?, State::of(after)?);
    let changes = |(author, follower): &(String, String)| {
        let paths = [
            format!("/users/{author}/followers/{follower}"),
            format!("/blocks/{author}"),
            format!("/blocks/{follower}"),
        ];
        let mut requests = scenario.sessions.iter().flatten();
        requests
            .any(|request| request.deletes_account() || paths.iter().any(|path| request.path.contains(path.as_str())))
    };
    let mut wrong = vec![];
    for (author, photo) in &after.photos {
        for pair in after.alerting.intersection(&before.alerting).filter(|pair| pair.0 == *author && !changes(pair)) {
            if !after.told.contains(&(pair.1.clone(), photo.clone())) {
                wrong.push(format!("{} is not told of the photo {photo} of {author}", pair.1));
            }
        }
    }
    for (follower, photo) in &after.told {
        let had_alerts = before.alerting.iter().any(|(_, other)| other == follower)
            || scenario.sessions.iter().flatten().any(|one| one.path.ends_with(&format!("/{follower}/alerts")));
        if !had_alerts {
            wrong.push(format!("{follower} is told of the photo {photo} without alerts"));
        }
    }
    Ok(wrong)
}

/// The items that decide who is told, and those of who is.
#[derive(Default)]
struct State {
    /// The authors with their followers with alerts.
    alerting: BTreeSet<(String, String)>,
    /// The owners with their photos that followers can see.
    photos: BTreeSet<(String, String)>,
    /// The followers with the photos of which they are told.
    told: BTreeSet<(String, String)>,
}

impl State {
    fn of(items: &[Item]) -> Result<Self> {
        let mut state = Self::default();
        for item in items {
            state.add(item).map_err(|error| anyhow!("an item is malformed: {}", error.causes()))?;
        }
        Ok(state)
    }

    fn add(&mut self, item: &Item) -> Result<(), Error> {
        match Kind::of(item) {
            Some(Kind::Friendship) if item.contains_key(ALERTS_OF) => {
                let friendship: Friendship = entity::from_item(item.clone())?;
                self.alerting.insert((friendship.followed_user.to_string(), friendship.following_user.to_string()));
            }
            Some(Kind::Photo) => {
                let photo = photo_from_item(item.clone())?.filter(shared::entities::Photo::reaches_followers);
                self.photos.extend(photo.map(|photo| (photo.username.to_string(), photo.id.to_string())));
            }
            Some(Kind::Alert) => {
                let alert: Alert = entity::from_item(item.clone())?;
                self.told.insert((alert.follower.to_string(), alert.photo.to_string()));
            }
            _ => {}
        }
        Ok(())
    }
}

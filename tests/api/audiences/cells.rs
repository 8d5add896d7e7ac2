//! The cells of the table, as the API answers.

use super::*;

impl World {
    /// Returns the letters of the photos that are among `listed`.
    fn letters(&self, listed: &Value) -> String {
        let text = |photo: &Value, name: &str| photo[name].as_str().unwrap_or_default().to_owned();
        let listed: Vec<String> = listed
            .as_array()
            .into_iter()
            .flatten()
            .map(|photo| {
                assert!(photo.is_null() || photo["urls"][0]["url"].is_string(), "{photo}");
                format!("/users/{}/photos/{}", text(photo, "username"), text(photo, "id"))
            })
            .collect();
        cell(self.photos.iter().filter(|(_, photo)| listed.contains(photo)).map(|(letter, _)| *letter))
    }

    /// Returns the letters of the photos of the owner for which a request has a status below 300.
    async fn photos_where(&self, request: impl AsyncFn(&str) -> u16) -> String {
        let mut letters = vec![];
        for (letter, photo) in &self.photos {
            if request(photo).await < 300 {
                letters.push(*letter);
            }
        }
        cell(letters.into_iter())
    }

    /// Sends the request of a row as this caller, and returns the cell.
    pub(super) async fn cell(&self, row: &str, caller: &str) -> String {
        let path = row.split_once(' ').unwrap().1;
        let path = path.replace("{caller}", caller).replace("{owner}", "owner").replace("{other}", "other");
        let path = path.replace("{tag}", HASHTAG);
        let path =
            path.replace("{tagId}", &self.tags[caller]).replace("favorites/types/{type}", "favorites/types/photo");
        if let Some(cell) = self.photos_shown(row, caller, &path).await {
            return cell;
        }
        if let Some(cell) = self.owner_shown(row, caller, &path).await {
            return cell;
        }
        if let Some(cell) = self.photos_taken(row, caller, &path).await {
            return cell;
        }
        self.status(row, caller, &path).await
    }

    /// Returns the cell of a row whose answers show the photos of the owner.
    async fn photos_shown(&self, row: &str, caller: &str, path: &str) -> Option<String> {
        let shown = match row {
            "GET /users/{owner}/photos"
            | "GET /users/{owner}/profile"
            | "GET /users/{caller}/feed"
            | "GET /users/{other}/reactions"
            | "GET /tags/{tag}/photos"
            | "GET /explore" => self.letters(&self.get(caller, path).await.1["photos"]),
            "PUT /tags/{tag}/followers/{caller}" | "DELETE /tags/{tag}/followers/{caller}" => {
                let method = row.split(' ').next().unwrap();
                assert_eq!(self.send(caller, method, path, &json!({})).await, 204);
                self.api.stack.idle().await;
                self.letters(&self.get(caller, &format!("/users/{caller}/feed")).await.1["photos"])
            }
            "GET /users/{other}/photos/{photo}/similar" => {
                let similar = format!("{}/similar?limit=50", self.photo_of_other);
                self.letters(&self.get(caller, &similar).await.1["photos"])
            }
            "GET /users/{owner}/photos/{photo}" => {
                self.photos_where(async |photo| self.get(caller, photo).await.0).await
            }
            "GET /users/{owner}/photos/{photo}/comments" | "GET /users/{owner}/photos/{photo}/comments/top" => {
                let list = if row.ends_with("top") { "comments/top" } else { "comments" };
                self.photos_where(async |photo| {
                    let comments = self.get(caller, &format!("{photo}/{list}")).await.1;
                    if comments["comments"].as_array().unwrap().is_empty() { 404 } else { 200 }
                })
                .await
            }
            "GET /users/{caller}/favorites"
            | "GET /users/{caller}/favorites/types/{type}"
            | "GET /users/{caller}/favorites/search?q=owner"
            | "GET /users/{caller}/tags/{tagId}/favorites"
            | "GET /users/{caller}/tags/{tagId}/favorites/types/{type}" => {
                let favorites = self.get(caller, path).await.1["favorites"].take();
                let favorites = favorites.as_array().unwrap();
                assert_eq!(favorites.len(), self.photos.len(), "{path}");
                self.letters(&favorites.iter().map(|favorite| favorite["photo"].clone()).collect())
            }
            "GET /users/{caller}/favorites/{dataId}" => {
                let mut photos = vec![];
                for (_, photo) in &self.photos {
                    let favorite = self.get(caller, &path.replace("{dataId}", &favorite_of(photo))).await;
                    assert_eq!(favorite.0, 200);
                    photos.push(favorite.1["photo"].clone());
                }
                self.letters(&Value::Array(photos))
            }
            _ => return None,
        };
        Some(shown)
    }

    /// Returns the cell of a row whose answers show the owner.
    async fn owner_shown(&self, row: &str, caller: &str, path: &str) -> Option<String> {
        let yes = |shows: bool| if shows { "yes" } else { "no" }.to_owned();
        let has = |list: &Value| list.as_array().into_iter().flatten().any(|one| one["username"] == "owner");
        let named = |answer: &Value, list: &str| {
            let card = answer["people"].get("owner").map(|card| &card["name"]);
            assert!(card.is_none_or(|name| name == "owner"));
            match (has(&answer[list]), card) {
                (true, Some(_)) => "card",
                (true, None) => "name",
                (false, None) => "no",
                (false, Some(_)) => "card alone",
            }
            .to_owned()
        };
        let with_people = async || self.get(caller, &format!("{path}?include=people")).await.1;
        let shown = match row {
            "GET /users/{owner}/following" | "GET /users/{owner}/following/profiles" => {
                yes(!self.get(caller, path).await.1["following"][0].is_null())
            }
            "GET /users/{other}/following" | "GET /users/{other}/followers" => {
                let list = if path.ends_with("ing") { "following" } else { "followers" };
                assert!(has(&self.get(caller, path).await.1[list]));
                let cell = named(&with_people().await, list);
                let with_viewer = self.get(caller, &format!("{path}?include=people,viewer")).await.1;
                assert_eq!(named(&with_viewer, list), cell);
                cell
            }
            "GET /users/{other}/following/profiles" => {
                let cell = named(&with_people().await, "following");
                assert_eq!(cell == "card", has(&self.get(caller, path).await.1["following"]), "{cell}");
                yes(cell == "card")
            }
            "GET /users/{caller}/comments" => {
                let answer = with_people().await;
                let mut photos = answer["comments"].as_array().unwrap().iter().map(|comment| &comment["photo"]);
                assert!(photos.any(|photo| photo["username"] == "owner"), "{answer}");
                if answer["people"].get("owner").is_some() { "card" } else { "name" }.to_owned()
            }
            "GET /users/{caller}/blocks" => named(&with_people().await, "blocks"),
            "GET /users/{caller}/requests" => named(&with_people().await, "requests"),
            "GET /users/{caller}/notifications" => {
                let inbox = with_people().await;
                let mut mentions = inbox["notifications"].as_array().unwrap().iter();
                let mentions = mentions.any(|one| one["kind"] == "mention" && one["usernames"] == json!(["owner"]));
                assert_eq!(inbox["people"].get("owner").is_some(), mentions, "{inbox}");
                yes(mentions)
            }
            // A count tells nobody whose photos it counts.
            "GET /tags?q={tag}" => {
                let answer = self.get(caller, path).await.1;
                yes(answer["hashtags"][0] == json!({"hashtag": HASHTAG, "count": 1}))
            }
            "GET /users/{caller}/suggestions" | "GET /users?q={owner}" => {
                let cell = named(&self.get(caller, path).await.1, "users");
                yes(cell == "card")
            }
            "GET /users/{other}/photos/{photo}" => {
                let photo = self.get(caller, &self.photo_of_other).await;
                assert_eq!(photo.0, 200);
                let with_people = format!("{}?include=people,comments,viewer", self.photo_of_other);
                let with_people = self.get(caller, &with_people).await.1;
                let shown = has(&photo.1["reactions"]);
                let parts = [has(&with_people["reactions"]), has(&with_people["comments"]["comments"])];
                assert_eq!([parts[0], parts[1], with_people["people"].get("owner").is_some()], [shown; 3]);
                yes(shown)
            }
            "GET /users/{other}/photos/{photo}/comments" => {
                let path = format!("{}/comments", self.photo_of_other);
                let with_people = self.get(caller, &format!("{path}?include=people")).await.1;
                let shown = has(&self.get(caller, &path).await.1["comments"]);
                assert_eq!(named(&with_people, "comments"), if shown { "card" } else { "no" });
                yes(shown)
            }
            _ => return None,
        };
        Some(shown)
    }

    /// Returns the cell of a row whose requests write to the photos of the owner.
    async fn photos_taken(&self, row: &str, caller: &str, path: &str) -> Option<String> {
        let (method, path_of_row) = row.split_once(' ')?;
        let request_of = |photo: &str| {
            let comment = || &self.comments[&(caller.to_owned(), photo.to_owned())];
            Some(match path_of_row {
                "/users/{owner}/photos/{photo}" => (photo.to_owned(), json!({"caption": "Changed"})),
                "/users/{owner}/photos/{photo}/reactions/{type}" => {
                    let reaction = if method == "PUT" { "smiley" } else { "heart" };
                    (format!("{photo}/reactions/{reaction}"), json!({}))
                }
                "/users/{owner}/photos/{photo}/comments" => (format!("{photo}/comments"), json!({"text": "Seen"})),
                "/users/{owner}/photos/{photo}/comments/{comment}" => {
                    (format!("{photo}/comments/{}", comment()), json!({"text": "Changed"}))
                }
                "/users/{owner}/photos/{photo}/comments/{comment}/like" => {
                    (format!("{photo}/comments/{}/like", comment()), json!({}))
                }
                "/users/{caller}/saved/{owner}/{photo}" => (save_of(caller, photo), json!({})),
                "/users/{caller}/favorites/{dataId}/restore" => {
                    (path.replace("{dataId}", &favorite_of(photo)), json!({}))
                }
                "/reports" if method == "POST" => (path.to_owned(), report_about(photo)),
                _ => return None,
            })
        };
        request_of(&self.photos[0].1)?;
        let taken = self.photos_where(async |photo| {
            let (path, body) = request_of(photo).unwrap();
            if row == "PUT /users/{caller}/saved/{owner}/{photo}" {
                assert_eq!(self.send(caller, "DELETE", &path, &json!({})).await, 204);
            }
            self.send(caller, method, &path, &body).await
        });
        Some(taken.await)
    }

    /// Returns the cell of a row that has the statuses of the answers.
    async fn status(&self, row: &str, caller: &str, path: &str) -> String {
        let (path, body) = match row {
            "GET /users/{owner}"
            | "GET /users/{owner}/followers"
            | "GET /reports"
            | "GET /tags/{tag}/decisions"
            | "PUT /users/{owner}/followers/{caller}/alerts"
            | "DELETE /users/{owner}/followers/{caller}/alerts"
            | "PUT /users/{owner}/followers/{caller}"
            | "DELETE /users/{owner}/followers/{caller}"
            | "PUT /users/{caller}/requests/{owner}"
            | "DELETE /users/{caller}/requests/{owner}"
            | "DELETE /users/{caller}/blocks/{owner}" => (path.to_owned(), None),
            "PUT /users/{caller}/blocks/{owner}" => (path.to_owned(), Some(json!({"level": "block"}))),
            "GET /reports/{id}" | "PUT /reports/{id}" => {
                let (_, removed) = self.photos.last().unwrap();
                let decision = row.starts_with("PUT").then(|| json!({"decision": "remove"}));
                (format!("/reports/owner~{}", id_of(removed)), decision)
            }
            "PUT /tags/{tag}/decision" => (path.to_owned(), Some(json!({"decision": "hide"}))),
            _ => panic!("audiences.toml has a row without a test: {row}"),
        };
        let request = self.request(caller, row.split(' ').next().unwrap(), &path);
        let request = if let Some(body) = body { request.json(&body) } else { request };
        request.send().await.unwrap().status().as_u16().to_string()
    }
}

//! The events outside of the functions: a client uploads a picture or the file of an import,
//! DynamoDB deletes expired items, and days pass.
//!
//! A session names it like a request, with a method that HTTP does not have:
//!
//! ```text
//! ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"}
//! ada IMPORT /users/ada {"file":"archive"}
//! ttl EXPIRE /users/ada/photos/2024-05-30T15:42:38
//! clock WAIT 9d
//! ```
//!
//! [`screen`](crate::screen) has those of live screens.

use anyhow::{Context as _, Result, bail};
use aws_sdk_dynamodb::types::AttributeValue::S;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};
use shared::dynamodb::{entity, unless_condition_failed};
use shared::entities::object::{exported_name, import_key, incoming_key};
use shared::entities::{Import, Key};
use shared::values::{PhotoId, PictureNumber, Username};
use shared::{Error, Process};
use testing::archive::zip;

use crate::network::{Network, ProcessId};
use crate::schedule::ApiRequest;
use crate::screen::DISCONNECT;

/// The operation of a request that nobody but the explorer serves: days pass.
pub(crate) const WAIT: &str = "Wait";

/// The file that ends the process of every function that reads it, as one that makes a decoder run
/// out of memory.
pub(crate) const HOSTILE: &[u8] = b"hostile";

/// The message if a variable is missing. As an answer to the request, it would let uploads pass without a file.
const VARIABLES: &str = "the environment names tables and bucket";

/// The time of the photo of ada in every world.
const PHOTO: &str = "2024-05-30T15:42:38";

/// The id of a photo that no world has.
const OTHER_PHOTO: &str = "2020-02-01T10:00:00.000Z";

/// Two pictures of one pixel.
const RED: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
const BLUE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYPgPAAEDAQAIicLsAAAAAElFTkSuQmCC";

/// Returns the file of this name that clients upload.
fn file(name: &str) -> Option<Vec<u8>> {
    let pixel = |base64| BASE64.decode(base64).expect("a picture");
    let entries = |entry: Value| json!({"entries": [entry]}).to_string().into_bytes();
    let exported = |id: &str| exported_name(&id.parse().expect("an id"), None);
    let photo = |id: &str| json!({"id": id, "picture": exported(id)});
    Some(match name {
        "red" => pixel(RED),
        "blue" => pixel(BLUE),
        "text" => b"text".into(),
        "hostile" => HOSTILE.into(),
        "archive" => export(
            &json!({}),
            &[
                (
                    "tags/1.json",
                    entries(json!({
                        "tagId": "travel", "tagName": "Travel", "createTime": 1_717_200_600_000_u64,
                        "lastAccessTime": 1_717_200_600_000_u64,
                    })),
                ),
                (
                    "favorites/1.json",
                    entries(json!({
                        "dataId": "tiles", "dataType": "link", "title": "Tiles of the import", "tags": ["travel"],
                        "clipTime": 1_717_203_000_000_u64,
                    })),
                ),
                ("photos/1.json", entries(photo(PHOTO))),
                ("photos/2.json", entries(photo(OTHER_PHOTO))),
                (&exported(PHOTO), pixel(RED)),
                (&exported(OTHER_PHOTO), pixel(BLUE)),
            ],
        ),
        "photo" => export(&json!({}), &[("photos/1.json", entries(photo(PHOTO))), (&exported(PHOTO), pixel(RED))]),
        "pinned" => export(&json!({"user": {"pinnedImage": {"username": "ada", "id": PHOTO}}}), &[]),
        _ => return None,
    })
}

/// Returns the file of an export with this profile and these other files.
fn export(profile: &Value, files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let about = json!({"format": "quick-photos-export", "version": 1}).to_string().into_bytes();
    let first = [("export.json", about), ("profile.json", profile.to_string().into_bytes())];
    zip(&[&first, files].concat())
}

/// An event outside of the functions.
#[derive(Debug, Clone)]
pub(crate) enum Outside {
    /// A client uploads a file for a photo, or for one of its several pictures.
    Upload(Username, PhotoId, Option<PictureNumber>, Vec<u8>),
    /// A client uploads the file of the import that a user has, if they have one.
    Import(Username, Vec<u8>),
    /// DynamoDB deletes a photo whose picture is pending, because it has expired.
    Expire(Username, PhotoId),
    /// So many days pass, after all that is under way has ended. DynamoDB deletes every item whose
    /// `ttl` is over then.
    Wait(u64),
    /// A client ends a connection.
    Disconnect(String),
}

impl Outside {
    /// Returns what a request stands for, or `None` if a function serves it.
    pub(crate) fn parse(request: &ApiRequest) -> Result<Option<Self>> {
        let body = request.json();
        let file = || file(body["file"].as_str().unwrap_or_default()).context("there is no such file");
        Ok(Some(match (request.method.as_str(), &request.segments()[..]) {
            ("WAIT", [days]) => {
                let days = days.strip_suffix('d').and_then(|days| days.parse().ok());
                Self::Wait(days.context("name a number of days, like 9d")?)
            }
            ("DISCONNECT", _) => Self::Disconnect(body["connection"].as_str().context("name a connection")?.to_owned()),
            ("IMPORT", ["users", owner]) => Self::Import(owner.parse()?, file()?),
            ("EXPIRE", ["users", owner, "photos", photo]) => Self::Expire(owner.parse()?, photo.parse()?),
            ("UPLOAD", ["users", owner, "photos", photo]) => {
                let number = serde_json::from_value(body["number"].clone())?;
                Self::Upload(owner.parse()?, photo.parse()?, number, file()?)
            }
            ("WAIT" | "IMPORT" | "EXPIRE" | "UPLOAD", _) => bail!("the path is not one of this method"),
            _ => return Ok(None),
        }))
    }

    /// Sends the request in which it consists, as the process with this id.
    pub(crate) async fn run(self, process: &Process, network: &Network, id: ProcessId) -> Result<(), Error> {
        match self {
            Self::Wait(days) => {
                let _ = network.hold(id, WAIT, json!({"Days": days}), "").await;
            }
            Self::Disconnect(connection) => {
                let _ = network.hold(id, DISCONNECT, json!({"ConnectionId": connection}), "").await;
            }
            Self::Upload(owner, photo, number, file) => {
                let bucket = process.bucket().expect(VARIABLES);
                let put = bucket.client.put_object().bucket(bucket.name).key(incoming_key(&owner, &photo, number));
                put.body(file.into()).send().await?;
            }
            Self::Import(owner, file) => {
                let feed = process.table("FEED_TABLE_NAME").expect(VARIABLES);
                let get = feed.client.get_item().table_name(feed.name).set_key(Some(Key::import(&owner).into()));
                if let Some(item) = get.consistent_read(true).send().await?.item {
                    let import: Import = entity::from_item(item)?;
                    let bucket = process.bucket().expect(VARIABLES);
                    let put = bucket.client.put_object().bucket(bucket.name).key(import_key(&owner, &import.id));
                    put.body(file.into()).send().await?;
                }
            }
            Self::Expire(owner, photo) => {
                let table = process.table("TABLE_NAME").expect(VARIABLES);
                let delete = table.client.delete_item().table_name(table.name);
                let delete = delete.set_key(Some(Key::photo(&owner, &photo).into()));
                let delete = delete
                    .condition_expression("picture.#status = :pending")
                    .expression_attribute_names("#status", "status")
                    .expression_attribute_values(":pending", S("pending".to_owned()));
                unless_condition_failed(delete.send().await)?;
            }
        }
        Ok(())
    }
}

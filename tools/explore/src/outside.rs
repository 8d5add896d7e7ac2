//! The events outside of the functions: a client uploads a file, DynamoDB deletes expired items,
//! and days pass.
//!
//! A session names it like a request, with a method that HTTP does not have:
//!
//! ```text
//! ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"}
//! ttl EXPIRE /users/ada/photos/2024-05-30T15:42:38
//! clock WAIT 9d
//! ```

use anyhow::{Context as _, Result};
use aws_sdk_dynamodb::types::AttributeValue::S;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};
use shared::Error;
use shared::dynamodb::unless_condition_failed;
use shared::photos::Key;
use shared::pictures::keys::incoming_key;
use shared::values::{Timestamp, Username};

use crate::network::{Head, Network, ProcessId};
use crate::process::{bucket, table};
use crate::schedule::ApiRequest;

/// The operation of a request that nobody but the explorer serves: days pass.
pub(crate) const WAIT: &str = "Wait";

/// The file that ends the process of every function that reads it, as one that makes a decoder run
/// out of memory.
pub(crate) const HOSTILE: &[u8] = b"hostile";

/// The files that clients upload, by name. Two are pictures of one pixel.
const FILES: [(&str, &str); 4] = [
    ("red", "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"),
    ("blue", "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYPgPAAEDAQAIicLsAAAAAElFTkSuQmCC"),
    // "text" and "hostile".
    ("text", "dGV4dA=="),
    ("hostile", "aG9zdGlsZQ=="),
];

/// An event outside of the functions.
#[derive(Debug, Clone)]
pub(crate) enum Outside {
    /// A client uploads a file for a photo.
    Upload(Username, Timestamp, Vec<u8>),
    /// DynamoDB deletes a photo whose picture is pending, because it has expired.
    Expire(Username, Timestamp),
    /// So many days pass, after all that is under way has ended. DynamoDB deletes every item whose
    /// `ttl` is over then.
    Wait(u64),
}

impl Outside {
    /// Returns what a request stands for, or `None` if a function serves it.
    pub(crate) fn parse(request: &ApiRequest) -> Result<Option<Self>> {
        if request.method == "WAIT" {
            let days = request.path.strip_suffix('d').and_then(|days| days.parse().ok());
            return Ok(Some(Self::Wait(days.with_context(|| format!("{request}: name a number of days, like 9d"))?)));
        }
        if !["UPLOAD", "EXPIRE"].contains(&request.method.as_str()) {
            return Ok(None);
        }
        let parts: Vec<&str> = request.path.split('/').collect();
        let ["", "users", owner, "photos", timestamp] = parts[..] else {
            anyhow::bail!("{request}: the path is not that of a photo")
        };
        let invalid = || format!("{request}: the path is not that of a photo");
        let (owner, timestamp) = (owner.parse().ok(), timestamp.parse().ok());
        let (owner, timestamp) = (owner.with_context(invalid)?, timestamp.with_context(invalid)?);
        if request.method == "EXPIRE" {
            return Ok(Some(Self::Expire(owner, timestamp)));
        }
        let body: Value = serde_json::from_str(&request.body)?;
        let file = FILES.iter().find(|(name, _)| body["file"] == *name);
        let (_, content) = file.with_context(|| format!("{request}: there is no such file"))?;
        Ok(Some(Self::Upload(owner, timestamp, BASE64.decode(content)?)))
    }

    /// Sends the request in which it consists, as the process with this id.
    pub(crate) async fn run(self, network: Network, id: ProcessId) -> Result<(), Error> {
        match self {
            Self::Wait(days) => {
                let head = Head { target: WAIT.to_owned(), ..Head::default() };
                let _ = network.hold(id, &head, json!({"Days": days}).to_string().as_bytes()).await;
            }
            Self::Upload(owner, timestamp, file) => {
                let bucket = bucket().await.map_err(Error::Busy)?;
                let put = bucket.client.put_object().bucket(bucket.name).key(incoming_key(&owner, &timestamp));
                put.body(file.into()).send().await?;
            }
            Self::Expire(owner, timestamp) => {
                let table = table().await.map_err(Error::Busy)?;
                let delete = table.client.delete_item().table_name(table.name);
                let delete = delete.set_key(Some(Key::photo(&owner, &timestamp).into()));
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

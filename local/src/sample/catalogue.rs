//! The sample data of the catalogues: songs and people with different attributes.

use serde_json::{Value, json};
use shared::document;
use shared::dynamodb::Item;
use shared::values::DocumentFormat;

/// Returns two songs of each of two artists. Three songs are of one genre, and one has no album.
pub(super) fn songs() -> Vec<Item> {
    items(&[
        json!({
            "Artist": {"S": "The Harbour Lights"}, "SongTitle": {"S": "Low Tide"}, "Genre": {"S": "Folk"},
            "AlbumTitle": {"S": "Between Two Piers"}, "Year": {"N": "2019"}, "Price": {"N": "1.20"},
            "Players": {"SS": ["Dora", "Ines", "Sami"]},
        }),
        json!({
            "Artist": {"S": "The Harbour Lights"}, "SongTitle": {"S": "Slow Ferry"}, "Genre": {"S": "Folk"},
            "AlbumTitle": {"S": "Between Two Piers"}, "Year": {"N": "2019"},
            "Charts": {"M": {"Weeks": {"N": "3"}, "Places": {"M": {"Bristol": {"N": "1"}, "Leeds": {"N": "7"}}}}},
        }),
        json!({
            "Artist": {"S": "Greta Holm Trio"}, "SongTitle": {"S": "Nine Windows"}, "Genre": {"S": "Jazz"},
            "AlbumTitle": {"S": "Rooms"}, "Live": {"BOOL": false},
        }),
        json!({
            "Artist": {"S": "Greta Holm Trio"}, "SongTitle": {"S": "Unfinished"}, "Genre": {"S": "Folk"},
            "Notes": {"L": [{"S": "second take"}, {"NULL": true}]},
        }),
    ])
}

/// Returns two people with different attributes.
pub(super) fn people() -> Vec<Item> {
    items(&[
        json!({
            "PersonID": {"N": "1"}, "FirstName": {"S": "Ada"}, "LastName": {"S": "Marsh"},
            "Address": {"M": {"Street": {"S": "7 Orchard Row"}, "City": {"S": "Ashford"}, "ZIPCode": {"N": "24"}}},
            "Roles": {"SS": ["Admin", "User"]},
        }),
        json!({
            "PersonID": {"N": "2"}, "FirstName": {"S": "Ben"}, "Phone": {"S": "555-0117"}, "Key": {"B": "AAEC/w=="},
            "Lucky": {"NS": ["7", "13.5"]},
        }),
    ])
}

fn items(documents: &[Value]) -> Vec<Item> {
    let read = |document: &Value| document::read(DocumentFormat::DynamoDb, &document.to_string());
    documents.iter().map(|document| read(document).expect("the sample data is valid")).collect()
}

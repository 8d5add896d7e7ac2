//! Items that DynamoDB deletes because they have expired.

use super::*;
use crate::services::dynamodb::delete_expired_items;

#[tokio::test]
async fn the_record_of_an_expired_item_names_the_service() {
    let (mut fixture, first) = Fixture::with_busy_function(mapping()).await;
    let ttl = json!({"TableName": "things", "TimeToLiveSpecification": {"AttributeName": "ttl", "Enabled": true}});
    fixture.database.update_time_to_live(serde_json::from_value(ttl).unwrap()).unwrap();
    let item = json!({"TableName": "things", "Item": {"pk": {"S": "old"}, "ttl": {"N": "1000000000"}}});
    fixture.database.put_item(serde_json::from_value(item).unwrap()).unwrap();
    delete_expired_items(fixture.database.clone()).await.unwrap();
    first.succeed();
    let call = fixture.call(&["old", "old"]).await;
    let [put, expired] = [0, 1].map(|index| call.event["Records"][index].clone());
    assert_eq!((&put["eventName"], put.get("userIdentity")), (&json!("INSERT"), None));
    assert_eq!(expired["eventName"], "REMOVE");
    assert_eq!(expired["userIdentity"], json!({"type": "Service", "principalId": "dynamodb.amazonaws.com"}));
    call.succeed();
    fixture.assert_idle().await;
}

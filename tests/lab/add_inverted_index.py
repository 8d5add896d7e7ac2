"""Adds the index InvertedIndex to quick-photos: the sort key is its partition key, and the partition key its sort key."""

import time

import boto3

dynamodb = boto3.client("dynamodb")
dynamodb.update_table(
    TableName="quick-photos",
    AttributeDefinitions=[
        {"AttributeName": "PK", "AttributeType": "S"},
        {"AttributeName": "SK", "AttributeType": "S"},
    ],
    GlobalSecondaryIndexUpdates=[
        {
            "Create": {
                "IndexName": "InvertedIndex",
                "KeySchema": [
                    {"AttributeName": "SK", "KeyType": "HASH"},
                    {"AttributeName": "PK", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
            }
        }
    ],
)
while True:
    index = dynamodb.describe_table(TableName="quick-photos")["Table"]["GlobalSecondaryIndexes"][0]
    if index["IndexStatus"] == "ACTIVE":
        break
    time.sleep(1)
print("InvertedIndex is active")

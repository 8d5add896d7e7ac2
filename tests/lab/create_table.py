"""Creates the table quick-photos: a partition key, a sort key and no index."""

import boto3

dynamodb = boto3.client("dynamodb")
dynamodb.create_table(
    TableName="quick-photos",
    AttributeDefinitions=[
        {"AttributeName": "PK", "AttributeType": "S"},
        {"AttributeName": "SK", "AttributeType": "S"},
    ],
    KeySchema=[
        {"AttributeName": "PK", "KeyType": "HASH"},
        {"AttributeName": "SK", "KeyType": "RANGE"},
    ],
    BillingMode="PAY_PER_REQUEST",
)
dynamodb.get_waiter("table_exists").wait(TableName="quick-photos", WaiterConfig={"Delay": 1})
print("quick-photos exists")

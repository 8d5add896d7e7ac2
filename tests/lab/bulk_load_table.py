"""Loads items.json into quick-photos, in batches of 25 items."""

import json
from pathlib import Path

import boto3

table = boto3.resource("dynamodb").Table("quick-photos")
lines = Path(__file__).with_name("items.json").read_text().splitlines()
# The batch writer also sends the items again that DynamoDB has not processed.
with table.batch_writer() as batch:
    for line in lines:
        batch.put_item(Item=json.loads(line))
print(f"{len(lines)} items loaded")

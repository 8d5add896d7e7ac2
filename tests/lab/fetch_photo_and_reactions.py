"""Prints a photo and the reactions to it, by one Query of InvertedIndex."""

import argparse

import boto3
from boto3.dynamodb.conditions import Key

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("username", nargs="?", default="mia")
parser.add_argument("timestamp", nargs="?", default="2025-03-02T07:14:09")
arguments = parser.parse_args()

table = boto3.resource("dynamodb").Table("quick-photos")
answer = table.query(
    IndexName="InvertedIndex",
    KeyConditionExpression=Key("SK").eq(f"PHOTO#{arguments.username}#{arguments.timestamp}"),
    # USER# sorts after REACTION#, so the photo comes first in descending order.
    ScanIndexForward=False,
)
photo, *reactions = answer["Items"]
print(f"{photo['location']}, {len(reactions)} reactions")
for reaction in reactions:
    print(reaction["reactingUser"], reaction["reactionType"])

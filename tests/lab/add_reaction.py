"""Adds a reaction to a photo and counts it, in one transaction."""

import argparse
from datetime import datetime, timezone

import boto3

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("reacting_user", nargs="?", default="omar")
parser.add_argument("reaction_type", nargs="?", default="heart")
parser.add_argument("username", nargs="?", default="mia")
parser.add_argument("timestamp", nargs="?", default="2025-03-02T07:14:09")
arguments = parser.parse_args()

dynamodb = boto3.client("dynamodb")
photo = f"PHOTO#{arguments.username}#{arguments.timestamp}"
reaction = {
    "PK": {"S": f"REACTION#{arguments.reacting_user}#{arguments.reaction_type}"},
    "SK": {"S": photo},
    "reactingUser": {"S": arguments.reacting_user},
    "reactionType": {"S": arguments.reaction_type},
    "photo": {"S": photo},
    "timestamp": {"S": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")},
}
put = {"TableName": "quick-photos", "Item": reaction, "ConditionExpression": "attribute_not_exists(SK)"}
count = {
    "TableName": "quick-photos",
    "Key": {"PK": {"S": f"USER#{arguments.username}"}, "SK": {"S": photo}},
    "UpdateExpression": "SET reactions.#type = reactions.#type + :one",
    "ExpressionAttributeNames": {"#type": arguments.reaction_type},
    "ExpressionAttributeValues": {":one": {"N": "1"}},
}
try:
    dynamodb.transact_write_items(TransactItems=[{"Put": put}, {"Update": count}])
    print("The reaction is added")
except dynamodb.exceptions.TransactionCanceledException as error:
    reasons = [reason["Code"] for reason in error.response["CancellationReasons"]]
    print(f"The reaction is not added: {reasons}")

"""Lets a user follow another one and counts it for both, in one transaction."""

import argparse
from datetime import datetime, timezone

import boto3

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("followed_user", nargs="?", default="mia")
parser.add_argument("following_user", nargs="?", default="omar")
arguments = parser.parse_args()

dynamodb = boto3.client("dynamodb")


def count(username: str, counter: str) -> dict:
    """Returns the update that adds 1 to a counter of a user."""
    return {
        "TableName": "quick-photos",
        "Key": {"PK": {"S": f"USER#{username}"}, "SK": {"S": f"#METADATA#{username}"}},
        "UpdateExpression": "SET #counter = #counter + :one",
        "ExpressionAttributeNames": {"#counter": counter},
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    }


friendship = {
    "PK": {"S": f"USER#{arguments.followed_user}"},
    "SK": {"S": f"#FRIEND#{arguments.following_user}"},
    "followedUser": {"S": arguments.followed_user},
    "followingUser": {"S": arguments.following_user},
    "timestamp": {"S": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")},
}
put = {"TableName": "quick-photos", "Item": friendship, "ConditionExpression": "attribute_not_exists(SK)"}
try:
    dynamodb.transact_write_items(
        TransactItems=[
            {"Put": put},
            {"Update": count(arguments.followed_user, "followers")},
            {"Update": count(arguments.following_user, "following")},
        ]
    )
    print(f"{arguments.following_user} follows {arguments.followed_user}")
except dynamodb.exceptions.TransactionCanceledException as error:
    reasons = [reason["Code"] for reason in error.response["CancellationReasons"]]
    print(f"{arguments.following_user} does not follow {arguments.followed_user} anew: {reasons}")

"""Prints a user and the user's photos, newest first, by one Query of the table."""

import argparse

import boto3
from boto3.dynamodb.conditions import Key

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("username", nargs="?", default="mia")
username = parser.parse_args().username

table = boto3.resource("dynamodb").Table("quick-photos")
# `$` follows `#`, so PHOTO$ is greater than the sort key of each photo. The photos come first in descending order.
photos_and_user = Key("SK").between(f"#METADATA#{username}", "PHOTO$")
answer = table.query(KeyConditionExpression=Key("PK").eq(f"USER#{username}") & photos_and_user, ScanIndexForward=False)
*photos, user = answer["Items"]
print(f"{user['name']}: {user['followers']} followers, {len(photos)} photos")
for photo in photos:
    print(photo["timestamp"], {kind: int(count) for kind, count in sorted(photo["reactions"].items())})

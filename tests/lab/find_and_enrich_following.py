"""Prints whom a user follows: a Query of InvertedIndex finds the friendships, and one BatchGetItem the users."""

import argparse

import boto3
from boto3.dynamodb.conditions import Key

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("username", nargs="?", default="theo")
username = parser.parse_args().username

dynamodb = boto3.resource("dynamodb")
friendships = dynamodb.Table("quick-photos").query(
    IndexName="InvertedIndex", KeyConditionExpression=Key("SK").eq(f"#FRIEND#{username}")
)["Items"]
followed = [friendship["followedUser"] for friendship in friendships]
keys = [{"PK": f"USER#{user}", "SK": f"#METADATA#{user}"} for user in followed]
answer = dynamodb.batch_get_item(RequestItems={"quick-photos": {"Keys": keys}}) if keys else {"Responses": {}}
# BatchGetItem returns the items in any order.
users = {user["username"]: user for user in answer["Responses"].get("quick-photos", [])}
print(f"{username} follows {len(followed)} users")
for name in followed:
    print(f"{users[name]['name']}: {users[name]['status']}")

"""Reads items with boto3 and compares them with those on standard input, which are lines of DynamoDB JSON."""

import base64
import json
import sys
from decimal import Decimal

import boto3
from boto3.dynamodb.types import TypeDeserializer


def sdk(value):
    """Converts base64, which DynamoDB JSON has for binary values, to the bytes that boto3 has."""
    ((kind, content),) = value.items()
    if kind == "B":
        return {"B": base64.b64decode(content)}
    if kind == "BS":
        return {"BS": [base64.b64decode(member) for member in content]}
    if kind == "L":
        return {"L": [sdk(element) for element in content]}
    if kind == "M":
        return {"M": {name: sdk(element) for name, element in content.items()}}
    return value


class Deserializer(TypeDeserializer):
    """The deserializer of boto3, without its limit of 38 digits, which counts trailing zeros too. The embedded engine writes
    1E+60 with all of its zeros."""

    def _deserialize_n(self, value):
        return Decimal(value)


def python(item):
    # The server assigns the version.
    return {name: Deserializer().deserialize(value) for name, value in item.items() if name != "_version"}


table, endpoint = sys.argv[1:]
dynamodb = boto3.client(
    "dynamodb", endpoint_url=endpoint, region_name="eu-west-1", aws_access_key_id="a", aws_secret_access_key="a"
)
equal = 0
for line in sys.stdin:
    expected = {name: sdk(value) for name, value in json.loads(line).items()}
    found = dynamodb.get_item(TableName=table, Key={"PersonID": expected["PersonID"]})["Item"]
    if python(found) == python(expected):
        equal += 1
    else:
        print(f"{expected['PersonID']}: {found} instead of {expected}")
print(f"{equal} items are equal")

"""What a function costs at the least with Python and boto3.

It sends the DynamoDB requests of the JSON file that PEER_REQUESTS names, one after the other, at each event:

    [{"operation": "Query", "input": {"TableName": "quick-photos", ...}}, ...]

That is all it does. It looks at no event, builds no request, checks no value and shapes no answer, and it asks again
for nothing that a batch leaves unprocessed. A function that did in Python what one of ours does would be slower.
"""

import base64
import json
import os

import boto3
from botocore import xform_name
from botocore.exceptions import ClientError

# What a conditional write answers when its condition doesn't hold, as it may when it comes a second time.
REFUSALS = {"ConditionalCheckFailedException", "TransactionCanceledException"}


def with_bytes(value):
    """The input as boto3 takes it: binary attributes are base64 on the wire and bytes in Python."""
    if isinstance(value, list):
        return [with_bytes(element) for element in value]
    if not isinstance(value, dict):
        return value
    match list(value.items()):
        case [("B", str(text))]:
            return {"B": base64.b64decode(text)}
        case [("BS", [str(), *_] as texts)]:
            return {"BS": [base64.b64decode(text) for text in texts]}
    return {name: with_bytes(member) for name, member in value.items()}


def load():
    """Each request as a method of its client and the arguments."""
    with open(os.environ["PEER_REQUESTS"]) as file:
        requests = json.load(file)
    clients = {}
    calls = []
    for request in requests:
        service = "sesv2" if request["operation"] == "SendEmail" else "dynamodb"
        if service not in clients:
            clients[service] = boto3.client(service)
        arguments = with_bytes(request["input"])
        # The client makes one for each call. The recorded one would have a repeated transaction answered and not done.
        arguments.pop("ClientRequestToken", None)
        calls.append((getattr(clients[service], xform_name(request["operation"])), arguments))
    return calls


CALLS = load()


def handler(event, context):
    output = None
    for call, arguments in CALLS:
        try:
            output = call(**arguments)
        except ClientError as error:
            if error.response["Error"]["Code"] not in REFUSALS:
                raise
    if output is not None:
        output.pop("ResponseMetadata", None)
    body = json.dumps(output, default=lambda binary: base64.b64encode(binary).decode())
    return {"statusCode": 200, "headers": {"content-type": "application/json"}, "body": body}

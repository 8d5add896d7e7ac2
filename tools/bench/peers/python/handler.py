"""The minimum cost of a function with Python and boto3.

For each event, it sends the requests of the JSON file that PEER_REQUESTS names, one after the other:

    [{"operation": "Query", "input": {"TableName": "quick-photos", ...}}, ...]

It does nothing else: it does not read the event, build requests, validate values, shape the answer, or retry the
unprocessed items of a batch. A complete function in Python would be slower.
"""

import base64
import json
import os

import boto3
from botocore import xform_name
from botocore.exceptions import ClientError

# The errors of a conditional write whose condition fails. That is normal for a write that is repeated.
FAILED_CONDITIONS = {"ConditionalCheckFailedException", "TransactionCanceledException"}


def with_bytes(value):
    """Returns the input with binary attributes, which are base64 in JSON, as the bytes that boto3 requires."""
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
    """Returns each request as a method of its client and the arguments of the call."""
    with open(os.environ["PEER_REQUESTS"]) as file:
        requests = json.load(file)
    clients = {}
    calls = []
    for request in requests:
        service = "sesv2" if request["operation"] == "SendEmail" else "dynamodb"
        if service not in clients:
            clients[service] = boto3.client(service)
        arguments = with_bytes(request["input"])
        # boto3 generates a token for each call. With the recorded token, DynamoDB would answer a repeated transaction
        # without executing it.
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
            if error.response["Error"]["Code"] not in FAILED_CONDITIONS:
                raise
    if output is not None:
        output.pop("ResponseMetadata", None)
    body = json.dumps(output, default=lambda binary: base64.b64encode(binary).decode())
    return {"statusCode": 200, "headers": {"content-type": "application/json"}, "body": body}

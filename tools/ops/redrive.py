#!/usr/bin/env python3
"""Redrives the queue FailedRecords: gives what functions have given up to the same functions again.

A message of a stream function says where the records were in the stream, and not what they are. They are read from the stream
again, which keeps them for 24 hours, and the function is invoked with them as its event source mapping would do it. The range of
a message may contain records that the mapping's filters exclude, and records that other batches had. They are sent too: each
function ignores what it does not handle, and may get a record twice. A message of an asynchronous invocation contains its event.

The messages of a shard are redriven in the order of the stream. A message is deleted when the function has processed all of it.
Otherwise it stays in the queue, and so do the messages whose records have left the stream, for which the audit is the way.

A redriven record is older than others that the function has processed since. index-favorite is the one function for which that
matters, so run the audit of the table of favorites with --repair afterwards.

Prints a line for each message and a summary. The exit code is 0 if no message is left, 1 if messages are left, and 2 if the
queue or a service could not be used. A dry run invokes and deletes nothing, and exits with 0 or 2.

Needs boto3, which comes with the SAM CLI. Region, credentials and endpoints come from the environment or ~/.aws.
"""

import argparse
import base64
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from stacks import ClientError, Config, boto3, run

# The time for which no other reader of the queue gets the messages. If this program is killed, they
# are back after it.
VISIBILITY_SECONDS = 3600
# Lambda takes 6 MB in a synchronous invocation.
MAX_EVENT_BYTES = 6 * 1024 * 1024 - 100
# The longest timeout of a function is 900 s. An invocation is not repeated by the SDK, because its
# function may still run.
INVOKE = Config(read_timeout=910, retries={"total_max_attempts": 1})


class Trimmed(Exception):
    """The records are not in the stream any more."""


class Failed(Exception):
    """The function has not processed all of a message."""


def main() -> int:
    arguments = parse_arguments()
    sqs = boto3.client("sqs")
    queue = {"QueueUrl": arguments.queue_url}
    counts: dict[str, int] = {}
    kept = []
    messages = sorted(receive(sqs, queue), key=position)
    try:
        while messages:
            message = messages[0]
            outcome, detail = redrive(message, arguments)
            counts[outcome] = counts.get(outcome, 0) + 1
            print(f"{message['MessageId']} {describe(message['content'])}: {outcome}{detail and ': ' + detail}", flush=True)
            if outcome in ("redriven", "discarded"):
                sqs.delete_message(**queue, ReceiptHandle=message["ReceiptHandle"])
            else:
                kept.append(message)
            messages.pop(0)
    finally:
        # The alarm of the queue counts visible messages only.
        for message in kept + messages:
            sqs.change_message_visibility(**queue, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0)
    print(", ".join([f"{sum(counts.values())} messages"] + [f"{number} {outcome}" for outcome, number in sorted(counts.items())]))
    return 1 if kept and not arguments.dry_run else 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queue-url", required=True, metavar="URL", help="the output FailedRecordsUrl of the stack")
    parser.add_argument("--dry-run", action="store_true", help="show the messages and whether the stream still has their records")
    parser.add_argument(
        "--discard-trimmed", action="store_true", help="delete messages whose records have left the stream, after an audit"
    )
    parser.add_argument(
        "--discard", action="append", default=[], metavar="ID", help="delete the message with this id unseen; may be repeated"
    )
    return parser.parse_args()


def receive(sqs: Any, queue: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yields all messages of the queue that no other reader has, with their parsed content."""
    # An answer of a long poll is empty only if no server of the queue has a message.
    while messages := sqs.receive_message(
        **queue, MaxNumberOfMessages=10, WaitTimeSeconds=1, VisibilityTimeout=VISIBILITY_SECONDS
    ).get("Messages"):
        for message in messages:
            yield message | {"content": json.loads(message["Body"])}


def position(message: dict[str, Any]) -> tuple[str, int, str]:
    """Returns a key that sorts the messages of a shard by their position, and others by time."""
    batch = message["content"].get("DDBStreamBatchInfo", {})
    return (batch.get("shardId", ""), int(batch.get("startSequenceNumber", 0)), message["content"].get("timestamp", ""))


def describe(content: dict[str, Any]) -> str:
    """Returns the function of a message, and the records that it is about."""
    if "key" in content:
        return f"process-photo picture of an import {content['key']}"
    function = content["requestContext"]["functionArn"].split(":function:")[-1].removesuffix(":$LATEST")
    batch = content.get("DDBStreamBatchInfo")
    if batch is None:
        return f"{function} event of {content['timestamp']}"
    return f"{function} {batch['batchSize']} records of {batch['approximateArrivalOfFirstRecord']}"


def redrive(message: dict[str, Any], arguments: argparse.Namespace) -> tuple[str, str]:
    """Redrives one message. Returns the outcome in one word, and a detail."""
    content = message["content"]
    if message["MessageId"] in arguments.discard:
        return ("discardable" if arguments.dry_run else "discarded"), ""
    try:
        events = list(events_of(content))
        if arguments.dry_run:
            return "redrivable", ""
        for event in events:
            invoke(content["requestContext"]["functionArn"], event)
        return "redriven", ""
    except Trimmed as error:
        if arguments.discard_trimmed and not arguments.dry_run:
            return "discarded", str(error)
        return "trimmed", f"{error}; run the audit with --repair, and then this with --discard-trimmed"
    except Failed as error:
        return "failed", str(error)


def events_of(content: dict[str, Any]) -> Iterator[str]:
    """Yields the events with which the function of a message is invoked, in JSON."""
    if "requestPayload" in content:
        yield json.dumps(content["requestPayload"])
        return
    if "key" in content:
        raise Failed("its photo expires within a day of the import; discard the message, and the owner can import the file again")
    batch = content.get("DDBStreamBatchInfo")
    if batch is None:
        raise Failed("the message has neither DDBStreamBatchInfo nor requestPayload")
    records: list[str] = []
    for record in read_records(batch):
        text = json.dumps(record, default=json_value)
        # No event has more records than the batch had.
        if len(records) == batch["batchSize"] or sum(map(len, records)) + len(records) + len(text) > MAX_EVENT_BYTES:
            yield f'{{"Records":[{",".join(records)}]}}'
            records = []
        records.append(text)
    yield f'{{"Records":[{",".join(records)}]}}'


def read_records(batch: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields the records of the stream from the first to the last one of a batch, as Lambda sends them."""
    streams = boto3.client("dynamodbstreams")
    shard = {"StreamArn": batch["streamArn"], "ShardId": batch["shardId"]}
    first = {"ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": batch["startSequenceNumber"]}
    try:
        iterator = streams.get_shard_iterator(**shard, **first)["ShardIterator"]
        while iterator:
            page = streams.get_records(ShardIterator=iterator)
            for record in page["Records"]:
                if int(record["dynamodb"]["SequenceNumber"]) > int(batch["endSequenceNumber"]):
                    return
                yield as_lambda_sends(record, batch["streamArn"])
                if record["dynamodb"]["SequenceNumber"] == batch["endSequenceNumber"]:
                    return
            iterator = page.get("NextShardIterator")
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code not in ("TrimmedDataAccessException", "ResourceNotFoundException"):
            raise
        raise Trimmed(f"the stream does not have the records any more ({code})") from error
    raise Trimmed("the shard ends before the last of the records")


def as_lambda_sends(record: dict[str, Any], stream_arn: str) -> dict[str, Any]:
    """Converts a record of GetRecords into one of an event source mapping."""
    record = record | {"eventSourceARN": stream_arn}
    if identity := record.get("userIdentity"):
        record["userIdentity"] = {"type": identity["Type"], "principalId": identity["PrincipalId"]}
    return record


def json_value(value: object) -> object:
    """Converts a value that boto3 has parsed to the one in the JSON of Lambda."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime):
        return value.timestamp()
    raise TypeError(f"{type(value)} has no form in JSON")


def invoke(function: str, event: str) -> None:
    """Invokes a function and waits for its answer. Raises Failed unless it has processed the whole event."""
    answer = boto3.client("lambda", config=INVOKE).invoke(FunctionName=function, Payload=event.encode())
    payload = json.loads(answer["Payload"].read() or "null")
    if "FunctionError" in answer:
        raise Failed(f"the function failed: {payload}")
    failures = payload.get("batchItemFailures") if isinstance(payload, dict) else None
    if failures:
        numbers = ", ".join(str(failure.get("itemIdentifier")) for failure in failures)
        raise Failed(f"the function failed on the records {numbers}; its log says why")


if __name__ == "__main__":
    run(main)

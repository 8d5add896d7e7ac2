"""Gives each stream function all records of its stream again, also those that its filters exclude, by the code of redrive.py."""

import sys
from pathlib import Path

import boto3

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parents[2] / "tools/ops"))
import redrive  # noqa: E402

FUNCTIONS = {
    "quick-photos": ("process-changes", "finish-deletion"),
    "dev.Favorite": ("index-favorite", "purge-deleted-tag"),
}

streams = boto3.client("dynamodbstreams")
for table, functions in FUNCTIONS.items():
    stream = streams.list_streams(TableName=table)["Streams"][0]["StreamArn"]
    shard = streams.describe_stream(StreamArn=stream)["StreamDescription"]["Shards"][0]
    numbers = shard["SequenceNumberRange"]
    batch = {
        "streamArn": stream,
        "shardId": shard["ShardId"],
        "startSequenceNumber": numbers["StartingSequenceNumber"],
        "endSequenceNumber": numbers["EndingSequenceNumber"],
        "batchSize": 50,
    }
    for function in functions:
        events = list(redrive.events_of({"DDBStreamBatchInfo": batch}))
        for event in events:
            redrive.invoke(function, event)
        print(f"{function} {sum(event.count('eventName') for event in events)}")

"""The messages of a queue and redrive.py, against the SQS of moto, which stands in for that of AWS. No function is invoked here."""

import json
import os
import subprocess
import sys
import unittest
import urllib.request
from pathlib import Path

REDRIVE = Path(__file__).parents[2] / "tools/ops/redrive.py"
os.environ |= {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "eu-west-1"}

import boto3  # noqa: E402
from moto.server import ThreadedMotoServer  # noqa: E402

FUNCTION = "arn:aws:lambda:eu-west-1:123456789012:function:process-changes"


def message(**members: object) -> dict:
    context = {"functionArn": FUNCTION, "condition": "RetryAttemptsExhausted"}
    return {"version": "1.0", "timestamp": "2026-11-23T10:00:00.000Z", "requestContext": context} | members


def batch(number: int) -> dict:
    """Returns a message about a record of a stream that does not exist."""
    return message(
        DDBStreamBatchInfo={
            "streamArn": "arn:aws:dynamodb:eu-west-1:123456789012:table/gone/stream/2026-01-01T00:00:00.000",
            "shardId": "shardId-00000001795431146842-1b2c3d4e",
            "startSequenceNumber": str(number),
            "endSequenceNumber": str(number),
            "batchSize": 1,
            "approximateArrivalOfFirstRecord": f"record {number}",
        }
    )


class Queue(unittest.TestCase):
    def setUp(self) -> None:
        server = ThreadedMotoServer(port=0)
        server.start()
        self.addCleanup(server.stop)
        host, port = server.get_host_and_port()
        os.environ["AWS_ENDPOINT_URL"] = f"http://{host}:{port}"
        urllib.request.urlopen(urllib.request.Request(f"http://{host}:{port}/moto-api/reset", method="POST"))
        self.sqs = boto3.client("sqs")
        self.url = self.sqs.create_queue(QueueName="FailedRecords")["QueueUrl"]

    def send(self, content: dict) -> str:
        return self.sqs.send_message(QueueUrl=self.url, MessageBody=json.dumps(content))["MessageId"]

    def redrive(self, *arguments: str) -> tuple[list[str], int]:
        command = [sys.executable, REDRIVE, "--queue-url", self.url, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines(), done.returncode

    def visible(self) -> int:
        attributes = self.sqs.get_queue_attributes(QueueUrl=self.url, AttributeNames=["ApproximateNumberOfMessages"])
        return int(attributes["Attributes"]["ApproximateNumberOfMessages"])

    def test_takes_all_messages_of_a_shard_in_the_order_of_the_stream(self) -> None:
        # Sequence numbers have different lengths, so their order is not that of their text.
        numbers = [10**20 + 5, 10**21 + 4, 10**21 + 1, *range(10**20 + 10, 10**20 + 30)]
        for number in numbers:
            self.send(batch(number))
        lines, _ = self.redrive("--dry-run")
        order = [int(line.split(": ")[0].split("record ")[1]) for line in lines[:-1]]
        self.assertEqual(order, sorted(numbers))
        self.assertEqual(lines[-1], "23 messages, 23 trimmed")

    def test_keeps_and_shows_again_what_it_cannot_redrive_until_it_is_told_to_discard_it(self) -> None:
        trimmed = self.send(batch(10**20))
        unknown = self.send(message())
        for arguments, code in (((), 1), (("--dry-run", "--discard-trimmed", "--discard", unknown), 0)):
            lines, returned = self.redrive(*arguments)
            self.assertEqual((returned, self.visible()), (code, 2), lines)
        lines, code = self.redrive("--discard-trimmed")
        self.assertTrue(any(line.startswith(f"{trimmed} ") and ": discarded: " in line for line in lines), lines)
        self.assertTrue(any(": failed: the message has neither DDBStreamBatchInfo nor" in line for line in lines), lines)
        self.assertEqual((code, self.visible()), (1, 1))
        lines, code = self.redrive("--discard", unknown)
        self.assertEqual((lines[-1], code, self.visible()), ("1 messages, 1 discarded", 0, 0))


if __name__ == "__main__":
    unittest.main()

"""How fast bulk-load is beside boto3's batch_writer, on the same engine and in one run.

    cargo run                                      (in another terminal; or any DynamoDB at the endpoint)
    cargo build
    python3 local/benches/bulk_load.py FILE [--endpoint-url URL] [--bulk-load target/debug/bulk-load] [--rounds 7]

FILE holds plain JSON Lines with the keys PK and SK. Needs boto3. Every load goes into a new table with the keys, the
index and the stream of quick-photos. "loading" is from before the first item is read until the last one is in;
"process" is from start to exit, interpreter and imports included. Medians of the rounds; rounds alternate.
"""

import argparse
import decimal
import json
import os
import re
import statistics
import subprocess
import sys
import time

ENVIRONMENT = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_REGION": "us-east-1", "AWS_DEFAULT_REGION": "us-east-1"}


def with_boto3(file, table, endpoint):
    """What the other side of the comparison does, in a process of its own."""
    import boto3

    target = boto3.resource("dynamodb", endpoint_url=endpoint).Table(table)
    begin = time.perf_counter()
    with open(file) as lines, target.batch_writer() as batch:
        for line in lines:
            batch.put_item(Item=json.loads(line, parse_float=decimal.Decimal))
    print(f"{time.perf_counter() - begin:.4f} s")


def measure(command):
    begin = time.perf_counter()
    done = subprocess.run(command, env=os.environ | ENVIRONMENT, capture_output=True, text=True)
    process = time.perf_counter() - begin
    if done.returncode != 0:
        sys.exit(f"{command}: exit {done.returncode}\n{done.stderr}")
    return float(re.search(r"([\d.]+) s\b", done.stdout).group(1)), process


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--endpoint-url", default="http://127.0.0.1:8000")
    parser.add_argument("--bulk-load", default="target/debug/bulk-load")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--boto3-into", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.boto3_into:
        return with_boto3(options.file, options.boto3_into, options.endpoint_url)

    os.environ.update(ENVIRONMENT)
    import boto3

    client = boto3.client("dynamodb", endpoint_url=options.endpoint_url)
    keys = [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}]
    loaders = {
        "boto3": [sys.executable, __file__, options.file, "--endpoint-url", options.endpoint_url, "--boto3-into"],
        "bulk-load": [options.bulk_load, options.file, "--endpoint-url", options.endpoint_url, "--table"],
    }
    times = {name: [] for name in loaders}
    for turn in range(options.rounds):
        for name, command in loaders.items():
            table = f"bench-{os.getpid()}-{name}-{turn}"
            client.create_table(
                TableName=table,
                BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": key["AttributeName"], "AttributeType": "S"} for key in keys],
                KeySchema=keys,
                GlobalSecondaryIndexes=[{
                    "IndexName": "InvertedIndex",
                    "KeySchema": [{"AttributeName": "SK", "KeyType": "HASH"}, {"AttributeName": "PK", "KeyType": "RANGE"}],
                    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": [
                        "username", "timestamp", "location", "reactions",
                        "reactingUser", "reactionType", "followedUser", "followingUser"]},
                }],
                StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
            )
            client.get_waiter("table_exists").wait(TableName=table, WaiterConfig={"Delay": 1})
            times[name].append(measure([*command, table]))
            client.delete_table(TableName=table)

    medians = {name: [statistics.median(column) for column in zip(*rows)] for name, rows in times.items()}
    for name, (loading, process) in medians.items():
        print(f"{name:10} loading {loading * 1000:7.1f} ms   process {process * 1000:7.1f} ms")
    ratio = [theirs / ours for theirs, ours in zip(medians["boto3"], medians["bulk-load"])]
    print(f"{'ratio':10} loading {ratio[0]:7.1f}      process {ratio[1]:7.1f}")


if __name__ == "__main__":
    main()

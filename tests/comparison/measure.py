"""Measures other schemas for social networks: prints the rows of docs/comparison.md, with requests / read units / write units.

Needs a DynamoDB without the table quick-photos, such as that of `cargo run -- --empty`. Deletes the tables that it has created."""

import os
import runpy
import sys
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path

import boto3
from boto3.dynamodb.conditions import Key
from botocore.config import Config
from botocore.exceptions import ClientError

LAB = Path(__file__).parent.parent / "lab"
FOLLOWED, FOLLOWER, NEW_FOLLOWER, PHOTO = "mia", "lena", "omar", "01HQZX3T5V7W9Y1A3C5E7G9J2K"
AUTHORS, PHOTOS = 9, 20
if not (os.environ.get("AWS_ENDPOINT_URL_DYNAMODB") or os.environ.get("AWS_ENDPOINT_URL")):
    sys.exit("Set AWS_ENDPOINT_URL_DYNAMODB to the DynamoDB of `cargo run -- --empty`, such as http://127.0.0.1:8000.")

# Each request of this process, of the scripts of the lab too, as its read and write units.
requests = []


def ask_for_units(params, model, **_):
    if "ReturnConsumedCapacity" in model.input_shape.members:
        params["ReturnConsumedCapacity"] = "TOTAL"


def record(parsed, model, **_):
    capacities = parsed.get("ConsumedCapacity", [])
    capacities = capacities if isinstance(capacities, list) else [capacities]
    units = sum(capacity["CapacityUnits"] for capacity in capacities)
    requests.append((0, units) if "Write" in model.name or model.name[:3] in ("Put", "Upd", "Del") else (units, 0))


boto3.setup_default_session()
boto3.DEFAULT_SESSION.events.register("provide-client-params.dynamodb", ask_for_units)
boto3.DEFAULT_SESSION.events.register("after-call.dynamodb", record)
# The service decides what it accepts, and not botocore.
dynamodb = boto3.resource("dynamodb", config=Config(parameter_validation=False))


def create(name, *index):
    """Creates a table, and an index with these two keys."""

    def schema(keys):
        return [{"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, ("HASH", "RANGE"))]

    gsi1 = {"IndexName": "GSI1", "KeySchema": schema(index), "Projection": {"ProjectionType": "ALL"}}
    attributes = [{"AttributeName": key, "AttributeType": "S"} for key in ("PK", "SK", *index)]
    options = {"BillingMode": "PAY_PER_REQUEST", **({"GlobalSecondaryIndexes": [gsi1]} if index else {})}
    return dynamodb.create_table(
        TableName=name, AttributeDefinitions=attributes, KeySchema=schema(("PK", "SK")), **options
    )


def key(pk, sk):
    return {"PK": pk, "SK": sk}


def put(table, pk, sk, **attributes):
    return {"Put": {"TableName": table.name, "Item": {**key(pk, sk), **attributes}, **condition("not_exists")}}


def delete(table, pk, sk):
    return {"Delete": {"TableName": table.name, "Key": key(pk, sk), **condition("exists")}}


def condition(function):
    return {"ConditionExpression": f"attribute_{function}(PK)"}


def add(table, pk, sk, counter, number=1):
    expression = {"UpdateExpression": "ADD #counter :number", "ExpressionAttributeNames": {"#counter": counter}}
    values = {"ExpressionAttributeValues": {":number": number}, **condition("exists")}
    return {"Update": {"TableName": table.name, "Key": key(pk, sk), **expression, **values}}


def together(*writes):
    dynamodb.meta.client.transact_write_items(TransactItems=list(writes))


def one_by_one(*writes):
    operations = {"Put": "put_item", "Update": "update_item", "Delete": "delete_item"}
    for write in writes:
        ((kind, parameters),) = write.items()
        getattr(dynamodb.meta.client, operations[kind])(**parameters)


def batch_get(table, keys):
    return dynamodb.batch_get_item(RequestItems={table.name: {"Keys": keys}})["Responses"][table.name]


def cost(action):
    """Returns the requests, read units and write units of an action, or the error with which its last request is refused."""
    requests.clear()
    try:
        action()
    except ClientError as error:
        return error.response["Error"]["Code"]
    reads, writes = (sum(units) for units in zip(*requests))
    return " / ".join(f"{number:g}" if number else "–" for number in (len(requests), reads, writes))


def script(name, *arguments):
    argv, sys.argv = sys.argv, [name, *arguments]
    with redirect_stdout(StringIO()):
        runpy.run_path(str(LAB / f"{name}.py"))
    sys.argv = argv


def lab():
    """The scripts of tests/lab, on their items."""
    table = dynamodb.Table("quick-photos")
    for name in ("bulk_load_table", "add_inverted_index"):
        script(name)
    return {
        "a profile": cost(lambda: table.get_item(Key=key(f"USER#{FOLLOWED}", f"#METADATA#{FOLLOWED}"))),
        "a profile with photos": cost(partial(script, "fetch_user_and_photos")),
        "a photo with its reactions": cost(partial(script, "fetch_photo_and_reactions")),
        "follow": cost(partial(script, "follow_user", FOLLOWED, NEW_FOLLOWER)),
        "react": cost(partial(script, "add_reaction")),
        "a list of one person with the name": cost(partial(script, "find_and_enrich_following", NEW_FOLLOWER)),
    }


def social_network(table):
    """The keys of AWS's schema, and the reads that it names. The writes are made from the keys."""
    post = f"p#{PHOTO}"
    for user in (FOLLOWED, FOLLOWER, NEW_FOLLOWER, *(f"author{number}" for number in range(AUTHORS))):
        table.put_item(Item={**key(f"u#{user}", "info"), "name": user, "content": "Out with the camera", "imageUrl": "s3://…"})
        table.put_item(Item={**key(f"u#{user}", "count"), "follower#": 1, "following#": 1, "post#": 2})
    one_by_one(put(table, f"u#{FOLLOWED}#follower", f"u#{FOLLOWER}"), put(table, f"p#{PHOTO}#likecount", "count", count=0))
    posts = [(FOLLOWED, post), (FOLLOWED, "p#2"), *((f"author{number % AUTHORS}", f"p#{number}") for number in range(PHOTOS))]
    for author, identifier in posts:
        table.put_item(Item={**key(f"u#{author}#post", identifier), "content": "x" * 200, "imageUrl": "s3://…", "timestamp": 1})
    for author, identifier in posts[2:]:
        table.put_item(Item={**key(f"u#{FOLLOWER}#timeline", f"{identifier}#u#{author}"), "ttl": 2_000_000_000})

    def query(partition, **options):
        return table.query(KeyConditionExpression=Key("PK").eq(partition), **options)["Items"]

    def named_followers():
        batch_get(table, [key(item["SK"], "info") for item in query(f"u#{FOLLOWED}#follower")])

    def feed():
        entries = [item["SK"].split("#u#") for item in query(f"u#{FOLLOWER}#timeline", ScanIndexForward=False, Limit=PHOTOS)]
        authors = {author for _, author in entries}
        keys = [key(f"u#{author}#post", identifier) for identifier, author in entries]
        assert len(batch_get(table, keys + [key(f"u#{author}", "info") for author in authors])) == PHOTOS + AUTHORS

    def photo():
        table.get_item(Key=key(f"u#{FOLLOWED}#post", post))
        query(f"{post}#likelist")
        table.get_item(Key=key(f"{post}#likecount", "count"))

    def follow(write, change, number):
        counts = (f"u#{FOLLOWED}", "follower#"), (f"u#{NEW_FOLLOWER}", "following#")
        edges = (f"u#{FOLLOWED}#follower", f"u#{NEW_FOLLOWER}"), (f"u#{NEW_FOLLOWER}#following", f"u#{FOLLOWED}")
        write(*(change(table, *edge) for edge in edges), *(add(table, pk, "count", name, number) for pk, name in counts))

    def react(write, user):
        write(put(table, f"{post}#likelist", f"u#{user}"), add(table, f"{post}#likecount", "count", "count"))

    follows = cost(partial(follow, one_by_one, put, 1)), cost(partial(follow, one_by_one, delete, -1))
    follows += cost(partial(follow, together, put, 1)), cost(partial(follow, together, delete, -1))
    reactions = cost(partial(react, one_by_one, FOLLOWER)), cost(partial(react, together, NEW_FOLLOWER))
    return {
        "a profile": cost(partial(query, f"u#{FOLLOWED}")),
        "a profile with photos": cost(lambda: (query(f"u#{FOLLOWED}"), query(f"u#{FOLLOWED}#post"))),
        "a photo with its reactions": cost(photo),
        "follow": f"{follows[0]}, or {follows[2]}",
        "unfollow": f"{follows[1]}, or {follows[3]}",
        "react": f"{reactions[0]}, or {reactions[1]}",
        "a list of one person with the name": cost(named_followers),
        "a home feed of 20 photos by nine authors": cost(feed),
    }


def instagram(table):
    """The requests of dynamodb-instagram."""

    def user(name):
        return key(f"USER#{name}", f"USER#{name}")

    def follow(followed, follower):
        pk, sk = f"FOLLOW#{followed}", f"FOLLOW#{follower}"
        friendship = put(table, pk, sk, GSI1PK=sk, GSI1SK=pk, followedUsername=followed, followingUsername=follower)
        counts = (followed, "followerCount"), (follower, "followingCount")
        together(friendship, *(add(table, *user(name).values(), counter) for name, counter in counts))

    def like():
        index = {"GSI1PK": f"PL#{PHOTO}", "GSI1SK": f"LIKE#{PHOTO}"}
        of = {"likingUsername": FOLLOWER, "photoId": PHOTO, "likeId": PHOTO}
        together(put(table, f"PL#{PHOTO}", f"LIKE#{FOLLOWER}", **index, **of), add(table, *photo.values(), "likesCount"))

    def comment():
        of = {"commentingUsername": FOLLOWER, "photoId": PHOTO, "content": "Where was this?", "commentId": PHOTO}
        together(put(table, f"PC#{PHOTO}", f"COMMENT#{PHOTO}", **of), add(table, *photo.values(), "commentCount"))

    def followers(name):
        found = table.query(KeyConditionExpression=Key("PK").eq(f"FOLLOW#{name}"))["Items"]
        batch_get(table, [user(item["followingUsername"]) for item in found])

    for name in (FOLLOWED, FOLLOWER, NEW_FOLLOWER):
        table.put_item(Item={**user(name), "username": name, "name": name, "followerCount": 0, "followingCount": 0})
    photo, counts = key(f"UP#{FOLLOWED}", f"PHOTO#{PHOTO}"), {"likesCount": 0, "commentCount": 0}
    table.put_item(Item={**photo, "username": FOLLOWED, "url": "s3://…", "photoId": PHOTO, **counts})
    follow(FOLLOWED, FOLLOWER)
    for number in range(101):
        table.put_item(Item={**key("FOLLOW#famous", f"FOLLOW#{number}"), "followingUsername": str(number)})
    likes = partial(table.query, IndexName="GSI1", KeyConditionExpression=Key("GSI1PK").eq(f"PL#{PHOTO}"))
    return {
        "a profile": cost(lambda: table.get_item(Key=user(FOLLOWED))),
        "a list of one person with the name": cost(partial(followers, FOLLOWED)),
        "a list of 101 people": cost(partial(followers, "famous")),
        "a list of nobody": cost(partial(followers, NEW_FOLLOWER)),
        "follow": cost(partial(follow, FOLLOWED, NEW_FOLLOWER)),
        "react": cost(like),
        "the same reaction again": cost(like),
        "comment": cost(comment),
        "a photo with its reactions": cost(lambda: (table.get_item(Key=photo), likes())),
    }


script("create_table")
tables = [dynamodb.Table("quick-photos")]
try:
    tables += [create("comparison-social-network"), create("comparison-instagram", "GSI1PK", "GSI1SK")]
    columns = [social_network(tables[1]), lab(), instagram(tables[2])]
    for pattern in dict.fromkeys(pattern for column in columns for pattern in column):
        print(" | ".join([pattern, *(column.get(pattern, "") for column in columns)]))
finally:
    for table in tables:
        table.delete()

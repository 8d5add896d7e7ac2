#!/usr/bin/env python3
"""Restores the tables of a stack to a second of the past, as new tables, and prepares a second stack that adopts them.

Each table of the stack that has point-in-time recovery is restored under a new name: quick-photos as --table-name, and
<stage>.Favorite as <--stage>.Favorite. A table without it, <stage>.Feed, is made again by the audit. A restored table has the
items, indexes, billing mode and encryption of its source. It lacks the stream, the time to live, point-in-time recovery and the
deletion protection, so these are set as the source has them. The source tables are only read.

Then four files are written to --output. With them CloudFormation imports the tables into a new stack, and SAM deploys the rest:

  template.json    the tables alone, as the stack has them
  resources.json   the names of the restored tables
  parameters.json  the parameters of the stack, with the new names, and its user pool as the issuer of the tokens
  parameters.yaml  the same for `sam deploy`

It may be repeated: a table that exists already is not restored again. The exit code is 0 if all tables are ready, 1 if the stack
or a table cannot be restored, and 2 if a request failed.

Needs boto3, which comes with the SAM CLI. Region, credentials and endpoints come from the environment or ~/.aws.
"""

import argparse
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from stacks import ClientError, Unsuitable, boto3, read_stack, run, tables, write_files

POLL_SECONDS = 10


def main() -> int:
    arguments = parse_arguments()
    stack = read_stack(arguments.stack)
    parameters = new_parameters(stack, arguments)
    sources = tables(arguments.stack)
    names = {}
    for resource, source in sources.items():
        if is_recoverable(source):
            names[resource] = new_name(source, stack["parameters"], parameters)
            restore(source, names[resource], arguments.at)
        else:
            print(f"{source} has no point-in-time recovery, so it is not restored")
    if not names:
        raise Unsuitable(f"no table of the stack {arguments.stack} has point-in-time recovery")
    for resource, name in names.items():
        wait_until_active(name)
        copy_settings(sources[resource], name)
        items = boto3.client("dynamodb").describe_table(TableName=name)["Table"]["ItemCount"]
        print(f"{name} is ready, with about {items} items", flush=True)
    write_files(arguments.output, arguments.stack, import_of_tables(names), parameters)
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stack", required=True, metavar="NAME", help="the stack whose tables to restore")
    parser.add_argument("--table-name", required=True, metavar="NAME", help="TableName of the new stack")
    parser.add_argument("--stage", required=True, metavar="STAGE", help="Stage of the new stack")
    parser.add_argument("--photo-bucket", required=True, metavar="NAME", help="PhotoBucketPrefix of the new stack")
    parser.add_argument(
        "--at", type=moment, metavar="TIME", help="the second to restore, such as 2026-11-23T10:00:00Z; without it, the latest one"
    )
    parser.add_argument("--output", required=True, type=Path, metavar="DIR", help="the directory of the files for CloudFormation")
    return parser.parse_args()


def moment(text: str) -> datetime:
    """Parses a time with its offset from UTC."""
    try:
        time_of_restore = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not a time like 2026-11-23T10:00:00Z") from None
    if time_of_restore.tzinfo is None:
        raise argparse.ArgumentTypeError(f"{text} has no offset; write {text}Z for UTC")
    return time_of_restore.astimezone(UTC)


def new_parameters(stack: dict[str, dict[str, str]], arguments: argparse.Namespace) -> dict[str, str]:
    """Returns the parameters of the new stack. Its users keep their accounts, which are in the user pool of the old one."""
    old = stack["parameters"]
    new = {"TableName": arguments.table_name, "Stage": arguments.stage, "PhotoBucketPrefix": arguments.photo_bucket}
    for parameter, value in new.items():
        if old[parameter] == value:
            raise Unsuitable(f"the stack {arguments.stack} has {parameter} {value} itself; choose another one")
    if not old.get("JwtIssuer"):
        pool = stack["outputs"]["UserPoolId"]
        new["JwtIssuer"] = f"https://cognito-idp.{pool.split('_')[0]}.amazonaws.com/{pool}"
        new["JwtAudience"] = stack["outputs"]["UserPoolClientId"]
    # A domain and a budget exist once. The domain stays in the old stack, and the switch leads it
    # to the new API.
    for parameter, value in {"DomainName": "", "CertificateArn": "", "DefaultEndpoint": "true", "MonthlyBudget": "0"}.items():
        if parameter in old:
            new[parameter] = value
    return old | new


def is_recoverable(table: str) -> bool:
    backups = boto3.client("dynamodb").describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
    return backups.get("PointInTimeRecoveryDescription", {}).get("PointInTimeRecoveryStatus") == "ENABLED"


def new_name(source: str, old: dict[str, str], new: dict[str, str]) -> str:
    """Returns the name that template.yaml gives to a table with the new parameters."""
    if source == old["TableName"]:
        return new["TableName"]
    stage, _, name = source.partition(".")
    if stage != old["Stage"]:
        raise Unsuitable(f"the name of table {source} is neither {old['TableName']} nor begins with {old['Stage']}.")
    return f"{new['Stage']}.{name}"


def restore(source: str, target: str, at: datetime | None) -> None:
    """Starts the restore of a table, unless its target exists already."""
    dynamodb = boto3.client("dynamodb")
    point = {"RestoreDateTime": at} if at else {"UseLatestRestorableTime": True}
    try:
        dynamodb.restore_table_to_point_in_time(SourceTableName=source, TargetTableName=target, **point)
        print(f"{source} is being restored as {target}", flush=True)
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code == "TableAlreadyExistsException":
            print(f"{target} exists already, so {source} is not restored again")
        elif code == "InvalidRestoreTimeException":
            raise Unsuitable(f"{source} cannot be restored to --at: {error.response['Error']['Message']}") from error
        else:
            raise


def wait_until_active(table: str) -> None:
    """Waits until a table and its indexes are active. A restore takes minutes to hours."""
    dynamodb = boto3.client("dynamodb")
    while True:
        description = dynamodb.describe_table(TableName=table)["Table"]
        indexes = description.get("GlobalSecondaryIndexes", [])
        if {description["TableStatus"], *(index["IndexStatus"] for index in indexes)} == {"ACTIVE"}:
            return
        time.sleep(POLL_SECONDS)


def copy_settings(source: str, target: str) -> None:
    """Sets what a restore leaves out as the source has it. Each is set only if it differs, so this may be repeated."""
    dynamodb = boto3.client("dynamodb")
    old = dynamodb.describe_table(TableName=source)["Table"]
    new = dynamodb.describe_table(TableName=target)["Table"]
    # DynamoDB changes one of these at a time.
    for setting in ("StreamSpecification", "DeletionProtectionEnabled"):
        if old.get(setting) and not new.get(setting):
            dynamodb.update_table(TableName=target, **{setting: old[setting]})
            wait_until_active(target)
    ttl = dynamodb.describe_time_to_live(TableName=source)["TimeToLiveDescription"]
    is_enabled = dynamodb.describe_time_to_live(TableName=target)["TimeToLiveDescription"]["TimeToLiveStatus"] != "DISABLED"
    if ttl["TimeToLiveStatus"] == "ENABLED" and not is_enabled:
        specification = {"Enabled": True, "AttributeName": ttl["AttributeName"]}
        dynamodb.update_time_to_live(TableName=target, TimeToLiveSpecification=specification)
    if not is_recoverable(target):
        backups = dynamodb.describe_continuous_backups(TableName=source)["ContinuousBackupsDescription"]
        days = backups["PointInTimeRecoveryDescription"].get("RecoveryPeriodInDays")
        specification = {"PointInTimeRecoveryEnabled": True} | ({"RecoveryPeriodInDays": days} if days else {})
        dynamodb.update_continuous_backups(TableName=target, PointInTimeRecoverySpecification=specification)


def import_of_tables(names: dict[str, str]) -> list[dict[str, Any]]:
    """Returns what CloudFormation imports: tables by their logical ids."""
    return [
        {"ResourceType": "AWS::DynamoDB::Table", "LogicalResourceId": resource, "ResourceIdentifier": {"TableName": name}}
        for resource, name in names.items()
    ]


if __name__ == "__main__":
    run(main)

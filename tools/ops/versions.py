#!/usr/bin/env python3
"""Leads the aliases of a stack's functions back to the versions that its last deployment has replaced, without a build.

  back      leads each alias to the version that the last deployment replaced. CloudFormation keeps these versions, and its
            events name them. A function that the deployment did not change keeps its alias.
  forward   leads each alias to the version that the stack has. After `back`, the next deployment moves only the aliases of
            functions that it changes, so run this after it.
  prune     deletes versions: all but the newest --keep of each function, the one of its alias, and the one of the stack,
            and those that are newer than the one of the stack: a deployment that went back has left them, and the next one
            would fail with "A version for this Lambda function exists". Without --yes it only prints them.

The exit code is 0 if it is done, 1 if the stack is not in a state for it, and 2 if a request failed.

Needs boto3, which comes with the SAM CLI. Region, credentials and endpoints come from the environment or ~/.aws.
"""

import argparse
import itertools
import sys
from collections.abc import Iterator
from datetime import datetime

from stacks import Unsuitable, boto3, nested_stacks, resources, run

ALIAS = "live"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stack", required=True, metavar="NAME", help="the stack of the functions")
    parser.add_argument("action", choices=["back", "forward", "prune"])
    parser.add_argument("--keep", type=at_least_two, default=5, metavar="N", help="the versions of a function that prune keeps (5)")
    parser.add_argument("--yes", action="store_true", help="let prune delete")
    arguments = parser.parse_args()
    if arguments.action == "prune":
        prune(arguments.stack, arguments.keep, arguments.yes)
        return 0
    versions = replaced(arguments.stack) if arguments.action == "back" else current(arguments.stack)
    client = boto3.client("lambda")
    for function, version in versions.items():
        before = client.get_alias(FunctionName=function, Name=ALIAS)["FunctionVersion"]
        if before != version:
            # Without the routing of a gradual deployment that was stopped half way.
            client.update_alias(FunctionName=function, Name=ALIAS, FunctionVersion=version, RoutingConfig={})
        print(f"{function}: {before} -> {version}" if before != version else f"{function}: {version} already", flush=True)
    return 0


def at_least_two(text: str) -> int:
    number = int(text)
    if number < 2:
        raise argparse.ArgumentTypeError("keep 2 or more, or no alias can go back")
    return number


def replaced(stack: str) -> dict[str, str]:
    """Returns the versions that the last deployment has replaced, by the names of their functions."""
    description = boto3.client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]
    if description["StackStatus"] not in ("UPDATE_COMPLETE", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"):
        raise Unsuitable(f"the stack {stack} is in the state {description['StackStatus']}, so no deployment is there to take back")
    kept, deleted = {}, []
    events = list(events_of_last_update(description["StackId"]))
    for nested in nested_stacks(stack):
        events += events_since(nested, events[-1]["Timestamp"])
    for event in events:
        if event["ResourceType"] == "AWS::Lambda::Version" and event["ResourceStatus"].startswith("DELETE_"):
            function, version = parts(event["PhysicalResourceId"])
            if event["ResourceStatus"] == "DELETE_SKIPPED":
                kept[function] = version
            elif event["ResourceStatus"] == "DELETE_COMPLETE":
                deleted.append(function)
    if deleted:
        # A new value of a parameter replaces a version under the same logical id, and
        # CloudFormation deletes the old one.
        print(f"{len(deleted)} functions changed by parameters alone keep their version: deploy the old parameters", file=sys.stderr)
    if not kept:
        raise Unsuitable(f"the last deployment of {stack} has replaced no version, or is not finished")
    return kept


def events_of_last_update(stack_id: str) -> Iterator[dict]:
    """Returns the events of a stack since the beginning of its last update, newest first."""
    for event in events_of(stack_id):
        yield event
        if event["PhysicalResourceId"] == stack_id and event["ResourceStatus"] == "UPDATE_IN_PROGRESS":
            return


def events_since(stack_id: str, begin: datetime) -> Iterator[dict]:
    """Returns the events of a nested stack since its parent began an update. The update may not have changed it."""
    return itertools.takewhile(lambda event: event["Timestamp"] >= begin, events_of(stack_id))


def events_of(stack_id: str) -> Iterator[dict]:
    """Returns the events of a stack, newest first."""
    pages = boto3.client("cloudformation").get_paginator("describe_stack_events").paginate(StackName=stack_id)
    return (event for page in pages for event in page["StackEvents"])


def current(stack: str) -> dict[str, str]:
    """Returns the versions that the nested stacks have, by the names of their functions."""
    found = [one for nested in nested_stacks(stack) for one in resources(nested)]
    return dict(parts(one["PhysicalResourceId"]) for one in found if one["ResourceType"] == "AWS::Lambda::Version")


def parts(arn: str) -> tuple[str, str]:
    """Returns the name of the function and the number in the ARN of a version."""
    _, _, _, _, _, _, function, version = arn.split(":")
    return function, version


def prune(stack: str, keep: int, yes: bool) -> None:
    state = boto3.client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]["StackStatus"]
    if state.endswith("_IN_PROGRESS"):
        raise Unsuitable(f"the stack {stack} is in the state {state}, and may just be about to use a new version")
    client = boto3.client("lambda")
    for function, of_stack in current(stack).items():
        pages = client.get_paginator("list_versions_by_function").paginate(FunctionName=function)
        versions = sorted(int(each["Version"]) for page in pages for each in page["Versions"] if each["Version"] != "$LATEST")
        alias = client.get_alias(FunctionName=function, Name=ALIAS)
        used = {of_stack, alias["FunctionVersion"], *alias.get("RoutingConfig", {}).get("AdditionalVersionWeights", {})}
        deployed = [version for version in versions if version <= int(of_stack)]
        for version in map(str, versions):
            if version not in used and version not in map(str, deployed[-keep:]):
                print(f"{function}: {'deleting' if yes else 'would delete'} {version}", flush=True)
                if yes:
                    client.delete_function(FunctionName=function, Qualifier=version)


if __name__ == "__main__":
    run(main)

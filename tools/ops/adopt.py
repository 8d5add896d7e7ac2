#!/usr/bin/env python3
"""Prepares a new stack that adopts what a deleted stack has left: its tables, its bucket and its user pool.

CloudFormation knows a deleted stack for 90 days. Four files are written to --output. With them CloudFormation imports what was
left into a new stack of the same name, and SAM deploys the rest:

  template.json    the resources that were left, as the deleted stack had them, without what refers to others
  resources.json   their names
  parameters.json  the parameters of the deleted stack
  parameters.yaml  the same for `sam deploy`

Nothing else is changed. The exit code is 0 if the files are written, 1 if no deleted stack can be adopted, and 2 if a request
failed.

Needs boto3, which comes with the SAM CLI. Region, credentials and endpoints come from the environment or ~/.aws.
"""

import argparse
from pathlib import Path
from typing import Any

from stacks import Unsuitable, boto3, processed_template, read_stack, resources, run, write_files

IDENTIFIERS = {"AWS::DynamoDB::Table": "TableName", "AWS::S3::Bucket": "BucketName", "AWS::Cognito::UserPool": "UserPoolId"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stack", required=True, metavar="NAME", help="the name of the deleted stack")
    parser.add_argument("--output", required=True, type=Path, metavar="DIR", help="the directory of the files for CloudFormation")
    arguments = parser.parse_args()
    stack = last_deleted(arguments.stack)
    adopted = left(stack)
    for resource in adopted:
        print(f"{resource['LogicalResourceId']}: {next(iter(resource['ResourceIdentifier'].values()))}")
    write_files(arguments.output, stack, adopted, read_stack(stack)["parameters"])
    return 0


def last_deleted(name: str) -> str:
    """Returns the id of the last deleted stack of a name."""
    pages = boto3.client("cloudformation").get_paginator("list_stacks").paginate()
    stacks = [stack for page in pages for stack in page["StackSummaries"] if stack["StackName"] == name]
    deleted = [stack for stack in stacks if stack["StackStatus"] == "DELETE_COMPLETE"]
    if len(deleted) < len(stacks):
        raise Unsuitable(f"the stack {name} is not deleted, or only in part; finish its deletion first")
    if not deleted:
        raise Unsuitable(f"CloudFormation knows no stack {name} that was deleted in the last 90 days in this region")
    return max(deleted, key=lambda stack: stack["CreationTime"])["StackId"]


def left(stack: str) -> list[dict[str, Any]]:
    """Returns what the deletion of a stack has left and CloudFormation can import."""
    policies = {name: resource.get("DeletionPolicy", "Delete") for name, resource in processed_template(stack)["Resources"].items()}
    found = [
        {
            "ResourceType": resource["ResourceType"],
            "LogicalResourceId": resource["LogicalResourceId"],
            "ResourceIdentifier": {IDENTIFIERS[resource["ResourceType"]]: resource["PhysicalResourceId"]},
        }
        for resource in resources(stack)
        if resource["ResourceType"] in IDENTIFIERS
        and resource["ResourceStatus"] != "DELETE_COMPLETE"
        and policies[resource["LogicalResourceId"]].startswith("Retain")
    ]
    if not found:
        raise Unsuitable(f"the deletion of the stack {stack} has left nothing")
    return found


if __name__ == "__main__":
    run(main)

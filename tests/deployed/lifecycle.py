"""The commands of docs/deploying.md for a stack in use and for one that failed, against a deployed stack."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import boto3
from account import REGION
from checks import ACCOUNT, Stack, equal
from moto.cloudformation.models import Event, cloudformation_backends

ROOT = Path(__file__).resolve().parents[2]


def back_and_forward(deployed: Stack) -> None:
    """tools/ops/versions.py leads the aliases back to what a deployment has replaced, and forward again.

    moto cannot update a stack, so this publishes the versions of two more deployments, which change two functions, and adds the
    events that CloudFormation would have.
    """
    changed = [f"{deployed.name}-get-user", f"{deployed.name}-follow-user"]
    assert "in the state CREATE_COMPLETE" in versions(deployed, "back", code=1), "nothing was replaced yet"
    next_deployment(deployed, changed)
    next_deployment(deployed, changed)
    aliases(deployed, changed, "3")
    moved = versions(deployed, "back")
    equal("what back prints", sorted(moved.splitlines()), sorted(f"{name}: 3 -> 2" for name in changed))
    aliases(deployed, changed, "2")
    # A deployment that went back leaves a version that the stack does not have.
    client = boto3.client("lambda")
    client.update_function_configuration(FunctionName=changed[0], Description="went back")
    client.publish_version(FunctionName=changed[0])
    would = versions(deployed, "prune", "--keep", "2")
    deleted = [f"{changed[0]}: would delete 1", f"{changed[0]}: would delete 4", f"{changed[1]}: would delete 1"]
    equal("what prune prints", sorted(would.splitlines()), sorted(deleted))
    equal("versions after it", published(changed[0]), ["1", "2", "3", "4"])
    versions(deployed, "prune", "--keep", "2", "--yes")
    equal("versions after a deletion", published(changed[0]), ["2", "3"])
    equal("versions of a function with one", published(f"{deployed.name}-get-tag"), ["1"])
    versions(deployed, "forward")
    aliases(deployed, changed, "3")


def versions(deployed: Stack, *arguments: str, code: int = 0) -> str:
    """Runs tools/ops/versions.py, and returns what it prints."""
    command = [sys.executable, ROOT / "tools/ops/versions.py", "--stack", deployed.name, *arguments]
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    equal(f"exit code of versions.py {' '.join(arguments)} ({done.stdout})", done.returncode, code)
    return done.stdout


def next_deployment(deployed: Stack, changed: list[str]) -> None:
    """Publishes a version of the changed functions, and leads their aliases to it, as a deployment does."""
    backend = cloudformation_backends[ACCOUNT][REGION]
    client = boto3.client("lambda")
    # CloudFormation updates a nested stack between the first and the last event of its parent.
    backend.get_stack(deployed.name)._add_stack_event("UPDATE_IN_PROGRESS")
    for nested in deployed.nested.values():
        update_nested(backend.get_stack(nested), client, changed)
    stack = backend.get_stack(deployed.name)
    stack._add_stack_event("UPDATE_COMPLETE")
    stack.status = "UPDATE_COMPLETE"


def update_nested(stack: Any, client: Any, changed: list[str]) -> None:
    """Does the same in a nested stack, unless it has none of the changed functions."""
    if not any(function in changed for function in functions_of(stack)):
        return
    stack._add_stack_event("UPDATE_IN_PROGRESS")
    for resource in stack.stack_resources:
        if getattr(resource, "cf_resource_type", "") == "AWS::Lambda::Version":
            old = resource.physical_resource_id
            name, number = old.split(":")[-2:]
            if name in changed:
                client.update_function_configuration(FunctionName=name, Description=f"after version {number}")
                version = client.publish_version(FunctionName=name)["Version"]
                client.update_alias(FunctionName=name, Name="live", FunctionVersion=version)
                resource.physical_resource_id = f"{old.rsplit(':', 1)[0]}:{version}"
                described = (resource.logical_resource_id, old, "AWS::Lambda::Version", "DELETE_SKIPPED", None, None)
                stack.events.append(Event(stack.stack_id, stack.name, *described))
    stack._add_stack_event("UPDATE_COMPLETE")
    stack.status = "UPDATE_COMPLETE"


def functions_of(stack: Any) -> set[str]:
    """Returns the names of the functions whose versions a stack has."""
    resources = [one for one in stack.stack_resources if getattr(one, "cf_resource_type", "") == "AWS::Lambda::Version"]
    return {one.physical_resource_id.split(":")[-2] for one in resources}


def aliases(deployed: Stack, changed: list[str], version: str) -> None:
    """The aliases of the changed functions lead to this version, and those of the others to their only one."""
    client = boto3.client("lambda")
    for name in [*changed, f"{deployed.name}-get-tag"]:
        found = client.get_alias(FunctionName=name, Name="live")["FunctionVersion"]
        equal(f"version of the alias of {name}", found, version if name in changed else "1")


def published(function: str) -> list[str]:
    found = boto3.client("lambda").list_versions_by_function(FunctionName=function)["Versions"]
    return [each["Version"] for each in found if each["Version"] != "$LATEST"]


def first_deployment_failed(deployed: Stack, other: Stack) -> None:
    """The commands for a stack whose rollback failed free the names that its tables have, and touch no other stack.

    moto creates no user pool of a template, and it has no rollback: each of its resources is in the state CREATE_COMPLETE.
    """
    pool = boto3.client("cognito-idp").create_user_pool(PoolName=deployed.name)["UserPool"]["Id"]
    for resource in cloudformation_backends[ACCOUNT][REGION].get_stack(deployed.name).stack_resources:
        if getattr(resource, "cf_resource_type", "") == "AWS::Cognito::UserPool":
            resource.physical_resource_id = pool
    dynamodb = boto3.client("dynamodb")
    own, others = ({table["TableName"] for table in each.of_type("AWS::DynamoDB::Table").values()} for each in (deployed, other))
    for table in own:
        dynamodb.update_table(TableName=table, DeletionProtectionEnabled=True)
    commands = block("The first deployment failed", "DELETE_FAILED")
    run(commands)
    equal("tables of a stack in which no deletion has failed", own - set(dynamodb.list_tables()["TableNames"]), set())
    run(commands.replace("DELETE_FAILED", "CREATE_COMPLETE"))
    equal("tables", set(dynamodb.list_tables()["TableNames"]), others)
    equal("user pools", boto3.client("cognito-idp").list_user_pools(MaxResults=10)["UserPools"], [])


def block(section: str, part: str) -> str:
    """Returns the commands in a section of docs/deploying.md that contain `part`."""
    text = (ROOT / "docs/deploying.md").read_text()
    body = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert body, f"docs/deploying.md has no section {section!r}"
    [found] = [each for each in re.findall(r"(?:^    .*\n|^\n(?=    ))+", body[1], re.MULTILINE) if part in each]
    return "\n".join(line.removeprefix("    ") for line in found.splitlines())


def run(commands: str) -> None:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False)
    equal(f"exit code of the commands\n{commands}\n{done.stderr}", done.returncode, 0)

"""What the programs for stacks share: reading a stack, writing the files of an import into a new one, and the exit codes."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

PROGRAM = Path(sys.argv[0]).stem


def end_without(error: ModuleNotFoundError) -> NoReturn:
    """Ends the program because this Python lacks a package. The program's documentation is the help that needs no package."""
    if "--help" in sys.argv:
        print(sys.modules["__main__"].__doc__)
    print(f"{PROGRAM}: this Python has no {error.name}: run the program with the Python of the SAM CLI", file=sys.stderr)
    sys.exit(2)


try:
    import boto3
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError, ClientError
except ModuleNotFoundError as missing:
    end_without(missing)

# What the programs use of boto3, which they import from here.
__all__ = ["ClientError", "Config", "boto3"]


class Unsuitable(Exception):
    """The stack or a table is not in a state for the program. The message says why."""


def run(main: Callable[[], int]) -> None:
    """Ends the program with the exit code of `main`, with 1 after an Unsuitable, and with 2 if a request failed."""
    try:
        sys.exit(main())
    except (Unsuitable, BotoCoreError, ClientError) as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        sys.exit(1 if isinstance(error, Unsuitable) else 2)


def read_stack(name: str) -> dict[str, dict[str, str]]:
    """Returns the parameters and the outputs of a stack."""
    stack = boto3.client("cloudformation").describe_stacks(StackName=name)["Stacks"][0]
    return {
        "parameters": {each["ParameterKey"]: each["ParameterValue"] for each in stack.get("Parameters", [])},
        "outputs": {each["OutputKey"]: each["OutputValue"] for each in stack.get("Outputs", [])},
    }


def resources(stack: str) -> list[dict[str, Any]]:
    """Returns the summaries of the resources of a stack."""
    pages = boto3.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=stack)
    return [resource for page in pages for resource in page["StackResourceSummaries"]]


def nested_stacks(stack: str) -> list[str]:
    """Returns the ids of the nested stacks of a stack."""
    return [resource["PhysicalResourceId"] for resource in resources(stack) if resource["ResourceType"] == "AWS::CloudFormation::Stack"]


def tables(stack: str) -> dict[str, str]:
    """Returns the names of the tables of a stack by their logical ids."""
    found = [resource for resource in resources(stack) if resource["ResourceType"] == "AWS::DynamoDB::Table"]
    return {table["LogicalResourceId"]: table["PhysicalResourceId"] for table in found}


def processed_template(stack: str) -> dict[str, Any]:
    """Returns the template of a stack after the SAM transform."""
    processed = boto3.client("cloudformation").get_template(StackName=stack, TemplateStage="Processed")["TemplateBody"]
    return json.loads(processed) if isinstance(processed, str) else processed


def write_files(directory: Path, stack: str, resources: list[dict[str, Any]], parameters: dict[str, str]) -> None:
    """Writes the files with which CloudFormation imports resources of a stack's template and SAM deploys the rest."""
    processed = processed_template(stack)
    template = {part: processed[part] for part in ("Parameters", "Conditions") if part in processed}
    ids = {resource["LogicalResourceId"] for resource in resources}
    template["Resources"] = {each: importable(processed["Resources"][each], processed["Resources"].keys() - ids) for each in sorted(ids)}
    values = [{"ParameterKey": name, "ParameterValue": value} for name, value in sorted(parameters.items())]
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in (
        ("template.json", template),
        ("resources.json", resources),
        ("parameters.json", values),
        # JSON is YAML too, but SAM accepts only this ending.
        ("parameters.yaml", parameters),
    ):
        (directory / name).write_text(json.dumps(content, indent=1) + "\n")
    print(f"{directory} has the files of the new stack")


def importable(resource: dict[str, Any], absent: set[str]) -> dict[str, Any]:
    """Returns a resource without what refers to resources that are not imported. The deployment after the import sets it.

    Under RetainExceptOnCreate, the rollback of an import could take an imported resource for a new one, and delete it.
    """
    kept = {name: value for name, value in resource.items() if name != "DependsOn"}
    properties = {name: value for name, value in resource["Properties"].items() if not refers(value, absent)}
    return kept | {"DeletionPolicy": "Retain", "Properties": properties}


def refers(value: Any, resources: set[str]) -> bool:
    """Returns whether a part of a template refers to one of these resources."""
    if isinstance(value, list):
        return any(refers(each, resources) for each in value)
    if not isinstance(value, dict):
        return False
    target = value.get("Ref") or value.get("Fn::GetAtt")
    target = target[0] if isinstance(target, list) else target
    # The names in a text are those of Fn::Sub.
    names = re.findall(r"\$\{([^}.!]+)", json.dumps(value["Fn::Sub"])) if "Fn::Sub" in value else []
    return not resources.isdisjoint({target, *names}) or any(refers(each, resources) for each in value.values())

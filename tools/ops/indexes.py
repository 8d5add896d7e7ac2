#!/usr/bin/env python3
"""Updates the indexes of a stack to those of template.yaml, one deployment at a time.

CloudFormation creates or deletes one global or vector index of a table in an update. A stack that lacks more needs several deployments.
This compares the tables of the stack with the template, and writes the template of the next deployment. It is template.yaml with
the indexes that the tables have, and one change for each table: new indexes first, and then those to replace, which are deleted
and created again.

The exit code is 0 if the template of a step was written. It is 1 if template.yaml itself can be deployed, and then nothing is
written, 2 if a request failed, and 3 if a table cannot be updated.

Needs the SAM CLI with its boto3. Region, credentials and endpoints come from the environment or ~/.aws.
"""

import argparse
import copy
from pathlib import Path
from typing import Any

from stacks import Unsuitable, boto3, end_without, run, tables

try:
    from samcli.yamlhelper import yaml_dump, yaml_parse
except ModuleNotFoundError as missing:
    end_without(missing)

Json = dict[str, Any]
# What a vector index has instead of a key.
VECTORS = ("VectorAttribute", "Dimensions", "DistanceFunction")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stack", required=True, metavar="NAME", help="the stack whose tables to update")
    parser.add_argument("--template", type=Path, default=Path("template.yaml"), metavar="FILE", help="the template to update to")
    # SAM finds the functions' code by paths that begin in the folder of the template.
    parser.add_argument(
        "--output", type=Path, default=Path("template-step.yaml"), metavar="FILE", help="the template of the step, in the same folder"
    )
    arguments = parser.parse_args()
    template = yaml_parse(arguments.template.read_text())
    step = copy.deepcopy(template)
    left = 0
    for resource, name in tables(arguments.stack).items():
        wanted = template["Resources"][resource]["Properties"]
        table = boto3.client("dynamodb").describe_table(TableName=name)["Table"]
        changes = changes_of(name, table, wanted)
        left = max(left, len(changes))
        if changes:
            print(f"{name}: {changes[0][0]} {changes[0][1]['IndexName']}, {len(changes) - 1} more to do", flush=True)
        apply_first(step["Resources"][resource]["Properties"], table, changes)
    if left <= 1:
        print(f"deploy {arguments.template}")
        return 1
    arguments.output.write_text(yaml_dump(step))
    print(f"deploy {arguments.output}, and run this again")
    return 0


def changes_of(name: str, table: Json, wanted: Json) -> list[tuple[str, Json]]:
    """Returns the changes of global and vector indexes that are left, in their order."""
    local = by_name(table, "LocalSecondaryIndexes")
    for index in by_name(wanted, "LocalSecondaryIndexes").values():
        if shape(index) != shape(local.get(index["IndexName"])):
            raise Unsuitable(
                f"{name} has another local index {index['IndexName']} than the template, and DynamoDB creates local indexes with "
                "the table alone: move the items into a new table"
            )
    old, new = changeable(table), changeable(wanted)
    changes = [("create", index) for each, index in new.items() if each not in old]
    for each, index in old.items():
        if shape(index) != shape(new.get(each)):
            changes.append(("delete", index))
            changes += [("create", new[each])] if each in new else []
    return changes


def changeable(properties: Json) -> dict[str, Json]:
    return by_name(properties, "GlobalSecondaryIndexes") | by_name(properties, "VectorIndexes")


def by_name(properties: Json, kind: str) -> dict[str, Json]:
    return {index["IndexName"]: index for index in properties.get(kind, [])}


def shape(index: Json | None) -> Any:
    """Returns what cannot change in an index: its key or its vectors, and its projection."""
    if index is None:
        return None
    projection = index["Projection"]
    key = [(part["AttributeName"], part["KeyType"]) for part in index.get("KeySchema", [])]
    vectors = [index.get(each) for each in VECTORS]
    return key, vectors, projection["ProjectionType"], sorted(projection.get("NonKeyAttributes", []))


def apply_first(properties: Json, table: Json, changes: list[tuple[str, Json]]) -> None:
    """Gives a table in a template the indexes that it has, after the first change that is left."""
    indexes = changeable(table)
    for change, index in changes[:1]:
        if change == "create":
            indexes[index["IndexName"]] = index
        else:
            del indexes[index["IndexName"]]
    # A description has more, such as the state of the index.
    properties_of_index = ("IndexName", "KeySchema", *VECTORS, "Projection")
    kept = [{key: index[key] for key in properties_of_index if key in index} for index in indexes.values()]
    for kind, has in [("GlobalSecondaryIndexes", "KeySchema"), ("VectorIndexes", "VectorAttribute")]:
        properties[kind] = [index for index in kept if has in index]
        if not properties[kind]:
            del properties[kind]
    with_keys = [properties, *properties.get("GlobalSecondaryIndexes", []), *properties.get("LocalSecondaryIndexes", [])]
    keys = [each["KeySchema"] for each in with_keys]
    used = {part["AttributeName"] for key in keys for part in key}
    # DynamoDB refuses a definition that no key uses. An index that is to be deleted may use one
    # that the template lacks.
    known = {each["AttributeName"]: each for each in table["AttributeDefinitions"] + properties["AttributeDefinitions"]}
    properties["AttributeDefinitions"] = [each for name, each in known.items() if name in used]


if __name__ == "__main__":
    run(main, unsuitable=3)

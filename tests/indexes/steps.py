"""Updates by tools/ops/indexes.py against moto's server: from each step of the history of the indexes to template.yaml.

moto's CloudFormation cannot update tables, so the test makes the change of each step's template itself, and checks that it is one
that CloudFormation would make: one index of a table is created or deleted.
"""

import contextlib
import copy
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
os.environ |= {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "eu-west-1"}

import boto3  # noqa: E402
from moto.server import ThreadedMotoServer  # noqa: E402
from samcli.yamlhelper import yaml_parse  # noqa: E402

sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools/ops"))
import indexes  # noqa: E402

# The tables of template.yaml. To read the whole file takes seconds, and each step reads it again.
WHOLE = yaml_parse((ROOT / "template.yaml").read_text())
TABLES = {name: one for name, one in WHOLE["Resources"].items() if one["Type"] == "AWS::DynamoDB::Table"}
# moto knows no vector indexes, and would describe the table without them after each step.
VECTORS = {name: one["Properties"].pop("VectorIndexes", []) for name, one in TABLES.items()}
NAMES = {
    "QuickPhotosTable": "quick-photos",
    "FavoriteTable": "dev.Favorite",
    "FeedTable": "dev.Feed",
    "MusicTable": "dev.Music",
    "PeopleTable": "dev.People",
}
Indexes = dict[str, list[dict[str, Any]]]


def versions() -> list[Indexes]:
    """Returns the global indexes of all tables after each step of the history."""
    found: list[Indexes] = []
    now: Indexes = {}
    for step in json.loads((ROOT / "tests/indexes/history.json").read_text()):
        if "with" in step:
            now[step["table"]] = step["with"]
        elif "create" in step:
            is_vector = "VectorAttribute" in step["create"]
            now[step["table"]] = [*now[step["table"]], *([] if is_vector else [step["create"]])]
        else:
            now[step["table"]] = [index for index in now[step["table"]] if index["IndexName"] != step["delete"]]
        found.append(copy.copy(now))
    return found


def template(tables: dict[str, Any]) -> dict[str, Any]:
    return {"Parameters": WHOLE["Parameters"], "Conditions": WHOLE["Conditions"], "Resources": tables}


def resources(path: Path) -> dict[str, Any]:
    return yaml_parse(path.read_text())["Resources"]


def earlier(version: Indexes) -> dict[str, Any]:
    """Returns a template with the tables of a version."""
    part = template({name: copy.deepcopy(TABLES[name]) for name in version})
    for name, table in part["Resources"].items():
        properties = table["Properties"]
        properties["GlobalSecondaryIndexes"] = version[name]
        if not version[name]:
            del properties["GlobalSecondaryIndexes"]
        keys = [properties["KeySchema"]]
        keys += [index["KeySchema"] for index in version[name] + properties.get("LocalSecondaryIndexes", [])]
        used = {part["AttributeName"] for key in keys for part in key}
        properties["AttributeDefinitions"] = [each for each in properties["AttributeDefinitions"] if each["AttributeName"] in used]
    return part


class Steps(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        server = ThreadedMotoServer(port=0, verbose=False)
        server.start()
        cls.addClassCleanup(server.stop)
        host, port = server.get_host_and_port()
        cls.url = f"http://{host}:{port}"
        os.environ["AWS_ENDPOINT_URL"] = cls.url

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.output = Path(directory.name) / "template-step.yaml"
        self.template = Path(directory.name) / "template.yaml"
        self.template.write_text(json.dumps(template(TABLES)))

    def deploy(self, old: dict[str, Any]) -> None:
        """Creates the stack in an empty account."""
        urllib.request.urlopen(urllib.request.Request(f"{self.url}/moto-api/reset", method="POST"))
        boto3.client("cloudformation").create_stack(StackName="quick-photos", TemplateBody=json.dumps(old))

    def arguments(self) -> list[str]:
        return ["indexes.py", "--stack", "quick-photos", "--template", str(self.template), "--output", str(self.output)]

    def step(self) -> tuple[str, int]:
        """Runs indexes.py in this process, and returns what it prints and its exit code. A new process takes seconds to start."""
        with contextlib.redirect_stdout(io.StringIO()) as stdout, unittest.mock.patch("sys.argv", self.arguments()):
            code = indexes.main()
        return stdout.getvalue(), code

    def update(self, path: Path) -> int:
        """Changes the indexes of the tables to those of a template, as CloudFormation would, and returns how many it changed."""
        dynamodb = boto3.client("dynamodb")
        changed = 0
        tables = resources(path)
        for resource, name in NAMES.items():
            properties = tables[resource]["Properties"]
            try:
                table = dynamodb.describe_table(TableName=name)["Table"]
            except dynamodb.exceptions.ResourceNotFoundException:
                continue  # CloudFormation creates it.
            shape = lambda index: json.dumps([index["KeySchema"], index["Projection"]], sort_keys=True)  # noqa: E731
            old, new = (
                {index["IndexName"]: index for index in each.get("GlobalSecondaryIndexes", [])} for each in (table, properties)
            )
            changes = [{"Create": index} for each, index in new.items() if each not in old]
            changes += [{"Delete": {"IndexName": each}} for each in old if each not in new]
            self.assertEqual([each for each in old if each in new and shape(old[each]) != shape(new[each])], [], "changed in place")
            self.assertLessEqual(len(changes), 1, f"{name}: CloudFormation refuses {changes}")
            keys = [properties["KeySchema"], *(index["KeySchema"] for index in new.values())]
            keys += [index["KeySchema"] for index in properties.get("LocalSecondaryIndexes", [])]
            used = {part["AttributeName"] for key in keys for part in key}
            self.assertEqual({each["AttributeName"] for each in properties["AttributeDefinitions"]}, used)
            if changes:
                attributes = properties["AttributeDefinitions"]
                dynamodb.update_table(TableName=name, AttributeDefinitions=attributes, GlobalSecondaryIndexUpdates=changes)
            changed += len(changes)
        return changed

    def test_every_version_is_updated_by_one_index_of_a_table_in_a_step(self) -> None:
        most = 0
        # A version that only has a new table starts from the same indexes as the one before.
        for version in {json.dumps(each.get("QuickPhotosTable")): each for each in versions()}.values():
            self.deploy(earlier(version))
            steps = 0
            while (done := self.step())[1] == 0:
                # One index of each table that needs one.
                self.assertIn(self.update(self.output), (1, 2), done)
                steps += 1
            stdout, code = done
            self.assertEqual((stdout.splitlines()[-1], code), (f"deploy {self.template}", 1), stdout)
            self.update(self.template)
            self.assertEqual((self.step(), self.update(self.template)), ((f"deploy {self.template}\n", 1), 0))
            most = max(most, steps)
        self.assertEqual(most, 4, "the first version needs three new indexes, a deletion, and then template.yaml")

    def test_a_step_is_template_yaml_but_for_its_indexes(self) -> None:
        self.deploy(earlier(versions()[0]))
        stdout, _ = self.step()
        self.assertEqual(stdout.splitlines()[0], "quick-photos: create ReactionsByTime, 4 more to do")
        expected, found = (resources(path) for path in (self.template, self.output))
        properties = found["QuickPhotosTable"]["Properties"]
        self.assertEqual([each["IndexName"] for each in properties["GlobalSecondaryIndexes"]], ["InvertedIndex", "ReactionsByTime"])
        for each in (found, expected):
            del each["QuickPhotosTable"]["Properties"]["GlobalSecondaryIndexes"]
            del each["QuickPhotosTable"]["Properties"]["AttributeDefinitions"]
        self.assertEqual(json.dumps(found, sort_keys=True), json.dumps(expected, sort_keys=True))

    def test_a_vector_index_is_a_step_of_its_own(self) -> None:
        wanted = copy.deepcopy(TABLES["FeedTable"]["Properties"]) | {"VectorIndexes": VECTORS["FeedTable"]}
        table = {**wanted, "VectorIndexes": [], "GlobalSecondaryIndexes": []}
        changes = indexes.changes_of("dev.Feed", table, wanted)
        self.assertEqual([(change, index["IndexName"]) for change, index in changes], [("create", "InboxByTime"), ("create", "PhotosByLook")])
        first, second = copy.deepcopy(wanted), copy.deepcopy(wanted)
        indexes.apply_first(first, table, changes)
        self.assertNotIn("VectorIndexes", first)
        indexes.apply_first(second, first, indexes.changes_of("dev.Feed", first, wanted))
        self.assertEqual(json.dumps(second, sort_keys=True), json.dumps(wanted, sort_keys=True))
        self.assertEqual(indexes.changes_of("dev.Feed", wanted, wanted), [])
        other = {**wanted, "VectorIndexes": [{**wanted["VectorIndexes"][0], "Dimensions": 64}]}
        self.assertEqual([change for change, _ in indexes.changes_of("dev.Feed", other, wanted)], ["delete", "create"])

    def test_a_local_index_cannot_change(self) -> None:
        old = earlier(versions()[-1])
        old["Resources"]["FavoriteTable"]["Properties"]["LocalSecondaryIndexes"][0]["Projection"] = {"ProjectionType": "ALL"}
        self.deploy(old)
        command = [sys.executable, ROOT / "tools/ops/indexes.py", *self.arguments()[1:]]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, self.output.exists()), (3, False))
        self.assertTrue(done.stderr.startswith("indexes: dev.Favorite has another local index lsiOne than the template"), done.stderr)


if __name__ == "__main__":
    unittest.main()

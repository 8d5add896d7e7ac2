"""A restore by tools/ops/restore.py, and the switch to its stack by tools/ops/switch.sh, against moto's server, which stands in for
AWS: the tables of template.yaml as a stack, a restore, and checks of the restored tables and of the files for CloudFormation.

moto does not enforce times, copies what the source has now, and has no import of resources. So this does not show that
DynamoDB restores the past, nor that CloudFormation accepts the files.
"""

import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
import urllib.request
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
os.environ |= {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "eu-west-1"}

import boto3  # noqa: E402
from moto.server import ThreadedMotoServer  # noqa: E402
from samcli.cli.types import CfnParameterOverridesType  # noqa: E402
from samcli.yamlhelper import yaml_parse  # noqa: E402

KEPT = ("QuickPhotosTable", "FavoriteTable", "FeedTable", "MusicTable", "PeopleTable")
RESTORED = {
    "QuickPhotosTable": "quick-photos-restored",
    "FavoriteTable": "restored.Favorite",
    "MusicTable": "restored.Music",
    "PeopleTable": "restored.People",
}
# What exists once, and stays in the old stack.
ONCE = {
    "DomainName": "api.example.com",
    "CertificateArn": "arn:aws:acm:eu-west-1:123456789012:certificate/0b1c2d3e",
    "DefaultEndpoint": "false",
    "MonthlyBudget": "100",
}


def template() -> dict:
    """Returns template.yaml as CloudFormation has processed it, with some of its resources."""
    whole = yaml_parse((ROOT / "template.yaml").read_text())
    part = {name: whole[name] for name in ("Parameters", "Conditions")}
    part["Resources"] = {name: whole["Resources"][name] for name in KEPT}
    # moto's CloudFormation has no user pools.
    part["Outputs"] = {"UserPoolId": {"Value": "eu-west-1_Example"}, "UserPoolClientId": {"Value": "example-client"}}
    return part


class Restore(unittest.TestCase):
    def setUp(self) -> None:
        self.server = ThreadedMotoServer(port=0)
        self.server.start()
        self.addCleanup(self.server.stop)
        host, port = self.server.get_host_and_port()
        os.environ["AWS_ENDPOINT_URL"] = f"http://{host}:{port}"
        self.reset()
        self.dynamodb = boto3.client("dynamodb")
        parameters = [{"ParameterKey": name, "ParameterValue": value} for name, value in ONCE.items()]
        boto3.client("cloudformation").create_stack(
            StackName="quick-photos", TemplateBody=json.dumps(template()), Parameters=parameters
        )
        for table in ("quick-photos", "dev.Favorite", "dev.Music", "dev.People"):
            # moto's CloudFormation ignores these properties of a table.
            specification = {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 35}
            self.dynamodb.update_continuous_backups(TableName=table, PointInTimeRecoverySpecification=specification)
            self.dynamodb.update_table(TableName=table, DeletionProtectionEnabled=True)
        for table in ("quick-photos", "dev.Favorite"):
            specification = {"Enabled": True, "AttributeName": "ttl"}
            self.dynamodb.update_time_to_live(TableName=table, TimeToLiveSpecification=specification)
        self.user = {"PK": {"S": "USER#ada"}, "SK": {"S": "#METADATA#ada"}, "username": {"S": "ada"}}
        self.dynamodb.put_item(TableName="quick-photos", Item=self.user)
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.output = Path(directory.name) / "new" / "restored"

    def reset(self) -> None:
        """Empties the account. moto keeps its state for as long as the process runs."""
        urllib.request.urlopen(urllib.request.Request(f"{os.environ['AWS_ENDPOINT_URL']}/moto-api/reset", method="POST"))

    def restore(self, *arguments: str, table_name: str = "quick-photos-restored") -> subprocess.CompletedProcess:
        command = [sys.executable, ROOT / "tools/ops/restore.py", "--stack", "quick-photos", "--table-name", table_name]
        command += ["--stage", "restored", "--photo-bucket", "quick-photos-restored", "--output", self.output, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def settings(self, table: str) -> dict:
        """Returns what a restore leaves out, as the table has it."""
        description = self.dynamodb.describe_table(TableName=table)["Table"]
        backups = self.dynamodb.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
        return {
            "stream": description.get("StreamSpecification"),
            "protection": description.get("DeletionProtectionEnabled"),
            "ttl": self.dynamodb.describe_time_to_live(TableName=table)["TimeToLiveDescription"],
            "recovery": backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"],
        }

    def test_restores_the_tables_with_their_settings_and_writes_the_files_of_the_import(self) -> None:
        done = self.restore()
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        self.assertIn("dev.Feed has no point-in-time recovery, so it is not restored\n", done.stdout)
        self.assertIn("quick-photos-restored is ready, with about 1 items\n", done.stdout)
        self.assertNotIn("restored.Feed", self.dynamodb.list_tables()["TableNames"])
        pairs = ("quick-photos", "quick-photos-restored"), ("dev.Favorite", "restored.Favorite"), ("dev.Music", "restored.Music")
        for source, target in pairs:
            self.assertEqual(self.settings(target), self.settings(source))
            keys = [self.dynamodb.describe_table(TableName=table)["Table"]["KeySchema"] for table in (source, target)]
            self.assertEqual(*keys)
        self.assertEqual(self.settings("quick-photos-restored")["stream"]["StreamViewType"], "NEW_AND_OLD_IMAGES")
        self.assertEqual(self.dynamodb.scan(TableName="quick-photos-restored")["Items"], [self.user])

        names = ("template", "resources", "parameters")
        written = {name: json.loads((self.output / f"{name}.json").read_text()) for name in names}
        expected = template()
        # Under another policy, the rollback of an import could delete the imported table.
        resources = {name: expected["Resources"][name] | {"DeletionPolicy": "Retain"} for name in RESTORED}
        self.assertEqual(written["template"]["Resources"], resources)
        self.assertEqual(written["template"]["Parameters"], expected["Parameters"])
        identifiers = {each["LogicalResourceId"]: each["ResourceIdentifier"]["TableName"] for each in written["resources"]}
        self.assertEqual(identifiers, RESTORED)
        values = {each["ParameterKey"]: each["ParameterValue"] for each in written["parameters"]}
        self.assertEqual((values["TableName"], values["Stage"]), ("quick-photos-restored", "restored"))
        self.assertEqual(values["JwtIssuer"], "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Example")
        self.assertEqual(values["JwtAudience"], "example-client")
        self.assertEqual(values["HistoryDays"], "30")
        cleared = {"DomainName": "", "CertificateArn": "", "DefaultEndpoint": "true", "MonthlyBudget": "0"}
        self.assertEqual({name: values[name] for name in ONCE}, cleared)
        overrides = CfnParameterOverridesType().convert(f"file://{self.output}/parameters.yaml", None, None)
        self.assertEqual(overrides, values)
        self.assertLess((self.output / "template.json").stat().st_size, 51_200, "CloudFormation takes no more")

    def test_a_repetition_restores_nothing_again_and_completes_the_settings(self) -> None:
        self.restore()
        item = {"PK": {"S": "USER#ben"}, "SK": {"S": "#METADATA#ben"}}
        self.dynamodb.put_item(TableName="quick-photos-restored", Item=item)
        self.dynamodb.update_table(TableName="restored.Favorite", DeletionProtectionEnabled=False)
        done = self.restore()
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        self.assertIn("quick-photos-restored exists already, so quick-photos is not restored again\n", done.stdout)
        self.assertEqual(len(self.dynamodb.scan(TableName="quick-photos-restored")["Items"]), 2)
        self.assertTrue(self.settings("restored.Favorite")["protection"])

    def test_a_deleted_stack_is_adopted_without_what_was_deleted(self) -> None:
        cloudformation = boto3.client("cloudformation")
        # The stack "other" is still there, and its tables are no part of this.
        parameters = [{"ParameterKey": name, "ParameterValue": "other"} for name in ("TableName", "Stage")]
        left = template()
        for name in ("PhotosBucket", "PhotosBucketPolicy"):
            left["Resources"][name] = yaml_parse((ROOT / "template.yaml").read_text())["Resources"][name]
        # The nested stacks are not in this part: the bucket gets something else that refers to a resource.
        del left["Resources"]["PhotosBucketPolicy"]["Properties"]["PolicyDocument"]["Statement"][1:]
        left["Resources"]["PhotosBucket"] |= {"DependsOn": ["PhotosBucketPolicy"]}
        configuration = {"LambdaConfigurations": [{"Event": "s3:ObjectCreated:*", "Function": {"Ref": "PhotosBucketPolicy"}}]}
        left["Resources"]["PhotosBucket"]["Properties"]["NotificationConfiguration"] = configuration
        # moto keeps what has this policy alone.
        for resource in left["Resources"].values():
            if resource.get("DeletionPolicy") == "RetainExceptOnCreate":
                resource["DeletionPolicy"] = "Retain"
        self.reset()
        cloudformation.create_stack(StackName="other", TemplateBody=json.dumps(template()), Parameters=parameters)
        self.assertIn("adopt: CloudFormation knows no stack quick-photos that was deleted", self.adopt().stderr)
        cloudformation.create_stack(StackName="quick-photos", TemplateBody=json.dumps(left))
        self.assertIn("adopt: the stack quick-photos is not deleted", self.adopt().stderr)
        cloudformation.delete_stack(StackName="quick-photos")

        done = self.adopt()
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        written = {name: json.loads((self.output / f"{name}.json").read_text()) for name in ("template", "resources", "parameters")}
        adopted = {each["LogicalResourceId"]: each["ResourceIdentifier"] for each in written["resources"]}
        tables = dict(QuickPhotosTable="quick-photos", FavoriteTable="dev.Favorite", MusicTable="dev.Music", PeopleTable="dev.People")
        expected = {resource: {"TableName": name} for resource, name in tables.items()}
        self.assertEqual(adopted, expected | {"PhotosBucket": {"BucketName": "quick-photos-123456789012"}})
        resources = written["template"]["Resources"]
        self.assertEqual(resources.keys(), adopted.keys())
        self.assertEqual({each["DeletionPolicy"] for each in resources.values()}, {"Retain"})
        bucket = left["Resources"]["PhotosBucket"]
        del bucket["DependsOn"], bucket["Properties"]["NotificationConfiguration"]
        self.assertEqual(resources["PhotosBucket"], bucket)
        self.assertEqual({each["ParameterKey"]: each["ParameterValue"] for each in written["parameters"]}["Stage"], "dev")

    def adopt(self) -> subprocess.CompletedProcess:
        command = [sys.executable, ROOT / "tools/ops/adopt.py", "--stack", "quick-photos", "--output", self.output]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_an_error_says_what_to_change(self) -> None:
        for arguments, table_name, error, code in (
            ([], "quick-photos", "restore: the stack quick-photos has TableName quick-photos itself; choose another one\n", 1),
            (["--at", "yesterday"], "x", "error: argument --at: yesterday is not a time like 2026-11-23T10:00:00Z\n", 2),
            (["--at", "2026-11-23T10:00:00"], "x", "has no offset; write 2026-11-23T10:00:00Z for UTC\n", 2),
        ):
            done = self.restore(*arguments, table_name=table_name)
            self.assertTrue(done.stderr.endswith(error), done.stderr)
            self.assertEqual((done.stdout, done.returncode), ("", code))
        self.assertEqual(len(self.dynamodb.list_tables()["TableNames"]), 5)

    def test_the_switch_lets_the_user_pool_look_at_the_tables_of_the_new_stack(self) -> None:
        """moto has no mappings of APIs, so the domain is left out."""
        self.reset()
        part = template()
        for name, stage in (("quick-photos", "dev"), ("quick-photos-restored", "restored")):
            values = {"TableName": name, "Stage": stage}
            parameters = [{"ParameterKey": key, "ParameterValue": value} for key, value in values.items()]
            boto3.client("cloudformation").create_stack(StackName=name, TemplateBody=json.dumps(part), Parameters=parameters)
        role = boto3.client("iam").create_role(RoleName="of-function", AssumeRolePolicyDocument="{}")["Role"]["Arn"]
        function = {"FunctionName": "quick-photos-refuse-used-name"}
        client = boto3.client("lambda")
        code = io.BytesIO()
        with zipfile.ZipFile(code, "w") as archive:
            archive.writestr("bootstrap", "")
        client.create_function(
            **function,
            Runtime="provided.al2023",
            Handler="bootstrap",
            Role=role,
            Code={"ZipFile": code.getvalue()},
            Environment={"Variables": {"TABLE_NAME": "quick-photos", "FAVORITE_TABLE_NAME": "dev.Favorite"}},
            Publish=True,
        )
        client.create_alias(**function, Name="live", FunctionVersion="1")
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        command = ["bash", ROOT / "tools/ops/switch.sh", "switch", "quick-photos", "quick-photos-restored"]
        done = subprocess.run(command, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        version = client.get_alias(**function, Name="live")["FunctionVersion"]
        variables = client.get_function_configuration(**function, Qualifier=version)["Environment"]["Variables"]
        self.assertEqual(variables, {"TABLE_NAME": "quick-photos-restored", "FAVORITE_TABLE_NAME": "restored.Favorite"})
        policy = boto3.client("iam").get_role_policy(RoleName="of-function", PolicyName="restored-tables")["PolicyDocument"]
        tables = [statement["Resource"].partition("/")[2] for statement in policy["Statement"]]
        self.assertEqual(tables, ["quick-photos-restored", "restored.Favorite"])


if __name__ == "__main__":
    unittest.main()

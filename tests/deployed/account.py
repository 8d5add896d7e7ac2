"""An AWS account on this machine: moto's server, with the two things that its CloudFormation lacks.

CloudFormation runs the SAM transform itself, and moto does not. So each template passes through SAM's own library,
aws-sam-translator, on its way in. And moto skips the types of resources that it does not know. This module records them
with their properties resolved, so that a check can read them, and everything that refers to them resolves too.
"""

import copy
import json
import os
from typing import Any

REGION = "eu-west-1"
# boto3, moto and SAM's library read these.
os.environ.update(AWS_DEFAULT_REGION=REGION, AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test")

from moto.awslambda.utils import get_backend
from moto.cloudformation import models, parsing
from moto.server import ThreadedMotoServer
from samtranslator.translator.transform import transform

Json = dict[str, Any]


class Account:
    """A running account. Everything that was deployed into it can be read through boto3, and from `described`."""

    def __init__(self) -> None:
        self.transformed: dict[str, Json] = {}
        """The template of each stack after the SAM transform, by the name of the stack."""
        self.described: dict[str, dict[str, "Described"]] = {}
        """The resources that moto does not create, by the name of the stack and the logical id."""
        self._teach()
        self._server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        self._server.start()
        # moto reads the bucket of a template from the path of a URL only if the host is localhost.
        self.url = f"http://localhost:{self._server.get_host_and_port()[1]}"

    def stop(self) -> None:
        self._server.stop()

    def _teach(self) -> None:
        """Adds the SAM transform and the unknown types to moto's CloudFormation."""
        account = self
        known = parsing.resource_class_from_type

        def resource_class(resource_type: str) -> type:
            if resource_type == "AWS::Lambda::Alias":
                return Alias
            return known(resource_type) or type("Described", (Described,), {"account": account})

        create_change_set = models.CloudFormationBackend.create_change_set

        def create_transformed(backend: models.CloudFormationBackend, **request: Any) -> Any:
            template = models.Stack.parse_template(request["template"])
            if template.get("Transform") == "AWS::Serverless-2016-10-31":
                parameters = {name: str(value.get("Default", "")) for name, value in template["Parameters"].items()}
                template = transform(template, parameters | request["parameters"], ManagedPolicies())
                account.transformed[request["stack_name"]] = copy.deepcopy(template)
            return create_change_set(backend, **(request | {"template": json.dumps(template)}))

        parsing.resource_class_from_type = resource_class
        models.CloudFormationBackend.create_change_set = create_transformed


class ManagedPolicies:
    """The ARNs of AWS's managed policies by name, for a transform without IAM. The template refers to all by ARN."""

    def load(self) -> Json:
        return {}


class Resource:
    """What moto's CloudFormation asks of a resource besides its creation."""

    physical_resource_id: str

    def is_created(self) -> bool:
        return True

    def get_cfn_attribute(self, attribute: str) -> str:
        return f"{self.physical_resource_id}.{attribute}"

    @staticmethod
    def has_cfn_attr(_: str) -> bool:
        return True


class Described(Resource):
    """A resource of a type that moto does not create: its properties, in which every function is resolved."""

    account: Account

    def __init__(self, resource_type: str, logical_id: str, name: str, properties: Json) -> None:
        self.resource_type, self.logical_id, self.properties = resource_type, logical_id, properties
        self.physical_resource_id = name

    @classmethod
    def create_from_cloudformation_json(cls, resource_name: str, resource: Json, *_: Any, **kwargs: Any) -> "Described":
        stack = kwargs["StackId"].split("/")[1]
        described = cls(resource["Type"], kwargs["LogicalId"], f"{stack}-{kwargs['LogicalId']}", resource.get("Properties", {}))
        cls.account.described.setdefault(stack, {})[described.logical_id] = described
        return described


class Alias(Resource):
    """A Lambda alias, which moto has and its CloudFormation does not."""

    def __init__(self, arn: str) -> None:
        self.physical_resource_id = arn

    @classmethod
    def create_from_cloudformation_json(cls, _: str, resource: Json, account: str, region: str, **kwargs: Any) -> "Alias":
        properties = resource["Properties"]
        # The version is the attribute `Version` of a resource, which is a number here.
        alias = get_backend(account, region).create_alias(
            properties["Name"], properties["FunctionName"], str(properties["FunctionVersion"]), "", {}
        )
        return cls(alias.arn)

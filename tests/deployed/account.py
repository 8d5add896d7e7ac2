"""An AWS account on this machine: moto's server, with what its CloudFormation lacks for `sam deploy`.

CloudFormation itself runs the SAM transform, which moto does not. So each template passes through SAM's own library,
aws-sam-translator, on its way in, and so does each template of a nested stack. moto skips the resources of types that it does
not know; here each becomes a `Placeholder`, so that what refers to it resolves. moto also forgets the outputs of a stack that a
changeset creates, and does not tell a template the outputs of its nested stacks. The properties of every resource, in which all
functions are resolved, are kept for the checks.
"""

import copy
import json
import logging
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
    """A running account with the templates and resources that were deployed into it, by the name of the stack. A nested stack
    has a name of its own, which is the physical id in its parent."""

    def __init__(self) -> None:
        self.templates: dict[str, Json] = {}
        """Each stack's template after the SAM transform."""
        self.resources: dict[str, dict[str, Json]] = {}
        """Each stack's resources by their logical ids, with every function resolved."""
        self.ids: dict[str, dict[str, str]] = {}
        """Each stack's physical ids by the logical ones: names, or URLs of queues."""
        self._extend_cloudformation()
        self._server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        self._server.start()
        # moto reads the bucket of a template from the path of a URL only if the host is localhost.
        self.url = f"http://localhost:{self._server.get_host_and_port()[1]}"

    def stop(self) -> None:
        self._server.stop()

    def _extend_cloudformation(self) -> None:
        account = self
        # They log each request, each type that becomes a placeholder, and metrics that nobody
        # collects.
        for logger in ["werkzeug", "moto", "samtranslator"]:
            logging.getLogger(logger).setLevel(logging.ERROR)
        create_change_set = models.CloudFormationBackend.create_change_set
        apply = models.ChangeSet.apply
        resource_class_from_type = parsing.resource_class_from_type
        parse_resource = parsing.parse_resource_and_generate_name

        create_stack = models.CloudFormationBackend.create_stack

        def transformed(stack: str, text: str, given: dict[str, Any]) -> str:
            template = models.Stack.parse_template(text)
            if template.get("Transform") == "AWS::Serverless-2016-10-31":
                parameters = {name: str(value.get("Default", "")) for name, value in template.get("Parameters", {}).items()}
                given = {name: str(value) for name, value in given.items()}
                template = transform(template, parameters | given, ManagedPolicies())
            account.templates[stack] = copy.deepcopy(template)
            return json.dumps(template)

        def create_transformed_change_set(backend: models.CloudFormationBackend, **request: Any) -> Any:
            template = transformed(request["stack_name"], request["template"], request["parameters"])
            return create_change_set(backend, **(request | {"template": template}))

        def create_nested_stack(backend: models.CloudFormationBackend, name: str, template: str, parameters: Json) -> Any:
            stack = create_stack(backend, name, transformed(name, template, parameters), parameters)
            keep_ids(stack)
            return stack

        def output(stack: models.Stack, attribute: str) -> str:
            found = stack.output_map[attribute.removeprefix("Outputs.")]
            assert found, f"the nested stack {stack.name} has no value for {attribute}"
            return found.value

        def keep_ids(stack: models.Stack) -> None:
            # moto's API fails if a resource has no id: a permission, or None for one whose
            # condition does not hold.
            created = [one for one in stack.stack_resources if hasattr(one, "physical_resource_id")]
            account.ids[stack.name] = {one.logical_resource_id: one.physical_resource_id for one in created}

        def apply_with_outputs(change_set: models.ChangeSet) -> None:
            apply(change_set)
            change_set.stack.template_dict = change_set.template_dict
            change_set.stack.output_map = change_set.stack._create_output_map()
            keep_ids(change_set.stack)

        def keep_resource(logical_id: str, resource: Json, resources: Any) -> Any:
            parsed = parse_resource(logical_id, resource, resources)
            account.resources.setdefault(resources["AWS::StackName"], {})[logical_id] = copy.deepcopy(parsed[1])
            return parsed

        def resource_class(resource_type: str) -> type:
            own = {"AWS::Lambda::Version": Version, "AWS::Lambda::Alias": Alias}
            return own.get(resource_type) or resource_class_from_type(resource_type) or Placeholder

        models.CloudFormationBackend.create_change_set = create_transformed_change_set
        models.CloudFormationBackend.create_stack = create_nested_stack
        models.Stack.get_cfn_attribute = output
        models.ChangeSet.apply = apply_with_outputs
        parsing.parse_resource_and_generate_name = keep_resource
        parsing.resource_class_from_type = resource_class


class ManagedPolicies:
    """AWS's managed policies by name, which the transform asks for. The template refers to them by ARN."""

    def load(self) -> Json:
        return {}


class Placeholder:
    """A resource of a type that moto's CloudFormation does not create."""

    def __init__(self, physical_id: str) -> None:
        self.physical_resource_id = physical_id

    @classmethod
    def create_from_cloudformation_json(cls, name: str, resource: Json, *_: Any, **kwargs: Any) -> "Placeholder":
        return cls(name)

    def is_created(self) -> bool:
        return True

    @staticmethod
    def has_cfn_attr(_: str) -> bool:
        return True

    def get_cfn_attribute(self, attribute: str) -> str:
        return f"{self.physical_resource_id}.{attribute}"


class Version(Placeholder):
    """A version of a Lambda function, whose number moto's CloudFormation does not tell the alias."""

    @classmethod
    def create_from_cloudformation_json(cls, _: str, resource: Json, account: str, region: str, **kwargs: Any) -> "Version":
        properties = resource["Properties"]
        return cls(get_backend(account, region).publish_version(properties["FunctionName"], properties["Description"]).function_arn)

    def get_cfn_attribute(self, attribute: str) -> str:
        return self.physical_resource_id.rsplit(":", 1)[-1]


class Alias(Placeholder):
    """A Lambda alias, which moto has and its CloudFormation does not."""

    @classmethod
    def create_from_cloudformation_json(cls, _: str, resource: Json, account: str, region: str, **kwargs: Any) -> "Alias":
        properties = resource["Properties"]
        name, function, version = (str(properties[key]) for key in ["Name", "FunctionName", "FunctionVersion"])
        return cls(get_backend(account, region).create_alias(name, function, version, "", {}).arn)

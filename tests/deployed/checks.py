"""What a deployed stack has to be. Each check is a function that raises an AssertionError."""

import json
import re
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import boto3
from account import REGION, Account, Json

# CloudFormation takes 500 resources in a template, and counts what it declares.
MAX_RESOURCES = 250
# The longest name of a stack that docs/deploying.md allows.
MAX_STACK_NAME = 33
# The routes that nested stacks make at the same time. Each comes with an integration, and a stack that made 71 of both at once
# failed with 429: https://github.com/aws/aws-toolkit-visual-studio/issues/296
MAX_ROUTES_AT_ONCE = 40
ACCOUNT = "123456789012"  # moto's
ROOT = Path(__file__).resolve().parents[2]


class Stack:
    """A deployed stack with its nested stacks: its resources by type, and its name."""

    def __init__(self, account: Account, name: str) -> None:
        self.name, self.template = name, account.templates[name]
        ids = account.ids[name]
        self.nested = {one: ids[one] for one, resource in self.template["Resources"].items() if resource["Type"] == "AWS::CloudFormation::Stack"}
        """The names of the nested stacks by their logical ids."""
        self.templates = {"": self.template} | {one: account.templates[nested] for one, nested in self.nested.items()}
        """The template of the stack, and those of the nested stacks by their logical ids."""
        self.created = {"": account.resources[name]} | {one: account.resources[nested] for one, nested in self.nested.items()}
        # No two of these templates give a logical id to resources of the same type, except to those of CodeDeploy that SAM makes
        # for a template.
        self.ids = {each: id for nested in [*self.nested.values(), name] for each, id in account.ids[nested].items()}
        self.resources = {each: resource for created in reversed(self.created.values()) for each, resource in created.items()}
        described = boto3.client("cloudformation").describe_stacks(StackName=name)["Stacks"][0]
        self.parameters = {one["ParameterKey"]: one["ParameterValue"] for one in described["Parameters"]}

    def of_type(self, resource_type: str) -> dict[str, Json]:
        """Returns the properties of the resources of a type by their logical ids."""
        found = {name: resource for name, resource in self.resources.items() if resource["Type"] == resource_type}
        assert found, f"the stack {self.name} has no {resource_type}"
        return {name: resource.get("Properties", {}) for name, resource in found.items()}


def stack(account: Account, name: str, functions: list[str]) -> Stack:
    """Checks everything that a stack created, and returns it."""
    deployed = Stack(account, name)
    everything_came_up(deployed)
    grouped_parameters(deployed)
    kept_resources(deployed)
    tables(deployed)
    lambdas(deployed, functions)
    quotas(deployed)
    routes_at_once(deployed)
    versions(deployed)
    gradual_deployments(deployed)
    event_sources(deployed)
    uploads_and_sign_ups(deployed)
    schedules(deployed)
    pictures(deployed)
    links(deployed)
    queue_and_logs(deployed)
    alarms(deployed)
    api(deployed)
    invocations(deployed)
    outputs(deployed)
    return deployed


def equal(what: str, found: Any, expected: Any) -> None:
    assert found == expected, f"{what}: {found} instead of {expected}"


def everything_came_up(deployed: Stack) -> None:
    """Every resource whose condition holds exists. The checks that follow read those that moto creates from moto."""
    counts = {}
    for nested, template in deployed.templates.items():
        what = f"{deployed.name} {nested}".rstrip()
        wanted = {name for name, resource in template["Resources"].items() if "Condition" not in resource}
        missing = wanted - deployed.created[nested].keys()
        assert not missing, f"{what}: these resources did not come up: {sorted(missing)}"
        counts[nested] = len(template["Resources"])
        assert counts[nested] <= MAX_RESOURCES, f"the template of {what} has {counts[nested]} resources"
    largest = max(counts, key=lambda nested: counts[nested])
    found = f"{counts['']} resources, and that of {largest.lower()}, the largest, {counts[largest]}"
    print(f"{deployed.name}: {found}, of {sum(counts.values())}: {counts}", flush=True)
    if deployed.parameters["Deployment"] != "AllAtOnce":
        text = " ".join((ROOT / "template.yaml").read_text().replace("\n# ", " ").split())
        assert found in text, f"the first comment of template.yaml does not say that it has {found}"


def grouped_parameters(deployed: Stack) -> None:
    """The console of CloudFormation shows each parameter in one group."""
    groups = deployed.template["Metadata"]["AWS::CloudFormation::Interface"]["ParameterGroups"]
    equal("grouped parameters", sorted(name for group in groups for name in group["Parameters"]), sorted(deployed.template["Parameters"]))


def kept_resources(deployed: Stack) -> None:
    """What the deletion of the stack keeps is deleted if its creation fails, so that a second deployment can create it."""
    resources = {name: one for template in deployed.templates.values() for name, one in template["Resources"].items()}
    policies = {name: one.get("DeletionPolicy") for name, one in resources.items()}
    kept = {name for name, policy in policies.items() if policy == "RetainExceptOnCreate"}
    equal("kept resources", kept, KEPT)
    assert kept <= deployed.template["Resources"].keys(), "a nested stack keeps resources, which no program looks for there"
    for name in kept:
        # This attribute knows no RetainExceptOnCreate.
        equal(f"{name}, UpdateReplacePolicy", deployed.template["Resources"][name]["UpdateReplacePolicy"], "Retain")
    # A version goes with its function, which the rollback deletes.
    others = {resources[name]["Type"] for name, policy in policies.items() if policy == "Retain"}
    equal("types with the policy Retain", others, {"AWS::Lambda::Version"})


# Its name is fixed, or it has the accounts. FeedTable can be made again from the other tables.
KEPT = {"QuickPhotosTable", "FavoriteTable", "MusicTable", "PeopleTable", "PhotosBucket", "UserPool"}


def tables(deployed: Stack) -> None:
    """Tables have the keys, indexes, stream and TTL of the template."""
    client = boto3.client("dynamodb")
    for properties in deployed.of_type("AWS::DynamoDB::Table").values():
        name = properties["TableName"]
        table = client.describe_table(TableName=name)["Table"]
        for key in ["KeySchema", "AttributeDefinitions"]:
            equal(f"{name}, {key}", table[key], properties[key])
        for kind in ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"]:
            shown = [{key: index[key] for key in ["IndexName", "KeySchema", "Projection"]} for index in table.get(kind, [])]
            equal(f"{name}, {kind}", shown, properties.get(kind, []))
        # moto knows no vector indexes, and ignores the property. So this shows that the template declares the index as
        # DynamoDB takes it, and not that DynamoDB creates it.
        vectors = properties.get("VectorIndexes", [])
        equal(f"{name}, vector indexes", [index["IndexName"] for index in vectors], ["PhotosByLook"] if name.endswith(".Feed") else [])
        for index in vectors:
            equal(f"{name}, vector index", sorted(index), ["Dimensions", "DistanceFunction", "IndexName", "Projection", "VectorAttribute"])
        equal(f"{name}, billing", table["BillingModeSummary"]["BillingMode"], "PAY_PER_REQUEST")
        stream = table.get("StreamSpecification", {}).get("StreamViewType")
        equal(f"{name}, stream", stream, properties.get("StreamSpecification", {}).get("StreamViewType"))
        # moto's CloudFormation ignores the TTL.
        ttl = properties.get("TimeToLiveSpecification", {"AttributeName": "ttl", "Enabled": True})
        equal(f"{name}, TTL", ttl, {"AttributeName": "ttl", "Enabled": True})


def lambdas(deployed: Stack, functions: list[str]) -> None:
    """Each access pattern has a function with its code, its environment, a role, and the log group of all."""
    client = boto3.client("lambda")
    created = deployed.of_type("AWS::Lambda::Function").values()
    names = {f"{deployed.name}-{function}" for function in functions}
    equal("functions", {properties["FunctionName"] for properties in created}, names)
    pages = boto3.client("iam").get_paginator("list_roles").paginate()
    roles = {role["Arn"] for page in pages for role in page["Roles"]}
    for properties in created:
        name = properties["FunctionName"]
        function = client.get_function_configuration(FunctionName=name)
        for key in ["Handler", "Runtime", "MemorySize", "Timeout", "Environment"]:
            equal(f"{name}, {key}", function[key], properties[key])
        for variable, value in function["Environment"]["Variables"].items():
            # No function is asked about pictures, no page of a link leads to an app, and no push to a phone, unless a parameter
            # names one.
            is_missing = value == "" and variable not in ["MODERATION_FUNCTION", "APP_LINK", "PUSH_APPLICATION"]
            assert not is_missing and "${" not in str(value), f"{name}: {variable} is {value!r}"
        assert function["CodeSize"] > 0, f"{name} has no code"
        assert function["Role"] in roles, f"{name} has the role {function['Role']}, which does not exist"
        equal(f"{name}, log group", properties["LoggingConfig"]["LogGroup"], f"/quick-photos/{deployed.name}/functions")
        equal(f"{name}, log format", properties["LoggingConfig"]["LogFormat"], "JSON")


def quotas(deployed: Stack) -> None:
    """No function exceeds a quota of Lambda, whatever the parameters are. moto knows none of them.

    Names have 64 characters, descriptions of versions 256: https://docs.aws.amazon.com/lambda/latest/api/API_CreateFunction.html
    The variables of a function have 4 KB together: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
    A queue whose messages come faster than executions are free loses them to its dead letters, unless its concurrency is bounded:
    https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
    """
    reserved = {}
    for properties in deployed.of_type("AWS::Lambda::Function").values():
        name, variables = properties["FunctionName"], properties["Environment"]["Variables"]
        assert len(name) - len(deployed.name) + MAX_STACK_NAME <= 64, f"{name} is too long in a stack of {MAX_STACK_NAME} characters"
        assert sum(len(f"{variable}{value}".encode()) for variable, value in variables.items()) < 4096, f"{name}, variables"
        reserved[name] = properties.get("ReservedConcurrentExecutions")
    for mapping in deployed.of_type("AWS::Lambda::EventSourceMapping").values():
        name, bound = function_of(mapping["FunctionName"]), mapping.get("ScalingConfig", {}).get("MaximumConcurrency")
        is_bounded = bound and reserved[name] and bound <= int(reserved[name])
        assert is_bounded or not reserved[name] or ":sqs:" not in mapping["EventSourceArn"], f"{name}: {bound} of {reserved[name]}"

    def longest(name: str) -> int:
        parameter = deployed.template["Parameters"][name]
        if parameter["Type"] == "Number":
            return len(str(parameter.get("MaxValue", 999_999)))
        return parameter.get("MaxLength") or max(map(len, parameter["AllowedValues"]))

    for nested in deployed.nested:
        settings = deployed.template["Resources"][nested]["Properties"]["Parameters"].get("Settings", {"Fn::Sub": ""})["Fn::Sub"]
        length = len(re.sub(r"\$\{\w+}", "", settings)) + sum(map(longest, re.findall(r"\$\{(\w+)}", settings)))
        assert length <= 256, f"the settings of {nested} may have {length} characters"


def routes_at_once(deployed: Stack) -> None:
    """The nested stacks with routes come in groups, each after the one before it."""
    groups: dict[tuple[str, ...], dict[str, int]] = {}
    for nested in deployed.nested:
        resources = deployed.templates[nested]["Resources"].values()
        routes = sum(resource["Type"] == "AWS::ApiGatewayV2::Route" for resource in resources)
        if routes:
            after = deployed.template["Resources"][nested].get("DependsOn", [])
            groups.setdefault(tuple(sorted(after)), {})[nested] = routes
    before: tuple[str, ...] = ()
    while group := groups.pop(before, None):
        assert sum(group.values()) <= MAX_ROUTES_AT_ONCE, f"{group} together make too many routes"
        before = tuple(sorted(group))
    assert not groups, f"after no group: {groups}"


def versions(deployed: Stack) -> None:
    """The alias of each function leads to its one version, which a new value of any parameter that it uses replaces."""
    client = boto3.client("lambda")
    for nested, template in deployed.templates.items():
        functions = {name: one["Properties"] for name, one in template["Resources"].items() if one["Type"] == "AWS::Lambda::Function"}
        descriptions = {
            one["Properties"]["FunctionName"]["Ref"]: one["Properties"].get("Description")
            for one in template["Resources"].values()
            if one["Type"] == "AWS::Lambda::Version"
        }
        for logical_id, properties in functions.items():
            if logical_id not in deployed.created[nested]:
                continue
            equal(f"{logical_id}, description of its version", descriptions[logical_id], properties["Description"])
            used = parameters(deployed, nested, {key: value for key, value in properties.items() if key not in NOT_IN_A_VERSION})
            environment = json.dumps(properties["Environment"])
            # The name of a secret has the number of its key. The others are outputs of pictures.yaml.
            used |= {number for key, number in OF_OTHER_STACKS.items() if key in environment}
            unseen = used - parameters(deployed, nested, properties["Description"])
            assert not unseen, f"{logical_id} uses {sorted(unseen)}, and a new value makes no new version without a place in Settings"
            alias = client.get_alias(FunctionName=deployed.ids[logical_id], Name="live")
            equal(f"{logical_id}, version of the alias", alias["FunctionVersion"], "1")


# The parameters on which parameters of the nouns depend by a resource of another stack.
OF_OTHER_STACKS = {
    "PicturesKey": "PicturesKeyNumber", "CursorsKey": "CursorsKeyNumber", "LinksKey": "PicturesKeyNumber", "LinksUrl": "LinksDomain"
}

# Architecture comes with new code. The rest is not a part of a version.
NOT_IN_A_VERSION = ["Architectures", "ReservedConcurrentExecutions", "Role", "Tags"]


def parameters(deployed: Stack, nested: str, value: Any) -> set[str]:
    """Returns the parameters of the whole stack on which a part of a template depends: by itself, by the names of resources, or by
    the parameters of the nested stack that has the template."""
    if isinstance(value, list):
        return set().union(*(parameters(deployed, nested, one) for one in value))
    if not isinstance(value, dict):
        return set()
    template = deployed.templates[nested]
    names = re.findall(r"\$\{([^}.!]+)", json.dumps(value["Fn::Sub"])) if "Fn::Sub" in value else [value["Ref"]] if "Ref" in value else []
    found = set()
    for name in names:
        resource = template["Resources"].get(name, {}).get("Properties", {})
        found |= parameters(deployed, nested, [resource.get(key) for key in ["BucketName", "LogGroupName", "TableName"]])
        if name in template["Parameters"]:
            passed = deployed.template["Resources"][nested]["Properties"]["Parameters"] if nested else {}
            found |= parameters(deployed, "", passed[name]) if nested else {name}
    return found | set().union(*(parameters(deployed, nested, one) for one in value.values()))


def gradual_deployments(deployed: Stack) -> None:
    """CodeDeploy moves the alias of each function of the API, with alarms of this stack, or there is nothing of CodeDeploy."""
    resources = deployed.resources.values()
    groups = {name: one["Properties"] for name, one in deployed.resources.items() if one["Type"] == "AWS::CodeDeploy::DeploymentGroup"}
    chosen = deployed.parameters["Deployment"]
    if chosen == "AllAtOnce":
        assert not [one for one in resources if one["Type"].startswith("AWS::CodeDeploy::")], "CodeDeploy is there unasked"
        return
    # A Ref to an alarm is its name, but in moto an id of its own.
    alarms = {one for name, alarm in deployed.of_type("AWS::CloudWatch::Alarm").items()
              if name in deployed.ids for one in (alarm["AlarmName"], deployed.ids[name])}
    template = {name: one for each in deployed.templates.values() for name, one in each["Resources"].items()}
    uris = [one["Properties"].get("IntegrationUri") for one in template.values() if one["Type"] == "AWS::ApiGatewayV2::Integration"]
    # The address of the function of a WebSocket API is joined around the alias. A mock has none.
    of_api = {uri["Ref"] if "Ref" in uri else uri["Fn::Join"][1][1]["Ref"] for uri in uris if uri}
    equal("aliases that CodeDeploy moves", {name for name, one in template.items() if "UpdatePolicy" in one}, of_api)
    for name in of_api:
        alias = template[name]
        group = groups[alias["UpdatePolicy"]["CodeDeployLambdaAliasUpdate"]["DeploymentGroupName"]["Ref"]]
        equal(f"{name}, way of deployment", group["DeploymentConfigName"], f"CodeDeployDefault.Lambda{chosen}")
        watched = {alarm["Name"] for alarm in group["AlarmConfiguration"]["Alarms"]}
        assert len(watched) == 2 and watched <= alarms, f"{name} is watched by {watched}"


def apart(one: Stack, other: Stack) -> None:
    """Two stacks in one account share no resource."""
    both = set(one.ids.values()) & set(other.ids.values())
    assert not both, f"{one.name} and {other.name} both have {sorted(both)}"


def event_sources(deployed: Stack) -> None:
    """Each stream leads to its functions through filters that are JSON, and failed records to the queue. Each other queue
    leads to its function, and its failed messages to a queue that no other one has, and that an alarm watches."""
    client = boto3.client("lambda")
    streams = {}
    for table in deployed.of_type("AWS::DynamoDB::Table").values():
        described = boto3.client("dynamodb").describe_table(TableName=table["TableName"])["Table"]
        streams[described.get("LatestStreamArn")] = table["TableName"]
    queue = queue_arn(deployed)
    created = deployed.of_type("AWS::Lambda::EventSourceMapping").values()
    mappings = client.list_event_source_mappings()["EventSourceMappings"]
    mappings = [mapping for mapping in mappings if function_of(mapping["FunctionArn"]).startswith(f"{deployed.name}-")]
    equal("number of event source mappings", len(mappings), len(created))
    wrong = {mapping["FunctionName"] for mapping in created} - function_arns(deployed)
    assert not wrong, f"streams lead to {wrong}, which are no aliases of this stack"
    for mapping in mappings:
        name = function_of(mapping["FunctionArn"])
        equal(f"{name}, answer", mapping["FunctionResponseTypes"], ["ReportBatchItemFailures"])
        if mapping["EventSourceArn"].startswith("arn:aws:sqs:"):
            continue
        assert mapping["EventSourceArn"] in streams, f"{name} reads {mapping['EventSourceArn']}, which is no stream"
        equal(f"{name}, failed records", mapping["DestinationConfig"], {"OnFailure": {"Destination": queue}})
        filters = [json.loads(one["Pattern"]) for one in mapping["FilterCriteria"]["Filters"]]
        assert 1 <= len(filters) <= 5, f"{name} has {len(filters)} filters"
    read = [mapping["EventSourceArn"] for mapping in mappings if mapping["EventSourceArn"].startswith("arn:aws:sqs:")]
    queues = boto3.client("sqs")
    attributes = {name: queues.get_queue_attributes(QueueUrl=deployed.ids[name], AttributeNames=["All"])["Attributes"]
                  for name in deployed.of_type("AWS::SQS::Queue")}
    arns = {found["QueueArn"]: name for name, found in attributes.items()}
    jobs = {arns[arn]: arns[json.loads(attributes[arns[arn]]["RedrivePolicy"])["deadLetterTargetArn"]] for arn in read}
    equal("queues", {*jobs, *jobs.values(), "FailedRecords"}, {*attributes})
    assert len({*jobs.values()}) == len(jobs), f"two queues share their dead letters: {jobs}"
    watched = {alarm["Dimensions"][0]["Value"] for alarm in deployed.of_type("AWS::CloudWatch::Alarm").values()
               if alarm.get("Namespace") == "AWS/SQS"}
    failed = {attributes[name]["QueueArn"].rsplit(":", 1)[-1] for name in {*jobs.values(), "FailedRecords"}}
    # Nobody would be told without a topic.
    equal("watched queues", watched, failed if deployed.parameters["AlarmTopic"] else set())


def uploads_and_sign_ups(deployed: Stack) -> None:
    """S3 and Cognito start their functions and may do so."""
    allowed = permissions(deployed)
    bucket = next(iter(deployed.of_type("AWS::S3::Bucket").values()))
    notifications = bucket["NotificationConfiguration"]["LambdaConfigurations"]
    for notification in notifications:
        assert ("s3.amazonaws.com", notification["Function"]) in allowed, f"S3 may not start {notification['Function']}"
    rules = sorted(rule["Value"] for notification in notifications for rule in notification["Filter"]["S3Key"]["Rules"])
    equal("prefixes of uploads", rules, ["imports/", "incoming/"])
    pool = next(iter(deployed.of_type("AWS::Cognito::UserPool").values()))
    trigger = pool["LambdaConfig"]["PreSignUp"]
    assert ("cognito-idp.amazonaws.com", trigger) in allowed, f"Cognito may not start {trigger}"
    for name, config in deployed.of_type("AWS::Lambda::EventInvokeConfig").items():
        if name.startswith("RankPhotos"):
            # The next event does what one that failed has not.
            equal(f"{name}, retries", config["MaximumRetryAttempts"], 0)
            continue
        destination = config["DestinationConfig"]["OnFailure"]["Destination"]
        known = {queue_arn(deployed), *function_arns(deployed)}
        assert destination in known, f"{name} sends failed events to {destination}, which does not exist"


def schedules(deployed: Stack) -> None:
    """EventBridge starts rank-photos each minute and may do so."""
    [rule] = deployed.of_type("AWS::Events::Rule").values()
    [target] = rule["Targets"]
    assert function_of(target["Arn"]) == f"{deployed.name}-rank-photos", f"a schedule starts {target['Arn']}"
    assert target["Arn"] in function_arns(deployed), f"a schedule starts {target['Arn']}, which is no alias of this stack"
    assert ("events.amazonaws.com", target["Arn"]) in permissions(deployed), f"EventBridge may not start {target['Arn']}"
    equal("schedule of rank-photos", rule["ScheduleExpression"], "rate(1 minute)")


def pictures(deployed: Stack) -> None:
    """CloudFront may read the pictures, and checks their URLs with the key with which the functions sign them."""
    [(distribution, properties)] = deployed.of_type("AWS::CloudFront::Distribution").items()
    equal("web ACL of the pictures", properties["DistributionConfig"].get("WebACLId", ""), deployed.parameters["PicturesWebAcl"])
    [policy] = deployed.of_type("AWS::S3::BucketPolicy").values()
    [readers] = [one["Condition"] for one in policy["PolicyDocument"]["Statement"] if one["Sid"] == "CloudFrontReadsPictures"]
    assert readers["StringEquals"]["aws:SourceArn"].endswith(f":distribution/{deployed.ids[distribution]}"), readers
    environments = [one.get("Environment", {}).get("Variables", {}) for one in deployed.of_type("AWS::Lambda::Function").values()]
    keys = {variables["PICTURES_KEY"] for variables in environments if "PICTURES_URL" in variables}
    check = deployed.of_type("AWS::CloudFront::Function")["PicturesCheck"]
    equal("keys of the URLs of pictures", keys, {re.search("'({{resolve.*}})'", check["FunctionCode"])[1]})


def links(deployed: Stack) -> None:
    """CloudFront asks the API of links, with the key that report-link knows, and keeps answers for at most a minute."""
    [properties] = deployed.of_type("AWS::CloudFront::Distribution").values()
    config = properties["DistributionConfig"]
    origins = {origin["Id"]: origin for origin in config["Origins"]}
    equal("origins", sorted(origins), ["bucket", "links"])
    origin = origins["links"]
    equal("origin of links", origin["DomainName"], f"{deployed.ids['LinksApi']}.execute-api.{REGION}.amazonaws.com")
    environments = {one["FunctionName"].removeprefix(f"{deployed.name}-"): one.get("Environment", {}).get("Variables", {})
                    for one in deployed.of_type("AWS::Lambda::Function").values()}
    equal("functions that know the key", [name for name, one in environments.items() if "LINKS_KEY" in one], ["report-link"])
    headers = {header["HeaderName"]: header["HeaderValue"] for header in origin["OriginCustomHeaders"]}
    equal("headers for the API of links", headers, {"x-links-key": environments["report-link"]["LINKS_KEY"]})
    behaviours = {one["PathPattern"]: one for one in config["CacheBehaviors"]}
    equal("paths of links", sorted(behaviours), ["/oembed", "/s/*"])
    for path, behaviour in behaviours.items():
        equal(f"{path}, origin", behaviour["TargetOriginId"], "links")
        for key, name in [("CachePolicyId", "LinksCache"), ("OriginRequestPolicyId", "LinksRequest")]:
            equal(f"{path}, {key}", behaviour[key], deployed.ids[name])
    # Every path of a route has a behaviour, or CloudFront would look for it in the bucket.
    paths = {route.split(" ")[1] for route in OPEN}
    unserved = {path for path in paths if not any(fnmatch(path, pattern) for pattern in behaviours)}
    assert not unserved, f"CloudFront asks the bucket for {sorted(unserved)}"
    cache = deployed.of_type("AWS::CloudFront::CachePolicy")["LinksCache"]["CachePolicyConfig"]
    equal("seconds of links in the cache", (int(cache["MinTTL"]), int(cache["DefaultTTL"]), int(cache["MaxTTL"])), (0, 0, 60))
    domain = deployed.parameters["LinksDomain"]
    equal("domain of links", config.get("Aliases", []), [domain] if domain else [])
    equal("certificate of links", config.get("ViewerCertificate", {}).get("AcmCertificateArn", ""), deployed.parameters["LinksCertificateArn"])
    addresses = {one["LINKS_URL"] for one in environments.values() if "LINKS_URL" in one}
    assert len(addresses) == 1 and (addresses == {f"https://{domain}"} or not domain), f"links are at {addresses}"


def queue_and_logs(deployed: Stack) -> None:
    """The queues keep what failed, and the log groups exist."""
    for name in deployed.of_type("AWS::SQS::Queue"):
        attributes = boto3.client("sqs").get_queue_attributes(QueueUrl=deployed.ids[name], AttributeNames=["All"])["Attributes"]
        # The pictures of an import expire after a day, a push after an hour, and a message to a screen after ten minutes.
        hours = {"ImportedPicturesQueue": 24, "PushQueue": 1, "LiveQueue": 1 / 6}.get(name, 4 * 24)
        equal(f"hours that {name} keeps a message", int(attributes["MessageRetentionPeriod"]) / 3600, hours)
    groups = boto3.client("logs").describe_log_groups()["logGroups"]
    days = {group["logGroupName"]: group.get("retentionInDays") for group in groups}
    for group in deployed.of_type("AWS::Logs::LogGroup").values():
        equal(group["LogGroupName"], days.get(group["LogGroupName"]), int(group["RetentionInDays"]))


def alarms(deployed: Stack) -> None:
    """Alarms carry the name of the stack and watch its metrics alone, except those that only the account has."""
    own = dimensions(deployed)
    tables = {name: table["TableName"] for name, table in deployed.of_type("AWS::DynamoDB::Table").items()}
    watched = {"SUM(ReadThrottleEvents)": set(), "SUM(WriteThrottleEvents)": set()}
    for name, alarm in deployed.of_type("AWS::CloudWatch::Alarm").items():
        assert alarm["AlarmName"].startswith(f"{deployed.name}-"), f"{name} is called {alarm['AlarmName']}"
        metrics = [metric["MetricStat"]["Metric"] for metric in alarm.get("Metrics", []) if "MetricStat" in metric]
        queries = [metric["Expression"] for metric in alarm.get("Metrics", []) if metric.get("Expression", "").startswith("SELECT ")]
        for query in queries:
            # CloudWatch joins conditions by AND alone.
            parts = re.fullmatch("SELECT (.*) FROM \"AWS/DynamoDB\" WHERE TableName = '([^']+)'", query)
            assert parts, f"{name}: {query}"
            watched[parts[1]].add(parts[2])
        for metric in metrics if metrics or queries else [alarm]:
            for dimension in metric.get("Dimensions", []):
                assert dimension["Value"] in own, f"{name} watches {dimension['Value']}, which is not of this stack"
            if metric["Namespace"].startswith("QuickPhotos/"):
                equal(f"{name}, namespace", metric["Namespace"], f"QuickPhotos/{deployed.name}")
    # The catalogues are small, and only editors write them.
    busy = {tables[name] for name in tables.keys() - {"MusicTable", "PeopleTable"} if deployed.parameters["AlarmTopic"]}
    for metric, found in watched.items():
        equal(f"tables of {metric}", found, busy)


def dimensions(deployed: Stack) -> set[str]:
    """Returns the values that the dimensions of this stack's metrics can have."""
    arns = function_arns(deployed)
    queues = {deployed.ids[name].rsplit("/", 1)[-1] for name in deployed.of_type("AWS::SQS::Queue")}
    mappings = {deployed.ids[name] for name in deployed.of_type("AWS::Lambda::EventSourceMapping")}
    return {deployed.ids["Api"], deployed.ids["LinksApi"], *queues, *mappings, *map(function_of, arns)}


def api(deployed: Stack) -> None:
    """The API has every route of the templates, with the authorizer, and the API of links has the others. Each leads to a function.

    moto's CloudFormation creates no HTTP API, so this reads the resolved properties.
    """
    ids = deployed.ids
    routes = {route["RouteKey"]: route for route in deployed.of_type("AWS::ApiGatewayV2::Route").values()}
    integrations = {f"integrations/{ids[name]}": one for name, one in deployed.of_type("AWS::ApiGatewayV2::Integration").items()}
    equal("integrations", {route["Target"] for route in routes.values()}, integrations.keys())
    live = {name: routes.pop(name) for name in ["$connect", "$default"]}
    equal("routes", routes.keys(), routes_of_templates())
    for name, route in live.items():
        equal(f"{name}, authorizer", (route["ApiId"], route["AuthorizationType"]), (ids["LiveApi"], "NONE"))
    equal("what a ping starts", integrations[live["$default"]["Target"]]["IntegrationType"], "MOCK")
    connected = function_of_integration(integrations[live["$connect"]["Target"]])
    assert connected in function_arns(deployed), f"$connect leads to {connected}, which does not exist"
    for name, route in routes.items():
        authorizer = (route["ApiId"], route["AuthorizationType"], route.get("AuthorizerId"))
        is_open = name in OPEN
        equal(f"{name}, authorizer", authorizer, (ids["LinksApi"], "NONE", None) if is_open else (ids["Api"], "JWT", ids["ApiAuthorizer"]))
        integration = integrations[route["Target"]]
        kind = tuple(integration[key] for key in ("ApiId", "IntegrationType", "PayloadFormatVersion"))
        equal(f"{name}, integration", kind, (ids["LinksApi" if is_open else "Api"], "AWS_PROXY", "2.0"))
        function = integration["IntegrationUri"]
        assert function in function_arns(deployed), f"{name} leads to {function}, which does not exist"
    stages = deployed.of_type("AWS::ApiGatewayV2::Stage")
    equal("APIs of the stages", {name: stage["ApiId"] for name, stage in stages.items()}, {"ApiStage": ids["Api"], "LinksStage": ids["LinksApi"], "LiveStage": ids["LiveApi"]})
    for name, stage in stages.items():
        equal("stage", (stage["StageName"], stage["AutoDeploy"]), ("live" if name == "LiveStage" else "$default", True))
        # That of a WebSocket API needs a role in the settings of the account.
        log = stage.get("AccessLogSettings", {}).get("DestinationArn", "").partition(":log-group:")[2].removesuffix(":*")
        equal("access log", log, "" if name == "LiveStage" else f"/aws/vendedlogs/{deployed.name}/access")
        throttling = {f"Throttling{kind}Limit": stage["DefaultRouteSettings"][f"Throttling{kind}Limit"] for kind in ("Rate", "Burst")}
        equal("throttling", {name: str(value) for name, value in throttling.items()}, {name: deployed.parameters[name] for name in throttling})
        # Metrics of each route would cost 0.30 dollars a month each.
        equal("detailed metrics", stage["DefaultRouteSettings"].get("DetailedMetricsEnabled", False), False)
    # The path and the query name a link.
    logged = set(re.findall(r"\$context[\w.]+", stages["LinksStage"]["AccessLogSettings"]["Format"]))
    assert "$context.routeKey" in logged, f"the access log of links has {sorted(logged)}"
    private = {field for field in logged if re.search("path|query|identity|Uri", field, re.IGNORECASE)}
    assert not private, f"the access log of links has {sorted(private)}"
    assert stages["LinksStage"]["RouteSettings"].keys() <= OPEN, "API Gateway refuses settings of a route that does not exist"
    template = deployed.templates["Links"]["Resources"]
    equal("what the stage of links waits for", template["LinksStage"]["DependsOn"], "ReportLinkRoute")
    [jwt] = deployed.of_type("AWS::ApiGatewayV2::Authorizer").values()
    equal("authorizer", (jwt["ApiId"], jwt["AuthorizerType"], jwt["IdentitySource"]), (ids["Api"], "JWT", ["$request.header.Authorization"]))
    issuer, audience = jwt["JwtConfiguration"]["Issuer"], jwt["JwtConfiguration"]["Audience"]
    assert issuer and audience and all(audience), f"the authorizer checks nothing: {jwt}"
    apis = deployed.of_type("AWS::ApiGatewayV2::Api")
    equal("APIs", sorted(apis), ["Api", "LinksApi", "LiveApi"])
    properties = apis["Api"]
    equal("own address", properties["DisableExecuteApiEndpoint"], deployed.parameters["DefaultEndpoint"] == "false")
    if deployed.parameters["DomainName"]:
        [mapping] = deployed.of_type("AWS::ApiGatewayV2::ApiMapping").values()
        equal("domain", (mapping["ApiId"], mapping["Stage"]), (ids["Api"], ids["ApiStage"]))


# The routes without an authorizer, which tests/structure/templates.rs names too.
OPEN = {"GET /oembed", "GET /s/{token}", "GET /s/{token}/picture", "POST /s/{token}/report"}


def invocations(deployed: Stack) -> None:
    """The API invokes the functions of its routes by one role, which API Gateway alone assumes."""
    role = boto3.client("iam").get_role(RoleName=deployed.ids["ApiRole"])["Role"]
    [trust] = role["AssumeRolePolicyDocument"]["Statement"]
    equal("who assumes the role of the API", trust["Principal"], {"Service": "apigateway.amazonaws.com"})
    policies = deployed.resources["ApiRole"]["Properties"]["Policies"]
    [statement] = [one for policy in policies for one in policy["PolicyDocument"]["Statement"]]
    equal("what the API may do", statement["Action"], "lambda:InvokeFunction")
    for name, integration in deployed.of_type("AWS::ApiGatewayV2::Integration").items():
        if integration["IntegrationType"] == "MOCK":
            continue
        equal(f"{name}, role", integration["CredentialsArn"], role["Arn"])
        function = function_of_integration(integration)
        assert fnmatch(function, statement["Resource"]), f"the API may not invoke {function}"


def function_of_integration(integration: dict) -> str:
    """Returns the ARN of the function that an integration invokes. That of a WebSocket API has it in an address."""
    return integration["IntegrationUri"].rpartition("/functions/")[2].removesuffix("/invocations")


def routes_of_templates() -> set[str]:
    """Returns the routes of HTTP APIs in the templates as text, because what became of them is checked."""
    texts = [path.read_text() for path in ROOT.glob("functions/*/template.yaml")]
    return {route for text in texts for route in re.findall(r"^      RouteKey: (.*)$", text, re.MULTILINE)}


def outputs(deployed: Stack) -> None:
    """The stack has each output without a condition, each output has a value, and one names each table."""
    stack = boto3.client("cloudformation").describe_stacks(StackName=deployed.name)["Stacks"][0]
    found = {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}
    wanted = {name for name, output in deployed.template["Outputs"].items() if "Condition" not in output}
    assert wanted <= found.keys(), f"the stack lacks the outputs {wanted - found.keys()}"
    for name, value in found.items():
        assert value and value != "None" and "${" not in value, f"output {name} is {value!r}"
    tables = {properties["TableName"] for properties in deployed.of_type("AWS::DynamoDB::Table").values()}
    assert tables <= set(found.values()), f"no output names the tables {tables - set(found.values())}"


def function_arns(deployed: Stack) -> set[str]:
    """Returns the ARNs by which the functions of the stack are invoked: those of their aliases."""
    return {f"{arn_of(properties['FunctionName'])}:live" for properties in deployed.of_type("AWS::Lambda::Function").values()}


def permissions(deployed: Stack) -> set[tuple[str, str]]:
    """Returns who may invoke which function."""
    created = deployed.of_type("AWS::Lambda::Permission").values()
    return {(permission["Principal"], arn_of(permission["FunctionName"])) for permission in created}


def arn_of(function: str) -> str:
    return function if function.startswith("arn:") else f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{function}"


def function_of(arn: str) -> str:
    """Returns the name of a function in its ARN, which may end in an alias."""
    return arn.split(":")[6]


def queue_arn(deployed: Stack) -> str:
    return f"arn:aws:sqs:{REGION}:{ACCOUNT}:{deployed.ids['FailedRecords'].rsplit('/', 1)[-1]}"

"""What the dashboard and the saved queries of a deployed stack have to be."""

import json
import re

from account import Json
from checks import Stack, dimensions, equal


def dashboard(deployed: Stack) -> None:
    """The dashboard shows metrics and logs of this stack, and its body is JSON."""
    [properties] = deployed.of_type("AWS::CloudWatch::Dashboard").values()
    widgets = json.loads(properties["DashboardBody"])["widgets"]
    assert len(widgets) > 10, f"the dashboard has {len(widgets)} widgets"
    for widget in widgets:
        what = f"widget {widget['properties']['title']!r}"
        if widget["type"] == "log":
            logs(deployed, what, widget["properties"]["query"])
        else:
            equal(f"{what}, type", widget["type"], "metric")
            for metric in widget["properties"]["metrics"]:
                shown(deployed, what, metric)


def logs(deployed: Stack, what: str, query: str) -> None:
    """A query reads a log group of this stack."""
    group = re.match("SOURCE '([^']+)' [|] ", query)
    assert group and group[1] in log_groups(deployed), f"{what} reads no log group of the stack: {query}"


def shown(deployed: Stack, what: str, metric: list[str | Json]) -> None:
    """A metric is one of a resource of this stack, or of the whole account."""
    namespace, *rest = metric
    if isinstance(namespace, dict):
        search = namespace["expression"]
        found = set(re.findall('"([^"]+)"', search.split("MetricName=")[0]))
        tables = {table["TableName"] for table in deployed.of_type("AWS::DynamoDB::Table").values()}
        equal(f"{what}, tables of {search}", found, tables)
        return
    names = [name for name in rest if isinstance(name, str)]
    for value in names[2::2]:
        assert value in dimensions(deployed), f"{what} shows {names}, which is not of this stack"
    if namespace.startswith("QuickPhotos/"):
        equal(f"{what}, namespace", namespace, f"QuickPhotos/{deployed.name}")


def queries(deployed: Stack) -> None:
    """The saved queries are of this stack's log groups."""
    for query in deployed.of_type("AWS::Logs::QueryDefinition").values():
        assert query["Name"].startswith(f"{deployed.name}/"), query["Name"]
        for group in query["LogGroupNames"]:
            assert group in log_groups(deployed), f"{query['Name']} reads {group}, which is not of this stack"


def log_groups(deployed: Stack) -> set[str]:
    return {group["LogGroupName"] for group in deployed.of_type("AWS::Logs::LogGroup").values()}

"""Deploys template.yaml with its nested stacks by the commands of docs/deploying.md into a mock of an AWS account, and checks what came up.

The code of each function is a stub, laid out as `cargo lambda build` does. The directory `target/deployed` keeps what the
test of the session needs: `functions.json` has the environment of each function.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

from account import Account  # sets the environment that boto3 reads

import boto3
import checks
import dashboard
import lifecycle

ROOT = Path(__file__).resolve().parents[2]
OPTIONAL = (
    "WelcomeSender=photos@example.com ReservedConcurrency=5 "
    "AlarmTopic=arn:aws:sns:eu-west-1:123456789012:alarms MonthlyBudget=100 DefaultEndpoint=false "
    "DomainName=api.example.com CertificateArn=arn:aws:acm:eu-west-1:123456789012:certificate/0b1c2d3e "
    "PicturesWebAcl=arn:aws:wafv2:us-east-1:123456789012:global/webacl/pictures/0b1c2d3e "
    "LinksDomain=photos.example.com LinksCertificateArn=arn:aws:acm:us-east-1:123456789012:certificate/4f5a6b7c "
    "AppLink=https://app.example.com/#/s/"
)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--into", type=Path, default=ROOT / "target/deployed", help="directory for the results")
    options = arguments.parse_args()

    functions = sorted(path.stem for path in ROOT.glob("functions/*/src/bin/*.rs"))
    project = options.into / "project"
    lay_out(project, functions)
    account = Account()
    try:
        os.environ.update(AWS_ENDPOINT_URL=account.url, SAM_CLI_TELEMETRY="0")
        # Enter takes every default. samconfig.toml asks for a confirmation of the changeset, which
        # is not at a known place then.
        deploy(project, "--guided", "--no-confirm-changeset", answers="\n" * 200)
        settings = tomllib.loads((project / "samconfig.toml").read_text())["default"]
        checks.equal("template_file after --guided", settings["global"]["parameters"]["template_file"], "template.yaml")
        lint(account, "quick-photos", options.into)
        stack = checks.stack(account, "quick-photos", functions)
        dashboard.dashboard(stack)
        dashboard.queries(stack)
        # The second stack has all that is optional.
        parameters = tomllib.loads((ROOT / "samconfig.toml").read_text())["prod"]["deploy"]["parameters"]["parameter_overrides"]
        deploy(project, "--config-env", "prod", "--parameter-overrides", f"{parameters} {OPTIONAL}")
        lint(account, "quick-photos-prod", options.into)
        prod = checks.stack(account, "quick-photos-prod", functions)
        checks.apart(stack, prod)
        lifecycle.back_and_forward(stack)
        write_environments(options.into / "functions.json", functions)
        lifecycle.first_deployment_failed(stack, prod)
    finally:
        account.stop()
        shutil.rmtree(project)


def lay_out(project: Path, functions: list[str]) -> None:
    """Makes a directory from which `sam deploy` runs: the templates, their settings, `target/lambda`, and what a `sam build` left.

    moto runs no function, and the compression of the binaries would take minutes."""
    shutil.rmtree(project, ignore_errors=True)
    for name in functions:
        directory = project / "target/lambda" / name
        directory.mkdir(parents=True)
        (directory / "bootstrap").write_text(f"#!/bin/sh\n# {name}\n")
    for path in [*ROOT.glob("functions/*/template.yaml"), *(ROOT / name for name in ["template.yaml", "monitoring.yaml", "pictures.yaml", "samconfig.toml"])]:
        copy = project / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    stale = project / ".aws-sam/build/template.yaml"
    stale.parent.mkdir(parents=True)
    stale.write_text("Resources: {Stale: {Type: AWS::SQS::Queue}}\n")


def deploy(project: Path, *options: str, answers: str = "y\n") -> None:
    """Runs `sam deploy` with answers to its questions, by default to whether it shall deploy its changeset."""
    begin = time.monotonic()
    command = [Path(sys.executable).with_name("sam"), "deploy", *options]
    deployed = subprocess.run(command, cwd=project, input=answers, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if deployed.returncode != 0:
        sys.exit(f"sam deploy {' '.join(options)} failed:\n{deployed.stdout[-4000:]}")
    print(f"sam deploy {' '.join(options)}: {time.monotonic() - begin:.0f} s", flush=True)


def lint(account: Account, stack: str, into: Path) -> None:
    """Runs cfn-lint on the templates that CloudFormation gets from the SAM transform."""
    paths = []
    for name in [stack, *(id for id in account.ids[stack].values() if id in account.templates)]:
        paths.append(into / f"{name}.json")
        paths[-1].write_text(json.dumps(account.templates[name], indent=1))
    # The transform has used the parameters Gradual and Deployment, and leaves them behind. And the URLs of
    # the nested templates are those of this machine.
    ignored = ["--ignore-checks", "W2001", "W3002"]
    subprocess.run([Path(sys.executable).with_name("cfn-lint"), "--region", "eu-west-1", *ignored, "--", *paths], check=True)


def write_environments(path: Path, functions: list[str]) -> None:
    """Writes the environment that each function was created with."""
    environments = {}
    for name in functions:
        configuration = boto3.client("lambda").get_function_configuration(FunctionName=f"quick-photos-{name}")
        # A value from a parameter of the type Number is a number in moto, and a string in Lambda.
        environments[name] = {name: str(value) for name, value in configuration["Environment"]["Variables"].items()}
    path.write_text(json.dumps(environments, indent=1))


if __name__ == "__main__":
    main()

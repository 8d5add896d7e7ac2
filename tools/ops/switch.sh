#!/bin/bash
# Stops a stack, and switches from it to a restored one (docs/operating.md, "The restore").
#
#   switch.sh stop OLD
#       lets no function of the stack OLD run, except the one that Cognito waits for
#   switch.sh switch OLD NEW [DOMAIN]
#       lets the user pool of OLD look at the tables of NEW, and leads DOMAIN to the API of NEW
#
# Needs the AWS CLI. Region, credentials and endpoints come from the environment or ~/.aws.
set -euo pipefail

resources() { # STACK TYPE: the names of the resources of this type
    aws cloudformation list-stack-resources --stack-name "$1" --output text \
        --query "StackResourceSummaries[?ResourceType=='$2'].[PhysicalResourceId]"
}

resource() { # STACK LOGICAL_ID
    aws cloudformation describe-stack-resource --stack-name "$1" --logical-resource-id "$2" --output text \
        --query StackResourceDetail.PhysicalResourceId
}

parameter() { # STACK NAME
    aws cloudformation describe-stacks --stack-name "$1" --output text \
        --query "Stacks[0].Parameters[?ParameterKey=='$2'].ParameterValue"
}

stop() { # OLD
    for nested in $(resources "$1" AWS::CloudFormation::Stack); do
        resources "$nested" AWS::Lambda::Function
    done | { grep -v refuse-used-name || true; } |
        xargs -I{} aws lambda put-function-concurrency --function-name {} --reserved-concurrent-executions 0
}

switch() { # OLD NEW [DOMAIN]
    function=$1-refuse-used-name
    photos=$(parameter "$2" TableName) favorites=$(parameter "$2" Stage).Favorite
    environment=$(aws lambda get-function-configuration --function-name "$function" --query Environment |
        sed "s/\"$(parameter "$1" TableName)\"/\"$photos\"/; s/\"$(parameter "$1" Stage).Favorite\"/\"$favorites\"/")
    role=$(aws lambda get-function-configuration --function-name "$function" --query Role --output text)
    aws iam put-role-policy --role-name "${role##*/}" --policy-name restored-tables --policy-document '{
        "Version": "2012-10-17", "Statement": [
          {"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "arn:aws:dynamodb:*:*:table/'"$photos"'"},
          {"Effect": "Allow", "Action": "dynamodb:Query", "Resource": "arn:aws:dynamodb:*:*:table/'"$favorites"'"}]}'
    aws lambda update-function-configuration --function-name "$function" --environment "$environment"
    aws lambda wait function-updated-v2 --function-name "$function"
    version=$(aws lambda publish-version --function-name "$function" --query Version --output text)
    aws lambda update-alias --function-name "$function" --name live --function-version "$version"
    if [ -n "${3:-}" ]; then
        aws apigatewayv2 update-api-mapping --domain-name "$3" --stage '$default' \
            --api-id "$(resource "$2" Api)" --api-mapping-id "$(resource "$1" ApiDomainMapping)"
    fi
}

case "${1:-}:$#" in
    stop:2 | switch:3 | switch:4) "$@" ;;
    *) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

/**
 * The minimum cost of a function with Node and the AWS SDK for JavaScript v3.
 *
 * For each event, it sends the requests of the JSON file that PEER_REQUESTS names, one after the other:
 *
 *     [{"operation": "Query", "input": {"TableName": "quick-photos", ...}}, ...]
 *
 * It does nothing else: it does not read the event, build requests, validate values, shape the answer, or retry the
 * unprocessed items of a batch. A complete function in JavaScript would be slower.
 */

import { readFileSync } from "node:fs";

import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  SearchVectorsCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";

const COMMANDS = {
  BatchGetItem: BatchGetItemCommand,
  BatchWriteItem: BatchWriteItemCommand,
  DeleteItem: DeleteItemCommand,
  GetItem: GetItemCommand,
  PutItem: PutItemCommand,
  Query: QueryCommand,
  SearchVectors: SearchVectorsCommand,
  TransactGetItems: TransactGetItemsCommand,
  TransactWriteItems: TransactWriteItemsCommand,
  UpdateItem: UpdateItemCommand,
};

/** The errors of a conditional write whose condition fails. That is normal for a write that is repeated. */
const FAILED_CONDITIONS = new Set(["ConditionalCheckFailedException", "TransactionCanceledException"]);

/** A reviver for JSON.parse. Binary attributes are base64 in JSON and bytes for the SDK. */
function withBytes(name, value) {
  if (name === "B" && typeof value === "string") return Buffer.from(value, "base64");
  if (name === "BS" && Array.isArray(value)) return value.map((text) => Buffer.from(text, "base64"));
  return value;
}

const client = new DynamoDBClient({});

const calls = [];
for (const { operation, input } of JSON.parse(readFileSync(process.env.PEER_REQUESTS, "utf8"), withBytes)) {
  // The SDK generates a token for each call. With the recorded token, DynamoDB would answer a repeated transaction
  // without executing it.
  delete input.ClientRequestToken;
  if (operation === "SendEmail") {
    // The SES client is in a bundle of its own, so only the peer of the function that sends email loads it.
    const email = import("./email.js");
    calls.push(async () => (await email).sendEmail(input));
  } else {
    const Command = COMMANDS[operation];
    calls.push(() => client.send(new Command(input)));
  }
}

export async function handler() {
  let output;
  for (const call of calls) {
    try {
      output = await call();
    } catch (error) {
      if (!FAILED_CONDITIONS.has(error.name)) throw error;
    }
  }
  const { $metadata, ...members } = output ?? {};
  return { statusCode: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(members) };
}

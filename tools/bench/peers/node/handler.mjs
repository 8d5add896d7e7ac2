/**
 * What a function costs at the least with Node and the AWS SDK for JavaScript v3.
 *
 * It sends the DynamoDB requests of the JSON file that PEER_REQUESTS names, one after the other, at each event:
 *
 *     [{"operation": "Query", "input": {"TableName": "quick-photos", ...}}, ...]
 *
 * That is all it does. It looks at no event, builds no request, checks no value and shapes no answer, and it asks again
 * for nothing that a batch leaves unprocessed. A function that did in JavaScript what one of ours does would be slower.
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
  TransactWriteItems: TransactWriteItemsCommand,
  UpdateItem: UpdateItemCommand,
};

/** What a conditional write answers when its condition doesn't hold, as it may when it comes a second time. */
const REFUSALS = new Set(["ConditionalCheckFailedException", "TransactionCanceledException"]);

/** For JSON.parse: binary attributes are base64 on the wire and bytes in JavaScript. */
function withBytes(name, value) {
  if (name === "B" && typeof value === "string") return Buffer.from(value, "base64");
  if (name === "BS" && Array.isArray(value)) return value.map((text) => Buffer.from(text, "base64"));
  return value;
}

const client = new DynamoDBClient({});

const calls = [];
for (const { operation, input } of JSON.parse(readFileSync(process.env.PEER_REQUESTS, "utf8"), withBytes)) {
  // The client makes one for each call. The recorded one would have a repeated transaction answered and not done.
  delete input.ClientRequestToken;
  if (operation === "SendEmail") {
    // A bundle of its own, so that only the function that sends mail loads the client for it.
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
      if (!REFUSALS.has(error.name)) throw error;
    }
  }
  const { $metadata, ...members } = output ?? {};
  return { statusCode: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(members) };
}

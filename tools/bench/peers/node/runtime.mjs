/**
 * A minimal client of the Lambda Runtime API. AWS's own client, aws-lambda-ric, is not used: its installation compiles
 * curl with cmake, and its current versions require a newer Node than this file does.
 */

import { Agent, request } from "node:http";

import { handler } from "./handler.mjs";

const [host, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(":");
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function call(method, path, body = "") {
  return new Promise((resolve, reject) => {
    const options = { agent, host, port, method, path: `/2018-06-01/runtime/invocation/${path}` };
    const sent = request(options, (answer) => {
      const chunks = [];
      answer.on("data", (chunk) => chunks.push(chunk));
      answer.on("end", () => resolve({ headers: answer.headers, text: Buffer.concat(chunks).toString() }));
      answer.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

async function main() {
  for (;;) {
    const { headers, text } = await call("GET", "next");
    const id = headers["lambda-runtime-aws-request-id"];
    try {
      const answer = await handler(JSON.parse(text));
      await call("POST", `${id}/response`, JSON.stringify(answer));
    } catch (error) {
      const { name: errorType, message: errorMessage, stack } = error;
      await call("POST", `${id}/error`, JSON.stringify({ errorType, errorMessage, stackTrace: stack.split("\n") }));
    }
  }
}

main();

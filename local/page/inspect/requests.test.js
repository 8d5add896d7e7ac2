import assert from "node:assert/strict";
import {test} from "node:test";
import {failedCondition, named, tablesOf} from "./requests.js";

test("tells a failed condition from other errors", () => {
  const cancelled = (...codes) => ({__type: "x#TransactionCanceledException", CancellationReasons: codes.map((Code) => ({Code}))});
  assert.ok(failedCondition({__type: "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"}));
  assert.ok(failedCondition(cancelled("None", "ConditionalCheckFailed")));
  for (const answer of [cancelled("TransactionConflict"), {__type: "x#ResourceNotFoundException"}, {}, undefined]) assert.ok(!failedCondition(answer));
});

test("shows the keys that a search of vectors found", () => {
  const answer = {SearchResults: [{Item: {pk: {S: "a"}}, Score: 0.5}, {Item: {pk: {S: "b"}}, Score: 2}]};
  assert.deepEqual(named({operation: "SearchVectors", body: {TableName: "t"}, answer}), {list: [], rest: [{pk: {S: "a"}}, {pk: {S: "b"}}]});
});

test("names the tables of a request", () => {
  assert.deepEqual(tablesOf({body: {TableName: "t"}}), ["t"]);
  assert.deepEqual(tablesOf({body: {RequestItems: {t: {}, u: {}}}}), ["t", "u"]);
  assert.deepEqual(tablesOf({body: {TransactItems: [{Put: {TableName: "t"}}, {Update: {TableName: "t"}}]}}), ["t"]);
  assert.deepEqual(tablesOf({body: {}}), []);
});

import assert from "node:assert/strict";
import {test} from "node:test";
import {formula, grouped, rule} from "./costs.js";

const OPERATIONS = new Map(Object.entries({GetItem: "0.5", BatchGetItem: "0.5 × keys", Query: "0.5 per 4 KB", TransactWriteItems: "2 × items + entries"})
  .map(([operation, units]) => [operation, {operation, units}]));
const text = (text) => text.replaceAll("\u00a0", " ");

test("the formula of a pattern has the rule of each operation that its row names", () => {
  assert.equal(formula({description: "Query of the feed, then BatchGetItem of the photos; the Query again"}, OPERATIONS),
    "Query 0.5 per 4 KB + BatchGetItem 0.5 × keys");
  assert.equal(formula({description: "GetItem; with `include`, BatchGetItem"}, OPERATIONS), "GetItem 0.5 (+ BatchGetItem 0.5 × keys)");
  assert.equal(formula({description: "TransactWriteItems: check it; Put it; then a consistent GetItem"}, OPERATIONS), "TransactWriteItems 2 × items + entries + GetItem 0.5");
  assert.equal(formula({description: "nothing"}, OPERATIONS), "");
});

test("the rule of a request has the number of items that it names, and doubles for a consistent read", () => {
  assert.equal(text(rule(OPERATIONS, {operation: "BatchGetItem", body: {RequestItems: {t: {}}}}, 34)), "0.5 × 34 keys");
  assert.equal(text(rule(OPERATIONS, {operation: "TransactWriteItems", body: {}}, 1)), "2 × 1 item + entries");
  assert.equal(rule(OPERATIONS, {operation: "GetItem", body: {ConsistentRead: true}}, 1), "2 × 0.5, consistent");
  assert.equal(rule(OPERATIONS, {operation: "Scan", body: {}}, 1), undefined);
});

test("requests of one kind are summed, by table and index", () => {
  const write = {
    operation: "TransactWriteItems", body: {TransactItems: [{Put: {TableName: "t", Item: {}}}, {Update: {TableName: "t", Key: {}}}]},
    units: {read: 0, write: 5, tables: {t: {table: 4, indexes: {i: 1, j: 0}}}},
  };
  const [{name, events, rule, places}, ...others] = grouped([write, write], OPERATIONS);
  assert.deepEqual([name, events.length, text(rule), others.length], ["TransactWriteItems t", 2, "2 × 4 items + entries", 0]);
  assert.deepEqual(places, [["t", 8], ["i", 2]]);
});

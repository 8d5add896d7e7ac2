import assert from "node:assert/strict";
import {test} from "node:test";
import {contract, formula, grouped, rule} from "./costs.js";

const OPERATIONS = new Map(Object.entries({GetItem: "0.5", BatchGetItem: "0.5 × keys", Query: "0.5 per 4 KB", TransactWriteItems: "2 × items + entries"})
  .map(([operation, units]) => [operation, {operation, units}]));
const text = (text) => text.replaceAll("\u00a0", " ");

test("the formula of a pattern has the rule of each operation that its row names", () => {
  assert.equal(text(formula({description: "Query of the feed, then BatchGetItem of the photos; the Query again"}, OPERATIONS)),
    "Query 0.5 per 4 KB + BatchGetItem 0.5 × keys");
  assert.equal(text(formula({description: "GetItem; with `include`, BatchGetItem"}, OPERATIONS)), "GetItem 0.5 (+ BatchGetItem 0.5 × keys)");
  assert.equal(text(formula({description: "TransactWriteItems: check it; Put it; then a consistent GetItem"}, OPERATIONS)), "TransactWriteItems 2 × items + entries + GetItem 0.5");
  assert.equal(text(formula({description: "nothing"}, OPERATIONS)), "");
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

test("the contract of a request is that of what it asks for", () => {
  const pattern = {read: 1, variants: [
    {query: "include=people", header: null, read: 2}, {query: "order=desc&include=people", header: null, read: 3}, {query: "", header: "idempotency-key", read: 4},
  ]};
  const read = (path, headers) => contract(pattern, {path, headers}).read;
  assert.deepEqual([contract(pattern).read, read("/a"), read("/a?include=viewer"), read("/a?limit=2&include=people")], [1, 1, 1, 2]);
  assert.equal(read("/a?include=people&order=desc"), 3);
  assert.equal(read("/a", {"idempotency-key": "k"}), 4);
});

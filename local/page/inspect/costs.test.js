import assert from "node:assert/strict";
import {test} from "node:test";
import {inWords, contract, formula, grouped, rule, sums} from "./costs.js";

const RULES = new Map(Object.entries({GetItem: "0.5", BatchGetItem: "0.5 × keys", Query: "0.5 per 4 KB", TransactWriteItems: "2 × items + entries"})
  .map(([operation, units]) => [operation, {operation, units}]));
const text = (text) => text.replaceAll("\u00a0", " ");
const terms = (list) => text(list.join(" "));

test("the formula of a pattern has the rule of each operation once", () => {
  const of = (asks, sometimes = []) => terms(formula({asks, sometimes}, RULES));
  assert.equal(of(["Query InvertedIndex", "BatchGetItem"], ["Query"]), "Query 0.5 per 4 KB + BatchGetItem 0.5 × keys");
  assert.equal(of(["GetItem"], ["BatchGetItem"]), "GetItem 0.5 (+ BatchGetItem 0.5 × keys)");
  assert.equal(of(["TransactWriteItems", "consistent GetItem"]), "TransactWriteItems 2 × items + entries + GetItem 0.5");
  assert.equal(of([]), "");
  assert.equal(inWords({asks: ["GetItem"], sometimes: []}), "GetItem");
  assert.equal(inWords({asks: ["GetItem", "Query"], sometimes: ["PutItem"]}), "GetItem, Query; sometimes PutItem");
});

const queried = (size, more) => ({operation: "Query", body: {}, units: {tables: {}}, answer: {Count: 1, ScannedCount: 1, Items: [{a: {S: "a".repeat(size - 1)}}], ...more}});
const asked = (operation, body, tables = {}) => ({operation, body, units: {tables}});
const ruleOf = (...events) => {
  const found = rule(RULES.get(events[0].operation)?.units, events);
  return [text(String(found.text)), found.value];
};

test("the rule of a request has its values: items, entries of indexes, and the KB that a Query reads", () => {
  const keys = asked("BatchGetItem", {RequestItems: {t: {Keys: Array(34).fill({})}}});
  assert.deepEqual(ruleOf(keys), ["0.5 × 34 keys", 17]);
  assert.deepEqual(ruleOf(asked("TransactWriteItems", {TransactItems: [{Put: {TableName: "t", Item: {}}}]}, {t: {indexes: {i: 1}}})), ["2 × 1 item + 1 entry", 3]);
  assert.deepEqual(ruleOf(asked("GetItem", {ConsistentRead: true})), ["2 × 0.5", 1]);
  assert.deepEqual(ruleOf(asked("GetItem", {}), asked("GetItem", {})), ["0.5 × 2", 1]);
  assert.deepEqual(ruleOf(asked("Scan", {})), ["undefined", NaN]);
  assert.deepEqual(ruleOf(queried(3150)), ["0.5 × ⌈3.1 KB / 4⌉", 0.5]);
  assert.deepEqual(ruleOf(queried(4097), queried(1, {Items: []})), ["0.5 × (⌈4.1 KB / 4⌉ + 1)", 1.5]);
  assert.deepEqual(ruleOf(queried(10, {ScannedCount: 2})), ["0.5 × ⌈KB / 4⌉", NaN]);
});

test("requests of one kind are summed, by table and index", () => {
  const write = {
    operation: "TransactWriteItems", body: {TransactItems: [{Put: {TableName: "t", Item: {}}}, {Update: {TableName: "t", Key: {}}}]},
    units: {read: 0, write: 5, tables: {t: {table: 4, indexes: {i: 1, j: 0}}}},
  };
  const [{name, events, rule, places}, ...others] = grouped([write, write], RULES);
  assert.deepEqual([name, events.length, text(rule.text), others.length], ["TransactWriteItems t", 2, "2 × 4 items + 2 entries", 0]);
  assert.deepEqual(places, [["t", 8], ["i", 2]]);
});

test("the sum is that of the rules, for reads and for writes", () => {
  const keys = asked("BatchGetItem", {RequestItems: {t: {Keys: Array(42).fill({})}}});
  const write = asked("TransactWriteItems", {TransactItems: [{Put: {TableName: "t", Item: {}}}]}, {t: {indexes: {i: 1}}});
  const of = (...events) => sums(grouped(events, RULES)).map(text);
  assert.deepEqual(of(queried(3150), keys), ["0.5 × ⌈3.1 KB / 4⌉ + 0.5 × 42 = 21.5 read units"]);
  assert.deepEqual(of(keys, write), ["0.5 × 42 = 21 read units", "2 × 1 + 1 = 3 write units"]);
  assert.deepEqual(of(queried(10, {ScannedCount: 2}), keys), ["0.5 × ⌈KB / 4⌉ + 0.5 × 42"]);
});

test("the contract of a request is that of what it asks for", () => {
  const pattern = {read: 1, variants: [
    {query: "include=people", header: null, read: 2}, {query: "order=desc&include=people", header: null, read: 3}, {query: "", header: "idempotency-key", read: 4},
    {query: "", header: null, field: "replyTo", read: 5},
  ]};
  const read = (path, headers) => contract(pattern, {path, headers}).read;
  assert.deepEqual([contract(pattern).read, read("/a"), read("/a?include=viewer"), read("/a?limit=2&include=people")], [1, 1, 1, 2]);
  assert.equal(read("/a?include=people&order=desc"), 3);
  assert.equal(read("/a", {"idempotency-key": "k"}), 4);
  assert.equal(contract(pattern, {path: "/a", headers: {"idempotency-key": "k"}, body: '{"text":"Yes","replyTo":"b"}'}).read, 5);
});

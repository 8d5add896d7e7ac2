import assert from "node:assert/strict";
import {test} from "node:test";
import {Store} from "./events.js";
import {tree} from "./tree.js";

const dynamodb = (trace, operation, read, write) =>
  ({type: "dynamodb", trace, time: 2, operation, body: {TableName: "t"}, units: {read, write, searched: 0, tables: {}}});
const invocation = (trace, name, cause) => ({type: "invocation", trace, time: 1, ms: 1, function: name, cause});
const live = (trace, messages) => ({type: "live", trace, time: 2, ms: 1, operation: "PostToConnection", status: messages ? 200 : 410, messages});
const record = (sequenceNumber) => ({type: "record", sequenceNumber, writtenBy: "r", time: 3});
/** Returns a branch in one line: its label with its number, its units, and its branches in brackets. */
const line = ({label, number, units: {read, write}, children}) =>
  `${label} ${number}: ${read}/${write}${children.length > 0 ? ` (${children.map(line).join(", ")})` : ""}`;

test("each branch has the sum of its branches, and those of one label are one", () => {
  const store = new Store();
  const stream = (trace, ...written) => [invocation(trace, "process-changes", {records: written.map((sequenceNumber) => ({sequenceNumber, writtenBy: "r"}))}),
    dynamodb(trace, "PutItem", 0, 1), dynamodb(trace, "Query", 0.5, 0)];
  [dynamodb("r", "UpdateItem", 0, 3), invocation("r", "f", {request: "r"}), {type: "request", id: "r", trace: "r", time: 1, method: "PUT", path: "/"},
    record("1"), record("2"), ...stream("s", "1"), ...stream("u", "2"),
    invocation("e", "process-photo", {event: "incoming/1", writtenBy: "r"}), dynamodb("e", "UpdateItem", 0, 2)].forEach((event) => store.add(event));
  assert.deepEqual(tree(store.actions[0]).map(line), [
    "f 1: 0/3 (UpdateItem t 1: 0/3)",
    "stream record 2: 1/2 (process-changes 2: 1/2 (PutItem t 2: 0/2, Query t 2: 1/0))",
    "process-photo 1: 0/2 (UpdateItem t 1: 0/2)",
  ]);
});

test("a function that two records started counts once", () => {
  const store = new Store();
  [{type: "request", id: "r", trace: "r", time: 1}, record("1"), record("2"),
    invocation("s", "f", {records: [{sequenceNumber: "1", writtenBy: "r"}, {sequenceNumber: "2", writtenBy: "r"}]}), dynamodb("s", "Query", 1, 0)].forEach((event) => store.add(event));
  assert.deepEqual(tree(store.actions[0]).map(line), ["stream record 2: 1/0 (f 1: 1/0 (Query t 1: 1/0))"]);
});

test("live messages count in the branch of the function that sends them", () => {
  const store = new Store();
  [{type: "request", id: "r", trace: "r", time: 1}, invocation("r", "f", {request: "r"}), dynamodb("r", "Query", 1, 0), live("r", 1), live("r", 2), live("r", 0)]
    .forEach((event) => store.add(event));
  const [{units, children}] = tree(store.actions[0]);
  assert.deepEqual(units, {read: 1, write: 0, searched: 0, live: 3});
  assert.deepEqual(children.map(({label, number, units}) => [label, number, units.live]), [["Query t", 1, 0], ["PostToConnection", 3, 3]]);
});

import assert from "node:assert/strict";
import {test} from "node:test";
import {Store} from "./events.js";
import {timeline} from "./timeline.js";

test("puts a request, its function, its requests, the stream and what that started on one axis", () => {
  const store = new Store();
  const asked = (trace, time, ms) => ({type: "dynamodb", trace, time, ms, operation: "PutItem", body: {TableName: "t"}, units: {read: 0, write: 1, tables: {}}});
  [
    asked("r", 1010, 5),
    {type: "invocation", trace: "r", time: 1002, ms: 20, function: "f", cold: true, cause: {request: "r"}},
    {type: "request", id: "r", trace: "r", time: 1000, ms: 25, method: "PUT", path: "/"},
    {type: "record", sequenceNumber: "1", writtenBy: "r", time: 1030},
    asked("s", 1050, 10),
    {type: "live", trace: "s", time: 1065, ms: 3, operation: "PostToConnection", status: 410, messages: 0},
    {type: "s3", trace: "s", time: 1045, ms: 2, method: "GET", path: "/bucket/photos/ada%3A1"},
    {type: "invocation", trace: "s", time: 1040, ms: 60, function: "g", cold: false, cause: {records: [{sequenceNumber: "1", writtenBy: "r"}]}},
  ].forEach((event) => store.add(event));
  const {bars, length} = timeline(store.actions[0]);
  assert.equal(length, 100);
  assert.deepEqual(bars.map(({kind, depth, label, start, ms}) => [kind, depth, label.replaceAll("\u00a0", " "), start, ms]), [
    ["gateway", 0, "API Gateway", 0, 25],
    ["function", 1, "f", 2, 20],
    ["dynamodb", 2, "PutItem t", 10, 5],
    ["stream", 1, "1 stream record", 30, 0],
    ["function", 1, "g", 40, 60],
    ["s3", 2, "S3 GET photos/ada:1", 45, 2],
    ["dynamodb", 2, "PutItem t", 50, 10],
    ["live", 2, "PostToConnection 410", 65, 3],
  ]);
  assert.deepEqual(bars.map(({isCold}) => isCold), [undefined, true, undefined, undefined, false, undefined, undefined, undefined]);
});

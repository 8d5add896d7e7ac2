import assert from "node:assert/strict";
import {test} from "node:test";
import {TYPES, deleteOf, textOf, updateOf, valueOf} from "./edit.js";

const ITEM = {pk: {S: "a"}, sk: {N: "1"}, name: {S: "Ada"}, old: {BOOL: true}};

test("every type survives as text", () => {
  const values = [{S: " a\n\"b\" "}, {N: "-1.50"}, {BOOL: false}, {NULL: true}, {L: [{N: "1"}, {M: {a: {NULL: true}}}]},
    {M: {a: {SS: ["x"]}}}, {SS: ["a", "b"]}, {NS: ["1", "2.5"]}, {B: "AQID"}, {BS: ["AQ=="]}];
  assert.deepEqual(values.flatMap(Object.keys).sort(), Object.keys(TYPES).sort());
  for (const value of values) assert.deepEqual(valueOf(Object.keys(value)[0], textOf(value)), value);
});

test("a text that is not of the type is refused, with what it has to be", () => {
  for (const [type, text] of [["N", "1 2"], ["N", ""], ["N", "Infinity"], ["B", "AQI"], ["B", "ä"], ["L", "{}"], ["L", "x"], ["M", "[]"], ["M", "null"],
    ["SS", "[]"], ["NS", "[1]"], ["BS", "1"]]) assert.throws(() => valueOf(type, text), /^Error: must be /, `${type} ${text}`);
});

test("an update writes what has changed if the whole item is as it was read", () => {
  assert.deepEqual(updateOf("t", ["pk", "sk"], ITEM, {name: {S: "Eve"}, old: undefined, added: {N: "2"}}), {
    TableName: "t", Key: {pk: {S: "a"}, sk: {N: "1"}},
    UpdateExpression: "SET #2 = :new2, #4 = :new4 REMOVE #3",
    ConditionExpression: "#0 = :0 AND #1 = :1 AND #2 = :2 AND #3 = :3 AND attribute_not_exists(#4)",
    ExpressionAttributeNames: {"#0": "pk", "#1": "sk", "#2": "name", "#3": "old", "#4": "added"},
    ExpressionAttributeValues: {":0": {S: "a"}, ":1": {N: "1"}, ":2": {S: "Ada"}, ":3": {BOOL: true}, ":new2": {S: "Eve"}, ":new4": {N: "2"}},
  });
});

test("an item is deleted as it was read", () => {
  const {Key, ConditionExpression} = deleteOf("t", ["pk"], {pk: {S: "a"}, n: {N: "1"}});
  assert.deepEqual([Key, ConditionExpression], [{pk: {S: "a"}}, "#0 = :0 AND #1 = :1"]);
});

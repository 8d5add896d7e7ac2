import assert from "node:assert/strict";
import {test} from "node:test";
import {cell, columns, count, jsonOf, sizeOf, units} from "./values.js";

test("no line break separates a number from its unit", () => {
  assert.equal(count(17.5, "read unit"), "17.5\u00a0read\u00a0units");
  assert.equal(count(1, "item"), "1\u00a0item");
});

test("units are those of reads and writes, and the bytes of searches", () => {
  assert.equal(units({read: 1.5, write: 0, searched: 99150}), "1.5\u00a0read\u00a0units, 99.2\u00a0kB searched");
  assert.equal(units({read: 0, write: 1}), "1\u00a0write\u00a0unit");
  assert.equal(units({read: 1, write: 0, live: 2}), "1\u00a0read\u00a0unit, 2\u00a0live\u00a0messages");
  assert.equal(units({read: 0, write: 0, searched: 0}), "no units");
});

test("columns are the keys, then the attributes by their number", () => {
  const items = [{SK: {S: "b"}, rare: {N: "1"}, often: {S: "x"}}, {SK: {S: "c"}, often: {N: "2"}}];
  assert.deepEqual(columns(items, ["PK", "SK"]).map(({name, types}) => [name, ...types]),
    [["PK"], ["SK", "S"], ["often", "S", "N"], ["rare", "N"]]);
  const person = {birthdate: {S: "1990"}, followers: {N: "1"}, status: {S: "ready"}, name: {S: "Ada"}, address: {S: "Bristol"}};
  assert.deepEqual(columns([person], []).map(({name}) => name), ["name", "status", "address", "birthdate", "followers"]);
});

test("the size of an item is that of its names and values", () => {
  assert.equal(sizeOf({name: {S: "Zoë"}}), 8);
  assert.equal(sizeOf({n: {N: "4102444800"}, m: {N: "-0.5"}}), 1 + 5 + 1 + 2);
  assert.equal(sizeOf({a: {L: [{BOOL: true}, {NULL: true}]}, b: {M: {c: {B: "QUJD"}}}, d: {SS: ["e", "fg"]}}), 1 + 7 + 1 + 3 + 1 + 1 + 3 + 1 + 3);
});

test("a value is a cell, and an item is JSON", () => {
  assert.deepEqual([cell({S: "a b"}), cell({N: "1"}), cell({M: {a: {S: "x"}}}), cell(undefined)], ["a b", "1", '{a: "x"}', ""]);
  assert.deepEqual(jsonOf({a: {N: "1.5"}, b: {L: [{NULL: true}, {BOOL: false}]}, c: {M: {d: {SS: ["x"]}}}, e: {NS: ["2"]}}),
    {a: 1.5, b: [null, false], c: {d: ["x"]}, e: [2]});
});

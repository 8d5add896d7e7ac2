import assert from "node:assert/strict";
import {test} from "node:test";
import {cell, columns, count, fits, jsonOf, units} from "./values.js";

test("no line break separates a number from its unit", () => {
  assert.equal(count(17.5, "read unit"), "17.5\u00a0read\u00a0units");
  assert.equal(count(1, "item"), "1\u00a0item");
});

test("units are those of reads and writes, and the bytes of searches", () => {
  assert.equal(units({read: 1.5, write: 0, searched: 99150}), "1.5\u00a0read\u00a0units, 99.2\u00a0kB searched");
  assert.equal(units({read: 0, write: 1}), "1\u00a0write\u00a0unit");
  assert.equal(units({read: 0, write: 0, searched: 0}), "no units");
});

test("columns are the keys, then the attributes by their number", () => {
  const items = [{SK: {S: "b"}, rare: {N: "1"}, often: {S: "x"}}, {SK: {S: "c"}, often: {N: "2"}}];
  assert.deepEqual(columns(items, ["PK", "SK"]).map(({name, types}) => [name, ...types]),
    [["PK"], ["SK", "S"], ["often", "S", "N"], ["rare", "N"]]);
});

test("a value is a cell, and an item is JSON", () => {
  assert.deepEqual([cell({S: "a b"}), cell({N: "1"}), cell({M: {a: {S: "x"}}}), cell(undefined)], ["a b", "1", '{a: "x"}', ""]);
  assert.deepEqual(jsonOf({a: {N: "1.5"}, b: {L: [{NULL: true}, {BOOL: false}]}, c: {M: {d: {SS: ["x"]}}}, e: {NS: ["2"]}}),
    {a: 1.5, b: [null, false], c: {d: ["x"]}, e: [2]});
});

test("a partition key fits a pattern of its table", () => {
  for (const [key, pattern] of [["USER#ada", "USER#<username>"], ["COMMENT#2024-06-02T18:05:41.250Z#ben", "COMMENT#<…>#<caller>"],
    ["cara + heart", "<username> + <type>"], ["1", "<personId>"]]) assert.ok(fits(key, pattern), `${key} ${pattern}`);
  for (const [key, pattern] of [["USERS#ada", "USER#<username>"], ["FavoriteDataTag#ada#1", "FavoriteData#<username>"], ["a#b", "<…>"]])
    assert.ok(!fits(key, pattern), `${key} ${pattern}`);
});

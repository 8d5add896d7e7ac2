import assert from "node:assert/strict";
import {test} from "node:test";
import {bounds, compare, read} from "./range.js";

const item = (sk) => ({PK: {S: "u"}, SK: {S: sk}});
const ITEMS = ["#FRIEND#a", "#FRIEND#b", "#METADATA#u", "PHOTO#1", "PHOTO#2", "PHOTO#3"].map(item);

/** Returns the sort keys that a Query with this condition on the sort key reads. */
function reads(condition, values, rest = {}, answer = {}) {
  const body = {KeyConditionExpression: condition && `#p = :p AND ${condition}`, ExpressionAttributeNames: {"#p": "PK"},
                ExpressionAttributeValues: {":p": {S: "u"}, ...values}, ...rest};
  const marks = read({body, answer}, ITEMS, "SK", ["PK", "SK"]);
  return ITEMS.filter((_, index) => marks[index]).map(({SK}) => SK.S).join(" ");
}

test("orders strings by UTF-8 bytes, numbers by value", () => {
  assert.ok(compare({S: "#"}, {S: "P"}) < 0);
  assert.ok(compare({S: "PHOTO#"}, {S: "PHOTO$"}) < 0);
  assert.ok(compare({S: "PHOTO"}, {S: "PHOTO#"}) < 0);
  assert.ok(compare({S: "\u{FFFD}"}, {S: "\u{1F600}"}) < 0, "unlike the order of UTF-16");
  assert.ok(compare({N: "9"}, {N: "10"}) < 0);
  assert.equal(compare({S: "a"}, {S: "a"}), 0);
});

test("evaluates each operator of a key condition", () => {
  assert.equal(reads("SK = :a", {":a": {S: "PHOTO#1"}}), "PHOTO#1");
  assert.equal(reads("SK < :a", {":a": {S: "#METADATA#u"}}), "#FRIEND#a #FRIEND#b");
  assert.equal(reads("SK <= :a", {":a": {S: "#FRIEND#a"}}), "#FRIEND#a");
  assert.equal(reads("SK > :a", {":a": {S: "PHOTO#2"}}), "PHOTO#3");
  assert.equal(reads("SK>=:a", {":a": {S: "PHOTO#3"}}), "PHOTO#3");
  assert.equal(reads("begins_with(SK, :a)", {":a": {S: "#FRIEND#"}}), "#FRIEND#a #FRIEND#b");
  assert.equal(reads("(SK between :a and :b)", {":a": {S: "#METADATA#"}, ":b": {S: "PHOTO#1"}}), "#METADATA#u PHOTO#1");
});

test("marks what was read, not what matches", () => {
  const photos = ["begins_with(SK, :a)", {":a": {S: "PHOTO#"}}];
  assert.equal(reads(...photos, {}, {LastEvaluatedKey: item("PHOTO#2")}), "PHOTO#1 PHOTO#2");
  assert.equal(reads(...photos, {ScanIndexForward: false}, {LastEvaluatedKey: item("PHOTO#2")}), "PHOTO#2 PHOTO#3");
  assert.equal(reads(...photos, {ExclusiveStartKey: item("PHOTO#1")}), "PHOTO#2 PHOTO#3");
  assert.equal(reads(...photos, {ScanIndexForward: false, ExclusiveStartKey: item("PHOTO#3")}), "PHOTO#1 PHOTO#2");
});

test("finds the place of a start key whose item is gone", () => {
  assert.equal(reads("SK > :a", {":a": {S: "#"}}, {ExclusiveStartKey: item("PHOTO#10")}), "PHOTO#2 PHOTO#3");
});

test("reads a partition key of several attributes", () => {
  const body = {KeyConditionExpression: "a = :a AND b = :b", ExpressionAttributeValues: {":a": {S: "x"}, ":b": {S: "y"}}};
  const items = ["x", "y"].map((b) => ({a: {S: "x"}, b: {S: b}, c: {N: "1"}}));
  assert.deepEqual(read({body}, items, "c", ["c"]), [false, true]);
});

test("returns the bounds of the range and their places", () => {
  const places = (condition, values) => {
    const body = {KeyConditionExpression: `PK = :u AND ${condition}`, ExpressionAttributeValues: {":u": {S: "u"}, ...values}};
    return bounds(body, ITEMS, "SK").map(({value, upper, before}) => `${upper ? "to" : "from"} ${value.S} before ${before}`).join(", ");
  };
  assert.equal(places("SK BETWEEN :a AND :b", {":a": {S: "#METADATA#u"}, ":b": {S: "PHOTO$"}}), "from #METADATA#u before 2, to PHOTO$ before 6");
  assert.equal(places("SK <= :a", {":a": {S: "#METADATA#u"}}), "to #METADATA#u before 3");
  assert.equal(places("SK < :a", {":a": {S: "#METADATA#u"}}), "to #METADATA#u before 2");
  assert.equal(places("SK > :a", {":a": {S: "#METADATA#u"}}), "from #METADATA#u before 3");
});

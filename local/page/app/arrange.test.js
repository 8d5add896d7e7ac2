import assert from "node:assert/strict";
import {test} from "node:test";
import {inOrder, moved} from "./arrange.js";

test("an entry moves by one place", () => {
  assert.deepEqual(moved(["a", "b", "c"], 0, 1), ["b", "a", "c"]);
  assert.deepEqual(moved(["a", "b", "c"], 2, -1), ["a", "c", "b"]);
});

test("a text goes with its picture, and an empty one is left out", () => {
  const pictures = [{key: 2}, {key: 1, altText: "before"}];
  assert.deepEqual(inOrder(pictures, {altText1: "", altText2: "A dot"}), [{key: 2, altText: "A dot"}, {key: 1, altText: undefined}]);
});

import assert from "node:assert/strict";
import {test} from "node:test";
import {renewed} from "./renewed.js";

const list = (ids, nextCursor = null) => ({comments: [...ids].map((id) => ({id})), nextCursor});
/** Renews a list, and returns its ids and its cursor. */
const ids = (old, page) => {
  const {comments, nextCursor} = renewed(old, page, "comments");
  return [comments.map(({id}) => id).join(""), nextCursor];
};

test("a page brings what is new, and leaves what is behind it", () => {
  assert.deepEqual(ids(list("cba"), list("dcba")), ["dcba", null]);
  assert.deepEqual(ids(list("cba", "old"), list("dcb", "new")), ["dcba", "old"]);
  assert.deepEqual(ids(list("cba"), list("edc", "new")), ["edcba", null]);
});

test("what is gone from the page is gone", () => {
  assert.deepEqual(ids(list("cba"), list("ca")), ["ca", null]);
  assert.deepEqual(ids(list("dcb", "old"), list("dba", "new")), ["dba", "old"]);
  assert.deepEqual(ids(list("cba", "old"), list("b")), ["b", null]);
  assert.deepEqual(ids(list("a"), list("")), ["", null]);
});

test("a page that is newer than the whole list takes its place, because nobody knows what is between", () => {
  assert.deepEqual(ids(list("ba"), list("hgf", "new")), ["hgf", "new"]);
  assert.deepEqual(ids(list(""), list("a")), ["a", null]);
});

test("a reaction has no id", () => {
  const reaction = (username, reactionType) => ({username, reactionType});
  const old = {reactions: [reaction("ada", "heart"), reaction("ben", "heart")], nextCursor: null};
  const page = {reactions: [reaction("ada", "smiley"), reaction("ada", "heart")], nextCursor: "new"};
  assert.deepEqual(renewed(old, page, "reactions").reactions.map(({username}) => username), ["ada", "ada", "ben"]);
});

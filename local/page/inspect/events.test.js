import assert from "node:assert/strict";
import {test} from "node:test";
import {Store, listed, seenBy, sum} from "./events.js";

const request = (id, time = 1) => ({type: "request", id, trace: id, time, method: "GET", path: "/"});
const dynamodb = (trace, read, write = 0) => ({type: "dynamodb", trace, time: 2, units: {read, write, searched: 0, tables: {}}});
const invocation = (trace, cause, time = 1) => ({type: "invocation", trace, time, ms: 1, function: "f", cause});
const store = (...events) => {
  const store = new Store();
  events.forEach((event) => store.add(event));
  return store;
};

test("nests what a stream function does below the request that wrote the item", () => {
  const {actions, figures} = store(
    dynamodb("r", 0, 7), invocation("r", {request: "r"}), request("r"),
    {type: "record", sequenceNumber: "1", writtenBy: "r", time: 3},
    dynamodb("s", 1), invocation("s", {records: [{sequenceNumber: "1", writtenBy: "r"}]}),
    dynamodb("t", 1), invocation("t", {records: [{sequenceNumber: "2", writtenBy: "s"}]}));
  assert.equal(actions.length, 1);
  assert.equal(actions[0].records.length, 1);
  assert.deepEqual(sum(actions, false), {requests: 1, read: 0, write: 7, searched: 0});
  assert.deepEqual(sum(actions, true), {requests: 3, read: 2, write: 7, searched: 0});
  assert.deepEqual({...figures.get("f"), ms: 0}, {calls: 3, ms: 0, requests: 3, read: 2, write: 7});
});

test("knows who has seen the notifications", () => {
  const update = (Key) => seenBy({type: "dynamodb", operation: "TransactWriteItems", body: {TransactItems: [{Update: {Key}}, {ConditionCheck: {}}]}});
  assert.equal(update({pk: {S: "Inbox#ada"}, sk: {S: "SEEN"}}), "ada");
  assert.equal(update({pk: {S: "Inbox#ada"}, sk: {S: "FOLLOWER#ben"}}), null);
  assert.equal(update({PK: {S: "USER#ada"}, SK: {S: "PHOTO#ada#1"}}), null);
  assert.equal(seenBy({type: "dynamodb", operation: "TransactWriteItems"}), null);
  assert.equal(seenBy({type: "record"}), null);
});

test("shows what other clients and unknown causes did by itself", () => {
  const {actions} = store(dynamodb(null, 1), invocation("s", {event: "incoming/ada/1", writtenBy: null}));
  assert.equal(actions.length, 2);
});

test("says that the stack was restarted, and that events were missed", () => {
  const {actions} = store({type: "hello", stack: "1"}, {type: "lagged", missed: 3}, {type: "hello", stack: "2"});
  assert.match(actions[0].note, /3 events/);
  assert.match(actions[1].note, /restarted/);
});

test("keeps 200 actions", () => {
  const {actions} = store(...Array.from({length: 250}, (_, index) => request(`r${index}`, index)));
  assert.equal(actions.length, 200);
  assert.equal(actions[0].request.id, "r50");
});

test("lists uses of the app from new to old, and the requests of one use from old to new", () => {
  const mine = store(request("a", 1));
  mine.mark({id: "a"});
  mine.use = 1;
  ["b", "c"].forEach((id) => mine.mark({id}));
  [request("other", 2), request("b", 3), request("c", 4)].forEach((event) => mine.add(event));
  const ids = (until, reading) => listed(mine, until, reading).map((action) => action.request.id).join("");
  assert.equal(ids(4, false), "bcothera");
  assert.equal(ids(1, false), "bca", "the use at hand shows at once");
  assert.equal(ids(1, true), "a", "nothing moves under the eyes of who reads");
});

test("a request that nobody asked for is behind those that somebody did", () => {
  const mine = store();
  mine.mark({id: "bell", unasked: true});
  mine.add(request("bell", 1));
  assert.equal(mine.asked(), undefined);
  mine.mark({id: "photo"});
  [request("photo", 2), request("list", 3)].forEach((event) => mine.add(event));
  mine.mark({id: "list"});
  mine.mark({id: "again", unasked: true});
  mine.add(request("again", 4));
  assert.deepEqual(listed(mine, 4, false).map((action) => action.request.id), ["photo", "list", "bell", "again"]);
  assert.equal(mine.asked().request.id, "photo");
});

test("requests that nobody asked for wait while nobody has asked for anything", () => {
  const mine = store(request("other", 1));
  mine.use = 1;
  mine.mark({id: "bell", unasked: true});
  mine.add(request("bell", 2));
  assert.deepEqual(listed(mine, 1, false).map((action) => action.request.id), ["other"]);
});

test("an action of this window is above what others did while it was under way", () => {
  const mine = store(request("other", 2));
  mine.mark({id: "mine"});
  mine.add(request("mine", 1));
  assert.deepEqual(listed(mine, 2, false).map((action) => action.request.id), ["mine", "other"]);
});

test("an edit of this page is an action, with what its stream record started", () => {
  const mine = store(dynamodb("e", 0, 2), {type: "record", sequenceNumber: "1", writtenBy: "e", time: 3},
    invocation("s", {records: [{sequenceNumber: "1", writtenBy: "e"}]}));
  assert.equal(mine.actions.length, 0);
  mine.use = 1;
  mine.mark({id: "e"});
  mine.add({type: "edit", trace: "e", time: 2});
  assert.equal(mine.actions.length, 1);
  assert.equal(mine.asked(), mine.actions[0]);
  assert.equal(mine.actions[0].caused.length, 1);
});

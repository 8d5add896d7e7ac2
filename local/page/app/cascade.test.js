import assert from "node:assert/strict";
import {test} from "node:test";
import {Cascade} from "./cascade.js";

const key = (PK, SK) => ({PK: {S: PK}, SK: {S: SK}});
const feedKey = (pk, sk) => ({pk: {S: pk}, sk: {S: sk}});
const SINCE = Date.UTC(2026, 10, 27);

const tombstone = {
  type: "record", time: SINCE, keys: key("USER#ada", "#METADATA#ada"),
  old: {username: {S: "ada"}, name: {S: "Ada Marsh"}, uploads: {N: "2"}, followers: {N: "1"}},
  new: {erasing: {S: "ada"}, since: {S: "2026-11-27T00:00:00.000Z"}, until: {S: "2026-12-04T00:00:00.000Z"}},
};
const transaction = (status, ...TransactItems) => ({type: "dynamodb", operation: "TransactWriteItems", status, body: {TransactItems}});
const batch = (table, ...keys) => ({
  type: "dynamodb", operation: "BatchWriteItem", status: 200,
  body: {RequestItems: {[table]: keys.map((Key) => ({DeleteRequest: {Key}}))}},
});
const deletion = (...events) => {
  const cascade = new Cascade("ada");
  events.forEach((event) => cascade.add(event));
  const kinds = cascade.kinds().filter(({deleted, total}) => deleted > 0 || total > 0);
  return {cascade, kinds: Object.fromEntries(kinds.map(({name, deleted, left}) => [name, [deleted, left]]))};
};

const photo = (id) => key("USER#ada", `PHOTO#ada#${id}`);
const links = ["SHARE#ada", "SHARE#ada#1"].map((sk) => key("USER#ada", sk));

test("what the profile counts goes down, and the rest is counted as it goes", () => {
  const {kinds} = deletion(
    tombstone, transaction(200, {Delete: {Key: photo(1)}}), {...transaction(200), operation: "DeleteItem", body: {Key: key("USER#ada", "#FRIEND#ben")}},
    batch("quick-photos", ...links, key("SHARE#token", "#SHARE#token")), batch("dev.Feed", feedKey("Feed#ben", "2026-11-01#ada"), feedKey("Feed#ada", "2026-11-01#ben"), feedKey("Inbox#ada", "SEEN")),
    batch("dev.Favorite", feedKey("FavoriteData#ada", "tiles"), feedKey("Tag#ada", "travel"), feedKey("FavoriteDataTerm#ada#ti", "x#tiles")));
  assert.deepEqual(kinds, {
    Photos: [1, 1], Links: [2, 0], Followers: [1, 0], "Places in the feeds of followers": [1, null], "Photos in your feed": [1, null],
    "Favorites and tags": [2, null],
  });
});

test("a repeated deletion, a failed one, and what others delete do not count", () => {
  const {kinds} = deletion(
    tombstone, transaction(200, {Delete: {Key: photo(1)}}), transaction(200, {Delete: {Key: photo(1)}}), transaction(400, {Delete: {Key: photo(2)}}),
    transaction(200, {Delete: {Key: key("USER#ben", "#FRIEND#cara")}}), batch("dev.Feed", feedKey("Feed#ben", "2026-11-01#adam")),
    {type: "dynamodb", operation: "BatchWriteItem", status: 200, body: null});
  assert.deepEqual(kinds, {Photos: [1, 1], Followers: [0, 1]});
});

test("knows whose counts are corrected: those that a write with a deletion updates", () => {
  const update = (Key) => ({Update: {Key}});
  const {cascade} = deletion(
    tombstone,
    transaction(200, {Delete: {Key: key("REACTION#ada#heart", "PHOTO#ben#1")}}, update(key("USER#ben", "PHOTO#ben#1"))),
    transaction(200, {Delete: {Key: key("USER#ben", "#FRIEND#ada")}}, update(key("USER#ben", "#METADATA#ben")), update(key("USER#ada", "#METADATA#ada"))),
    transaction(200, {Delete: {Key: key("USER#ben", "#FRIEND#cara")}}, update(key("USER#cara", "#METADATA#cara"))));
  assert.deepEqual(cascade.corrected(), {users: 1, photos: 1});
});

test("ends with the timer of the rest, and not with the tombstone of a photo", () => {
  const removed = {...tombstone, keys: photo(1), old: {username: {S: "ada"}}};
  const rest = {type: "record", time: SINCE + 1500, keys: key("REST#ada", "#REST#ada"), new: {resting: {S: "ada"}}};
  assert.equal(deletion(tombstone, removed).cascade.done, null);
  const {cascade} = deletion(tombstone, removed, rest);
  assert.equal(cascade.seconds(), 1.5);
  assert.equal(cascade.profile.name.S, "Ada Marsh");
  assert.equal(cascade.tombstone.until.S, "2026-12-04T00:00:00.000Z");
});

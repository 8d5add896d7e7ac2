import assert from "node:assert/strict";
import {after, before, beforeEach, mock, test} from "node:test";

import {LocalIssuer} from "../src/local.js";
import {accessToken, serve} from "./pool.js";

const urls: string[] = [];
let stack: Awaited<ReturnType<typeof serve>>;

before(async () => {
  stack = await serve(async (url) => {
    urls.push(url);
    if (url.includes("NO")) return {status: 400, body: `{"message": "Bad Request", "detail": "a username is lower case"}`};
    return {body: accessToken("ada")};
  });
});
beforeEach(() => void urls.splice(0));
after(() => stack.stop());

test("fetches one token for ten callers, of a user and groups", async () => {
  const session = new LocalIssuer({api: stack.url, username: "ada", groups: ["editors", "moderators"]});
  const tokens = await Promise.all(Array.from({length: 10}, () => session.token()));
  assert.equal(new Set(tokens).size, 1);
  assert.deepEqual(urls, ["/local/token/ada?group=editors&group=moderators"]);
});

test("a token that a restarted stack refuses is replaced once for all who had it", async () => {
  const session = new LocalIssuer({api: stack.url, username: "ada"});
  const old = await session.token();
  const tokens = await Promise.all([session.token(old), session.token(old)]);
  tokens.push(await session.token(old), await session.token());
  assert.equal(new Set(tokens).size, 1);
  assert.notEqual(tokens[0], old);
  assert.equal(urls.length, 2);
});

test("renews a token a minute before its end", async () => {
  mock.timers.enable({apis: ["Date"], now: Date.now()});
  const session = new LocalIssuer({api: stack.url, username: "ada"});
  const first = await session.token();
  mock.timers.tick(59 * 60_000 - 1);
  assert.equal(await session.token(), first);
  mock.timers.tick(1);
  assert.notEqual(await session.token(), first);
  mock.timers.reset();
});

test("says why there is no token, and tries again", async () => {
  const session = new LocalIssuer({api: stack.url, username: "NO"});
  for (let call = 1; call <= 2; call++) {
    await assert.rejects(session.token(), {name: "Problem", status: 400, message: "a username is lower case"});
    assert.equal(urls.length, call);
  }
});

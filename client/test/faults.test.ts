// The client against a server that fails.
import {strict as assert} from "node:assert";
import {once} from "node:events";
import {createServer, type IncomingMessage, type ServerResponse} from "node:http";
import type {AddressInfo} from "node:net";
import {afterEach, test} from "node:test";
import {Optimistic, Problem, QuickPhotos, RETRY_BUDGET_MS, type Session} from "quick-photos-client";

type Reply = (request: IncomingMessage, answer: ServerResponse) => void;
type Sent = {method: string; key: string | undefined; token: string | undefined; body: string; at: number};

/** The replies to the next requests. The last one repeats. */
let replies: Reply[] = [];
let sent: Sent[] = [];
const server = createServer(async (request, answer) => {
  let body = "";
  for await (const part of request) body += part;
  const {method, headers} = request;
  sent.push({method: method!, key: headers["idempotency-key"] as string, token: headers.authorization?.slice("Bearer ".length), body, at: Date.now()});
  (replies.length > 1 ? replies.shift()! : replies[0]!)(request, answer);
}).listen(0, "127.0.0.1").unref();
await once(server, "listening");
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const reply = (status: number, body: object = {}, headers = {}): Reply => (_, answer) =>
  answer.writeHead(status, {"content-type": "application/json", ...headers}).end(JSON.stringify(body));
const ok = reply(200, {name: "Ada"});
/** The server has done what it was asked for, and the connection breaks. */
const lost: Reply = (request) => request.socket.destroy();
/** The connection breaks within the body. */
const cut: Reply = (request, answer) => {
  answer.writeHead(200, {"content-type": "application/json", "content-length": 100}).write("{");
  setTimeout(() => request.socket.destroy(), 20);
};
/** A session whose tokens are `1`, `2` and so on. */
class Numbered implements Session {
  readonly username = "ada";
  number = 1;
  async token(refused?: string) {
    if (refused === String(this.number)) this.number += 1;
    return String(this.number);
  }
}
const client = () => new QuickPhotos({api: address, session: new Numbered()});

afterEach(() => { replies = []; sent = []; });

for (const [name, fault] of Object.entries({"429": reply(429), "502": reply(502), "503": reply(503), "504": reply(504), lost, cut}))
  test(`${name}: the request is sent again, after a pause that grows`, async () => {
    replies = [fault, fault, ok];
    const {data} = await client().GET("/users/{username}", {params: {path: {username: "me"}}});
    assert.equal(data.name, "Ada");
    const [first, second, third] = sent.map(({at}) => at);
    assert.ok(second! - first! >= 90 && third! - second! >= 190, `${sent.map(({at}) => at - first!)}`);
  });

test("a pause is as long as the server wants", async () => {
  replies = [reply(429, {}, {"retry-after": "1"}), ok];
  await client().request("GET", "/users/me");
  assert.ok(sent[1]!.at - sent[0]!.at >= 1000);
});

test("nothing is sent again when the budget is spent, or the server wants a longer pause", async () => {
  replies = [reply(503, {title: "Busy", detail: "Try again."})];
  const start = Date.now();
  await assert.rejects(client().request("GET", "/users/me"), {status: 503, title: "Busy", message: "Try again."});
  assert.ok(sent.length >= 4 && Date.now() - start <= RETRY_BUDGET_MS, `${sent.length} ${Date.now() - start}`);

  sent = [];
  replies = [reply(429, {}, {"retry-after": "60"})];
  await assert.rejects(client().request("GET", "/users/me"), {status: 429, retryAfter: 60});
  assert.equal(sent.length, 1);
});

test("a POST is sent again with the same key and the same bytes, and each POST has its own", async () => {
  replies = [lost, ok];
  const post = () => client().POST("/users/{username}/photos", {params: {path: {username: "me"}}, body: {caption: "Ä"}});
  await post();
  await post();
  const [first, again, other] = sent;
  assert.match(first!.key!, /^[0-9a-f]{32}$/);
  assert.deepEqual([again!.key, again!.body], [first!.key, first!.body]);
  assert.notEqual(other!.key, first!.key);
  await client().request("POST", "/users/me/photos", {headers: {"Idempotency-Key": "mine"}});
  assert.equal(sent.at(-1)!.key, "mine");
});

test("a failure that stays is not sent again", async () => {
  for (const status of [400, 403, 404, 409, 412, 422, 500]) {
    sent = [];
    replies = [reply(status, {title: "No", type: "tag:quick-photos.example,2026:not-yours"})];
    const problem = await client().request("GET", "/").catch((problem) => problem);
    assert.ok(problem instanceof Problem && problem.is("not-yours"));
    assert.deepEqual([problem.status, sent.length], [status, 1]);
  }
});

test("a write with a precondition is sent again only if it was not done", async () => {
  replies = [lost, ok];
  const change = () => client().request("PATCH", "/users/me", {body: {}, headers: {"If-Match": "\"1\""}});
  await assert.rejects(change(), {status: 0, title: "No answer"});
  replies = [reply(429), ok];
  await change();
});

test("a token that is refused is renewed once", async () => {
  replies = [reply(401), ok];
  const api = client();
  await api.request("GET", "/users/me");
  await api.request("GET", "/users/me");
  assert.deepEqual(sent.map(({token}) => token), ["1", "2", "2"]);

  sent = [];
  replies = [reply(401, {message: "Unauthorized"})];
  await assert.rejects(api.request("GET", "/users/me"), {status: 401, title: "Unauthorized"});
  assert.deepEqual(sent.map(({token}) => token), ["2", "3"]);
});

test("a page has the people of those before", async () => {
  const page = (username: string, nextCursor: string | null) => reply(200, {photos: [{username}], people: {[username]: {name: username}}, nextCursor});
  replies = [page("ada", "c"), page("ben", null)];
  const people = [];
  for await (const page of client().pages("/users/{username}/feed", {params: {path: {username: "me"}}})) people.push(Object.keys(page.people));
  assert.deepEqual(people, [["ada"], ["ada", "ben"]]);
});

test("a signal ends a request and its pauses, with its reason", async () => {
  replies = [reply(503, {}, {"retry-after": "4"})];
  const control = new AbortController();
  const start = Date.now();
  setTimeout(() => control.abort(), 100);
  await assert.rejects(client().request("GET", "/", {signal: control.signal}), {name: "AbortError"});
  replies = [() => {}];
  await assert.rejects(client().GET("/users", {params: {query: {q: "a"}}, signal: AbortSignal.timeout(100)}), {name: "TimeoutError"});
  assert.ok(Date.now() - start < 1000 && sent.length === 2);
});

test("an optimistic value that fails shows what the server has", async () => {
  const shown: string[] = [];
  const problem = new Problem(409, "No");
  const answers: (string | Problem | undefined)[] = [problem, "requested", problem, undefined, problem];
  const requests: string[] = [];
  const follow = new Optimistic("none", (value) => shown.push(value), async (value) => {
    requests.push(value);
    const answer = answers.shift();
    if (answer instanceof Problem) throw answer;
    return answer;
  });
  await assert.rejects(follow.set("follows"), problem);
  assert.deepEqual(shown.splice(0), ["follows", "none"]);
  // The server makes something else of it.
  await follow.set("follows");
  assert.deepEqual(shown.splice(0), ["follows", "requested"]);
  // The first of three taps fails, and the last counts.
  await Promise.all([follow.set("none"), follow.set("follows"), follow.set("muted")]);
  assert.deepEqual(shown.splice(0), ["none", "follows", "muted", "muted"]);
  // The last tap wants what the server has, so the failure of the first does not matter.
  await Promise.all([follow.set("none"), follow.set("muted")]);
  assert.deepEqual([shown, follow.value], [["none", "muted"], "muted"]);
  assert.deepEqual(requests, ["follows", "follows", "none", "muted", "none"]);
});

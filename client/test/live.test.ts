// The live connection, with a server and a WebSocket of this test.
import assert from "node:assert/strict";
import {afterEach, beforeEach, mock, test} from "node:test";
import {HIDDEN_TIMEOUT_MS, Live, MemoryFiles, Problem, QuickPhotos, Uploads} from "quick-photos-client";

const PHOTO = {username: "ben", id: "2026-11-28T10:00:00"};

/** A connection. The test opens it, sends by it and cuts it. */
class Socket {
  static all: Socket[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: {data: string}) => void) | null = null;
  onclose: (() => void) | null = null;
  sent: string[] = [];
  isClosed = false;

  constructor(readonly url: string) {
    Socket.all.push(this);
  }

  send = (text: string) => void this.sent.push(text);
  close = () => void (this.isClosed = true);
  hint = (message: object) => this.onmessage!({data: JSON.stringify(message)});
  cut = () => this.onclose!();
}

/** The requests of the client, and the status of the next answers. The last one repeats. */
let requests: {method: string; path: string; body: any}[];
let statuses: number[];
let photoStatus: string;
/** What the live connections of this test have dispatched. */
let events: string[];
let lives: Live[];

const api = () => new QuickPhotos({
  api: "https://api.example", session: {username: "ada", token: async () => "token"},
  fetch: async (url, init) => {
    const path = decodeURIComponent(new URL(String(url)).pathname);
    requests.push({method: init!.method!, path, body: init!.body ? JSON.parse(String(init!.body)) : null});
    const status = statuses.length > 1 ? statuses.shift()! : statuses[0]!;
    const photo = {username: "ada", id: PHOTO.id, status: photoStatus};
    const body = path.includes("screens") ? {url: `wss://live.example?ticket=${requests.length}`}
      : init!.method === "POST" ? {...photo, upload: null} : {photo};
    return new Response(status === 204 ? null : JSON.stringify(body), {status, headers: {"content-type": "application/json"}});
  },
});

function connect(): Live {
  const live = new Live(api(), {WebSocket: Socket as unknown as typeof WebSocket});
  for (const type of ["connected", "notifications", "feed"]) live.addEventListener(type, () => events.push(type));
  live.addEventListener("photo", ({detail: {username, id}}) => events.push(`photo ${username}/${id}`));
  lives.push(live);
  return live;
}

/** Returns when all promises that wait for no timer have run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));
const pass = async (ms: number) => {
  mock.timers.tick(ms);
  await settled();
};
const puts = () => requests.filter(({method}) => method === "PUT").map(({body}) => body);
/** Connects, and returns the connection. */
async function opened(): Promise<{live: Live; socket: Socket}> {
  const live = connect();
  await settled();
  const socket = Socket.all.at(-1)!;
  socket.onopen!();
  return {live, socket};
}

beforeEach(() => {
  [requests, statuses, events, lives, photoStatus, Socket.all] = [[], [200], [], [], "pending", []];
  mock.timers.enable({apis: ["setTimeout", "setInterval", "Date"], now: Date.now()});
  mock.method(Math, "random", () => 0.5);
});
afterEach(async () => {
  await Promise.all(lives.map((live) => live.close(true)));
  mock.timers.reset();
  mock.restoreAll();
});

test("a connection opens, says what is to be read again, and is kept from being idle", async () => {
  const {live, socket} = await opened();
  assert.match(requests[0]!.path, /^\/users\/me\/screens\/[0-9a-f]{8}(-[0-9a-f]{8}){3}$/);
  assert.deepEqual([socket.url, puts(), live.isConnected], ["wss://live.example?ticket=1", [{}], true]);
  for (const message of [{kind: "notifications"}, {kind: "feed"}, {kind: "photo", photo: PHOTO}, {kind: "of a later version"}, {message: "Forbidden"}])
    socket.hint(message);
  assert.deepEqual(events, ["connected", "notifications", "feed", `photo ben/${PHOTO.id}`]);
  await pass(9 * 60_000);
  assert.deepEqual(socket.sent, ['{"action":"ping"}']);
});

test("a connection that is cut comes back with the photo, and says so", async () => {
  const {live, socket} = await opened();
  live.watch(PHOTO);
  socket.cut();
  assert.equal(live.isConnected, false);
  await pass(499);
  assert.equal(Socket.all.length, 1);
  await pass(1);
  Socket.all[1]!.onopen!();
  assert.deepEqual(puts(), [{}, {photo: PHOTO}]);
  assert.deepEqual(events, ["connected", "connected"]);
  socket.sent = [];
  await pass(9 * 60_000);
  assert.deepEqual([socket.sent.length, Socket.all[1]!.sent.length], [0, 1]);
});

test("each pause is twice as long, up to a minute, until a connection has lasted", async () => {
  await opened();
  const pauses = [];
  for (let attempt = 0; attempt < 9; attempt++) {
    const {length} = Socket.all;
    Socket.all.at(-1)!.cut();
    let ms = 0;
    while (Socket.all.length === length) {
      await pass(100);
      ms += 100;
    }
    pauses.push(ms);
  }
  assert.deepEqual(pauses, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  Socket.all.at(-1)!.onopen!();
  await pass(61_000);
  Socket.all.at(-1)!.cut();
  await pass(500);
  assert.equal(Socket.all.length, 11);
});

test("the server learns the photo that shows in the end", async () => {
  const {live} = await opened();
  live.watch({...PHOTO, id: "passed by"});
  live.watch(PHOTO);
  await pass(100);
  assert.deepEqual(puts(), [{}, {photo: PHOTO}]);
  // Leaving a photo and coming back to it changes nothing.
  live.watch(null);
  live.watch({...PHOTO});
  await pass(100);
  live.watch(null);
  await pass(100);
  assert.deepEqual([puts(), Socket.all.length], [[{}, {photo: PHOTO}, {}], 1]);
});

test("a photo that shows before there is a connection goes with the first request", async () => {
  const live = connect();
  live.watch(PHOTO);
  await settled();
  assert.deepEqual([puts().at(-1), Socket.all.length], [{photo: PHOTO}, 1]);
});

test("a closed connection stays closed, and the server forgets the screen", async () => {
  const {live, socket} = await opened();
  statuses = [204];
  await live.close();
  assert.deepEqual(requests.map(({method}) => method), ["PUT", "DELETE"]);
  assert.equal(requests[1]!.path, requests[0]!.path);
  live.watch(PHOTO);
  await pass(10 * 60_000);
  assert.deepEqual([requests.length, socket.isClosed, socket.sent, socket.onmessage, live.isConnected], [2, true, [], null, false]);

  // The server does not know the user any more, or has no connection.
  statuses = [200];
  const {live: gone} = await opened();
  await gone.close(true);
  const {live: lost, socket: dead} = await opened();
  dead.cut();
  await lost.close();
  assert.equal(requests.at(-1)!.method, "PUT");
});

test("a refused screen is not asked for again, and a failure of the server is", async () => {
  statuses = [404];
  const refused = connect();
  await settled();
  await pass(10 * 60_000);
  assert.equal(requests.length, 1);
  await refused.close();
  assert.equal(requests.length, 1);

  // The request itself is repeated for 5 seconds.
  statuses = [500, 401, 401, 200];
  connect();
  for (let second = 0; second < 4; second++) await pass(1000);
  assert.equal(Socket.all.length, 1);
});

test("a photo that is refused does not end the connection", async () => {
  const {live} = await opened();
  statuses = [404];
  live.watch(PHOTO);
  await pass(100);
  await pass(60_000);
  assert.deepEqual([puts(), Socket.all.length, live.isConnected], [[{}, {photo: PHOTO}], 1, true]);
  statuses = [404, 200];
  live.watch(PHOTO);
  Socket.all[0]!.cut();
  await pass(1000);
  await pass(1000);
  assert.deepEqual([puts().slice(2), Socket.all.length], [[{photo: PHOTO}, {}], 2]);
});

test("a hidden document has no connection, and a visible one has one at once", async () => {
  const [page, window] = [Object.assign(new EventTarget(), {visibilityState: "visible"}), new EventTarget()];
  const before = globalThis.addEventListener;
  Object.assign(globalThis, {document: page, addEventListener: window.addEventListener.bind(window)});
  try {
    const {live, socket} = await opened();
    const show = (state: string) => {
      page.visibilityState = state;
      page.dispatchEvent(new Event("visibilitychange"));
    };
    show("hidden");
    await pass(HIDDEN_TIMEOUT_MS - 1);
    show("visible");
    await pass(HIDDEN_TIMEOUT_MS);
    assert.equal(socket.isClosed, false);
    show("hidden");
    await pass(HIDDEN_TIMEOUT_MS);
    assert.equal(socket.isClosed, true);
    window.dispatchEvent(new Event("online"));
    await pass(60 * 60_000);
    assert.equal(Socket.all.length, 1);
    show("visible");
    await settled();
    Socket.all[1]!.onopen!();

    // Another network: the old connection may be dead. A pause does not have to end.
    window.dispatchEvent(new Event("online"));
    await settled();
    assert.deepEqual([Socket.all[1]!.isClosed, Socket.all.length], [true, 3]);
    Socket.all[2]!.cut();
    window.dispatchEvent(new Event("online"));
    await settled();
    assert.equal(Socket.all.length, 4);
    await live.close(true);
    show("hidden");
    show("visible");
    await settled();
    assert.equal(Socket.all.length, 4);
  } finally {
    Object.assign(globalThis, {addEventListener: before});
    delete (globalThis as {document?: unknown}).document;
  }
});

test("an upload reads its photo once when it is ready, and by and by if nobody says so", async () => {
  const {live, socket} = await opened();
  const uploads = new Uploads(api(), new MemoryFiles(), live);
  const reads = () => requests.filter(({method, path}) => method === "GET" && path.endsWith(PHOTO.id)).length;
  const upload = uploads.add(new File(["a"], "dot.png"));
  await settled();
  await pass(9000);
  socket.hint({kind: "photo", photo: {...PHOTO, username: "cara"}});
  await settled();
  assert.deepEqual([upload.state, reads()], ["processing", 0]);
  photoStatus = "ready";
  socket.hint({kind: "photo", photo: {username: "ada", id: PHOTO.id}});
  assert.equal((await upload.done).status, "ready");
  assert.equal(reads(), 1);

  photoStatus = "pending";
  const again = uploads.add(new File(["a"], "dot.png"));
  await settled();
  await pass(10_000);
  assert.equal(reads(), 2);
  await pass(29_000);
  assert.equal(reads(), 2);
  await pass(1000);
  assert.equal(reads(), 3);
  // What was said while there was no connection is lost.
  photoStatus = "ready";
  socket.cut();
  await pass(500);
  Socket.all[1]!.onopen!();
  await again.done;
  assert.equal(reads(), 4);
});

test("an upload without a connection polls, and one that nobody finishes ends", async () => {
  const live = connect();
  const uploads = new Uploads(api(), new MemoryFiles(), live);
  const upload = uploads.add(new File(["a"], "dot.png"));
  const failure = assert.rejects(upload.done, Problem);
  await settled();
  await pass(500);
  assert.equal(requests.filter(({method}) => method === "GET").length, 1);
  for (let minute = 0; minute < 60; minute++) await pass(5000);
  await failure;
  assert.equal(upload.state, "failed");
});

test("a platform without WebSocket says what is missing", () => {
  const {WebSocket} = globalThis;
  Object.assign(globalThis, {WebSocket: undefined});
  try {
    assert.throws(() => new Live(api()), /Node.js 22/);
  } finally {
    Object.assign(globalThis, {WebSocket});
  }
});

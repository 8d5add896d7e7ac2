// The client against the local stack.
import {strict as assert} from "node:assert";
import {test} from "node:test";
import {MemoryFiles, Optimistic, Problem, Uploads, newKey, type ProblemKind} from "quick-photos-client";
import {API, as} from "./stack.js";

const ada = as("ada");
const me = {path: {username: "me"}} as const;
const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const picture = () => new File([PNG], "dot.png", {type: "image/png"});

test("an answer has the types of the document", async () => {
  const {data, response} = await ada.GET("/users/{username}", {params: me});
  const name: string = data.name;
  assert.equal(name, "Ada Marsh");
  assert.match(response.headers.get("etag")!, /^"/);
  // @ts-expect-error A profile has no such field.
  data.nothing;
  // @ts-expect-error A name is a text. The compiler finds this before the API does.
  await assert.rejects(ada.PATCH("/users/{username}", {params: me, body: {name: 5}}));
  // @ts-expect-error The path needs a username.
  await assert.rejects(ada.GET("/users/{username}"));
});

test("a request without types has a body as JSON, and several headers", async () => {
  const {status, body, headers} = await ada.request("GET", "/users/me");
  assert.deepEqual([status, body.username], [200, "ada"]);
  const again = await ada.request("GET", "/users/me", {headers: {"If-None-Match": headers.get("etag")!}});
  assert.deepEqual([again.status, again.body], [304, ""]);
});

test("a problem has its kind, its fields and its sentence", async () => {
  const problem = await failure(ada.PATCH("/users/{username}", {params: me, body: {name: "", status: "x".repeat(1000)}}));
  assert.ok(problem.is("invalid") && !problem.is("no-user"));
  assert.deepEqual(problem.errors.map(({field}) => field), ["name", "status"]);
  assert.equal(problem.message, problem.detail);
  // @ts-expect-error The document names no such kind.
  const kind: ProblemKind = "no-such-kind";
  assert.equal(problem.is(kind), false);

  const missing = await failure(ada.GET("/users/{username}", {params: {path: {username: "nobody"}}}));
  assert.deepEqual([missing.status, missing.is("no-user")], [404, true]);
  // API Gateway itself has no kinds.
  const gateway = await failure(ada.request("GET", "/no/such/route"));
  assert.deepEqual([gateway.status, gateway.type, gateway.title], [404, undefined, "Not Found"]);
});

test("pages are read one after the other, and their people are merged", async () => {
  const pages = ada.pages("/users/{username}/feed", {params: {...me, query: {limit: 2, include: ["viewer"]}}});
  const [first, second] = [(await pages.next()).value!, (await pages.next()).value!];
  assert.deepEqual([first.entries.length, second.entries.length], [2, 2]);
  assert.deepEqual(first.entries, first.body.photos);
  for (const {username, viewer} of [...first.entries, ...second.entries]) {
    assert.ok(second.people[username]!.name);
    assert.ok(viewer);
  }
});

test("the entries of all pages come once", async () => {
  const read = async (limit: number) => {
    const favorites = [];
    for await (const favorite of ada.pages("/users/{username}/favorites", {params: {...me, query: {limit}}}).entries()) favorites.push(favorite.dataId);
    return favorites;
  };
  const [few, all] = await Promise.all([read(3), read(100)]);
  assert.ok(all!.length > 3);
  assert.deepEqual(few, all);
});

test("a page that has failed is read again", async () => {
  let isBroken = false;
  const breaking = as("ada", {fetch: async (...request) => isBroken ? new Response("{}", {status: 500}) : fetch(...request)});
  const pages = breaking.pages("/users/{username}/feed", {params: {...me, query: {limit: 1}}});
  const first = await pages.next();
  isBroken = true;
  await assert.rejects(pages.next());
  isBroken = false;
  const second = await pages.next();
  assert.notEqual(second.value!.entries[0]!.id, first.value!.entries[0]!.id);
});

test("two calls at a time read two pages", async () => {
  const pages = ada.pages("/users/{username}/feed", {params: {...me, query: {limit: 1}}});
  const [first, second] = await Promise.all([pages.next(), pages.next()]);
  assert.notEqual(second.value!.entries[0]!.id, first.value!.entries[0]!.id);
});

test("an upload becomes a photo", async () => {
  const uploads = new Uploads(ada);
  const states: string[] = [];
  uploads.addEventListener("change", () => {
    const state = uploads.list[0]?.state;
    if (state && state !== states.at(-1)) states.push(state);
  });
  const photo = await uploads.add(picture(), {caption: "A dot", audience: "me"}).done;
  assert.deepEqual([photo.status, photo.caption, photo.audience], ["ready", "A dot", "me"]);
  assert.equal((await fetch(photo.urls![0]!.url)).headers.get("content-type"), "image/jpeg");
  assert.deepEqual(states, ["waiting", "sending", "processing", "ready"]);
  assert.deepEqual(await uploads.files.all(), []);
});

test("several uploads are sent one after the other, and a file that is no picture is rejected", async () => {
  const uploads = new Uploads(ada);
  const [letter, dot] = [uploads.add(new File(["Dear photo"], "letter.jpg", {type: "image/jpeg"})), uploads.add(picture())];
  assert.ok(uploads.busy);
  const [rejected, ready] = await Promise.all([letter.done, dot.done]);
  assert.deepEqual([letter.state, dot.state, uploads.busy], ["rejected", "ready", false]);
  assert.match(rejected.problem!, /:not-a-picture$/);
  assert.ok(ready.urls);
});

test("several pictures become one photo, and a rejected one is replaced and left out", async () => {
  const uploads = new Uploads(ada);
  const letter = new File(["Dear photo"], "letter.jpg", {type: "image/jpeg"});
  const upload = uploads.addPictures([{file: picture(), altText: "A dot"}, {file: letter}, {file: letter}], {audience: "me"});
  const incomplete = await upload.done;
  assert.deepEqual([upload.state, upload.count, incomplete.status], ["incomplete", 3, "pending"]);
  assert.deepEqual(upload.failedPictures.map(({number, problem}) => [number, /:not-a-picture$/.test(problem!)]), [[2, true], [3, true]]);
  assert.equal((await uploads.files.all()).length, 1);
  upload.replace(2, picture());
  await upload.done;
  assert.deepEqual([upload.state, upload.failedPictures.map(({number}) => number)], ["incomplete", [3]]);
  upload.replace(3);
  const photo = await upload.done;
  assert.deepEqual([upload.state, photo.status, photo.altText], ["ready", "ready", "A dot"]);
  assert.deepEqual(photo.pictures!.map(({number, status}) => [number, status]), [[1, "ready"], [4, "ready"]]);
  assert.deepEqual(await uploads.files.all(), []);
});

test("a replacement that did not reach S3 is sent again", async () => {
  const uploads = new Uploads(ada);
  const letter = new File(["Dear photo"], "letter.jpg", {type: "image/jpeg"});
  const upload = uploads.addPictures([{file: picture()}, {file: letter}], {audience: "me"});
  await upload.done;
  const {fetch} = globalThis;
  globalThis.fetch = async (url, init) => init?.body instanceof FormData ? new Response("", {status: 403}) : fetch(url, init);
  upload.replace(2, picture());
  assert.equal((await failure(upload.done)).status, 403);
  globalThis.fetch = fetch;
  upload.retry();
  const photo = await upload.done;
  assert.deepEqual([upload.state, photo.pictures!.map(({status}) => status)], ["ready", ["ready", "ready"]]);
});

test("a replacement that reached S3 is not sent again", async () => {
  let isBroken = false;
  const cara = as("cara", {fetch: async (url, init) => isBroken && init!.method === "GET" ? new Response("{}", {status: 500}) : fetch(url, init)});
  const uploads = new Uploads(cara);
  const letter = new File(["Dear photo"], "letter.jpg", {type: "image/jpeg"});
  const upload = uploads.addPictures([{file: picture()}, {file: letter}], {audience: "me"});
  await upload.done;
  isBroken = true;
  upload.replace(2, picture());
  assert.equal((await failure(upload.done)).status, 500);
  assert.deepEqual((await uploads.files.all())[0]!.replacements!.map(({number, sent}) => [number, sent]), [[3, true]]);
  isBroken = false;
  upload.retry();
  assert.deepEqual((await upload.done).pictures!.map(({number, status}) => [number, status]), [[1, "ready"], [3, "ready"]]);
});

test("the photo of an upload that waits after a reload is deleted with it", async () => {
  const uploads = new Uploads(ada);
  const {body: {id}} = await ada.request("POST", "/users/me/photos", {body: {format: "jpeg", audience: "me"}});
  for (const key of ["first", "second"]) await uploads.files.put({key, username: "ada", file: picture(), texts: {}, ...(key === "second" && {id})});
  await uploads.resume();
  const [second, first] = uploads.list;
  assert.equal(second!.state, "waiting");
  await second!.abort();
  assert.equal((await failure(ada.request("GET", `/users/me/photos/${id}`))).status, 404);
  await first!.done;
  assert.deepEqual(await uploads.files.all(), []);
});

test("an upload that has failed is the same photo when it is sent again", async () => {
  let isBroken = true;
  const cara = as("cara", {
    fetch: async (url, init) => isBroken && String(url).includes("/photos/") ? new Response("{}", {status: 500}) : fetch(url, init),
  });
  const uploads = new Uploads(cara);
  const upload = uploads.add(picture());
  assert.equal((await failure(upload.done)).status, 500);
  assert.deepEqual([upload.state, upload.problem!.status, (await uploads.files.all()).length], ["failed", 500, 1]);
  const {id} = upload.photo!;
  isBroken = false;
  upload.retry();
  assert.equal((await upload.done).id, id);
});

test("an upload goes on after a reload, for its user alone", async () => {
  const before = new Uploads(ada);
  const kept = {key: "a-key-of-this-test", username: "ada", file: picture(), texts: {caption: "Kept"}};
  await before.files.put(kept);
  const [ben, after] = [new Uploads(as("ben"), before.files), new Uploads(ada, before.files)];
  await Promise.all([ben.resume(), after.resume()]);
  await after.resume();
  assert.deepEqual([ben.list.length, after.list.length], [0, 1]);
  const photo = await after.list[0]!.done;
  assert.deepEqual([photo.status, photo.caption], ["ready", "Kept"]);
});

test("a file of which a photo was made is not sent again after a reload, however old it is", async () => {
  let posts = 0;
  const ben = as("ben", {fetch: async (url, init) => {
    posts += Number(init!.method === "POST" && String(url).includes("/photos"));
    return fetch(url, init);
  }});
  // This window closes before it sees the end.
  const closed = new MemoryFiles();
  closed.delete = async () => false;
  const {id} = await new Uploads(ben, closed).add(picture()).done;
  /** Opens another window, after more than the day for which a key counts. */
  const open = async () => {
    const uploads = new Uploads(ben, new MemoryFiles());
    for (const kept of await closed.all()) await uploads.files.put({...kept, key: newKey()});
    await uploads.resume();
    return {uploads, upload: uploads.list[0]!};
  };
  const {uploads, upload} = await open();
  assert.deepEqual([(await upload.done).id, upload.state, await uploads.files.all()], [id, "ready", []]);
  await ben.request("DELETE", `/users/me/photos/${id}`);
  const {uploads: later, upload: gone} = await open();
  assert.ok((await failure(gone.done)).is("no-photo"));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([gone.state, await later.files.all(), posts], ["failed", [], 1]);
});

test("an upload that is aborted leaves no photo", async () => {
  const uploads = new Uploads(as("ben"));
  const [first, second] = [uploads.add(picture()), uploads.add(picture())];
  while (first.state !== "sending") await new Promise((resolve) => setTimeout(resolve, 1));
  await Promise.all([second.abort(), first.abort()]);
  await assert.rejects(first.done, {name: "AbortError"});
  await assert.rejects(second.done, {name: "AbortError"});
  assert.deepEqual([uploads.list, await uploads.files.all()], [[], []]);
  assert.ok(first.photo && !second.photo);
  const path = {username: "me", photo: first.photo.id};
  assert.ok((await failure(as("ben").GET("/users/{username}/photos/{photo}", {params: {path}}))).is("no-photo"));
});

test("a reaction shows at once, and the last of two taps counts", async () => {
  const [photo] = (await ada.GET("/users/{username}/feed", {params: {...me, query: {limit: 1, include: ["viewer"]}}})).data.photos;
  const path = {username: photo!.username, photo: photo!.id, type: "smiley"} as const;
  const shown: boolean[] = [];
  const before = photo!.viewer!.reactions.includes("smiley");
  const smiley = new Optimistic(before, (on) => shown.push(on), async (on) => {
    await (on ? ada.PUT : ada.DELETE)("/users/{username}/photos/{photo}/reactions/{type}", {params: {path}});
  });
  const first = smiley.set(!before);
  assert.deepEqual(shown, [!before]);
  await Promise.all([first, smiley.set(before)]);
  assert.deepEqual(shown, [!before, before, before]);
  const read = await ada.GET("/users/{username}/photos/{photo}", {params: {path, query: {include: ["people", "viewer"]}}});
  assert.equal(read.data.photo!.viewer!.reactions.includes("smiley"), before);
});

/** Returns the Problem with which a request fails. */
async function failure(request: Promise<unknown>): Promise<Problem> {
  const problem = await request.then(() => assert.fail("the request has succeeded"), (problem) => problem);
  assert.ok(problem instanceof Problem, problem);
  return problem;
}

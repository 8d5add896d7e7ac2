// A typed client of the API. docs/frontend.md says more about each part, and a test runs this file against the local stack.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const [url = "http://localhost:3000", user = "quinn"] = process.argv.slice(2);

// A token. On AWS it comes from Cognito; the local issuer gives one to any username.
const token = await (await fetch(`${url}/local/token/${user}`)).text();
// `include` has its words in one value, separated by commas.
const querySerializer = { array: { style: "form", explode: false } } as const;
const api = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` }, querySerializer });
const me = { path: { username: "me" } };

/** Returns what a request has answered. Throws the sentence for the user if it has answered a problem. */
function data<Data>(answer: { data?: Data; error?: { detail: string } | { message: string } }): Data {
  if (answer.data === undefined) throw new Error(sentence(answer.error));
  return answer.data;
}

/** Returns the sentence for the user. API Gateway itself answers a message without a type. */
const sentence = (error?: { detail: string } | { message: string }) => (error && "detail" in error ? error.detail : "Try again later.");

// Paging: the home feed, with the authors and what the user did to each photo. A cursor leads to the next page.
const photos: components["schemas"]["Photo"][] = [];
let cursor: string | null | undefined;
do {
  const query = { include: ["viewer" as const], limit: 2, ...(cursor ? { cursor } : {}) };
  const page = data(await api.GET("/users/{username}/feed", { params: { ...me, query } }));
  for (const { username, timestamp, viewer } of page.photos)
    console.log(`feed: ${page.people[username]!.name}, ${timestamp}, yours: ${viewer!.reactions.join()}`);
  photos.push(...page.photos);
  cursor = page.nextCursor;
} while (cursor && photos.length < 6);

// A reaction. A PUT may be repeated: the second one finds the reaction, and counts nothing.
const path = { username: photos[0]!.username, photo: photos[0]!.id, type: "smiley" } as const;
for (const _ of ["first", "again"]) {
  const { response } = await api.PUT("/users/{username}/photos/{photo}/reactions/{type}", { params: { path } });
  console.log(`reaction: ${response.status}`);
}

// An upload, whose first request may be repeated too, because each photo has an idempotency key of its own.
const header = { "Idempotency-Key": crypto.randomUUID() };
const create = () => api.POST("/users/{username}/photos", { params: { ...me, header }, body: { format: "png", caption: "A dot" } });
await create(); // suppose that its answer is lost
const { upload, id } = data(await create());
if (!upload || !("fields" in upload)) throw new Error("there is no form");
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const form = new FormData();
for (const [name, value] of Object.entries(upload.fields)) form.append(name, value);
form.append("file", await (await fetch(`data:image/png;base64,${png}`)).blob()); // on a page, the file of an <input>
console.log(`upload: ${(await fetch(upload.url, { method: "POST", body: form })).status}`);
let photo;
do {
  await new Promise((resume) => setTimeout(resume, 100));
  photo = data(await api.GET("/users/{username}/photos/{photo}", { params: { path: { username: "me", photo: id } } })).photo!;
} while (photo.status === "pending");
console.log(`photo: ${photo.status}, ${photo.caption}, ${(await fetch(photo.urls![0]!.url)).headers.get("content-type")}`);

// Preconditions. The ETag changes with the profile, so that a change of an older one is refused.
const etag = (await api.GET("/users/{username}", { params: me })).response.headers.get("etag")!;
const same = await api.GET("/users/{username}", { params: { ...me, header: { "If-None-Match": etag } } });
console.log(`unchanged: ${same.response.status}`);
for (const status of ["From my phone", "From my laptop"]) {
  const change = await api.PATCH("/users/{username}", { params: { ...me, header: { "If-Match": etag } }, body: { status } });
  console.log(change.error ? `refused: ${sentence(change.error)}` : `changed: ${change.data.status}`);
}

// A program tells problems apart by their type. This kind names each field that breaks a rule.
// @ts-expect-error A status is a text. The compiler finds this error before the API does.
const wrong = await api.PATCH("/users/{username}", { params: me, body: { name: "", status: 5 } });
if (wrong.error && "type" in wrong.error)
  switch (wrong.error.type) {
    case "tag:quick-photos.example,2026:invalid":
      for (const { field, message } of wrong.error.errors!) console.log(`problem: ${field} ${message}`);
      break;
    // @ts-expect-error This operation never gives this kind, which the compiler knows too.
    case "tag:quick-photos.example,2026:too-many-tags":
      break;
    default:
      console.log(wrong.error.detail);
  }

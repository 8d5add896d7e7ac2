// A short session of a typed client. The compiler checks each path, parameter, body and answer against the document.
import { strict as assert } from "node:assert";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const [url, token] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } });
const ada = { path: { username: "ada" } };

const profile = await client.GET("/users/{username}", { params: ada });
assert.equal(profile.response.status, 200);
const followers: number = profile.data!.followers;
assert.ok(followers >= 0);

const tag = profile.response.headers.get("etag")!;
const again = await client.GET("/users/{username}", { params: { ...ada, header: { "If-None-Match": tag } } });
assert.equal(again.response.status, 304);

// The form goes to S3 as it is, and the photo is shown when its picture is ready.
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const created = await client.POST("/users/{username}/photos", { params: ada, body: { format: "png" } });
assert.deepEqual([created.response.status, created.data!.status], [201, "pending"]);
const { upload, timestamp } = created.data!;
const form = new FormData();
for (const [name, value] of Object.entries(upload!.fields)) form.append(name, value);
form.append("file", new Blob([Buffer.from(PNG, "base64")]));
assert.equal((await fetch(upload!.url, { method: "POST", body: form })).status, 204);
let photo: components["schemas"]["Photo"];
do {
  await new Promise((resume) => setTimeout(resume, 50));
  const shown = await client.GET("/users/{username}/photos/{timestamp}", { params: { path: { username: "ada", timestamp } } });
  photo = shown.data!.photo!;
} while (photo.status === "pending");
assert.deepEqual([photo.status, photo.width, photo.height], ["ready", 1, 1]);
const picture = await fetch(photo.urls!.small);
assert.deepEqual([picture.status, picture.headers.get("content-type")], [200, "image/jpeg"]);

const favorite = { dataType: "link", title: "Openapi in TypeScript" } as const;
const key = { "Idempotency-Key": "typescript-1" };
const clipped = await client.POST("/users/{username}/favorites", { params: { ...ada, header: key }, body: favorite });
assert.equal(clipped.response.status, 201);
const dataId = clipped.data!.dataId;
const repeated = await client.POST("/users/{username}/favorites", { params: { ...ada, header: key }, body: favorite });
assert.deepEqual([repeated.response.status, repeated.data!.dataId], [200, dataId]);

const titles: string[] = [];
let cursor: string | null | undefined;
do {
  const query = cursor ? { limit: 2, cursor } : { limit: 2 };
  const page = await client.GET("/users/{username}/favorites", { params: { ...ada, query } });
  titles.push(...page.data!.favorites.map((entry) => entry.title));
  cursor = page.data!.nextCursor;
} while (cursor);
assert.ok(titles.includes(favorite.title));

const path = { username: "ada", dataId };
assert.equal((await client.DELETE("/users/{username}/favorites/{dataId}", { params: { path } })).response.status, 204);
const gone = await client.GET("/users/{username}/favorites/{dataId}", { params: { path } });
const problem = gone.error as components["schemas"]["Problem"];
assert.deepEqual([gone.response.status, problem.detail], [404, `There is no favorite ${dataId}.`]);

// @ts-expect-error The document has no such type.
const refused = await client.POST("/users/{username}/favorites", { params: ada, body: { dataType: "poem", title: "x" } });
assert.equal((refused.error as components["schemas"]["Problem"]).errors![0]!.field, "dataType");

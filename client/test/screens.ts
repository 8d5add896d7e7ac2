// The screens of a photo app. A typed client draws each of them with one request. What that asks of DynamoDB is compared
// with costs.toml: the callers and the paths are those of the sample events.
import {strict as assert} from "node:assert";
import {LocalIssuer, QuickPhotos, type components, type People} from "quick-photos-client";

type Costs = {requests: number; reads: number; writes: number};
type Event = {type: string; id: string; trace: string; units: {read: number; write: number}};
type Photo = components["schemas"]["Photo"];

const url = process.argv[2]!;
/** The costs of costs.toml, by function and query. */
const rows: Record<string, Costs> = JSON.parse(process.argv[3]!);

/** The ids of the requests of all clients. */
const sent: string[] = [];

/** Returns the API as a user sees it. */
const as = (username: string) => new QuickPhotos({
  api: url, session: new LocalIssuer({api: url, username}),
  fetch: async (...request) => {
    const answer = await fetch(...request);
    sent.push(answer.headers.get("apigw-requestid")!);
    return answer;
  },
});

const events = (await fetch(`${url}/local/events`)).body!.pipeThrough(new TextDecoderStream()).getReader();
const costs = new Map<string, Costs>();
let unread = "";

/** Returns what a request asked of DynamoDB. Its event comes after those of what it asked. */
async function costsOf(id: string): Promise<Costs> {
  for (;;) {
    const end = unread.indexOf("\n\n");
    if (end < 0) {
      unread += (await events.read()).value!;
      continue;
    }
    const event: Event = JSON.parse(unread.slice("data:".length, end));
    unread = unread.slice(end + 2);
    const sum = costs.get(event.trace) ?? {requests: 0, reads: 0, writes: 0};
    if (event.type === "request" && event.id === id) return sum;
    if (event.type !== "dynamodb") continue;
    const {read, write} = event.units;
    costs.set(event.trace, {requests: sum.requests + 1, reads: sum.reads + read, writes: sum.writes + write});
  }
}

/** Draws a screen, and checks its text, that it took one request, and that this cost what the row says. */
async function screen<Answer>(row: string, answer: Promise<{data: Answer}>, draw: (answer: Answer) => string[], text: string[]) {
  const before = sent.length;
  const {data} = await answer;
  assert.deepEqual(draw(data), text, row);
  assert.equal(sent.length, before + 1, row);
  assert.ok(rows[row], `costs.toml has no entry for ${row}`);
  assert.deepEqual(await costsOf(sent[before]!), rows[row], row);
}

/** Draws a person: the portrait and the name. */
const person = (username: string, people: People) => {
  const {name, picture} = people[username]!;
  return `${picture?.small && picture.blurhash ? "(portrait)" : "()"} ${name}`;
};
/** Draws a photo: the picture, its caption, its counts, and what the viewer did. */
const picture = ({urls, altText, caption, reactions, comments, viewer}: Photo) =>
  `[${urls![0]!.url && (altText ?? "photo")}] ${caption ?? "-"}, ${reactions.heart} hearts, ${comments} comments` +
  `, yours: ${viewer!.reactions.join()}${viewer!.saved ? " saved" : ""}`;
/** Draws the button to follow somebody, and whether they follow the viewer. */
const relation = (viewer?: components["schemas"]["Relation"]) =>
  `<${viewer!.follows ? "Unfollow" : "Follow"}>${viewer!.followsYou ? " follows you" : ""}`;

const [ada, ben] = [as("ada"), as("ben")];
const path = {username: "ada", photo: "2024-05-30T15:42:38"};
const me = {path: {username: "me"}} as const;
/** The photos of ada: the one at this path, and the other one. */
const PIER = "[photo] -, 1 hearts, 2 comments, yours: +1 saved";
const PORTRAIT = "[Ada, smiling, with long red hair] New camera, old face #selfie, 0 hearts, 0 comments, yours: ";

// Ben reacts to a photo and saves it, so that the screens have something to show.
await ben.PUT("/users/{username}/photos/{photo}/reactions/{type}", { params: {path: {...path, type: "+1"}} });
await ben.PUT("/users/{username}/photos/{photo}/comments/{comment}/like", { params: {path: {...path, comment: "2024-06-02T18:05:41.250Z~ben"}} });
const saved = await ben.PUT("/users/{username}/saved/{author}/{photo}", {
  params: {path: {username: "me", author: path.username, photo: path.photo}},
});
assert.equal(saved.response.status, 201);
const {dataId} = saved.data;
await ben.PUT("/users/{username}/favorites/{dataId}/tags/{tagId}", { params: {path: {username: "me", dataId, tagId: "later"}} });

await screen("get-user", ben.GET("/users/{username}", {params: me}), (user) => [person("ben", {ben: user})], ["() Ben Okafor"]);

await screen(
  "list-feed?include=viewer",
  ben.GET("/users/{username}/feed", { params: {...me, query: {include: ["viewer"], limit: 2}} }),
  ({photos, people}) => photos.map((photo) => `${person(photo.username, people)}: ${picture(photo)}`),
  [`(portrait) Ada Marsh: ${PORTRAIT}`, `(portrait) Ada Marsh: ${PIER}`],
);

await screen(
  "fetch-photo-and-reactions?include=comments,people,viewer",
  ben.GET("/users/{username}/photos/{photo}", { params: {path, query: {include: ["comments", "people", "viewer"]}} }),
  ({photo, comments, reactions, people}) => [
    `${person(photo!.username, people)}: ${picture(photo!)}`,
    ...comments!.comments.map(({username, text, mentions, edited, viewer}) =>
      `${person(username, people)}: ${text} [@${mentions}]${edited ? " (edited)" : ""}${viewer!.canEdit ? " <Edit>" : ""}`),
    ...reactions.map(({username, reactionType}) => `${person(username, people)} ${reactionType}`),
  ],
  [
    `(portrait) Ada Marsh: ${PIER}`,
    "(portrait) Ada Marsh: On the pier, @ben, just after nine [@ben] (edited)",
    "() Ben Okafor: Where is this, @ada? [@ada] <Edit>",
    "() Cara Lindqvist heart",
    "() Ben Okafor +1",
  ],
);

await screen(
  "fetch-user-and-photos?order=desc&include=viewer",
  ben.GET("/users/{username}/profile", { params: {path, query: {order: "desc", include: ["viewer"]}} }),
  ({user, photos}) => [
    `${person("ada", {ada: user!})}, ${user!.photos} photos, ${user!.followers} followers ${relation(user!.viewer)}`,
    ...photos.map(picture),
  ],
  ["(portrait) Ada Marsh, 2 photos, 1 followers <Unfollow>", PORTRAIT, PIER],
);

await screen(
  "fetch-user-and-followers?include=people,viewer",
  ben.GET("/users/{username}/followers", { params: {path, query: {include: ["people", "viewer"]}} }),
  ({user, followers, people}) => [
    `Followers of ${user!.name}`,
    ...followers.map(({username, viewer}) => `${person(username, people)} ${relation(viewer)}`),
  ],
  ["Followers of Ada Marsh", "() Ben Okafor <Follow>"],
);

await screen(
  "find-following?include=people,viewer",
  ada.GET("/users/{username}/following", { params: {path: {username: "ben"}, query: {include: ["people", "viewer"]}} }),
  ({following, people}) => following.map(({username, viewer}) => `${person(username, people)} ${relation(viewer)}`),
  ["(portrait) Ada Marsh <Follow>"],
);

await screen(
  "search-people?include=viewer",
  ada.GET("/users", { params: {query: {q: "li", include: ["viewer"]}} }),
  ({users, people}) => users.map(({username, viewer}) => `${person(username, people)} ${relation(viewer)}`),
  ["() Cara Lindqvist <Follow>"],
);

// A photo among the favorites takes one request more than the row says, for half a unit, and half a unit for the caller.
const {requests, reads} = rows["list-favorites"]!;
rows["list-favorites"] = {requests: requests + 1, reads: reads + 1, writes: 0};
await screen(
  "list-favorites",
  ben.GET("/users/{username}/favorites", { params: {...me, query: {limit: 2}} }),
  ({favorites}) => favorites.map(({title, dataType, photo, tags}) =>
      `${title}: ${dataType} ${photo?.urls ? photo.username : "–"} [${tags.join()}]`),
  ["ada: photo ada [later]", "Starlings at dusk: video – []"],
);

await events.cancel();

// The client of the public API: signs in at the local token issuer, sends requests, and turns failures into problems.

/** @typedef {{username: string, groups: string[], looking: boolean, token: string}} Session */

/** @type {Session | null} Each window has its own session, which a reload keeps, unless the visitor is only looking. */
let session = JSON.parse(sessionStorage.getItem("session"));
if (session) session.groups ??= [];
let renewal = null;

/** No request is sent before `begin` is called, so that the right side of the page can show the first one too. */
export const {promise: begun, resolve: begin} = Promise.withResolvers();

/** Returns the session of this window, or null if nobody is signed in. */
export const me = () => session;

/** A failed request, in the words of the API. `errors` says what is wrong with each field. */
export class Problem extends Error {
  constructor(status, title, detail, {type, hint, errors = []} = {}) {
    super(detail || title);
    Object.assign(this, {status, title, detail, type, hint, errors});
  }

  /** Returns whether the problem is of this kind of docs/problems.md. */
  is(kind) {
    return this.type == `tag:quick-photos.example,2026:${kind}`;
  }
}

// A path and a query can have colons, which are in the id of every photo.
const encode = (value) => encodeURIComponent(value).replaceAll("%3A", ":");

/** Returns a path whose values are percent-encoded: path`/users/${username}`. */
export const path = (parts, ...values) => String.raw({raw: parts}, ...values.map(encode));

/** Returns a text that a person typed as a path has it: with `~` for `%`, which API Gateway does not keep. */
export const escaped = (text) =>
  encodeURIComponent(text).replace(/[.~!'()*]/g, (char) => "%" + char.charCodeAt(0).toString(16)).replaceAll("%", "~");

/** Returns a path of the user who is signed in: mine`/tags/${tagId}`. */
export const mine = (parts, ...values) => "/users/me" + path(parts, ...values);

/** Returns a new random key, with which a repeated POST creates nothing twice. */
export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Fetches a token for a user, a member of these groups. This window keeps it, unless the visitor is only `looking`. */
export async function signIn(username, {groups = [], looking = false} = {}) {
  const answer = await send(path`/local/token/${username}` + (groups.length > 0 ? `?${new URLSearchParams(groups.map((group) => ["group", group]))}` : ""));
  if (!answer.ok) {
    const {title, detail} = await content(answer);
    throw new Problem(answer.status, title, detail, {errors: [{field: "username", message: detail}]});
  }
  session = {username, groups, looking, token: await answer.text()};
  if (!looking) sessionStorage.setItem("session", JSON.stringify(session));
}

/** Fetches a token with which the user is a member of a group, or is not. */
export const join = (group, member) => {
  const others = session.groups.filter((other) => other != group);
  return signIn(session.username, {...session, groups: member ? [...others, group] : others});
};

/** Forgets the token. */
export function signOut() {
  session = null;
  sessionStorage.removeItem("session");
}

/**
 * Sends a request to the API in the name of the user. A restarted stack does not accept the tokens of the one before,
 * so a 401 fetches a new one for the same user and sends the request once more. A request that is `unasked` by the visitor
 * shows behind those that were asked.
 * @returns {Promise<{status: number, body: any, headers: Headers}>}
 */
export async function request(method, url, {body, headers, signal, unasked} = {}) {
  await begun;
  const attempt = () => send(url, {
    method, signal, body: body && JSON.stringify(body),
    headers: {...headers, ...body && {"Content-Type": "application/json"}, Authorization: `Bearer ${session?.token}`},
  });
  let answer = await attempt();
  if (answer.status == 401 && session) {
    renewal ??= renew().finally(() => renewal = null);
    await renewal;
    answer = await attempt();
  }
  const read = await content(answer);
  announce(answer, unasked);
  if (!answer.ok) throw problem(answer, read);
  return {status: answer.status, body: read, headers: answer.headers};
}

/** Signs in again. The new stack may have new tables, without the user. */
async function renew() {
  await signIn(session.username, session);
  const answer = await send(mine``, {headers: {Authorization: `Bearer ${session.token}`}});
  announce(answer);
  if (!answer.ok && problem(answer, await content(answer)).is("no-profile")) throw gone();
}

/** Signs the user out, who has no profile any more. Returns the problem that the page shows where one signs in. */
export function gone() {
  const problem = new Problem(404, `There is no profile of ${session.username} any more`,
    "It was deleted, or the stack was restarted with new tables. Choose somebody else, or create the profile again.");
  problem.username = session.username;
  signOut();
  window.dispatchEvent(new CustomEvent("quick-photos:gone", {detail: problem}));
  return problem;
}

const announce = ({headers}, unasked = false) =>
  window.dispatchEvent(new CustomEvent("quick-photos:request", {detail: {id: headers.get("apigw-requestid"), unasked}}));

/** Sends a request without a token. Its failure is a problem too. */
export async function send(url, options) {
  try {
    return await fetch(url, options);
  } catch (error) {
    if (error.name == "AbortError") throw error;
    throw new Problem(0, "No answer", "The stack cannot be reached. Start it with cargo run, and try again.");
  }
}

async function content(answer) {
  const text = await answer.text();
  return answer.headers.get("content-type")?.includes("json") && text ? JSON.parse(text) : text;
}

// API Gateway's own errors have a message, and those of the local one a detail too.
const problem = ({status, statusText}, {title, message, detail, ...others}) =>
  new Problem(status, title ?? message ?? `${status} ${statusText}`, detail, others);

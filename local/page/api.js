// The API as the visitor sees it: signs in at the local token issuer, and tells the page which requests were sent.
import {LocalIssuer, Problem, QuickPhotos, newKey} from "./vendor/client.js";

export {Problem, newKey};

/** No request is sent before `begin` is called, so that the right side of the page can show the first one too. */
export const {promise: begun, resolve: begin} = Promise.withResolvers();

/** A visitor who is signed in, in this window alone. A reload keeps the session, unless the visitor is only looking. */
class Visitor extends LocalIssuer {
  constructor({username, groups = [], looking = false, token}) {
    super({api: "", username, groups});
    if (token) this.keep(token);
    const client = (unasked) => new QuickPhotos({api: "", session: this, fetch: shown(unasked)});
    Object.assign(this, {groups, looking, api: client(false), unasked: client(true)});
  }

  async fetchToken() {
    // What still runs after the sign-out must not sign in again.
    if (this.isOver) throw new Problem(401, "Nobody is signed in");
    const token = await reached(super.fetchToken());
    if (session === this) await this.check(token);
    const {username, groups, looking} = this;
    if (!looking) sessionStorage.setItem("session", JSON.stringify({username, groups, token}));
    return token;
  }

  /** A restarted stack does not accept the tokens of the one before, and may have new tables, without the user. */
  async check(token) {
    const api = new QuickPhotos({api: "", session: {token: async () => token}, fetch: shown()});
    await api.request("GET", mine``).catch((problem) => {
      if (problem.is?.("no-profile")) throw gone();
    });
  }
}

const stored = JSON.parse(sessionStorage.getItem("session"));
let session = stored && new Visitor(stored);

/** Returns the session of this window, or null if nobody is signed in. */
export const me = () => session;

// A path and a query can have colons, which are in the id of every photo.
const encode = (value) => encodeURIComponent(value).replaceAll("%3A", ":");

/** Returns a path whose values are percent-encoded: path`/users/${username}`. */
export const path = (parts, ...values) => String.raw({raw: parts}, ...values.map(encode));

/** Returns a text that a person typed as a path has it: with `~` for `%`, which API Gateway does not keep. */
export const escaped = (text) =>
  encodeURIComponent(text).replace(/[.~!'()*]/g, (char) => "%" + char.charCodeAt(0).toString(16)).replaceAll("%", "~");

/** Returns a path of the user who is signed in: mine`/tags/${tagId}`. */
export const mine = (parts, ...values) => "/users/me" + path(parts, ...values);

/** Signs in as a user, a member of these groups. */
export async function signIn(username, options = {}) {
  const visitor = new Visitor({...options, username});
  await visitor.token().catch((problem) => {
    const {status, title, detail} = problem;
    throw status == 400 ? new Problem(status, title, detail, {errors: [{field: "username", message: detail}]}) : problem;
  });
  session = visitor;
}

/** Signs in again, as a member of a group or not. */
export const join = (group, member) => {
  const others = session.groups.filter((other) => other != group);
  return signIn(session.username, {groups: member ? [...others, group] : others});
};

/** Forgets the session. */
export function signOut() {
  if (session) session.isOver = true;
  session = null;
  sessionStorage.removeItem("session");
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

/**
 * Sends a request to the API in the name of the user. A request that is `unasked` by the visitor shows behind those that
 * were asked.
 * @returns {Promise<{status: number, body: any, headers: Headers}>}
 */
export async function request(method, url, {unasked, ...options} = {}) {
  if (!session) throw new Problem(401, "Nobody is signed in");
  return (unasked ? session.unasked : session.api).request(method, url, options);
}

/** Returns a fetch that announces its requests. */
function shown(unasked = false) {
  return async (url, options) => {
    await begun;
    const answer = await send(url, options);
    window.dispatchEvent(new CustomEvent("quick-photos:request", {detail: {id: answer.headers.get("apigw-requestid"), unasked}}));
    return answer;
  };
}

/** Writes to the console why a request that nobody asked for has failed. The page says where one signs in that a user is gone. */
export const warn = (problem) => session && console.warn(problem);

/** Sends a request without a token. Its failure is a problem too. */
export const send = (url, options) => reached(fetch(url, options));

async function reached(answer) {
  try {
    return await answer;
  } catch (error) {
    if (error.name == "AbortError" || error instanceof Problem) throw error;
    throw new Problem(0, "No answer", "The stack cannot be reached. Start it with cargo run, and try again.");
  }
}

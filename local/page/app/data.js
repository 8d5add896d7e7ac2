// What several views share: lists page by page, photos, whom the user follows, and notices.
import {useEffect, useRef, useState} from "../vendor/preact.js";
import {me, mine, path, request, send} from "../api.js";

// Lists by path as they were when a view was left. A view that is gone back to shows them again.
const kept = new Map();
const photos = new Map();
let follows = null;
/** Whether the user came to this view by going back or forward. The router sets it. */
export const visit = {returning: false};

/** Forgets everything, because another user signs in. */
export function forget() {
  kept.clear();
  photos.clear();
  follows = null;
}

/** Forgets the lists, because a write changes them. */
export const forgetLists = () => kept.clear();

/**
 * Returns the one object of a photo, updated. All views show this object, so a reaction in one of them shows in all.
 * `mine` has the types with which the user is known to have reacted, such as those among these reactions.
 */
export function known(photo, reactions = []) {
  const id = `${photo.username}/${photo.timestamp}`;
  if (!photos.has(id)) photos.set(id, {mine: {}});
  const same = Object.assign(photos.get(id), photo);
  for (const {reactingUser, reactionType} of reactions) {
    if (reactingUser == me().username) same.mine[reactionType] = true;
  }
  return same;
}

const START = {first: {}, items: [], next: "", loaded: false, busy: false, problem: null};

/**
 * Reads a list page by page. `field` is the field of the entries, or a function that gets them from the body. `first` is
 * the body of the first page, and `next` the cursor of the following one. When the path changes, the old entries stay
 * until the new ones come, and answers to the old path are dropped.
 */
export function usePages(url, field) {
  const [state, setState] = useState(() => (visit.returning && kept.get(url)) || START);
  const [round, setRound] = useState(0);
  const control = useRef(null);

  const put = (change) => setState((old) => {
    const state = {...old, ...change(old)};
    if (state.loaded) kept.set(url, state);
    return state;
  });
  const load = async (cursor) => {
    const {signal} = control.current;
    put(() => ({busy: true, problem: null}));
    try {
      const {body} = await request("GET", url + (cursor && `${url.includes("?") ? "&" : "?"}cursor=${cursor}`), {signal});
      if (body.photo) body.photo = known(body.photo, body.reactions);
      if (body.photos) body.photos = body.photos.map((photo) => known(photo));
      const page = typeof field == "string" ? body[field] : field(body);
      put(({first, items}) => ({
        url, loaded: true, busy: false, next: encodeURIComponent(body.nextCursor ?? ""),
        first: cursor ? first : body, items: cursor ? [...items, ...page] : page,
      }));
    } catch (problem) {
      if (!signal.aborted) put(() => ({busy: false, problem}));
    }
  };
  useEffect(() => {
    control.current = new AbortController();
    if (!url) setState(START);
    else if (state.url != url || round > 0) load("");
    return () => control.current.abort();
  }, [url, round]);

  return {
    ...state,
    more: () => load(state.next),
    reload: () => setRound((number) => number + 1),
    setItems: (change) => put(({items}) => ({items: change(items)})),
  };
}

/** Returns a function that runs an action, with whether it runs and the problem with which it ended. */
export function useAction() {
  const [state, setState] = useState({busy: false, problem: null});
  const run = async (action) => {
    setState({busy: true, problem: null});
    try {
      await action();
      setState({busy: false, problem: null});
    } catch (problem) {
      setState({busy: false, problem});
    }
  };
  return {...state, run};
}

/** Shows a notice, such as `{text: "Deleted", label: "Undo", action}` or `{problem}`, and reads it out. Null removes it. */
export const notify = (notice) => window.dispatchEvent(new CustomEvent("quick-photos:notice", {detail: notice}));

/** Runs an action whose problem is shown as a notice, unless the user is gone, which shows where one signs in. */
export const attempt = (action) => action().catch((problem) => me() && notify({problem}));

/** Returns the users whom the page suggests. The API has no such list. */
export const localUsers = async () => (await (await send("/local/users")).json()).users;

const TYPING_PAUSE = 250;

/** Returns a value as it was when the user last paused typing. */
export function useSettled(value) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_PAUSE);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** Returns a function that renders the component again. */
export function useUpdate() {
  const [, setCount] = useState(0);
  return () => setCount((count) => count + 1);
}

/**
 * Returns the usernames that the user follows, or null until they are read. No answer of the API says whether the user
 * follows somebody, so this reads the whole list, once.
 */
export function useFollows() {
  const update = useUpdate();
  useEffect(() => {
    window.addEventListener("quick-photos:follows", update);
    follows ?? attempt(readFollows);
    return () => window.removeEventListener("quick-photos:follows", update);
  }, []);
  return follows instanceof Set ? follows : null;
}

async function readFollows() {
  const reading = follows = {};
  const names = new Set();
  for (let cursor = ""; cursor !== null;) {
    const {body} = await request("GET", `${mine`/following`}?limit=100${cursor}`);
    for (const {followedUser} of body.following) names.add(followedUser);
    cursor = body.nextCursor && `&cursor=${encodeURIComponent(body.nextCursor)}`;
  }
  if (follows == reading) follows = names;
  window.dispatchEvent(new Event("quick-photos:follows"));
}

/** Follows or unfollows somebody, and returns by how much the number of followers changes. */
export async function follow(username, on) {
  const {status} = await request(on ? "PUT" : "DELETE", path`/users/${username}/followers/${me().username}`);
  forgetLists();
  follows[on ? "add" : "delete"](username);
  window.dispatchEvent(new Event("quick-photos:follows"));
  return on ? Number(status == 201) : -1;
}

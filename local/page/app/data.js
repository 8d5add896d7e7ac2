// What several views share: lists page by page, photos, filters, and notices.
import {useEffect, useRef, useState} from "../vendor/preact.js";
import {Optimistic, Pages} from "../vendor/client.js";
import {me, mine, request} from "../api.js";

// Lists by path as they were when a view was left. A view that is gone back to shows them again, unless they are stale. Without
// a connection, any view shows them.
const kept = new Map();
/** Returns what the page kept under this name before it was reloaded, or `empty`. */
export const before = (name, empty) => (history.state?.visited && JSON.parse(sessionStorage.getItem(name))) || empty;
/** Keeps what `read` returns under this name when the page is reloaded. */
export const keepFor = (name, read) => window.addEventListener("pagehide", () => sessionStorage.setItem(name, JSON.stringify(read())));
// The numbers of the entries of lists. After a reload, each list has as many again, so that one sees the same.
const lengths = new Map(before("lengths", []));
keepFor("lengths", () => [...kept].map(([url, {items}]) => [url, items.length]));
const photos = new Map();
let album = [];
/**
 * How the user came to this view: `returning` by going back or forward, which the router sets, and `enlarged` is the view
 * of the photo that they came to from another one that was enlarged.
 */
export const visit = {returning: false, enlarged: ""};

/** Forgets everything, because another user signs in. */
export function forget() {
  kept.clear();
  lengths.clear();
  photos.clear();
}

/** Forgets the lists whose paths begin like this, because a write changes them. */
export function forgetLists(prefix = "") {
  for (const [url, list] of kept) if (url.startsWith(prefix)) kept.set(url, {...list, stale: true});
}

/** The number of times that the user has reacted to photos, saved them, or taken that back. */
let acts = 0;

/** Keeps what the user has just done to a photo from older answers. */
export const acted = (photo) => photo.acted = ++acts;

/**
 * Returns the one object of a photo, updated. All views show this object, so a reaction in one of them shows in all. An answer
 * that was asked for after `since` acts takes none of the later ones back.
 */
export function known(photo, since = acts) {
  const id = `${photo.username}/${photo.id}`;
  if (!photos.has(id)) photos.set(id, {viewer: {reactions: [], saved: false}});
  const one = photos.get(id);
  const {viewer, reactions} = one;
  // An answer leaves out the texts that a photo has no more, the audience of a photo that is for everyone, and the problem of
  // a removal and the mark of a sensitive photo that have ended.
  return Object.assign(one, {caption: undefined, hashtags: undefined, altText: undefined, audience: undefined, problem: undefined, sensitive: undefined}, photo,
    one.acted > since && {viewer, reactions});
}

let own = {};

/** Keeps the profile of the user, whose settings views ask for. */
export const keepOwn = (profile) => own = profile;

/** Returns whether the user wants to see sensitive photos of others. */
export const showsSensitive = () => own.sensitivePhotos == "show";

/** Returns the object of a photo, if any view has shown it. */
export const seen = ({username, id}) => photos.get(`${username}/${id}`);

/** Keeps the photos of a list, in which one can go to the previous and to the next one. */
export const browse = (list) => album = list;

/** Returns the photos before and after the one that `is` finds in the list that was shown last. */
export function beside(is) {
  const at = album.findIndex(is);
  return at < 0 ? [] : [album[at - 1], album[at + 1]];
}

/** Returns what names an entry, if a view can add such an entry itself. */
const nameOf = (entry) => {
  const id = entry.id ?? entry.tagId;
  return id ? `${entry.username} ${id}` : entry;
};

/** Returns the entries of a list with those of its next page. What a view has added may be among them, in its place. */
function appended(items, page) {
  const names = new Set(page.map(nameOf));
  return [...items.filter((item) => !names.has(nameOf(item))), ...page];
}

/** The pause after which a list that the stack did not answer is read again. */
const OFFLINE_PAUSE_MS = 2000;
const START = {first: {}, items: [], people: {}, next: "", loaded: false, busy: false, problem: null};

/**
 * Reads a list page by page. `field` is the field of the entries, or a function that gets them from the body. `first` is
 * the body of the first page, `people` has the cards of all pages by username, and `next` is the cursor of the following
 * page. When the path changes, the old entries stay until the new ones come, and answers to the old path are dropped. With
 * `start`, the list begins at this cursor.
 */
export function usePages(url, field, start = "") {
  const [state, setState] = useState(() => (visit.returning && !kept.get(url)?.stale && kept.get(url)) || START);
  const [round, setRound] = useState(0);
  const control = useRef(null);
  const loading = useRef(null);
  const changes = useRef(0);

  const put = (change) => setState((old) => {
    const state = {...old, ...change(old)};
    if (state.loaded && state.url == url) kept.set(url, state);
    return state;
  });
  const changed = (change) => {
    changes.current++;
    put(change);
  };
  const read = async (cursor, options) => {
    const since = acts;
    const {body} = await request("GET", url + (cursor && `${url.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`), options);
    if (body.photo) body.photo = known(body.photo, since);
    if (body.photos) body.photos = body.photos.map((photo) => known(photo, since));
    // A favorite whose photo is gone has null.
    for (const favorite of body.favorites ?? []) if (favorite.photo) favorite.photo = known(favorite.photo, since);
    return body;
  };
  /** Reads the page at a cursor, and further ones up to a number of entries. */
  const load = (...page) => loading.current = loadPage(...page);
  const loadPage = async (cursor, {entries = 0, again = false} = {}) => {
    const {signal} = control.current;
    put(({problem}) => ({busy: true, problem: again ? problem : null}));
    const pages = new Pages((cursor) => read(cursor, {signal}), cursor);
    try {
      const bodies = [], items = [];
      let page;
      do {
        page = (await pages.next()).value;
        bodies.push(page.body);
        items.push(...typeof field == "string" ? page.body[field] : field(page.body));
      } while (page.body.nextCursor && items.length < entries);
      put((old) => ({
        url, loaded: true, stale: false, busy: false, problem: null, next: page.body.nextCursor ?? "",
        first: cursor == start ? bodies[0] : old.first, items: cursor == start ? items : appended(old.items, items),
        people: {...old.people, ...page.people},
      }));
    } catch (problem) {
      // Without a connection, the list stays as it was seen.
      if (!signal.aborted) put((old) => ({...problem.status === 0 && old.url != url && kept.get(url), busy: false, problem, failed: cursor}));
    }
  };
  useEffect(() => {
    control.current = new AbortController();
    if (!url) setState(START);
    else if (state.url != url || round > 0) load(start, {entries: lengths.get(url)});
    lengths.delete(url);
    return () => control.current.abort();
  }, [url, round]);
  useEffect(() => {
    if (!url || state.busy || state.problem?.status !== 0) return;
    const again = () => load(state.failed, {entries: state.failed == start ? state.items.length : 0, again: true});
    const timer = setTimeout(again, OFFLINE_PAUSE_MS);
    window.addEventListener("online", again);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("online", again);
    };
  }, [url, state]);

  return {
    ...state,
    // What shows until a new list is loaded is the old one, without its further pages.
    next: state.url == url ? state.next : "",
    busy: state.busy || (!!url && state.url != url && !state.problem),
    more: () => load(state.next),
    retry: () => load(state.failed),
    reload: () => setRound((number) => number + 1),
    /** Reads the first page again, unasked. `change` makes the list of the old one and of the body. */
    renew: async (change) => {
      await loading.current;
      const {signal} = control.current;
      try {
        // An answer from before a change of the user does not have it.
        let body, number;
        do {
          number = changes.current;
          body = await read(start, {signal, unasked: true});
        } while (number != changes.current);
        put((old) => old.loaded && {...change(old, body), people: {...old.people, ...body.people}});
      } catch (problem) {
        if (signal.aborted) return;
        // What is gone cannot be read again.
        if (problem.status != 404) throw problem;
        put(() => ({problem, failed: start}));
      }
    },
    setItems: (change) => changed(({items}) => ({items: change(items)})),
    setFirst: (change) => changed(({first}) => ({first: {...first, ...change(first)}})),
    // Adds the card of the user to the people, unless it is there.
    addMe: async () => {
      if (state.people[me().username]) return;
      const {body} = await request("GET", mine``);
      put(({people}) => ({people: {...people, [body.username]: body}}));
    },
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

/**
 * Returns a function that shows a value at once, sends it, and shows the old one with a notice if that fails: of the values
 * with one `name`, the last counts.
 */
export function useOptimistic() {
  const running = useRef(new Map()).current;
  return (name, old, value, show, send) => attempt(() => {
    if (!running.has(name)) running.set(name, new Optimistic(old, show, send));
    return running.get(name).set(value).finally(() => running.delete(name));
  });
}

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

/**
 * Returns the filter of a view, which its address keeps, so that a reload shows the same: `asked` is the filter as it was
 * when the user last paused typing, and `field` gives the attributes of the field of a part of it.
 */
export function useFilter(view, empty) {
  const [filter, setFilter] = useState(() => ({
    ...empty, ...Object.fromEntries(new URLSearchParams(location.hash.split("?")[1])),
  }));
  const asked = useSettled(filter);
  useEffect(() => history.replaceState(history.state, "", `#/${view}?${new URLSearchParams(asked)}`), [asked]);
  const change = (parts) => setFilter((filter) => ({...filter, ...parts}));
  const field = (name) => ({name, value: filter[name], onInput: ({target}) => change({[name]: target.value})});
  return {asked, change, field};
}

/**
 * Reads what a dialog edits. Returns it as `known`, with the header that makes a write fail if somebody else has changed
 * it since, and how to read it again. With `start`, nothing has to be read.
 */
export function useEdited(url, start = null) {
  const [known, setKnown] = useState(start);
  const {problem, run} = useAction();
  const read = async () => {
    const {body, headers} = await request("GET", url);
    setKnown({body, headers: {"If-Match": headers.get("etag")}});
  };
  useEffect(() => start ?? run(read), []);
  return {known, problem, read};
}

/** Returns the merge patch of those values of a form that are not as `before`. An empty text removes the field. */
export const changes = (values, before) => Object.fromEntries(Object.entries(values)
  .filter(([name, value]) => value != before(name)));

/** Returns a function that renders the component again. */
export function useUpdate() {
  const [, setCount] = useState(0);
  return () => setCount((count) => count + 1);
}

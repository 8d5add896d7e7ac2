// The app: which view the address shows, the header, and the notices.
import {html, useEffect, useLayoutEffect, useRef, useState} from "../vendor/preact.js";
import {me, signOut} from "../api.js";
import {attempt, before, forget, keepFor, notify, visit} from "./data.js";
import {listenFor, subscription, turnOff} from "./device.js";
import {endLive} from "./live.js";
import {Heading, Trouble, late} from "./parts.js";
import {DropTarget, Uploads, clearUploads} from "./upload.js";
import {Header} from "./header.js";
import {SignIn} from "./sign-in.js";
import {Feed} from "./feed.js";
import {Profile} from "./profile.js";
import {Friends} from "./friends.js";
import {People} from "./people.js";
import {PhotoPage} from "./photo.js";
import {Favorites} from "./favorites.js";
import {Notifications} from "./notifications.js";
import {Reports} from "./reports.js";

const Settings = late("./settings.js", "Settings");
const Farewell = late("./deletion.js", "Farewell");
const Opened = late("./links.js", "Opened");

/** The views of the settings, by the part of their address. */
const SETTINGS = {
  __proto__: null, reports: Reports,
  profile: late("./settings.js", "EditProfile"),
  links: late("./links.js", "Links"),
  push: late("./push.js", "Push"),
  data: late("./export.js", "Export"),
  delete: late("./deletion.js", "DeleteAccount"),
  requests: () => html`<${Friends} username=${me().username} kind="requests" />`,
  blocks: () => html`<${Friends} username=${me().username} kind="blocks" />`,
};

/** The other views that have no further parts in their address. */
const VIEWS = {
  __proto__: null, "": Feed, feed: Feed, people: People, favorites: Favorites, notifications: Notifications,
  tags: late("./tags.js", "Tags"),
  explore: late("./explore.js", "Explore"),
  hashtags: late("./hashtags.js", "Hashtags"),
  catalogue: late("./catalogue.js", "Catalogue"),
};

/** The photos with a hashtag. */
const Hashtag = late("./hashtags.js", "Hashtag");

/** Returns the parts of an address such as `#/users/ada/followers`, or none if they are not percent-encoded. */
function partsOf(hash) {
  try {
    return hash.split("?")[0].slice(2).split("/").map(decodeURIComponent);
  } catch {
    return ["unknown"];
  }
}

/** Returns the view of an address. */
function view(hash, props) {
  const [kind, first, second] = partsOf(hash);
  if (kind == "users" && first && !second) return html`<${Profile} username=${first} />`;
  if (kind == "users" && ["followers", "following"].includes(second)) return html`<${Friends} username=${first} kind=${second} />`;
  if (kind == "hashtags" && first) return html`<${Hashtag} key=${first} kind=${first} />`;
  if (kind == "photos" && second) return html`<${PhotoPage} username=${first} id=${second} />`;
  if (kind == "s" && first) return html`<${Opened} token=${first} />`;
  const View = kind == "settings" ? first ? SETTINGS[first] : Settings : VIEWS[kind];
  return html`<${View ?? Unknown} kind=${first} ...${props} />`;
}

const Unknown = () => html`
  <${Heading} title="There is no such page" />
  <p>The address may be mistyped. <a href="#/feed">Back to the feed</a></p>`;

/** The time for which a notice shows: what WCAG 2.2 gives people to react to something timed (criterion 2.2.1). */
const NOTICE_TIME = 20_000;
/** The time in which a view grows to the height at which it was left. */
const GROWING_MS = 5000;
const scrolled = new Map(before("scrolled", []));
visit.returning = history.state?.visited === true;
history.scrollRestoration = "manual";
history.replaceState({visited: true}, "");

/** Returns the address after `#`, and a function that shows another one at once. Going back shows a view as it was left, and scrolled as it was. */
function useAddress(scroller) {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const change = ({oldURL, newURL}) => {
      scrolled.set(new URL(oldURL).hash, scroller.current.scrollTop);
      visit.returning = history.state?.visited === true;
      history.replaceState({visited: true}, "");
      // A filter may have replaced the address since.
      setHash(new URL(newURL).hash);
    };
    window.addEventListener("hashchange", change);
    return () => window.removeEventListener("hashchange", change);
  }, []);
  useEffect(() => keepFor("scrolled", () => [...scrolled.set(location.hash, scroller.current.scrollTop)]), []);
  useLayoutEffect(() => scrollTo(scroller.current, visit.returning ? scrolled.get(hash) ?? 0 : 0), [hash]);
  return [hash, setHash];
}

/** Scrolls a view as soon as it is high enough, unless the visitor scrolls before. Returns a function that ends this. */
function scrollTo(view, top) {
  view.scrollTo(0, top);
  if (view.scrollTop >= top) return;
  const growth = new ResizeObserver(() => {
    view.scrollTo(0, top);
    if (view.scrollTop >= top) end();
  });
  const end = () => {
    growth.disconnect();
    clearTimeout(timer);
    for (const type of ["wheel", "touchmove", "keydown"]) view.removeEventListener(type, end);
  };
  const timer = setTimeout(end, GROWING_MS);
  for (const type of ["wheel", "touchmove", "keydown"]) view.addEventListener(type, end);
  for (const part of view.children) growth.observe(part);
  return end;
}

/** The app of one user, or the way to sign in. */
export function App() {
  const scroller = useRef(null);
  const [hash, setHash] = useAddress(scroller);
  const [user, setUser] = useState(me());
  const [gone, setGone] = useState(null);
  const [cascade, setCascade] = useState(null);
  useEffect(() => {
    const lose = ({detail}) => {
      notify(null);
      setGone(detail);
      setUser(null);
      location.hash = "#/";
    };
    window.addEventListener("quick-photos:gone", lose);
    return () => window.removeEventListener("quick-photos:gone", lose);
  }, []);
  useEffect(() => listenFor(user), [user]);
  // Whoever opens an address signs in first.
  const enter = (view = location.hash.length > "#/".length ? location.hash : "#/feed") => {
    forget();
    clearUploads();
    setGone(null);
    setUser(me());
    location.hash = view;
    // The event comes later, and the view at the old address would show until then.
    setHash(location.hash);
  };
  const leave = (isGone) => {
    if (subscription()) attempt(() => turnOff(isGone));
    endLive(isGone);
    signOut();
    notify(null);
    setUser(null);
    location.hash = "#/";
  };
  const onDeleted = (cascade) => {
    // The right side takes a change of the address for a new action, and would not show this one.
    history.replaceState(history.state, "", "#/");
    leave(true);
    scroller.current.scrollTo(0, 0);
    setCascade(cascade);
  };
  return html`
    <div class="view" ref=${scroller}>
      ${user ? html`
        <${Header} username=${user.username} hash=${hash} onLeave=${() => leave(false)} />
        <main key=${user.username + hash}><${Uploads} />${view(hash, {onDeleted})}</main>
        <${DropTarget} />` : cascade ? html`<${Farewell} cascade=${cascade} onEnd=${() => setCascade(null)} />` : html`<${SignIn} gone=${gone} onSignedIn=${enter} />`}
    </div>
    <${Notices} />`;
}

/** The last notice. Those that ask for nothing disappear. */
function Notices() {
  const [notice, setNotice] = useState(null);
  useEffect(() => {
    const show = ({detail}) => setNotice(detail);
    window.addEventListener("quick-photos:notice", show);
    return () => window.removeEventListener("quick-photos:notice", show);
  }, []);
  useEffect(() => {
    if (!notice?.text || notice.action) return;
    const timer = setTimeout(() => setNotice((shown) => shown == notice ? null : shown), NOTICE_TIME);
    return () => clearTimeout(timer);
  }, [notice]);
  const act = () => {
    setNotice(null);
    attempt(notice.action);
  };
  return html`
    <div class="notice" role="status">
      ${notice && html`
        <div>
          ${notice.problem ? html`<${Trouble} problem=${notice.problem} />` : html`<p>${notice.text}</p>`}
          ${notice.action && html`<button type="button" onClick=${act}>${notice.label}</button>`}
          <button type="button" class="plain close" onClick=${() => setNotice(null)}>Close</button>
        </div>`}
    </div>`;
}

// The app: which view the address shows, the header, and the notices.
import {html, useEffect, useLayoutEffect, useRef, useState} from "../vendor/preact.js";
import {me, signOut} from "../api.js";
import {attempt, before, forget, keepFor, notify, visit} from "./data.js";
import {Trouble} from "./parts.js";
import {AddPhotos, DropTarget, Uploads, clearUploads} from "./upload.js";
import {SignIn} from "./sign-in.js";
import {Feed} from "./feed.js";
import {Profile} from "./profile.js";
import {Friends} from "./friends.js";
import {People} from "./people.js";
import {PhotoPage} from "./photo.js";
import {Favorites} from "./favorites.js";
import {Tags} from "./tags.js";
import {Catalogue} from "./catalogue.js";
import {Bell, Notifications} from "./notifications.js";
import {Reports} from "./reports.js";
import {Export} from "./export.js";

/** Returns the view of an address such as `#/users/ada/followers`. */
function view(hash) {
  const [kind, first, second] = hash.split("?")[0].slice(2).split("/").map(decodeURIComponent);
  if (kind == "users" && second) return html`<${Friends} username=${first} kind=${second} />`;
  if (kind == "users") return html`<${Profile} username=${first} />`;
  if (kind == "photos") return html`<${PhotoPage} username=${first} id=${second} />`;
  if (kind == "people") return html`<${People} />`;
  if (kind == "favorites") return html`<${Favorites} />`;
  if (kind == "tags") return html`<${Tags} />`;
  if (kind == "notifications") return html`<${Notifications} />`;
  if (kind == "reports") return html`<${Reports} />`;
  if (kind == "export") return html`<${Export} />`;
  if (kind == "catalogue") return html`<${Catalogue} kind=${first} />`;
  return html`<${Feed} />`;
}

const NOTICE_TIME = 6000;
/** The time in which a view grows to the height at which it was left. */
const GROWING_MS = 5000;
const scrolled = new Map(before("scrolled", []));
visit.returning = history.state?.visited === true;
history.scrollRestoration = "manual";
history.replaceState({visited: true}, "");

/** Returns the address after `#`. Going back shows a view as it was left, and scrolled as it was. */
function useAddress(scroller) {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const change = ({oldURL}) => {
      scrolled.set(new URL(oldURL).hash, scroller.current.scrollTop);
      visit.returning = history.state?.visited === true;
      history.replaceState({visited: true}, "");
      setHash(location.hash);
    };
    window.addEventListener("hashchange", change);
    return () => window.removeEventListener("hashchange", change);
  }, []);
  useEffect(() => keepFor("scrolled", () => [...scrolled.set(location.hash, scroller.current.scrollTop)]), []);
  useLayoutEffect(() => scrollTo(scroller.current, visit.returning ? scrolled.get(hash) ?? 0 : 0), [hash]);
  return hash;
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
  const hash = useAddress(scroller);
  const [user, setUser] = useState(me());
  const [gone, setGone] = useState(null);
  useEffect(() => {
    const lose = ({detail}) => {
      notify(null);
      setGone(detail);
      setUser(null);
    };
    window.addEventListener("quick-photos:gone", lose);
    return () => window.removeEventListener("quick-photos:gone", lose);
  }, []);
  const enter = (view = "#/feed") => {
    forget();
    clearUploads();
    setGone(null);
    setUser(me());
    location.hash = view;
  };
  const leave = () => {
    signOut();
    notify(null);
    setUser(null);
    location.hash = "#/";
  };
  return html`
    <div class="view" ref=${scroller}>
      ${user ? html`
        <${Header} username=${user.username} hash=${hash} onLeave=${leave} />
        <main key=${user.username + hash}><${Uploads} />${view(hash)}</main>
        <${DropTarget} />` : html`<${SignIn} gone=${gone} onSignedIn=${enter} />`}
    </div>
    <${Notices} />`;
}

function Header({username, hash, onLeave}) {
  const own = `#/users/${username}`;
  const pages = [
    ["#/feed", "Feed"], [own, "You"], ["#/people", "Search"], ["#/favorites", "Favorites"], ["#/catalogue", "Catalogue"],
  ];
  return html`
    <header class="top">
      <a class="brand" href="#/feed">Quick Photos</a>
      <${Bell} username=${username} current=${hash.startsWith("#/notifications")} />
      <${AddPhotos} />
      <button type="button" class="plain" onClick=${onLeave} aria-label="Sign out ${username}">
        Sign out<span class="who"> ${username}</span></button>
      <nav aria-label="Pages">
        ${pages.map(([to, label]) => html`
          <a key=${to} href=${to} aria-current=${hash.startsWith(to) ? "page" : null}>${label}</a>`)}
      </nav>
    </header>`;
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

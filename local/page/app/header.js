// The header: the ways to the views, what is new, and who is signed in.
import {html, useEffect, useState} from "../vendor/preact.js";
import {mine, request, warn} from "../api.js";
import {keepOwn} from "./data.js";
import {useLive} from "./live.js";
import {Portrait} from "./parts.js";
import {icon} from "./picture.js";
import {AddPhotos} from "./upload.js";

const PAGES = [["#/feed", "Feed"], ["#/explore", "Explore"], ["#/people", "Search"], ["#/favorites", "Favorites"], ["#/catalogue", "Catalogue"]];

const BELL = "M6 10a6 6 0 0 1 12 0c0 5 2 6 2 7H4c0-1 2-2 2-7Zm4 10h4";
const NUT = "M12 2l8.7 5v10L12 22l-8.7-5V7zM12 8.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7";

/** Shows in the header what a change of the own profile has answered. */
export const showOwn = (profile) => window.dispatchEvent(new CustomEvent("quick-photos:own", {detail: keepOwn(profile)}));

/** Returns the profile of the user, with the number of notifications. It is read again when there are new ones, or they are seen. */
function useOwn(username) {
  const [own, setOwn] = useState({name: username, counts: {notifications: 0}});
  const read = async () => setOwn(keepOwn((await request("GET", mine`?include=counts`, {unasked: true})).body));
  useLive(({kind, username: by}) => kind == "notifications" || kind == "seen" && by == username, read);
  useEffect(() => {
    const show = ({detail}) => setOwn(({counts}) => ({counts, ...detail}));
    read().catch(warn);
    window.addEventListener("quick-photos:own", show);
    return () => window.removeEventListener("quick-photos:own", show);
  }, [username]);
  return own;
}

export function Header({username, hash, onLeave}) {
  const {name, picture, counts: {notifications}} = useOwn(username);
  const current = (to) => hash.startsWith(to) ? "page" : null;
  const profile = `#/users/${username}`;
  return html`
    <header class="top">
      <a class="brand" href="#/feed"><span>Quick Photos</span></a>
      <a class="button plain bell" href="#/notifications" aria-current=${current("#/notifications")}
        aria-label=${notifications === 0 ? "Notifications" : `Notifications, ${notifications} new`}>
        ${icon(BELL)}${notifications !== 0 && html`<span class="count">${notifications}</span>`}</a>
      <${AddPhotos} />
      <a class="button plain" href="#/settings" aria-current=${current("#/settings")} aria-label="Settings">${icon(NUT)}</a>
      <a class="button plain own" href=${profile} aria-current=${hash.split("?")[0] == profile ? "page" : null}
        aria-label="Your profile, ${name}"><${Portrait} name=${name} picture=${picture} /><span class="who">${name}</span></a>
      <button type="button" class="plain" onClick=${onLeave} aria-label="Sign out ${username}">Sign out</button>
      <nav aria-label="Pages">
        ${PAGES.map(([to, label]) => html`<a key=${to} href=${to} aria-current=${current(to)}>${label}</a>`)}
      </nav>
    </header>`;
}

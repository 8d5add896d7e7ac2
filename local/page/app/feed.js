// The home feed: the photos of those whom the user follows, the newest first.
import {html, useEffect, useState} from "../vendor/preact.js";
import {me, mine} from "../api.js";
import {attempt, localUsers, useFollows, usePages} from "./data.js";
import {Heading, Pages, Person, Time} from "./parts.js";
import {Picture, Reactions} from "./picture.js";

export function Feed() {
  const list = usePages(mine`/feed?limit=12`, "photos");
  return html`
    <div class="row"><${Heading} title="Feed" />
      <button type="button" class="plain" disabled=${list.busy} onClick=${list.reload}>Refresh</button></div>
    <${Pages} list=${list} endless empty=${html`<${Suggestions} onReady=${list.reload} />`}>
      <ul class="cards">${list.items.map((photo) => html`
        <li key=${photo.username + photo.timestamp}>
          <a href="#/photos/${photo.username}/${photo.timestamp}">
            <${Picture} photo=${photo} sizes="(max-width: 60rem) 100vw, 45vw" /></a>
          <div class="row">
            <p><a class="author" href="#/users/${photo.username}">${photo.username}</a>
              <span class="quiet small"> <${Time} at=${photo.timestamp} /></span></p>
            <${Reactions} photo=${photo} />
          </div>
        </li>`)}
      </ul>
    <//>`;
}

/** Whom to follow, for an empty feed. */
function Suggestions({onReady}) {
  const follows = useFollows();
  const [users, setUsers] = useState([]);
  useEffect(() => attempt(async () => setUsers(await localUsers())), []);
  return html`
    <section class="card">
      <h2>Nothing here yet</h2>
      <p>The photos of those whom you follow show here. Whom would you like to follow?</p>
      <ul>${users.filter(({username}) => username != me().username).slice(0, 8).map((user) => html`
        <${Person} key=${user.username} ...${user} />`)}</ul>
      ${follows?.size > 0 && html`<p>A stream function fills the feed within a second or two.</p>
        <p><button type="button" class="main" onClick=${onReady}>Show my feed</button></p>`}
    </section>`;
}

// The home feed: the photos of those whom the user follows, the newest first.
import {html, useEffect} from "../vendor/preact.js";
import {me, mine} from "../api.js";
import {browse, usePages, useUpdate} from "./data.js";
import {useNews} from "./live.js";
import {Name, Pages, Time, Title, counted} from "./parts.js";
import {COLUMN, Caption, Picture, Reactions, Show, viewOf} from "./picture.js";

/** Reads the photos, their authors, and what the user did to them, in one request. */
export const useFeed = (username) => usePages(username && mine`/feed?include=viewer&limit=12`, "photos");

/** The feed of the user who is signed in. */
export function Feed() {
  const list = useFeed(me().username);
  const update = useUpdate();
  const isNew = useNews("feed", list, viewOf);
  browse(list.items);
  // Where nothing is to be read, nothing moves.
  useEffect(() => {
    if (isNew && list.items.length == 0) list.reload();
  }, [isNew]);
  return html`
    <${Title} title="Feed" list=${list} news=${isNew && "New photos"} />
    <${Pages} list=${list} endless empty=${html`<${Nobody} />`}>
      <ul class="cards">${list.items.map((photo) => html`
        <li key=${photo.username + photo.id}>
          <p class="by"><${Name} username=${photo.username} people=${list.people} />
            <span class="quiet small"><${Time} at=${photo.timestamp} /></span></p>
          <a href=${viewOf(photo)}><${Picture} photo=${photo} sizes=${COLUMN} /></a>
          <${Show} photo=${photo} onShow=${update} />
          <${Reactions} photo=${photo} />
          <${Caption} photo=${photo} />
          <p class="small"><a href=${viewOf(photo)}>${counted(photo.comments, "comment")}</a></p>
        </li>`)}
      </ul>
    <//>`;
}

/** What an empty feed shows. */
const Nobody = () => html`
  <section class="card">
    <h2>Nothing here yet</h2>
    <p>The photos of those whom you follow show here. A stream function brings them within a second or two.</p>
    <p><a class="button main" href="#/people">Find people</a></p>
  </section>`;

// The photos of the last days that many have reacted to, of people whom the user does not follow.
import {html} from "../vendor/preact.js";
import {path} from "../api.js";
import {browse, usePages} from "./data.js";
import {Pages, Title} from "./parts.js";
import {Tiles} from "./picture.js";

/** The ranking of the last minute, which is the same for everybody. */
export function Explore() {
  const list = usePages(path`/explore?include=people&limit=24`, "photos");
  browse(list.items);
  return html`
    <${Title} title="Explore" list=${list} />
    <${Pages} list=${list} endless empty=${html`<${Nothing} />`}>
      <${Tiles} photos=${list.items} />
    <//>`;
}

/** What an empty ranking shows. */
const Nothing = () => html`
  <section class="card">
    <h2>Nothing here yet</h2>
    <p>A photo shows here when two people react to it within three days of its upload, everyone may see it, and you do
      not follow its owner. A scheduled function ranks the photos each minute.</p>
  </section>`;

// The photos of everybody with a hashtag, and the search of hashtags by their beginning.
import {html} from "../vendor/preact.js";
import {escaped, path} from "../api.js";
import {browse, useFilter, usePages} from "./data.js";
import {Field, Heading, Pages, Title, counted} from "./parts.js";
import {Tiles} from "./picture.js";

/** The photos with a hashtag, newest first. */
export function Hashtag({kind: tag}) {
  const list = usePages(path`/tags/${escaped(tag)}/photos?include=people&limit=24`, "photos");
  browse(list.items);
  return html`
    <${Title} title="#${tag}" list=${list} />
    <p><a href="#/hashtags">Find hashtags</a></p>
    <${Pages} list=${list} endless empty=${html`<p class="empty">There is no photo with this hashtag.</p>`}>
      <${Tiles} photos=${list.items} />
    <//>`;
}

/** The search of hashtags. */
export function Hashtags() {
  const {asked, field} = useFilter("hashtags", {q: ""});
  const q = asked.q.trim().replace(/^#/, "");
  const list = usePages(q && path`/tags?q=${q}&limit=20`, "hashtags");
  return html`
    <${Heading} title="Find hashtags" />
    <form role="search" onSubmit=${(event) => event.preventDefault()}>
      <${Field} label="Hashtag" type="search" ...${field("q")} hint="The beginning of a hashtag, such as sun" />
    </form>
    <${Pages} list=${list} empty=${html`<p class="empty">${q && "No hashtag begins so."}</p>`}>
      <ul>${list.items.map(({hashtag, count}) => html`
        <li key=${hashtag}><a href="#/hashtags/${encodeURIComponent(hashtag)}">#${hashtag}</a>
          <span class="quiet small"> ${count > 1 ? `${counted(count, "photo")} or more` : "a few photos"}</span></li>`)}</ul>
    <//>`;
}

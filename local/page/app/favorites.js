// The user's favorites: by type, by tag, found by search, and undo.
import {html, useState} from "../vendor/preact.js";
import {mine, newKey, path, request} from "../api.js";
import {attempt, browse, forgetLists, notify, useAction, useFilter, usePages} from "./data.js";
import {Dialog, Field, Form, Heading, Pages, Time, Trouble} from "./parts.js";
import {Picture, titleOf, viewOf} from "./picture.js";

// The types that one can add, and that of a saved photo.
const ADDED = ["image", "video", "link", "file", "music", "chat", "voice", "note", "position"].map((type) => [type]);
const TYPES = [["photo"], ...ADDED];

/** Returns the list of a filter. Each of them is one access pattern. */
function listOf({q, type, tag, tagName}) {
  const query = [q.trim(), type && `type:${type}`, tag && `tag:"${tagName.replaceAll('"', '""')}"`].filter(Boolean).join(" ");
  if (q.trim()) return mine`/favorites/search?include=viewer&q=${query}`;
  const list = tag ? mine`/tags/${tag}/favorites` : mine`/favorites`;
  return `${list}${type && path`/types/${type}`}?include=viewer`;
}

/** Returns what a favorite is called: a saved photo has the first line of its caption. */
const nameOf = ({dataType, title, photo}) => dataType != "photo" ? title
  : photo ? photo.caption?.split("\n", 1)[0] || titleOf(photo) : `Photo by ${title}`;

/** The favorites with the photos among them, in one request. */
export function Favorites() {
  const {asked, change, field} = useFilter("favorites", {q: "", type: "", tag: "", tagName: ""});
  const [adding, setAdding] = useState(false);
  const [tagging, setTagging] = useState(null);
  const list = usePages(listOf(asked), "favorites");
  const added = (favorite) => {
    setAdding(false);
    list.setItems((items) => [favorite, ...items]);
  };
  // The entries have the ids of their tags. One request gets the names of all tags, when one is shown.
  const tags = usePages((tagging || list.items.some(({tags}) => tags.length > 0)) && mine`/tags?sort=name&limit=100`, "tags");
  const retag = (change) => {
    const retagged = (favorite) => ({...favorite, tags: change(favorite.tags)});
    list.setItems((items) => items.map((item) => item.dataId == tagging.dataId ? retagged(item) : item));
    setTagging((open) => open && retagged(open));
  };
  browse(list.items.flatMap(({photo}) => photo ?? []));
  const filtered = Object.values(asked).some(Boolean);
  return html`
    <div class="row"><${Heading} title="Favorites" />
      <button type="button" class="main" onClick=${() => setAdding(true)}>Add</button></div>
    <form role="search" class="filters" onSubmit=${(event) => event.preventDefault()}>
      <${Field} label="Search" type="search" ...${field("q")} />
      <${Field} label="Type" options=${[["", "All types"], ...TYPES]} ...${field("type")} />
    </form>
    ${asked.tag && html`<p>Tagged <strong>${asked.tagName}</strong>
      <button type="button" class="plain" onClick=${() => change({tag: "", tagName: ""})}>All tags</button></p>`}
    <p class="row small quiet"><span role="status">
      ${list.loaded && !list.busy && `${list.items.length}${list.next ? " or more" : ""} shown`}</span>
      <a href="#/tags">Your tags</a></p>
    <${Pages} list=${list} empty=${html`<p class="empty">${filtered ? "Nothing matches. Words are found by their beginnings."
      : "No favorites yet. Save a photo, or add anything that has a title."}</p>`}>
      <ul class="lines">${list.items.map((favorite) => html`
        <${Row} key=${favorite.dataId} favorite=${favorite} list=${list} tags=${tags.items} onTags=${() => setTagging(favorite)} />`)}</ul>
    <//>
    ${adding && html`<${AddFavorite} onAdded=${added} onClose=${() => setAdding(false)} />`}
    ${tagging && html`<${TagFavorite} favorite=${tagging} tags=${tags} onChange=${retag} onClose=${() => setTagging(null)} />`}`;
}

function Row({favorite, list, tags, onTags}) {
  const {dataId, dataType, contentUrl, clipTime, photo} = favorite;
  const title = nameOf(favorite);
  const names = tags.filter(({tagId}) => favorite.tags.includes(tagId)).map(({tagName}) => tagName);
  const mark = (saved) => photo && (photo.viewer.saved = saved);
  const remove = () => attempt(async () => {
    const at = list.items.indexOf(favorite);
    await request("DELETE", mine`/favorites/${dataId}`);
    mark(false);
    list.setItems((items) => items.filter((item) => item != favorite));
    document.querySelector("h1").focus();
    notify({text: `“${title}” is not a favorite any more.`, label: "Undo", action: async () => {
      const {body} = await request("POST", mine`/favorites/${dataId}/restore`);
      mark(true);
      list.setItems((items) => items.toSpliced(at, 0, {...body, photo}));
      notify({text: `“${title}” is back, with its tags.`});
    }});
  });
  return html`
    <li class="favorite">
      ${photo ? html`<${Picture} photo=${photo} sizes="76px" />` : html`<span class="chip">${dataType}</span>`}
      <div><p>${photo ? html`<a href=${viewOf(photo)}>${title}</a>` : title}</p>
        <p class="quiet small"><${Time} at=${clipTime} />${contentUrl && ` · ${contentUrl}`}${photo === null && " · The photo is gone."}
          ${names.map((name) => html` <span class="chip">${name}</span>`)}</p></div>
      <button type="button" aria-label="Tags of ${title}" onClick=${onTags}>Tags</button>
      <button type="button" aria-label="Take out ${title}" onClick=${remove}>Take out</button>
    </li>`;
}

const FIELDS = [
  {name: "title", label: "Title", required: true},
  {name: "dataType", label: "Type", options: ADDED},
  {name: "contentUrl", label: "Address (optional)", placeholder: "https://…"},
];

function AddFavorite({onAdded, onClose}) {
  const [key] = useState(newKey);
  const add = async (favorite) => {
    const {body} = await request("POST", mine`/favorites`, {body: favorite, headers: {"Idempotency-Key": key}});
    forgetLists();
    onAdded(body);
  };
  return html`
    <${Dialog} title="Add a favorite" onClose=${onClose}><${Form} fields=${FIELDS} label="Add" send=${add} /><//>`;
}

/** Puts tags on a favorite and takes them off. */
function TagFavorite({favorite, tags, onChange, onClose}) {
  const {problem, run} = useAction();
  const put = async (tag, wanted) => {
    await request(wanted ? "PUT" : "DELETE", mine`/favorites/${favorite.dataId}/tags/${tag.tagId}`);
    onChange((tagIds) => [...tagIds.filter((tagId) => tagId != tag.tagId), ...wanted ? [tag.tagId] : []]);
  };
  const create = async (body) => {
    const {body: tag} = await request("POST", mine`/tags`, {body});
    tags.setItems((items) => [...items.filter(({tagId}) => tagId != tag.tagId), tag]);
    await put(tag, true);
  };
  return html`
    <${Dialog} title="Tags of “${nameOf(favorite)}”" onClose=${onClose}>
      <${Pages} list=${tags} empty=${html`<p class="quiet">You have no tags yet.</p>`}>
        <ul class="checks">${tags.items.map((tag) => html`
          <li key=${tag.tagId}><label><input type="checkbox" checked=${favorite.tags.includes(tag.tagId)}
            onChange=${({target}) => run(() => put(tag, target.checked))} />${tag.tagName}</label></li>`)}</ul>
      <//>
      <${Trouble} problem=${problem} />
      <${Form} fields=${[{name: "tagName", label: "New tag", required: true}]} label="Create" send=${create} />
    <//>`;
}

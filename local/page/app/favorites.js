// The user's favorites: by type, by tag, found by search, and undo.
import {html, useEffect, useState} from "../vendor/preact.js";
import {me, newKey, path, request} from "../api.js";
import {attempt, forgetLists, notify, useAction, usePages, useSettled} from "./data.js";
import {Dialog, Field, Heading, Pages, Time, Trouble} from "./parts.js";

const TYPES = ["image", "video", "link", "file", "music", "chat", "voice", "note", "position"];

/** Returns the list of a filter. Each of them is one access pattern. */
function listOf({q, type, tag}, tags) {
  const user = path`/users/${me().username}`;
  if (q.trim()) {
    const name = tags.find(({tagId}) => tagId == tag)?.tagName;
    const query = [q.trim(), type && `type:${type}`, name && `tag:"${name}"`].filter(Boolean).join(" ");
    return user + path`/favorites/search?q=${query}`;
  }
  if (tag) return user + path`/tags/${tag}/favorites` + (type && path`/types/${type}`);
  return `${user}/favorites${type && path`/types/${type}`}`;
}

export function Favorites() {
  const [filter, setFilter] = useState(() => {
    const query = new URLSearchParams(location.hash.split("?")[1]);
    return {q: query.get("q") ?? "", type: query.get("type") ?? "", tag: query.get("tag") ?? ""};
  });
  const asked = useSettled(filter);
  const [adding, setAdding] = useState(false);
  const [tagging, setTagging] = useState(null);
  const tags = usePages(path`/users/${me().username}/tags?sort=name&limit=100`, "tags");
  // A tag's name is in its list, so a search waits for it.
  const list = usePages(asked.tag && asked.q && !tags.loaded ? null : listOf(asked, tags.items), "favorites");

  const change = (part) => setFilter({...filter, ...part});
  useEffect(() => {
    history.replaceState(history.state, "", `#/favorites?${new URLSearchParams(asked)}`);
  }, [asked]);

  const added = () => {
    setAdding(false);
    list.reload();
  };
  const count = list.items.length + (list.next ? " or more" : "");
  return html`
    <div class="row"><${Heading} title="Favorites" />
      <button type="button" class="main" onClick=${() => setAdding(true)}>Add</button></div>
    <form role="search" class="filters" onSubmit=${(event) => event.preventDefault()}>
      <${Field} label="Search" name="q" type="search" autocomplete="off" value=${filter.q} maxlength="200"
        onInput=${(event) => change({q: event.target.value})} />
      <${Field} label="Type" name="type" as="select" value=${filter.type} onChange=${(event) => change({type: event.target.value})}>
        <option value="">All types</option>
        ${TYPES.map((type) => html`<option key=${type} value=${type}>${type}</option>`)}
      <//>
      <${Field} label="Tag" name="tag" as="select" value=${filter.tag} onChange=${(event) => change({tag: event.target.value})}>
        <option value="">All tags</option>
        ${tags.items.map(({tagId, tagName}) => html`<option key=${tagId} value=${tagId}>${tagName}</option>`)}
      <//>
    </form>
    <p class="row small quiet"><span role="status">${list.loaded && !list.busy ? `${count} shown` : ""}</span>
      <a href="#/tags">Manage tags</a></p>
    <${Pages} list=${list} empty=${html`<p class="empty">${Object.values(asked).some(Boolean)
      ? "Nothing matches. Words are found by their beginnings." : "No favorites yet. Anything that has a title can be one."}</p>`}>
      <ul class="lines">${list.items.map((favorite) => html`
        <${Row} key=${favorite.dataId} favorite=${favorite} list=${list} onTags=${() => setTagging(favorite)} />`)}</ul>
    <//>
    ${adding && html`<${AddFavorite} onAdded=${added} onClose=${() => setAdding(false)} />`}
    ${tagging && html`<${TagFavorite} favorite=${tagging} tags=${tags} onClose=${() => setTagging(null)} />`}`;
}

function Row({favorite, list, onTags}) {
  const {dataId, dataType, title, contentUrl, clipTime} = favorite;
  const url = path`/users/${me().username}/favorites/${dataId}`;
  const remove = () => attempt(async () => {
    const at = list.items.indexOf(favorite);
    await request("DELETE", url);
    list.setItems((items) => items.filter((item) => item != favorite));
    notify({text: `“${title}” is not a favorite any more.`, label: "Undo", action: async () => {
      const {body} = await request("POST", `${url}/restore`);
      list.setItems((items) => items.toSpliced(at, 0, body));
      notify({text: `“${title}” is back, with its tags.`});
    }});
  });
  return html`
    <li class="favorite">
      <span class="chip">${dataType}</span>
      <div><p class="title">${title}</p>
        <p class="quiet small"><${Time} at=${clipTime} />${contentUrl && ` · ${contentUrl}`}</p></div>
      <button type="button" aria-label="Tags of ${title}" onClick=${onTags}>Tags</button>
      <button type="button" aria-label="Take out ${title}" onClick=${remove}>Take out</button>
    </li>`;
}

function AddFavorite({onAdded, onClose}) {
  const {busy, problem, run} = useAction();
  const [key] = useState(newKey);
  const add = (event) => {
    event.preventDefault();
    const {dataType, title, contentUrl} = Object.fromEntries(new FormData(event.target));
    run(async () => {
      await request("POST", path`/users/${me().username}/favorites`, {
        body: {dataType, title, contentUrl: contentUrl || null},
        headers: {"Idempotency-Key": key},
      });
      forgetLists();
      onAdded();
    });
  };
  return html`
    <${Dialog} title="Add a favorite" onClose=${onClose}>
      <form onSubmit=${add}>
        <${Field} label="Title" name="title" required problem=${problem} />
        <${Field} label="Type" name="dataType" as="select" problem=${problem}>
          ${TYPES.map((type) => html`<option key=${type}>${type}</option>`)}
        <//>
        <${Field} label="Address (optional)" name="contentUrl" placeholder="https://…" problem=${problem} />
        <${Trouble} problem=${problem} shown=${["title", "dataType", "contentUrl"]} />
        <button class="main" disabled=${busy}>Add</button>
      </form>
    <//>`;
}

/** Puts tags on a favorite and takes them off. `tags` is the list of all tags. */
function TagFavorite({favorite, tags, onClose}) {
  const url = path`/users/${me().username}/favorites/${favorite.dataId}/tags`;
  const on = usePages(`${url}?limit=100`, "tags");
  const {problem, run} = useAction();
  const has = (tag) => on.items.some(({tagId}) => tagId == tag.tagId);
  const toggle = (tag, wanted) => run(async () => {
    await request(wanted ? "PUT" : "DELETE", url + path`/${tag.tagId}`);
    on.setItems((items) => wanted ? [...items, tag] : items.filter(({tagId}) => tagId != tag.tagId));
  });
  const create = (event) => {
    event.preventDefault();
    const form = event.target;
    run(async () => {
      const {body} = await request("POST", path`/users/${me().username}/tags`, {body: {tagName: form.tagName.value}});
      tags.setItems((items) => [...items.filter(({tagId}) => tagId != body.tagId), body]);
      form.reset();
      await toggle(body, true);
    });
  };
  return html`
    <${Dialog} title=${`Tags of “${favorite.title}”`} onClose=${onClose}>
      <${Pages} list=${tags} empty=${html`<p class="quiet">You have no tags yet.</p>`}>
        <ul class="checks">${tags.items.map((tag) => html`
          <li key=${tag.tagId}><label><input type="checkbox" checked=${has(tag)} disabled=${!on.loaded}
            onChange=${(event) => toggle(tag, event.target.checked)} /> ${tag.tagName}</label></li>`)}</ul>
      <//>
      <form class="row" onSubmit=${create}>
        <${Field} label="New tag" name="tagName" required problem=${problem} /><button>Create</button>
      </form>
      <${Trouble} problem=${problem} shown=${["tagName"]} />
    <//>`;
}

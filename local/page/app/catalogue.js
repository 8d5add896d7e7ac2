// The two catalogues of schemaless items, songs and people. They are read and written as DynamoDB JSON, in which no set
// becomes a list and no number loses a digit.
import {html, useState} from "../vendor/preact.js";
import {escaped, join, me, path} from "../api.js";
import {attempt, usePages, useSettled} from "./data.js";
import {Field, Heading, Pages} from "./parts.js";
import {EditDocument, pathOf} from "./document.js";

/** The three lists: what their key is, with one of the sample data, their path, and their entries in the answer. */
const KINDS = {
  Songs: {field: "Artist", key: "The Harbour Lights", list: (key) => path`/music/${escaped(key)}`, entries: "songs"},
  Albums: {field: "Genre", key: "Folk", list: (key) => path`/genres/${escaped(key)}/albums`, entries: "albums"},
  People: {field: "Number", key: "1", list: (key) => path`/people/${key}`, entries: (person) => [person]},
};

export function Catalogue({kind = "Songs"}) {
  const {field, list: listOf, entries} = KINDS[kind];
  const [filter, setFilter] = useState({key: KINDS[kind].key, prefix: ""});
  const [editor, setEditor] = useState(me().groups.includes("editors"));
  const [editing, setEditing] = useState(null);
  const {key, prefix} = useSettled(filter);
  const list = usePages(key && `${listOf(key)}?format=dynamodb${prefix && path`&titlePrefix=${prefix}`}`, entries);

  const become = ({target: {checked}}) => attempt(async () => {
    await join("editors", checked);
    setEditor(checked);
  });
  const changed = (document) => {
    setEditing(null);
    const written = document ? [document] : [];
    const isEdited = (other) => pathOf(other) == pathOf(editing);
    list.setItems((items) => items.some(isEdited)
      ? items.flatMap((other) => isEdited(other) ? written : other) : [...written, ...items]);
  };
  const change = editor && kind != "Albums" && setEditing;
  return html`
    <${Heading} title="Catalogue" />
    <nav class="tabs" aria-label="Catalogues">
      ${Object.keys(KINDS).map((name) => html`
        <a key=${name} href="#/catalogue/${name}" aria-current=${name == kind ? "page" : null}>${name}</a>`)}
    </nav>
    <form role="search" class="filters" onSubmit=${(event) => event.preventDefault()}>
      <${Field} label=${field} name="key" value=${filter.key}
        onInput=${({target}) => setFilter({...filter, key: target.value})} />
      ${kind != "People" && html`<${Field} label="Title begins with" name="titlePrefix" value=${filter.prefix}
        onInput=${({target}) => setFilter({...filter, prefix: target.value})} />`}
    </form>
    <p class="row"><label class="switch"><input type="checkbox" role="switch" checked=${editor}
        onChange=${become} />Editor</label>
      <span class="quiet small" role="status">${list.loaded && !list.busy && `${list.items.length} shown`}</span>
      ${change && html`<button type="button" onClick=${() => change({})}>New</button>`}</p>
    <${Pages} list=${list} empty=${html`<p class="empty">Nothing is found.</p>`}>
      <ul class="lines">${list.items.map((document) => html`
        <${Entry} key=${pathOf(document)} document=${document} onEdit=${change && (() => change(document))} />`)}</ul>
    <//>
    ${editing && html`<${EditDocument} document=${editing} songs=${kind == "Songs"} onChanged=${changed}
      onClose=${() => setEditing(null)} />`}`;
}

/** A document: each attribute with its value and its DynamoDB type. */
function Entry({document, onEdit}) {
  const title = (document.SongTitle ?? document.FirstName ?? document.PersonID)?.S ?? document.PersonID.N;
  return html`
    <li class="document">
      <div class="row"><h2>${title}</h2>
        ${onEdit && html`<button type="button" aria-label="Edit ${title}" onClick=${onEdit}>Edit</button>`}</div>
      <dl>${Object.entries(document).map(([name, value]) => Object.entries(value).map(([type, content]) => html`
        <div key=${name}><dt>${name}</dt><dd>${typeof content == "object" ? html`<code>${JSON.stringify(content)}</code>` : String(content)}
          ${" "}<span class="chip">${type}</span></dd></div>`))}</dl>
    </li>`;
}

// The two catalogues of schemaless items, songs and people. They are read and written as DynamoDB JSON, in which no set
// becomes a list and no number loses a digit.
import {html, useState} from "../vendor/preact.js";
import {me, path, signIn} from "../api.js";
import {attempt, forgetLists, notify, usePages, useSettled} from "./data.js";
import {Field, Heading, Pages} from "./parts.js";
import {EditDocument} from "./document.js";

const withPrefix = (prefix) => prefix && path`&titlePrefix=${prefix}`;
const person = (document) => [document];
/** The three lists: their tab, the field of their key with an example of the sample data, their path and their entries. */
const KINDS = {
  songs: ["Songs", "Artist", "The Harbour Lights", ({key, prefix}) => path`/music/${key}?format=dynamodb` + withPrefix(prefix), "songs"],
  albums: ["Albums", "Genre", "Folk", ({key, prefix}) => path`/genres/${key}/albums?format=dynamodb` + withPrefix(prefix), "albums"],
  people: ["People", "Number of the person", "1", ({key}) => path`/people/${key}?format=dynamodb`, person],
};

export function Catalogue({kind}) {
  const [, field, example, listOf, items] = KINDS[kind];
  const [filter, setFilter] = useState({key: example, prefix: ""});
  const [editor, setEditor] = useState(me().editor);
  const [editing, setEditing] = useState(null);
  const asked = useSettled(filter);
  const list = usePages(asked.key ? listOf(asked) : null, items);

  const become = (event) => attempt(async () => {
    const {checked} = event.target;
    await signIn(me().username, checked);
    setEditor(checked);
  });
  const changed = (text) => {
    setEditing(null);
    forgetLists();
    notify({text});
    list.reload();
  };
  return html`
    <${Heading} title="Catalogue" />
    <nav class="tabs" aria-label="Catalogues">
      ${Object.entries(KINDS).map(([name, [label]]) => html`
        <a key=${name} href="#/catalogue/${name}" aria-current=${name == kind ? "page" : null}>${label}</a>`)}
    </nav>
    <form role="search" class="filters" onSubmit=${(event) => event.preventDefault()}>
      <${Field} label=${field} name="key" autocomplete="off" value=${filter.key}
        onInput=${(event) => setFilter({...filter, key: event.target.value})} />
      ${kind != "people" && html`
        <${Field} label="Title begins with" name="titlePrefix" autocomplete="off" value=${filter.prefix}
          onInput=${(event) => setFilter({...filter, prefix: event.target.value})} />`}
    </form>
    <p class="row"><label class="switch"><input type="checkbox" role="switch" checked=${editor} onChange=${become} /> Editor</label>
      ${editor && kind != "albums" && html`
        <button type="button" onClick=${() => setEditing({})}>New ${kind == "people" ? "person" : "song"}</button>`}</p>
    <p class="unseen" role="status">${list.loaded && !list.busy ? `${list.items.length} shown` : ""}</p>
    <${Pages} list=${list} empty=${html`<p class="empty">Nothing is found.</p>`}>
      <ul class="lines">${list.items.map((document) => html`
        <${Entry} key=${pathOf(document)} document=${document} onEdit=${editor && kind != "albums" && (() => setEditing(document))} />`)}
      </ul>
    <//>
    ${editing && html`<${EditDocument} kind=${kind} url=${pathOf(editing)} onChanged=${changed} onClose=${() => setEditing(null)} />`}`;
}

/** Returns the path of a document, or null if it has no key yet. */
function pathOf({Artist, SongTitle, PersonID}) {
  if (PersonID) return path`/people/${PersonID.N}`;
  return Artist ? path`/music/${Artist.S}/${SongTitle.S}` : null;
}

function Entry({document, onEdit}) {
  const {AlbumTitle, SongTitle, FirstName, LastName, PersonID, ...rest} = document;
  const name = [FirstName?.S, LastName?.S].filter(Boolean).join(" ") || PersonID?.N;
  const title = SongTitle?.S ?? name;
  return html`
    <li class="document">
      <div class="row"><h2>${title}</h2>
        ${onEdit && html`<button type="button" aria-label="Edit ${title}" onClick=${onEdit}>Edit</button>`}</div>
      <dl>
        ${Object.entries({...(AlbumTitle && {AlbumTitle}), ...(PersonID && {PersonID}), ...rest}).map(([name, value]) => html`
          <div key=${name}><dt>${name}</dt><dd><${Value} value=${value} /></dd></div>`)}
      </dl>
    </li>`;
}

/** A value with its DynamoDB type. */
function Value({value}) {
  const [[type, content]] = Object.entries(value);
  return html`${typeof content == "object" ? html`<code>${JSON.stringify(content)}</code>` : String(content)}
    ${" "}<span class="type" aria-label="Type ${type}">${type}</span>`;
}

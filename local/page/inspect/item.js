// The attributes of an item, and a form that changes them.

import {html, useContext, useEffect, useRef, useState} from "../vendor/preact.js";
import {TYPES, deleteOf, textOf, updateOf, valueOf} from "./edit.js";
import {Copy, Fold, Stack} from "./parts.js";
import {count, jsonOf, show} from "./values.js";

const typeOf = (value) => Object.keys(value)[0];

/** The attributes of an item, with their types. `onReload` reads the item again. */
export function Item({table, item, selected: {open, attribute}, onReload}) {
  const [edited, setEdited] = useState(null);
  const [done, setDone] = useState(null);
  const chosen = useRef(), button = useRef();
  const {showRequest} = useContext(Stack);
  useEffect(() => chosen.current?.scrollIntoView({block: "center"}), []);
  useEffect(() => { if (done !== null) button.current?.focus(); }, [edited]);
  const end = (isDone) => {
    setEdited(null);
    setDone(isDone);
    onReload();
  };
  // The item stays as it was read while it is edited, whatever the page reads meanwhile.
  if (edited) return html`<${Form} table=${table} item=${edited} onEnd=${end} />`;
  return html`
    <${Fold} start=${open} summary=${count(Object.keys(item).length, "attribute")}>
      <table class="item">${Object.entries(item).map(([name, value]) => html`
        <tr key=${name} ref=${name === attribute ? chosen : null} aria-current=${name === attribute ? "true" : null}>
          <th scope="row">${name} <span class="type">${typeOf(value)}</span></th><td>${value.S ?? show(value)}</td>
        </tr>`)}
      </table>
      <${Copy} as=${{JSON: () => JSON.stringify(jsonOf(item), null, 2), "DynamoDB JSON": () => JSON.stringify(item, null, 2)}} />
    <//>
    <p><button ref=${button} onClick=${() => setEdited(item)}>Edit or delete</button>
      ${done && html` <span role="status">Saved.</span> <button class="link" onClick=${showRequest}>Show the request</button>`}</p>`;
}

/** Returns the attributes to write and to remove, and the errors of fields, by the names of attributes. */
function changesOf(rows, item) {
  const changed = {}, errors = {};
  for (const {name, type, text, isRemoved} of rows) {
    if (isRemoved) {
      if (item[name]) changed[name] = undefined;
    } else if (!item[name] || text !== textOf(item[name])) {
      try { changed[name] = valueOf(type, text); } catch ({message}) { errors[name] = message; }
    }
  }
  return {changed, errors};
}

/** A form with a field for each attribute but the keys. `onEnd` gets whether the item was saved. */
function Form({table, item, onEnd}) {
  const {write} = useContext(Stack);
  const others = Object.keys(item).filter((name) => !table.keys.includes(name));
  const [rows, setRows] = useState(others.map((name) => ({name, type: typeOf(item[name]), text: textOf(item[name])})));
  const [added, setAdded] = useState({name: "", type: "S"});
  const [problem, setProblem] = useState(null);
  const [isBusy, setBusy] = useState(false);
  const [isSure, setSure] = useState(false);
  const form = useRef();
  useEffect(() => form.current.querySelector("input, select, textarea").focus(), []);
  const {changed, errors} = changesOf(rows, item);
  const number = Object.keys(changed).length;
  const change = (name, parts) => setRows(rows.map((row) => row.name === name ? {...row, ...parts} : row));
  const send = async (operation, body) => {
    setBusy(true);
    const {error} = await write(operation, body).catch((error) => ({error}));
    setBusy(false);
    if (error) setProblem(error);
    else onEnd(operation === "UpdateItem");
  };
  const save = (event) => {
    event.preventDefault();
    if (number > 0 && Object.keys(errors).length === 0) send("UpdateItem", updateOf(table.name, table.keys, item, changed));
  };
  const add = () => {
    setRows([...rows, {...added, text: added.type === "BOOL" ? "true" : ""}]);
    setAdded({name: "", type: "S"});
  };
  const isTaken = table.keys.includes(added.name) || rows.some(({name}) => name === added.name);
  const isStale = problem?.name === "ConditionalCheckFailedException";
  return html`
    <form class="edit" ref=${form} onSubmit=${save}>
      <table class="item">
        ${table.keys.map((name, index) => html`
          <tr key=${name}>
            <th scope="row">${name} <span class="type">${typeOf(item[name])}</span></th>
            <td colspan="2"><code>${textOf(item[name])}</code>${index === 0 && html` <span class="figures">The key cannot be changed.</span>`}</td>
          </tr>`)}
        ${rows.map((row) => html`<${Row} key=${row.name} row=${row} isChanged=${row.name in changed} error=${errors[row.name]} onChange=${(parts) => change(row.name, parts)} />`)}
      </table>
      <fieldset>
        <legend>Add an attribute</legend>
        <input name="field-added" aria-label="Name of the attribute" placeholder="Name" autocomplete="off" value=${added.name} onInput=${({target}) => setAdded({...added, name: target.value})} />
        <select name="field-added-type" aria-label="Type of the attribute" value=${added.type} onChange=${({target}) => setAdded({...added, type: target.value})}>
          ${Object.entries(TYPES).map(([type, name]) => html`<option key=${type} value=${type}>${type}: ${name}</option>`)}
        </select>
        <button type="button" disabled=${!added.name || isTaken} onClick=${add}>Add</button>
      </fieldset>
      ${problem && html`
        <p class="bad" role="alert">${isStale ? "Nothing was written, because the item has changed since you opened it." : `Nothing was written. ${problem.message}`}
          ${" "}${isStale && html`<button type="button" onClick=${() => onEnd(false)}>Read it again</button>`}</p>`}
      <p class="choices">
        <button class="main" disabled=${isBusy || number === 0 || Object.keys(errors).length > 0}>Save ${count(number, "change")}</button>
        <button type="button" onClick=${() => onEnd(false)}>Discard</button>
        ${isSure ? html`<span>Only this item is deleted.</span> <button type="button" class="bad" disabled=${isBusy} onClick=${() => send("DeleteItem", deleteOf(table.name, table.keys, item))}>Delete for good</button>
          <button type="button" onClick=${() => setSure(false)}>Keep</button>`
          : html`<button type="button" class="bad" onClick=${() => setSure(true)}>Delete the item</button>`}
      </p>
    </form>`;
}

/** An attribute with its type, a field, and a button that removes it. */
function Row({row: {name, type, text, isRemoved}, isChanged, error, onChange}) {
  const field = {
    name: `field-item-${name}`, "aria-label": name, "aria-invalid": error && "true", value: text, disabled: isRemoved, spellcheck: false,
    onInput: ({target}) => onChange({text: target.value}),
  };
  return html`
    <tr class=${isChanged ? "changed" : ""}>
      <th scope="row">${isRemoved ? html`<del>${name}</del>` : name} <span class="type">${type}</span></th>
      <td>
        ${type === "NULL" ? html`<code>null</code>` : type === "BOOL" ? html`<select ...${field}><option>true</option><option>false</option></select>`
          : type === "N" ? html`<input inputmode="decimal" autocomplete="off" ...${field} />`
          : html`<textarea rows=${Math.min(8, text.split("\n").length + (text.length > 60))} ...${field} />`}
        ${error && html`<p class="bad">${name} ${error}.</p>`}
      </td>
      <td><button type="button" aria-label=${`${isRemoved ? "Keep" : "Remove"} ${name}`} onClick=${() => onChange({isRemoved: !isRemoved})}>${isRemoved ? "Keep" : "Remove"}</button></td>
    </tr>`;
}

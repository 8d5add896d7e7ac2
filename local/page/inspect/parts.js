// Small parts that the views share.

import {createContext, html, useContext, useEffect, useState} from "../vendor/preact.js";
import {pick, plain, show} from "./values.js";

/**
 * What all views know: tables, patterns and the rules of operations by name, and prices; `select`, which shows an item where
 * it lies; `showPattern`, which shows an access pattern; `write`, which writes an item, `written`, how often that was, and
 * `showRequest`, which shows the last write.
 */
export const Stack = createContext();

/** Details whose content exists only while they are open. */
export function Fold({summary, start, children}) {
  const [open, setOpen] = useState(start);
  return html`
    <details open=${open} onToggle=${(event) => setOpen(event.currentTarget.open)}>
      <summary>${summary}</summary>
      ${open && html`<div>${children}</div>`}
    </details>`;
}

/** A list that shows its first entries, and more of them on demand. */
export function List({of, each, label, first = 25}) {
  const [shown, setShown] = useState(first);
  return of.length > 0 && html`
    <ol aria-label=${label}>${of.slice(0, shown).map(each)}
      ${of.length > shown && html`<li><button onClick=${() => setShown(shown * 4)}>${of.length - shown} more</button></li>`}
    </ol>`;
}

/** The primary key of an item, which shows the item where it lies. */
export function Key({table, item, request}) {
  const {tables, select} = useContext(Stack);
  const key = Object.values(pick(item, tables.get(table)?.keys ?? []));
  return key.length > 0 && html`
    <button class="key" title="Show where it lies" onClick=${() => select({table, item, request})}>
      ${key.map((value) => html`<code>${plain(value)}</code> `)}
    </button>`;
}

/** The attributes of an item without its key: those that fit into a line, and all of them when it is unfolded. */
export function Attributes({table, item, are}) {
  const keys = useContext(Stack).tables.get(table)?.keys ?? [];
  const list = Object.entries(item ?? {}).filter(([name]) => !keys.includes(name));
  return list.length > 0 && html`
    <details class="attributes">
      <summary>${are} <code>${list.map(([name, value]) => `${name}: ${show(value)}`).join(", ")}</code></summary>
      <dl>${list.map(([name, value]) => html`<dt>${name}</dt><dd><code>${show(value)}</code></dd>`)}</dl>
    </details>`;
}

/** A button that shows an access pattern. */
export function FunctionLink({name}) {
  const {showPattern} = useContext(Stack);
  return html`<button class="link" onClick=${() => showPattern(name)}>${name}</button>`;
}

/** Returns a route or a path that breaks into lines before its slashes and underscores. */
export const breakable = (path) => path.split(/(?=[/_])/).map((part, index) => index ? html`<wbr />${part}` : part);
/** Text with code in backticks. */
export const Prose = ({text}) => text.split("`").map((part, index) => index % 2 ? html`<code>${part}</code>` : part);

/** Buttons that copy a request in several languages, and show what they copied. */
export function Copy({as}) {
  const [text, setText] = useState("");
  const [status, setStatus] = useState("");
  const copy = async (text) => {
    setText(text);
    // Browsers have a clipboard only on localhost and with TLS.
    setStatus(await navigator.clipboard?.writeText(text).then(() => "Copied.", () => "") ?? "");
  };
  return html`
    <p>Copy as ${Object.entries(as).map(([name, write]) => html`<button onClick=${() => copy(write())}>${name}</button> `)}
      <span role="status">${status}</span></p>
    ${text && html`<pre tabindex="0">${text}</pre>`}`;
}

/** Returns what a path of the local stack answers. */
export async function get(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} answers ${response.status}.`);
  return response.json();
}

/** Sends a write of an item to DynamoDB. Returns its trace and, if it failed, the error as DynamoDB says it. */
export async function send(operation, body) {
  const headers = {"content-type": "application/x-amz-json-1.0", "x-amz-target": `DynamoDB_20120810.${operation}`};
  const response = await fetch("/local/dynamodb", {method: "POST", headers, body: JSON.stringify(body)});
  const answer = await response.json();
  const trace = response.headers.get("x-amzn-trace-id")?.slice("Root=".length);
  return {trace, error: response.ok ? null : {name: answer.__type?.split("#").pop(), message: answer.message ?? answer.Message ?? answer.detail}};
}

/** Returns the state of an answer that is loaded again when an input changes: nothing yet, the answer, or an error. */
export function useLoaded(load, inputs) {
  const [state, setState] = useState({});
  useEffect(() => {
    let current = true;
    const set = (state) => current && setState(state);
    load().then((answer) => set({answer}), ({message}) => set({error: html`<p class="bad" role="alert">${message}</p>`}));
    return () => { current = false; };
  }, inputs);
  return state;
}

/** Returns the items of a partition, in key order. */
export const getItems = (table, index, key) => getTable(table, "items", {index, key: JSON.stringify(key)});

/** Returns what an endpoint of a table answers, with the parameters that have a value. */
export const getTable = (table, endpoint, parameters) =>
  get(`/local/tables/${encodeURIComponent(table)}/${endpoint}?${new URLSearchParams(Object.entries(parameters).filter(([, value]) => value))}`);

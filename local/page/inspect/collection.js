// An item where it lies: its item collections in the table and in each index that has it.

import {html, useContext, useEffect, useRef, useState} from "../vendor/preact.js";
import {Item} from "./item.js";
import {FunctionLink, Stack, getItems, useLoaded} from "./parts.js";
import {bounds, read} from "./range.js";
import {named} from "./requests.js";
import {bytes, count, plain, same} from "./values.js";

/** The number of neighbours of the item, and of the ends of what was read, that are shown. */
const NEIGHBOURS = 4;

/**
 * A dialog with an item and its collections. What the request that named it read or wrote is marked. `selected.open` shows
 * the attributes first, with the one that `selected.attribute` names.
 */
export function Collection({selected, table, onSelect}) {
  const dialog = useRef();
  useEffect(() => dialog.current.showModal(), []);
  const [round, setRound] = useState(0);
  const {answer, error} = useLoaded(() => collections(selected.item, table, selected.request?.body.IndexName ?? selected.place), [selected, round]);
  return html`
    <dialog ref=${dialog} onClose=${() => onSelect(null)} aria-labelledby="collection">
      <form method="dialog" class="row"><h2 id="collection">${table.keys.map((key) => html`<code>${plain(selected.item[key])}</code> `)}</h2> <button>Close</button></form>
      ${error}
      ${answer && (answer.item ? html`
        <${Item} key=${table.keys.map((key) => plain(answer.item[key])).join(" ")} table=${table} item=${answer.item} selected=${selected} onReload=${() => setRound(round + 1)} />`
        : html`<p role="status">The item does not exist any more.</p>`)}
      ${answer?.kind && html`<${Kind} name=${answer.kind} />`}
      <h3>Where the item lies</h3>
      <p>Items with one partition key lie together, in the order of their sort keys: strings by their UTF‑8 bytes, so <code>#</code> comes
        before digits, and digits before letters.</p>
      ${answer?.found.map((place) => html`<${Place} key=${place.name} place=${place} table=${table} selected=${selected} onSelect=${onSelect} />`)}
    </dialog>`;
}

/** The access patterns that fit, as links. */
function Functions({that}) {
  const list = [...useContext(Stack).patterns.values()].filter(that);
  return list.length > 0 ? list.map(({function: name}, index) => html`${index > 0 && ", "}<${FunctionLink} name=${name} />`) : "no function on the sample data";
}

/** What writes and what reads items of a kind, as the contract test recorded it. */
const Kind = ({name}) => html`
  <h3>Items of the kind ${name}</h3>
  <dl class="kind">
    <dt>Written by</dt><dd><${Functions} that=${({kinds}) => kinds.writes.includes(name)} /></dd>
    <dt>Read by</dt><dd><${Functions} that=${({kinds}) => kinds.reads.includes(name)} /></dd>
  </dl>`;

/** Returns the collections, and the item as it is now. */
async function collections(seen, table, queried) {
  const load = async (place, item) =>
    ({...place, ...await getItems(table.name, place.kind && place.name, place.keys.slice(0, place.hash).map((name) => item[name]))});
  const own = await load({...table, hash: 1}, seen);
  const {item, kind} = own.items.find((entry) => same(entry.item, seen, table.keys)) ?? {};
  const indexes = table.indexes.filter(({keys}) => keys.every((name) => (item ?? seen)[name]));
  const found = [own, ...await Promise.all(indexes.map((index) => load(index, item ?? seen)))];
  // What was queried comes first.
  return {item, kind, found: found.sort((one, other) => (other.name === queried) - (one.name === queried))};
}

function Place({place: {name, kind, keys, hash, items: entries, more}, table, selected, onSelect}) {
  const [all, setAll] = useState(false);
  const {item: chosen, request} = selected;
  const items = entries.map(({item}) => item);
  const sort = keys.slice(hash);
  const query = request?.body.KeyConditionExpression && request.body.TableName === table.name && (request.body.IndexName ?? table.name) === name;
  const others = request && !query ? named(request, () => table.keys).list.filter((other) => other.table === table.name) : [];
  const marks = query ? read(request, items, sort[0], table.keys) : items.map((item) => others.some(({key}) => same(key, item, Object.keys(key))));
  const ends = query ? bounds(request.body, items, sort[0]) : [];
  const at = items.findIndex((item) => same(item, chosen, table.keys));
  const isNear = (index) => all || Math.abs(index - at) <= NEIGHBOURS || ends.some(({before}) => index === before || index === before - 1) ||
    items.some((_, end) => Math.abs(index - end) <= 1 && marks[end] !== (marks[end - 1] ?? marks[0]));
  const number = marks.filter(Boolean).length;

  const rows = [];
  let hidden = 0;
  const showHidden = (end) => {
    if (hidden) rows.push(html`<li class=${marks[end - 1] ? "read" : ""}><button onClick=${() => setAll(true)}>${count(hidden, "more item")}</button></li>`);
    hidden = 0;
  };
  for (let index = 0; index <= items.length; index += 1) {
    const here = ends.filter(({before}) => before === index);
    if (here.length || index === items.length || isNear(index)) showHidden(index);
    rows.push(...here.map(({value, upper}) => html`<li class="bound">${upper ? "to" : "from"} <code>${plain(value)}</code></li>`));
    if (index === items.length) break;
    if (!isNear(index)) {
      hidden += 1;
      continue;
    }
    const item = items[index];
    rows.push(html`
      <li class=${marks[index] ? "read" : ""} aria-current=${index === at ? "true" : null}>
        <button class="key" onClick=${() => onSelect({...selected, item})}>
          ${sort.map((name) => html`<code>${plain(item[name])}</code> `)}
          ${table.keys.filter((key) => !keys.includes(key)).map((key) => html`<code class="quiet">${plain(item[key])}</code> `)}
        </button>
        <span class="figures"> ${bytes(entries[index].bytes)}${marks[index] ? query ? " · read" : " · in this request" : ""}${index === at ? " · this item" : ""}</span>
      </li>`);
  }
  return html`
    <h4>${name === table.name ? "Table" : "Index"} ${name}</h4>
    <p>${keys.slice(0, hash).map((key) => html`${key} = <code>${plain((items[0] ?? chosen)[key])}</code>, `)}
      ${more && "more than "}${count(items.length, "item")}, ${bytes(entries.reduce((sum, {bytes}) => sum + bytes, 0))}${sort.length > 0 && ` in the order of ${sort.join(", ")}`}.
      ${query && number > 0 && ` The Query read ${number} of them, ${request.body.ScanIndexForward === false ? "backward" : "forward"}${request.answer.LastEvaluatedKey ? ", and stopped at its limit" : ""}.`}</p>
    <ol class="place">${rows}</ol>
    ${kind && html`<p class="figures">The index is read by <${Functions} that=${({asks, sometimes}) => [...asks, ...sometimes].some((ask) => ask.endsWith(` ${name}`))} />.</p>`}`;
}

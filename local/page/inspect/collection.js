// An item where it lies: its item collections in the table and in each index that has it.

import {html, useContext, useEffect, useRef, useState} from "../vendor/preact.js";
import {Copy, Fold, FunctionLink, Stack, getItems, useLoaded} from "./parts.js";
import {bounds, keyBytes, read} from "./range.js";
import {named} from "./requests.js";
import {bytes, count, fits, jsonOf, plain, same, show} from "./values.js";

/** The number of neighbours of the item, and of the ends of what was read, that are shown. */
const NEIGHBOURS = 4;

/**
 * A dialog with an item and its collections. What the request that named it read or wrote is marked. `selected.open` shows
 * the attributes first, with the one that `selected.attribute` names.
 */
export function Collection({selected, table, onSelect}) {
  const dialog = useRef();
  useEffect(() => dialog.current.showModal(), []);
  const {answer, error} = useLoaded(() => collections(selected.item, table, selected.request?.body.IndexName ?? selected.place), [selected]);
  return html`
    <dialog ref=${dialog} onClose=${() => onSelect(null)} aria-labelledby="collection">
      <form method="dialog" class="row"><h2 id="collection">${table.keys.map((key) => html`<code>${plain(selected.item[key])}</code> `)}</h2> <button>Close</button></form>
      ${error}
      ${answer && (answer.item ? html`<${Item} key=${table.keys.map((key) => plain(answer.item[key])).join(" ")} item=${answer.item} selected=${selected} />` : html`<p>The item does not exist any more.</p>`)}
      <h3>Where the item lies</h3>
      <p>Items with one partition key lie together, in the order of their sort keys: strings by their UTF‑8 bytes, of which
        the first two are at the left, in hexadecimal.</p>
      ${answer?.found.map((place) => html`<${Place} key=${place.name} place=${place} table=${table} selected=${selected} onSelect=${onSelect} />`)}
    </dialog>`;
}

/** The attributes of an item, with their types. */
function Item({item, selected: {open, attribute}}) {
  const chosen = useRef();
  useEffect(() => chosen.current?.scrollIntoView({block: "center"}), []);
  return html`
    <${Fold} start=${open} summary=${count(Object.keys(item).length, "attribute")}>
      <table class="item">${Object.entries(item).map(([name, value]) => html`
        <tr key=${name} ref=${name === attribute ? chosen : null} aria-current=${name === attribute ? "true" : null}>
          <th scope="row">${name} <span class="type">${Object.keys(value)[0]}</span></th><td>${value.S ?? show(value)}</td>
        </tr>`)}
      </table>
      <${Copy} as=${{JSON: () => JSON.stringify(jsonOf(item), null, 2), "DynamoDB JSON": () => JSON.stringify(item, null, 2)}} />
    <//>`;
}

/** The access patterns that touch the partition of an item, by what its row of the contract test recorded. */
function Touched({place, keys, item}) {
  const {patterns} = useContext(Stack);
  const key = keys.map((name) => plain(item[name])).join(" + ");
  const touched = [...patterns.values()].map(({function: name, partitions}) =>
    ({name, of: partitions.filter((partition) => partition.place === place && fits(key, partition.key))}));
  return ["read", "write"].map((kind) => {
    const list = touched.filter(({of}) => of.some((partition) => partition[kind] > 0));
    return list.length > 0 && html`
      <p class="figures">Partitions like this are ${kind === "read" ? "read" : "written"} by ${list.map(({name}, index) => html`${index > 0 && ", "}<${FunctionLink} name=${name} />`)}.</p>`;
  });
}

/** Returns the collections, and the item as it is now. */
async function collections(seen, table, queried) {
  const load = async (place, item) =>
    ({...place, ...await getItems(table.name, place.kind && place.name, place.keys.slice(0, place.hash).map((name) => item[name]))});
  const own = await load({...table, hash: 1}, seen);
  const item = own.items.find((entry) => same(entry.item, seen, table.keys))?.item;
  const indexes = table.indexes.filter(({keys}) => keys.every((name) => (item ?? seen)[name]));
  const found = [own, ...await Promise.all(indexes.map((index) => load(index, item ?? seen)))];
  // What was queried comes first.
  return {item, found: found.sort((one, other) => (other.name === queried) - (one.name === queried))};
}

function Place({place: {name, keys, hash, items: entries, more}, table, selected, onSelect}) {
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
          ${sort.map((name) => html`<span class="hex" aria-hidden="true">${hex(item[name])}</span> <code>${plain(item[name])}</code> `)}
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
    <${Touched} place=${name} keys=${keys.slice(0, hash)} item=${items[0] ?? chosen} />`;
}

const hex = (value) => value.N === undefined ? Array.from(keyBytes(value).slice(0, 2), (byte) => byte.toString(16).padStart(2, "0")).join(" ") : "";

// Every table and index as a grid, page by page.

import {html, useContext, useEffect, useLayoutEffect, useRef, useState} from "../vendor/preact.js";
import {useSettled} from "../app/data.js";
import {Stack, getTable, useLoaded} from "./parts.js";
import {bytes, cell, columns, count, plain, same} from "./values.js";

/** The number of rows of a page. */
const LIMIT = 50;

/** The number of characters from which on a cell is cut, and the most that it shows when something points at it. */
const MAX_CELL = 32, MAX_WHOLE = 1000;

/** What a filter by an attribute can ask, as the stack names it. */
const OPERATORS = {"=": "=", begins: "begins with", exists: "exists"};

const EMPTY = {prefix: "", entity: "", attribute: "", operator: "=", value: ""};

/** The tables. `place` is the table and the index that is shown. */
export function Tables({place, onPlace}) {
  const {tables, load} = useContext(Stack);
  useEffect(load, []);
  const table = tables.get(place.table) ?? [...tables.values()][0];
  if (!table) return html`<p>There are no tables that can be shown here.</p>`;
  const index = table.indexes.find(({name}) => name === place.index);
  const tab = (target, label, {items}) => html`
    <button aria-current=${target.table === table.name && target.index === index?.name ? "true" : null} onClick=${() => onPlace(target)}>
      ${label} <span class="figures">${items.toLocaleString("en")}</span></button>`;
  return html`
    <nav class="tabs" aria-label="Tables">${[...tables.values()].map((each) => html`
      <button key=${each.name} aria-current=${each === table ? "true" : null} onClick=${() => onPlace({table: each.name})}>${each.name}</button>`)}
    </nav>
    ${table.indexes.length > 0 && html`
      <nav class="tabs" aria-label="Indexes">
        ${tab({table: table.name}, "Table", table)}
        ${table.indexes.map((each) => tab({table: table.name, index: each.name}, each.name, each))}
      </nav>`}
    <${Facts} table=${table} index=${index} />
    <${Rows} key=${`${table.name} ${index?.name}`} table=${table} index=${index} />`;
}

/** What a table or an index is. */
const Facts = ({table, index}) => html`
  <p class="figures">
    ${index ? html`${index.kind === "global" ? "Global" : "Local"} secondary index. Partition key ${index.keys.slice(0, index.hash).join(", ")}; sort key
      ${" "}${index.keys.slice(index.hash).join(", ")}; projects ${[index.projection].flat().join(", ")}.`
      : html`Primary key ${table.keys.join(", ")}${table.ttl && `; time to live ${table.ttl}`}${table.stream && "; with a stream"}.`}
    ${" "}${count((index ?? table).items, "item")} in ${count((index ?? table).partitions, "partition")}, ${bytes((index ?? table).bytes)}.
  </p>`;

/** The rows of a table or an index, with their filter. */
function Rows({table, index}) {
  const {load, written} = useContext(Stack);
  const [filter, setFilter] = useState(EMPTY);
  // The start of each page up to the one that is shown.
  const [starts, setStarts] = useState([""]);
  const [round, setRound] = useState(0);
  const typed = useSettled(filter);
  const start = starts.at(-1);
  const isComplete = typed.attribute && (typed.operator === "exists" || typed.value);
  const asked = {
    ...isComplete ? typed : {prefix: typed.prefix}, entity: filter.entity, index: index?.name, start, limit: LIMIT,
  };
  const {answer, error} = useLoaded(() => getTable(table.name, "rows", asked), [JSON.stringify(asked), round, written]);
  useEffect(() => { if (written) load(); }, [written]);
  const change = (parts) => {
    setFilter({...filter, ...parts});
    setStarts([""]);
  };
  const field = (name, label, more) => html`
    <input name=${`field-${name}`} aria-label=${label} placeholder=${label} spellcheck="false" autocomplete="off"
      value=${filter[name]} onInput=${({target}) => change({[name]: target.value})} ...${more} />`;
  const {entities, items} = index ?? table;
  const choice = (entity, label, items) => html`
    <button key=${label} aria-pressed=${filter.entity === entity} onClick=${() => change({entity})}>${label} <span class="figures">${items.toLocaleString("en")}</span></button>`;
  const first = (starts.length - 1) * LIMIT;
  return html`
    <div class="filter">
      <div class="fields">
        ${field("prefix", "A key begins with …", {type: "search"})}
        <div role="group" aria-label="Filter by an attribute">
          ${field("attribute", "Attribute", {list: "attributes"})}
          <select name="field-operator" aria-label="Operator" value=${filter.operator} onChange=${({target}) => change({operator: target.value})}>
            ${Object.entries(OPERATORS).map(([operator, label]) => html`<option key=${operator} value=${operator}>${label}</option>`)}
          </select>
          ${filter.operator !== "exists" && field("value", "Value", {type: "search"})}
        </div>
        <datalist id="attributes">${answer && columns(answer.rows.map(({item}) => item), []).map(({name}) => html`<option key=${name} value=${name} />`)}</datalist>
      </div>
      ${entities.length > 0 && html`<div role="group" aria-label="Entity">
        ${choice("", "All", items)}${entities.map(({name, items}) => choice(name, name, items))}
      </div>`}
    </div>
    ${error}
    ${answer && html`
      <${Grid} table=${table} index=${index} rows=${answer.rows} />
      <p class="pager">
        <span role="status">${answer.total > 0 ? `${first + 1}–${first + answer.rows.length} of ${count(answer.total, "item")}` : "No item"}</span>
        <button disabled=${first === 0} onClick=${() => setStarts(starts.slice(0, -1))}>Previous</button>
        <button disabled=${!answer.next} onClick=${() => setStarts([...starts, JSON.stringify(answer.next)])}>Next</button>
        <button onClick=${() => { setRound(round + 1); load(); }}>Reload</button>
      </p>`}`;
}

/** Shows the whole value of a cell of a grid that is cut and that has the pointer or the focus. */
function Whole({grid}) {
  const box = useRef();
  useEffect(() => {
    const hide = () => box.current?.togglePopover(false);
    const show = ({target, type}) => {
      const cell = target.closest(".cut");
      if (!cell || type === "focusin" && !cell.matches(":focus-visible")) return hide();
      box.current.textContent = cell.textContent;
      box.current.togglePopover(true);
      const {left, top, bottom} = cell.getBoundingClientRect();
      const {offsetWidth, offsetHeight, style} = box.current;
      style.left = `${Math.max(8, Math.min(left, innerWidth - offsetWidth - 8))}px`;
      style.top = `${bottom + offsetHeight < innerHeight ? bottom : Math.max(8, top - offsetHeight)}px`;
    };
    // The focus scrolls a cell into sight.
    const scroll = () => show({target: document.activeElement, type: "focusin"});
    const leave = ({relatedTarget}) => { if (relatedTarget !== box.current) hide(); };
    const listeners = {pointerover: show, focusin: show, pointerleave: leave, focusout: hide, scroll, click: hide, keydown: ({key}) => { if (key === "Escape") hide(); }};
    for (const [type, listener] of Object.entries(listeners)) grid.current.addEventListener(type, listener);
  }, []);
  return html`<div class="whole-value" popover="manual" role="tooltip" ref=${box} onPointerLeave=${({currentTarget}) => currentTarget.togglePopover(false)}></div>`;
}

function Grid({table, index, rows}) {
  const {select} = useContext(Stack);
  const grid = useRef();
  const own = index ?? {...table, hash: 1};
  const keys = [...new Set([...own.keys, ...table.keys])];
  const hash = own.keys.slice(0, own.hash);
  const shown = columns(rows.map(({item}) => item), keys);
  const open = (row, more) => select({table: table.name, item: row.item, place: own.name, ...more});
  // The keys stay in sight: each begins where those before it end, and what has the focus does not lie below them.
  useLayoutEffect(() => {
    const {style} = grid.current;
    let left = 0;
    grid.current.querySelectorAll("thead .pin").forEach((head, number) => {
      style.setProperty(`--pin-${number}`, `${left}px`);
      left += head.offsetWidth;
      if (getComputedStyle(head).left !== "auto") style.scrollPaddingLeft = `${left}px`;
    });
  }, [rows]);
  const pin = (number) => number < own.keys.length && {class: "pin", style: {left: `var(--pin-${number})`}};
  const content = (row, name, begins) => {
    const text = cell(row.item[name]);
    const code = keys.includes(name) ? html`<code class=${hash.includes(name) && !begins ? "quiet" : ""}>${text.slice(0, MAX_WHOLE)}</code>` : text.slice(0, MAX_WHOLE);
    // The first row of a partition leads to all of it.
    if (hash.includes(name) && begins) return html`<button class="link" title="Show the partition" onClick=${() => open(row)}>${code}</button>`;
    return text.length > MAX_CELL ? html`<button class="cut" onClick=${() => open(row, {open: true, attribute: name})}>${code}</button>` : code;
  };
  return html`
    <div class="grid" role="region" aria-label="Items" tabindex="0" ref=${grid}>
      <table>
        <thead><tr><th scope="col">Item</th>${shown.map(({name, types}, number) => html`
          <th key=${name} scope="col" ...${pin(number)}>${name} <span class="type">${types.join(" ")}</span></th>`)}</tr></thead>
        <tbody>${rows.map((row, number) => {
          const {item, entity} = row;
          const begins = number === 0 || !same(item, rows[number - 1].item, hash);
          const name = keys.map((key) => plain(item[key])).join(" ");
          return html`
            <tr key=${name} class=${begins ? "begins" : ""}>
              <td><button class="link" aria-label=${`${entity ?? "Item"} ${name}`} onClick=${() => open(row, {open: true})}>${entity ?? "Item"}</button></td>
              ${shown.map(({name}, number) => html`<td key=${name} class=${item[name]?.N ? "number" : ""} ...${pin(number)}>${content(row, name, begins)}</td>`)}
            </tr>`;
        })}</tbody>
      </table>
    </div>
    <${Whole} grid=${grid} />`;
}

// Every table and index as a grid, page by page.

import {html, useContext, useEffect, useState} from "../vendor/preact.js";
import {useSettled} from "../app/data.js";
import {Stack, getTable, useLoaded} from "./parts.js";
import {bytes, cell, columns, count, plain, same} from "./values.js";

/** The number of rows of a page. */
const LIMIT = 50;

/** The number of characters from which on a cell is cut. */
const MAX_CELL = 32;

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
  const {load} = useContext(Stack);
  const [filter, setFilter] = useState({prefix: "", entity: ""});
  // The start of each page up to the one that is shown.
  const [starts, setStarts] = useState([""]);
  const [round, setRound] = useState(0);
  const prefix = useSettled(filter.prefix);
  const start = starts.at(-1);
  const {answer, error} = useLoaded(() => getTable(table.name, "rows", {...filter, prefix, index: index?.name, start, limit: LIMIT}),
    [prefix, filter.entity, start, round]);
  const change = (parts) => {
    setFilter({...filter, ...parts});
    setStarts([""]);
  };
  const {entities, items} = index ?? table;
  const choice = (entity, label, items) => html`
    <button key=${label} aria-pressed=${filter.entity === entity} onClick=${() => change({entity})}>${label} <span class="figures">${items.toLocaleString("en")}</span></button>`;
  const first = (starts.length - 1) * LIMIT;
  return html`
    <div class="filter">
      <input type="search" name="field-prefix" aria-label="A key begins with" placeholder="A key begins with …" spellcheck="false" autocomplete="off"
        value=${filter.prefix} onInput=${({target}) => change({prefix: target.value})} />
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

function Grid({table, index, rows}) {
  const {select} = useContext(Stack);
  const own = index ?? {...table, hash: 1};
  const keys = [...new Set([...own.keys, ...table.keys])];
  const hash = own.keys.slice(0, own.hash);
  const shown = columns(rows.map(({item}) => item), keys);
  const open = (row, more) => select({table: table.name, item: row.item, place: own.name, ...more});
  return html`
    <div class="grid" role="region" aria-label="Items" tabindex="0">
      <table>
        <thead><tr><th scope="col">Item</th>${shown.map(({name, types}) => html`
          <th key=${name} scope="col" class=${keys.includes(name) ? "own" : ""}>${name} <span class="type">${types.join(" ")}</span></th>`)}</tr></thead>
        <tbody>${rows.map((row, number) => {
          const {item, entity} = row;
          // The first row of a partition leads to all of it.
          const begins = number === 0 || !same(item, rows[number - 1].item, hash);
          const name = keys.map((key) => plain(item[key])).join(" ");
          return html`
            <tr key=${name} class=${begins ? "begins" : ""}>
              <td><button class="link" aria-label=${`${entity ?? "Item"} ${name}`} onClick=${() => open(row, {open: true})}>${entity ?? "Item"}</button></td>
              ${shown.map(({name}) => {
                const text = cell(item[name]);
                if (hash.includes(name)) return html`<td>${begins ? html`<button class="link" title="Show the partition" onClick=${() => open(row)}><code>${text}</code></button>` : html`<code class="quiet">${text}</code>`}</td>`;
                return html`<td class=${item[name]?.N ? "number" : ""}>${text.length > MAX_CELL
                  ? html`<button class="cut" title="Show all of it" onClick=${() => open(row, {open: true, attribute: name})}>${text.slice(0, 2 * MAX_CELL)}</button>` : keys.includes(name) ? html`<code>${text}</code>` : text}</td>`;
              })}
            </tr>`;
        })}</tbody>
      </table>
    </div>`;
}

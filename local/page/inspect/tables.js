// Every table and index, by partition.

import {html, useContext, useEffect, useState} from "../vendor/preact.js";
import {Fold, Key, List, Stack, get, getItems, place, useLoaded} from "./parts.js";
import {bytes, count, plain} from "./values.js";

export function Tables() {
  const {tables, load} = useContext(Stack);
  useEffect(load, []);
  return [...tables.values()].map((table) => html`
    <section key=${table.name}>
      <h3>${table.name}</h3>
      <${Fold} summary=${size("Table", table)}>
        <p>Primary key ${table.keys.join(", ")}${table.ttl && `; time to live ${table.ttl}`}${table.stream && "; with a stream"}.</p>
        <${Partitions} table=${table.name} />
      <//>
      ${table.indexes.map((index) => html`
        <${Fold} key=${index.name} summary=${size(index.name, index)}>
          <p>${index.kind === "global" ? "Global" : "Local"} secondary index. Partition key ${index.keys.slice(0, index.hash).join(", ")};
            sort key ${index.keys.slice(index.hash).join(", ")}; projects ${[index.projection].flat().join(", ")}.</p>
          <${Partitions} table=${table.name} index=${index.name} />
        <//>`)}
    </section>`);
}

const size = (name, {items, bytes: size, partitions}) => html`
  <b>${name}</b> <span class="figures">${count(items, "item")} · ${bytes(size)}${partitions != null && ` · ${count(partitions, "partition")}`}</span>`;

/** The partitions of a table or an index, page by page. */
function Partitions({table, index}) {
  const [seen, setSeen] = useState([]);
  const [after, setAfter] = useState(0);
  const {answer, error} = useLoaded(() => get(`/local/tables/${encodeURIComponent(table)}/partitions?${place(index)}after=${after}`), [after]);
  useEffect(() => { if (answer) setSeen([...seen, ...answer.partitions]); }, [answer]);
  return html`
    ${error}
    <ul>${seen.map((partition) => html`
      <li key=${JSON.stringify(partition.key)}>
        <${Fold} summary=${size(partition.key.map(plain).join(" "), partition)}><${Items} table=${table} index=${index} partition=${partition.key} /><//>
      </li>`)}
    </ul>
    ${answer?.next != null && html`<button onClick=${() => setAfter(answer.next)}>${answer.total - seen.length} more</button>`}`;
}

function Items({table, index, partition}) {
  const {answer, error} = useLoaded(() => getItems(table, index, partition), []);
  return html`
    ${error}
    <${List} of=${answer?.items ?? []} each=${({item, bytes: size}) => html`<li><${Key} table=${table} item=${item} /> <span class="figures">${bytes(size)}</span></li>`} />
    ${answer?.more && html`<p>There are more items.</p>`}`;
}

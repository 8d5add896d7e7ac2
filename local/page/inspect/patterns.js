// The access patterns: what the contract says, and what this page has seen.

import {html, useContext} from "../vendor/preact.js";
import {Fold, Prose, Stack} from "./parts.js";
import {ms} from "./values.js";

const median = (list) => [...list].sort((one, other) => one - other)[list.length >> 1];
const number = (value) => Number(value.toFixed(2));

/** The table of the access patterns. `figures` are those that the page has seen, by function. */
export function Patterns({figures}) {
  const {patterns} = useContext(Stack);
  const heads = (...names) => names.map((name) => html`<th scope="col">${name}</th>`);
  return html`
    <p>The contract states the units of one call on the sample data. Beside it are the means of the calls since this page was opened.</p>
    <div class="scroll" role="region" aria-label="Access patterns" tabindex="0">
      <table>
        <thead><tr>${heads("Access pattern", "Calls", "Median", "Requests to DynamoDB", "Read units", "by contract", "Write units", "by contract")}</tr></thead>
        <tbody>${[...patterns.values()].map(({function: name, route, explanation, requests, read, write}) => {
          const seen = figures.get(name);
          const mean = (total) => seen && number(total / seen.calls);
          return html`
            <tr key=${name}>
              <th scope="row"><${Fold} summary=${route ?? name}><p>${name}: <${Prose} text=${explanation} /></p><p><${Prose} text=${requests} /></p><//></th>
              <td>${seen?.calls}</td><td>${seen && ms(median(seen.ms))}</td><td>${mean(seen?.requests)}</td>
              <td>${mean(seen?.read)}</td><td>${number(read)}</td><td>${mean(seen?.write)}</td><td>${number(write)}</td>
            </tr>`;
        })}</tbody>
      </table>
    </div>`;
}

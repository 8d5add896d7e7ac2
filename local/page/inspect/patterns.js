// The access patterns: what the contract says, and what this page has seen.

import {html, useContext} from "../vendor/preact.js";
import {Fold, Prose, Stack} from "./parts.js";
import {ms} from "./values.js";

const median = (list) => [...list].sort((one, other) => one - other)[list.length >> 1];
/** Returns a route that breaks into lines before its slashes. */
const breakable = (route) => route.split("/").map((part, index) => index ? html`<wbr />/${part}` : part);
const number = (value) => Number(value.toFixed(2));

/** The table of the access patterns. `figures` are those that the page has seen, by function. */
export function Patterns({figures}) {
  const {patterns} = useContext(Stack);
  const heads = (...names) => names.map((name) => html`<th scope="col">${name}</th>`);
  return html`
    <p>Requests to DynamoDB and units are the means of the calls that this page has seen. The contract is one call on the sample data.</p>
    <div class="scroll" role="region" aria-label="Access patterns" tabindex="0">
      <table>
        <thead><tr>${heads("Access pattern", "Calls", "Median", "Requests", "Read units", "contract", "Write units", "contract")}</tr></thead>
        <tbody>${[...patterns.values()].map(({function: name, route, title, explanation, requests, read, write}) => {
          const seen = figures.get(name);
          const mean = (total) => seen && number(total / seen.calls);
          return html`
            <tr key=${name}>
              <th scope="row"><${Fold} summary=${breakable(route ?? name)}><p>${name}: <${Prose} text=${`${title} ${explanation}`} /></p><p><${Prose} text=${requests} /></p><//></th>
              <td>${seen?.calls}</td><td>${seen && ms(median(seen.ms))}</td><td>${mean(seen?.requests)}</td>
              <td>${mean(seen?.read)}</td><td>${number(read)}</td><td>${mean(seen?.write)}</td><td>${number(write)}</td>
            </tr>`;
        })}</tbody>
      </table>
    </div>`;
}

// The access patterns: what the contract says, and what this page has seen.

import {html, useContext, useEffect, useRef} from "../vendor/preact.js";
import {formula, inWords} from "./costs.js";
import {Fold, Prose, Stack, breakable} from "./parts.js";
import {ms} from "./values.js";

const median = (list) => [...list].sort((one, other) => one - other)[list.length >> 1];
const number = (value) => Number(value.toFixed(2));

/** The table of the access patterns. `figures` are those that the page has seen, by function. `chosen` is the function to show. */
export function Patterns({figures, chosen}) {
  const {patterns, rules} = useContext(Stack);
  const row = useRef();
  useEffect(() => row.current?.scrollIntoView({block: "center"}), [chosen]);
  const heads = (...names) => names.map((name) => html`<th scope="col">${name}</th>`);
  return html`
    <p>Above are the means of the calls that this page has seen. Below, in grey, is the contract: one call on the sample data, and the
      formula by which it grows with a page.</p>
    <table class="patterns">
      <thead><tr>${heads("Access pattern", "Calls", "Median", "Requests", "Read units", "Write units")}</tr></thead>
      <tbody>${[...patterns.values()].map((pattern) => {
        const {function: name, route, summary, source} = pattern;
        const seen = figures.get(name);
        const both = (total, contract) => html`<td>${seen && number(total / seen.calls)}<small>${number(contract)}</small></td>`;
        return html`
          <tr key=${name} ref=${name === chosen ? row : null} aria-current=${name === chosen ? "true" : null}>
            <th scope="row">
              <${Fold} start=${name === chosen} summary=${breakable(route ?? name)}>
                <p>${name}: <${Prose} text=${summary} /></p><p>${inWords(pattern)}.</p><p><code>${breakable(source)}</code></p>
              <//>
              <small>${formula(pattern, rules).map((term) => html`<span class="term">${term}</span> `)}</small>
            </th>
            <td>${seen?.calls}</td><td>${seen && ms(median(seen.ms))}</td>
            ${both(seen?.requests, pattern.requests)}${both(seen?.read, pattern.read)}${both(seen?.write, pattern.write)}
          </tr>`;
      })}</tbody>
    </table>`;
}

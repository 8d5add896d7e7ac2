// What requests cost: the rules of the contract beside the units that were measured.

import {html, useContext} from "../vendor/preact.js";
import {sum} from "./events.js";
import {Stack} from "./parts.js";
import {named, tablesOf} from "./requests.js";
import {count, units} from "./values.js";

/**
 * Returns the formula of an access pattern: the rule of each operation that its row names, in the order of the row. In
 * brackets are those that not every call sends.
 */
export function formula({description}, operations) {
  const clauses = description.split("; ");
  const named = [...operations.values()].flatMap(({operation, units}) => {
    const name = new RegExp(`\\b${operation}\\b`);
    const clause = clauses.findIndex((clause) => name.test(clause));
    return clause < 0 ? [] : [{text: `${operation} ${units}`.replaceAll(" ", "\u00a0"), at: description.search(name), isCertain: clause === 0 || clauses[clause].startsWith("then ")}];
  }).sort((one, other) => one.at - other.at);
  const [certain, others] = [true, false].map((isCertain) => named.filter((rule) => rule.isCertain === isCertain).map(({text}) => text));
  return [certain.join(" + "), ...others.map((text) => `(+\u00a0${text})`)].join(" ");
}

/** Returns the rule of a request, with the number of items that it names, such as "0.5 × 34 keys". */
export function rule(operations, {operation, body}, items) {
  const isConsistent = body.ConsistentRead || Object.values(body.RequestItems ?? {}).some(({ConsistentRead}) => ConsistentRead);
  const text = operations.get(operation)?.units.replace(/(key|item)s/, (_, noun) => count(items, noun));
  return text && (isConsistent ? `2 × ${text}, consistent` : text);
}

/**
 * Returns the row of the contract for a request: that of its function, or of the sample event with what the request asks
 * for besides. `with` says what that is.
 */
export function contract(pattern, request) {
  const query = new URLSearchParams(request?.path.split("?")[1]);
  const asks = (pair) => query.get(pair.split("=")[0]) === pair.split("=")[1];
  const fitting = pattern.variants.filter(({query, header}) => header ? request?.headers?.[header] : query.split("&").every(asks));
  const variant = fitting.sort((one, other) => other.query.length - one.query.length)[0];
  return {...pattern, ...variant, with: variant && (variant.header ?? variant.query)};
}

/** Returns requests of the same operation on the same tables together, with the units of each table and index. */
export function grouped(events, operations) {
  const groups = new Map();
  for (const event of events) {
    const name = `${event.operation} ${tablesOf(event).join(", ")}`;
    const group = groups.get(name) ?? {name, first: event, events: [], items: 0, places: new Map()};
    groups.set(name, group);
    group.events.push(event);
    group.items += named(event, () => []).list.length;
    for (const [table, {table: own, indexes}] of Object.entries(event.units.tables)) {
      for (const [place, number] of [[table, own], ...Object.entries(indexes ?? {})]) group.places.set(place, (group.places.get(place) ?? 0) + number);
    }
  }
  return [...groups.values()].map(({name, first, events, items, places}) => ({
    name, events, rule: rule(operations, first, items), places: [...places].filter(([, number]) => number > 0),
  }));
}

/** The requests of one call of a function: the contract beside what was measured, and the sums. */
export function Costs({events, name, request}) {
  const {patterns, operations} = useContext(Stack);
  const sample = patterns.has(name) && contract(patterns.get(name), request);
  const total = (events) => sum([{dynamodb: events, caused: []}]);
  return events.length > 0 && html`
    <table class="costs">
      <caption class="unseen">The costs of ${name}</caption>
      <thead><tr><th scope="col">Request</th><th scope="col">Contract</th><th scope="col">Measured</th></tr></thead>
      <tbody>${grouped(events, operations).map(({name, events, rule, places}) => html`
        <tr key=${name}>
          <th scope="row">${name} ${events.length > 1 && `× ${events.length}`}</th><td>${rule}</td>
          <td>${units(total(events))}${places.length > 1 && places.map(([place, number], index) => html`<small>${index > 0 && "+ "}${number} ${place}</small>`)}</td>
        </tr>`)}
      </tbody>
      <tfoot><tr>
        <th scope="row">${count(events.length, "request")}</th>
        <td>${sample && html`${units(sample)} in ${count(sample.requests, "request")} for the sample event${sample.with && ` with ${sample.with}`}`}</td><td>${units(total(events))}</td>
      </tr></tfoot>
    </table>`;
}

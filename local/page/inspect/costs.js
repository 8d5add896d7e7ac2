// What requests cost: the rules of the contract beside the units that were measured.

import {html, useContext} from "../vendor/preact.js";
import {sum} from "./events.js";
import {Stack} from "./parts.js";
import {named, tablesOf} from "./requests.js";
import {count, sizeOf, units} from "./values.js";

/** The rule of an operation: a factor, what it counts, and whether it adds entries of indexes. */
const RULE = /^([\d.]+)(?: × (\w+)s| (per 4 KB))?( \+ entries)?$/;

/** Returns a formula that breaks into lines only before "+", "=" and "(". */
const breakable = (formula) => formula.replaceAll(/ [×/] |(?<=[+=]) |(?<=\d) (?=[A-Za-z])/g, (spaces) => spaces.replaceAll(" ", "\u00a0"));

/**
 * Returns the terms of the formula of an access pattern: the rule of each operation that the sample event sends. In brackets
 * are those of operations that only other requests send.
 */
export function formula({asks, sometimes}, rules) {
  const operations = (names) => [...new Set(names.map((name) => name.replace("consistent ", "").split(" ")[0]))];
  const certain = operations(asks), others = operations(sometimes).filter((operation) => !certain.includes(operation));
  const term = (operation) => `${operation} ${rules.get(operation)?.units}`;
  return [...certain.map((operation, index) => index > 0 ? `+ ${term(operation)}` : term(operation)), ...others.map((operation) => `(+ ${term(operation)})`)]
    .map(breakable);
}

/** Returns what an access pattern may ask of DynamoDB, in words. */
export const inWords = ({asks, sometimes}) => asks.join(", ") + (sometimes.length > 0 ? `; sometimes ${sometimes.join(", ")}` : "");

/** Returns whether a request reads consistently. */
const isConsistent = ({body}) => Boolean(body.ConsistentRead || Object.values(body.RequestItems ?? {}).some(({ConsistentRead}) => ConsistentRead));

/**
 * Returns how many times a Query reads 4 KB. What it returns does not say that if it returns less
 * than it reads.
 */
function blocks({body, answer}) {
  if (body.ProjectionExpression || answer?.Count !== answer?.ScannedCount) return {text: "⌈KB / 4⌉", value: NaN};
  const size = (answer?.Items ?? []).reduce((sum, item) => sum + sizeOf(item), 0);
  return size > 0 ? {text: `⌈${Math.ceil(size / 102.4) / 10} KB / 4⌉`, value: Math.ceil(size / 4096)} : {text: "1", value: 1};
}

/**
 * Returns the rule of requests of one kind with their values, such as "0.5 × 42 keys" or "2 × 3
 * items + 1 entry", and the units that it makes. The entries are those that DynamoDB has counted.
 */
export function rule(units, events) {
  const [, factor, noun, isPerBlock, hasEntries] = units?.match(RULE) ?? [];
  if (!factor) return {text: units, value: NaN};
  const read = events.map(blocks);
  const items = events.reduce((sum, event) => sum + named(event, () => []).list.length, 0);
  const entries = events.flatMap(({units}) => Object.values(units.tables)).flatMap(({indexes}) => Object.values(indexes ?? {})).reduce((sum, number) => sum + number, 0);
  const amount = noun ? {text: count(items, noun), value: items}
    : isPerBlock ? {text: read.length > 1 ? `(${read.map(({text}) => text).join(" + ")})` : read[0].text, value: read.reduce((sum, {value}) => sum + value, 0)}
      : {text: events.length > 1 && events.length, value: events.length};
  const twice = isConsistent(events[0]) && 2;
  return {
    text: breakable([twice, factor, amount.text].filter(Boolean).join(" × ") + (hasEntries ? ` + ${entries} ${entries === 1 ? "entry" : "entries"}` : "")),
    value: (twice || 1) * factor * amount.value + (hasEntries ? entries : 0),
  };
}

/**
 * Returns the sum of the rules of all requests, for each kind of units: "0.5 × ⌈3.1 KB / 4⌉ + 0.5 ×
 * 42 = 21.5 read units".
 */
export const sums = (groups) => ["read", "write"].flatMap((kind) => {
  const rules = groups.filter(({name, rule}) => rule.value !== 0 && /^\w*(Write|Put|Update|Delete)/.test(name) === (kind === "write")).map(({rule}) => rule);
  const value = rules.reduce((sum, {value}) => sum + value, 0);
  const terms = rules.map(({text}) => text.replaceAll(/\u00a0(keys?|items?|entry|entries)\b/g, "")).join(" + ");
  return rules.length > 0 ? [breakable(value ? `${terms} = ${units({[kind]: value})}` : terms)] : [];
});

/**
 * Returns the contract for a request: the costs of its function, or of the sample event with what the request asks for
 * besides. `with` says what that is.
 */
export function contract(pattern, request) {
  const query = new URLSearchParams(request?.path.split("?")[1]);
  const asks = (pair) => query.get(pair.split("=")[0]) === pair.split("=")[1];
  const has = (field) => request?.body?.includes?.(`"${field}":`);
  const fits = ({query, header, field}) => field ? has(field) : header ? request?.headers?.[header] : query.split("&").every(asks);
  const weight = ({query, field}) => field ? Infinity : query.length;
  const variant = pattern.variants.filter(fits).sort((one, other) => weight(other) - weight(one))[0];
  return {...pattern, ...variant, with: variant && (variant.field ?? variant.header ?? variant.query)};
}

/**
 * Returns requests of the same kind on the same tables together, with the units of each table and
 * index.
 */
export function grouped(events, rules) {
  const groups = new Map();
  for (const event of events) {
    const name = `${event.operation} ${tablesOf(event).join(", ")}`;
    const id = `${name} ${isConsistent(event)}`;
    const group = groups.get(id) ?? {id, name, events: [], places: new Map()};
    groups.set(id, group);
    group.events.push(event);
    for (const [table, {table: own, indexes}] of Object.entries(event.units.tables)) {
      for (const [place, number] of [[table, own], ...Object.entries(indexes ?? {})]) group.places.set(place, (group.places.get(place) ?? 0) + number);
    }
  }
  return [...groups.values()].map((group) => ({
    ...group, rule: rule(rules.get(group.events[0].operation)?.units, group.events), places: [...group.places].filter(([, number]) => number > 0),
  }));
}

/** The requests of one call of a function: the contract beside what was measured, and the sums. */
export function Costs({events, name, request}) {
  const {patterns, rules} = useContext(Stack);
  const sample = patterns.has(name) && contract(patterns.get(name), request);
  const total = (events) => units(sum([{dynamodb: events, caused: []}]));
  const groups = grouped(events, rules);
  return events.length > 0 && html`
    <table class="costs">
      <caption class="unseen">The costs of ${name}</caption>
      <thead><tr><th scope="col">Request</th><th scope="col">Contract</th><th scope="col">Measured</th></tr></thead>
      <tbody>${groups.map(({id, name, events, rule, places}) => html`
        <tr key=${id}>
          <th scope="row">${name} ${events.length > 1 && `× ${events.length}`}</th>
          <td>${rule.text}${isConsistent(events[0]) && ", consistent"}</td>
          <td>${total(events)}${places.length > 1 && places.map(([place, number], index) => html`<small>${index > 0 && "+ "}${number} ${place}</small>`)}</td>
        </tr>`)}
      </tbody>
      <tfoot><tr>
        <th scope="row">${count(events.length, "request")}</th>
        <td>${sums(groups).map((sum) => html`<div>${sum}</div>`)}
          ${sample && html`<small>The sample event: ${units(sample)} in ${count(sample.requests, "request")}${sample.with && html`, with <code>${sample.with}</code>`}</small>`}</td>
        <td>${total(events)}</td>
      </tr></tfoot>
    </table>`;
}

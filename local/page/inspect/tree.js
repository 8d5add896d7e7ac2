// What a call cost with all that it started, as a tree: the functions, their requests, and what their stream records started.

import {html, useContext} from "../vendor/preact.js";
import {requestsOf} from "./events.js";
import {Stack, breakable} from "./parts.js";
import {tablesOf} from "./requests.js";
import {count, units} from "./values.js";

/** The label of the branch of what the stream records of writes started. */
const RECORDS = "stream record";

const total = (branches) => branches.reduce((sum, {units}) =>
  ({read: sum.read + units.read, write: sum.write + units.write, searched: sum.searched + units.searched, live: sum.live + (units.live ?? 0)}),
  {read: 0, write: 0, searched: 0, live: 0});

const branch = (label, children, number = 1) => ({label, number, children, units: total(children)});

const leaves = (events) => events.map((event) =>
  ({label: `${event.operation} ${tablesOf(event).join(", ")} ${event.body.IndexName ?? ""}`.trim(), number: 1, children: [], units: event.units}));

const messages = (events) => events.map(({operation, messages}) =>
  ({label: operation, number: 1, children: [], units: {read: 0, write: 0, searched: 0, live: messages}}));

/** Puts branches with one label together, at all depths. */
const merge = (branches) => [...new Set(branches.map(({label}) => label))].map((label) => {
  const same = branches.filter((branch) => branch.label === label);
  return {label, number: same.reduce((sum, {number}) => sum + number, 0), units: total(same), children: merge(same.flatMap(({children}) => children))};
});

/** Returns the branches of an action, each with its label, how often it is there, its units and its own branches. */
export function tree(action) {
  const seen = new Set();
  const branches = (trace) => {
    if (seen.has(trace)) return [];
    seen.add(trace);
    const {invocations, dynamodb, live, records, caused} = trace;
    const own = invocations.length > 0 ? invocations.map((invocation, index) =>
      branch(invocation.function, [...leaves(requestsOf(trace, index)), ...messages(requestsOf(trace, index, live))])) : leaves(dynamodb);
    const byStream = ({invocations: [first]}) => Boolean(first?.cause.records);
    const started = caused.filter(byStream).flatMap(branches);
    const others = caused.filter((trace) => !byStream(trace)).flatMap(branches);
    return [...own, ...(started.length > 0 ? [branch(RECORDS, started, records.length)] : []), ...others];
  };
  return merge(branches(action));
}

/** The tree of an action, with the price of a million such calls. `label` names the action. */
export function Tree({action, label}) {
  const {prices} = useContext(Stack);
  const branches = tree(action);
  const dollars = ({read, write, live}) => (read * prices.read + write * prices.write + live * (prices.live ?? 0)).toFixed(2);
  const text = (label, number) => label === RECORDS ? count(number, label) : number > 1 ? `${label} × ${number}` : label;
  const row = ({label, number, units: own, children}, isTop) => html`
    <li key=${label}>
      <span class="row"><span>${breakable(text(label, number))}</span> <b>${units(own)}</b> <span>$${dollars(own)}${isTop && html`<span class="unseen"> for a million calls</span>`}</span></span>
      ${children.length > 0 && html`<ul>${children.map((child) => row(child))}</ul>`}
    </li>`;
  return html`
    <div class="tree">
      <p class="figures" aria-hidden="true">DynamoDB${prices.live && total(branches).live > 0 && " and live messages"}, in dollars for a million such calls</p>
      <ul aria-label="Costs by branch">${row(branch(label, branches), true)}</ul>
    </div>`;
}

// One action as a nested trace: request, functions, requests to DynamoDB, stream records, and what they started.

import {html, useContext} from "../vendor/preact.js";
import {ago, whole} from "../app/time.js";
import {awsCli, curl, rust} from "./copy.js";
import {Costs, inWords} from "./costs.js";
import {requestsOf, sum} from "./events.js";
import {Attributes, Copy, Fold, FunctionLink, Key, List, Prose, Stack, breakable} from "./parts.js";
import {WHY, failedCondition, named, parameters, tablesOf} from "./requests.js";
import {Timeline} from "./timeline.js";
import {Tree} from "./tree.js";
import {count, ms, resolve, show, units} from "./values.js";

/** Returns those of the texts that there are, with dots between them. */
const dots = (...texts) => html`<span class="figures"> ${texts.filter(Boolean).join(" · ")}</span>`;

const json = (value) => html`<pre tabindex="0">${JSON.stringify(value, null, 2)}</pre>`;

/** An action: what it was and what it cost and, while it is open, its trace. */
export function Action({action, open, onToggle}) {
  const {note, time, request, isEdit, invocations: [invocation], dynamodb: [asked], caused} = action;
  if (note) return html`<li class="note">${note}</li>`;
  const own = sum([action]);
  const other = invocation ? cause(invocation) : `${asked?.operation ?? "Write"} by ${isEdit ? "this page" : "another client"}`;
  const toggle = (event) => {
    event.preventDefault();
    onToggle();
  };
  return html`
    <li class="action">
      <details open=${open}>
        <summary onClick=${toggle}>
          <span class="title">
            ${request ? html`<b>${request.method}</b> ${request.path} <b class=${request.status < 400 ? "good" : "bad"}>${request.status}</b>`
              : html`<b>${other}</b>${isEdit && asked && html` <b class=${asked.status < 400 ? "good" : "bad"}>${asked.status}</b>`}`}
          </span>
          <time class="figures" dateTime=${new Date(time).toISOString()} title=${whole(time)}>${ago(time)}</time>
          <span class="line">
            ${dots(invocation?.function, request && ms(request.ms), count(own.requests, "request") + " to DynamoDB")} <b>${units(own)}</b>
            ${caused.length > 0 && html`${dots("in all")} <b>${units(sum([action], true))}</b>`}
          </span>
        </summary>
        ${open && html`
          ${caused.length > 0 && html`<${Tree} action=${action} label=${request ? `${request.method} ${request.path.split("?")[0]}` : other} />`}
          <${Timeline} action=${action} /><${Trace} trace=${action} top />`}
      </details>
    </li>`;
}

const cause = ({cause: {records, event}}) =>
  records ? `Stream of ${records[0].table}: ${count(records.length, "record")}` : `Event: ${event}`;

function Trace({trace, top}) {
  const {request, invocations, dynamodb, records, caused} = trace;
  const list = (events) => html`<${List} of=${events} each=${(event) => html`<${Asked} event=${event} start=${top && events.length < 3} />`} />`;
  return html`
    ${invocations.length === 0 && list(dynamodb)}
    ${invocations.map((invocation, index) => html`
      <h3><${FunctionLink} name=${invocation.function} /> ${invocation.cold && html`<span class="tag cold">cold start</span>`}
        ${dots(ms(invocation.ms), !request && cause(invocation))}</h3>
      ${invocation.error && html`<p class="bad">${invocation.error}</p>`}
      <${Costs} events=${requestsOf(trace, index)} name=${invocation.function} request=${request} />
      ${list(requestsOf(trace, index))}
      <${Pattern} name=${invocation.function} />`)}
    ${request && html`<${Exchange} request=${request} />`}
    ${records.length > 0 && html`<h3>Stream records of these writes</h3>`}
    <${List} of=${records} each=${(record) => html`<${StreamRecord} record=${record} />`} />
    ${caused.length > 0 && html`<h3>Functions that they started</h3>`}
    <${List} of=${caused} each=${(trace) => html`<li><${Trace} trace=${trace} /></li>`} />`;
}

/** The HTTP request and its answer. */
function Exchange({request}) {
  const message = (first, headers, body) => html`
    <pre tabindex="0">${[first, ...Object.entries(headers ?? {}).map((header) => header.join(": ")), "", body].join("\n").trim()}</pre>`;
  return html`
    <${Fold} summary="HTTP request and answer">
      ${message(`${request.method} ${request.path}`, request.headers, request.body)}
      ${message(request.status, request.answerHeaders, request.answer)}
      ${request.cut && html`<p>Long and binary bodies are cut.</p>`}
      <${Copy} as=${{curl: () => curl(request, location.origin)}} />
    <//>`;
}

/** What an access pattern does, its contract, and the file that has it. */
function Pattern({name}) {
  const pattern = useContext(Stack).patterns.get(name);
  return pattern && html`
    <${Fold} summary="The access pattern">
      <p><${Prose} text=${pattern.summary} /></p>
      <p>Contract: ${inWords(pattern)}.</p>
      <p>Source: <code>${breakable(pattern.source)}</code></p>
    <//>`;
}

/** A request to DynamoDB. */
function Asked({event, start}) {
  const {tables, endpoint} = useContext(Stack);
  const {operation, body, answer, status} = event;
  const {list, rest} = named(event, (table) => tables.get(table)?.keys ?? []);
  const names = tablesOf(event);
  const found = rest.length + list.filter(({found}) => found).length;
  return html`
    <li class="asked"><${Fold} start=${start} summary=${html`<b>${operation}</b> ${names.join(", ")} <b>${body.IndexName}</b> ${dots(units(event.units), found && count(found, "item"), ms(event.ms))}`}>
      ${status >= 400 && html`<p class="bad">${answer?.__type?.split("#").pop()} ${answer?.message ?? answer?.Message}</p>`}
      ${failedCondition(answer ?? {}) && html`<p>On AWS, a write whose condition fails consumes write units too. The local engine does not report them.</p>`}
      ${!body.Key && !body.Item && html`<${Parameters} of=${body} />`}
      <${List} first=${6} of=${list} each=${({action, table, key, members, put, found, reason}) => html`
        <li class=${action === "Get" ? "entry" : ""}>
          <b>${action}</b> ${names.length > 1 && html`<span>${table}</span>`} <${Key} table=${table} item=${key} request=${event} /> <b class="bad">${reason}</b>
          <${Parameters} of=${members} />
          <${Attributes} table=${table} item=${put} are="puts" />
          ${found ? html`<${Attributes} table=${table} item=${found} are="returns" />` : action === "Get" && status < 400 && html`<span class="figures">no such item</span>`}
        </li>`} />
      <${List} first=${6} of=${rest} each=${(item) => html`
        <li class="entry"><${Key} table=${body.TableName} item=${item} request=${event} /><${Attributes} table=${body.TableName} item=${item} /></li>`} />
      ${answer?.Items && rest.length === 0 && html`<p>The answer has no items.</p>`}
      ${WHY[operation] && html`<p class="figures">${WHY[operation]}</p>`}
      <${Copy} as=${{"AWS CLI": () => awsCli(event, endpoint), Rust: () => rust(event)}} />
      <${Fold} summary="As sent">${json(body)}<//>
      <${Fold} summary="As answered">${json(answer)}<//>
    <//></li>`;
}

/** Parameters, their expressions with the names and values that placeholders stand for. */
const Parameters = ({of}) => parameters(of).length > 0 && html`
  <dl>${parameters(of).map(([name, value]) => html`
    <dt>${name}</dt>
    <dd><code>${name.endsWith("Expression") ? resolve(value, of) : typeof value === "object" ? show({M: value}) : String(value)}</code></dd>`)}
  </dl>`;

/** A stream record, with what changed. */
const StreamRecord = ({record: {eventName, table, keys, old, new: after, functions}}) => html`
  <li>
    <b>${eventName}</b> ${table} <${Key} table=${table} item=${after ?? old ?? keys} />
    <dl>${changes(old ?? {}, after ?? {}).map(([name, was, is]) => html`
      <dt>${name}</dt><dd>${was && html`<del><code>${show(was)}</code></del> `}${is && html`<ins><code>${show(is)}</code></ins>`}</dd>`)}
    </dl>
    <p>${dots(functions.length ? `Passes the filter of ${functions.join(" and ")}` : "Passes no function's filter")}</p>
  </li>`;

/** Returns the attributes that differ between two items, those of maps by their path. */
const changes = (old, after, path = "") => Object.keys({...old, ...after}).flatMap((name) => {
  const [was, is] = [old[name], after[name]];
  if (was && is && show(was) === show(is)) return [];
  return was?.M && is?.M ? changes(was.M, is.M, `${path}${name}.`) : [[path + name, was, is]];
});

// What happened when: an action on one axis of time.

import {html} from "../vendor/preact.js";
import {requestsOf} from "./events.js";
import {List} from "./parts.js";
import {tablesOf} from "./requests.js";
import {count, ms} from "./values.js";

/**
 * Returns the bars of an action, each below what caused it: the gateway, the functions, their requests to DynamoDB,
 * S3 and the WebSocket API, and the stream records. `start` is in milliseconds after the first of them, and `length` is
 * the end of the last one.
 */
export function timeline(action) {
  const bars = [], seen = new Set();
  const add = (kind, depth, label, time, ms = 0, more = {}) => bars.push({kind, depth, label, time, ms, ...more});
  const visit = (trace, depth) => {
    if (seen.has(trace)) return;
    seen.add(trace);
    const {request, invocations, dynamodb, s3, live, records, caused} = trace;
    const labels = {
      s3: ({method, path}) => `S3 ${method} ${decodeURIComponent(path.split("/").slice(2).join("/"))}`,
      live: ({operation, status}) => `${operation} ${status}`,
      dynamodb: (event) => `${event.operation} ${tablesOf(event).join(", ")}`,
    };
    const ask = (events, depth) => [...events].sort((one, other) => one.time - other.time)
      .forEach((event) => add(event.type, depth, labels[event.type](event), event.time, event.ms));
    if (request) add("gateway", depth, "API Gateway", request.time, request.ms);
    const inner = depth + (request ? 1 : 0);
    if (invocations.length === 0) ask(dynamodb, inner);
    invocations.forEach((invocation, index) => {
      add("function", inner, invocation.function, invocation.time, invocation.ms, {isCold: invocation.cold});
      ask([dynamodb, s3, live].flatMap((events) => requestsOf(trace, index, events)), inner + 1);
    });
    if (records.length > 0) add("stream", inner, count(records.length, "stream record"), Math.min(...records.map(({time}) => time)));
    caused.forEach((trace) => visit(trace, inner));
  };
  visit(action, 0);
  const first = Math.min(...bars.map(({time}) => time));
  const ends = bars.map(({time, ms}) => time + ms - first);
  return {bars: bars.map(({time, ...bar}) => ({...bar, start: time - first})), length: Math.max(1, ...ends)};
}

/** The bars of an action. A line marks the moment of the answer. */
export function Timeline({action}) {
  const {bars, length} = timeline(action);
  const percent = (time) => `${time / length * 100}%`;
  const [first] = bars;
  const answered = first?.kind === "gateway" && bars.length > 1 && first.ms < length * 0.98;
  return html`
    <div class="timeline" style=${answered && {"--answered": percent(first.ms)}}>
      <p class="axis figures" aria-hidden="true"><span>0</span><span>${ms(length)}</span></p>
      <${List} label="Timeline" of=${bars} each=${({kind, depth, label, start, ms: time, isCold}) => html`
        <li class=${kind} style=${{"--depth": depth}}>
          <span class="what" title=${label}>${label} ${isCold && html`<span class="tag cold">cold start</span>`}</span>
          <span class="track" aria-hidden="true"><i style=${{left: percent(start), width: percent(time)}}></i></span>
          <span class="figures">${kind === "stream" ? `+${ms(start)}` : ms(time)}</span>
        </li>`} />
    </div>`;
}

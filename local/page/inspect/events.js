// The store of the event stream: what happened, nested by what caused it.

const MAX_ACTIONS = 200;

/** Returns the user who has seen the notifications by a request to DynamoDB, if it is one. */
export function seenBy({type, operation, body}) {
  if (type !== "dynamodb" || operation !== "TransactWriteItems") return null;
  const keys = body?.TransactItems?.map(({Update}) => Update?.Key) ?? [];
  return keys.find((key) => key?.sk?.S === "SEEN")?.pk.S.slice("Inbox#".length) ?? null;
}

/** What has one trace id: a request, the invocations, the requests to DynamoDB and S3, the live messages and the stream records under it, and what they caused. */
const newTrace = (time) => ({time, request: null, invocations: [], dynamodb: [], s3: [], live: [], records: [], caused: []});

export class Store {
  /** From old to new: the traces that no other one caused, and notes about the stream of events. */
  actions = [];
  /** What each function did: its calls, their milliseconds, and the requests and units of all calls. */
  figures = new Map();
  /** How often somebody used the app. A request of this window belongs to one use. */
  use = 0;
  endpoint = "http://127.0.0.1:8000";
  #traces = new Map();
  #mine = new Map();
  #arrived = 0;

  /** Takes an event in. */
  add(event) {
    const {type, id, trace, time} = event;
    if (type === "hello") {
      if (this.stack) this.#note(this.stack === event.stack ? "The connection was lost for a while. What happened meanwhile is not here." : "The stack was restarted.");
      this.stack = event.stack;
      this.endpoint = event.dynamodb ?? this.endpoint;
    } else if (type === "lagged") {
      this.#note(`${event.missed} events came too fast and are not here.`);
    } else if (type === "request") {
      const action = this.#trace(trace ?? id, time);
      Object.assign(action, {request: event, time, ...this.#mine.get(id)});
      this.#show(action);
    } else if (type === "invocation") {
      this.#invocation(event, this.#trace(trace, time));
    } else if (type === "dynamodb") {
      event.body ??= {};
      if (trace) this.#trace(trace, time).dynamodb.push(event);
      else this.#show({...newTrace(time), dynamodb: [event]});
    } else if (type === "edit") {
      const action = this.#trace(trace, time);
      Object.assign(action, {isEdit: true}, this.#mine.get(trace));
      this.#show(action);
    } else if (type === "s3") {
      this.#trace(trace, time).s3.push(event);
    } else if (type === "live") {
      this.#trace(trace, time).live.push(event);
    } else if (type === "record") {
      const writer = this.#trace(event.writtenBy ?? event.sequenceNumber, time);
      writer.records.push(event);
      if (!event.writtenBy) this.#show(writer);
    }
  }

  /** Notes that this window sent the request with this id, or the edit with this trace, which the visitor may not have asked for. */
  mark({id, unasked}) {
    const mine = {use: this.use, unasked};
    this.#mine.set(id, mine);
    const action = this.actions.find(({request}) => request?.id === id) ?? this.#traces.get(id);
    if (action) Object.assign(action, mine);
  }

  /** Returns the first action that the visitor asked for by the use at hand. */
  asked() {
    return this.actions.find(({use, unasked}) => use === this.use && !unasked);
  }

  #invocation(event, trace) {
    const {request, records = [], writtenBy} = event.cause;
    const writers = [writtenBy, ...records.map((record) => record.writtenBy ?? record.sequenceNumber)];
    const parents = new Set(writers.map((writer) => this.#traces.get(writer)).filter(Boolean));
    for (const {caused} of parents) if (!caused.includes(trace)) caused.push(trace);
    trace.invocations.push(event);
    if (!request && !parents.size) this.#show(trace);

    const own = sum([{...trace, dynamodb: trace.dynamodb.filter(({time}) => time >= event.time)}]);
    const before = this.figures.get(event.function) ?? {calls: 0, ms: [], requests: 0, read: 0, write: 0};
    this.figures.set(event.function, {
      calls: before.calls + 1, ms: [...before.ms.slice(-999), event.ms],
      requests: before.requests + own.requests, read: before.read + own.read, write: before.write + own.write,
    });
  }

  #trace(id, time) {
    if (!this.#traces.has(id)) this.#traces.set(id, newTrace(time));
    return this.#traces.get(id);
  }

  #note(note) {
    this.#show({...newTrace(Date.now()), note});
  }

  #show(action) {
    if (action.arrived) return;
    action.arrived = ++this.#arrived;
    this.actions.push(action);
    if (this.actions.length <= MAX_ACTIONS) return;
    this.actions.shift();
    for (const [id, {time}] of this.#traces) if (time < this.actions[0].time) this.#traces.delete(id);
    for (const id of [...this.#mine.keys()].slice(0, -MAX_ACTIONS)) this.#mine.delete(id);
  }
}

/** Returns the DynamoDB requests and the units of traces and, with `all`, of everything that they caused. */
export function sum(traces, all) {
  const sum = {requests: 0, read: 0, write: 0, searched: 0};
  const pending = new Set(traces);
  for (const {dynamodb, caused} of pending) {
    sum.requests += dynamodb.length;
    for (const {units} of dynamodb) {
      sum.read += units.read;
      sum.write += units.write;
      sum.searched += units.searched;
    }
    if (all) caused.forEach((trace) => pending.add(trace));
  }
  return sum;
}

/** Returns the requests of one invocation of a trace. An invocation that Lambda repeats has the trace of the first one. */
export const requestsOf = ({invocations, dynamodb}, index, requests = dynamodb) =>
  requests.filter(({time}) => (!index || time >= invocations[index].time) && !(time >= invocations[index + 1]?.time));

/**
 * Returns the actions that arrived up to `until`, and those of the use of the app at hand unless somebody is reading.
 * Uses are from new to old by the end of their first request, so that an action of this window is above what others did
 * meanwhile. The requests of one use are from old to new, so that what is read stays where it is. Those that nobody asked
 * for are behind the others, and wait if there are no others.
 */
export function listed({actions, use}, until, reading) {
  const uses = new Map();
  const isAsked = !reading && actions.some((action) => action.use === use && !action.unasked);
  for (const action of actions) {
    const isShown = action.arrived <= until || action.note || (action.use === use && isAsked);
    if (isShown) uses.set(action.use ?? action, [...uses.get(action.use ?? action) ?? [], action]);
  }
  const asked = (one, other) => !!one.unasked - !!other.unasked || one.time - other.time;
  return [...uses.values()].map((list) => list.sort(asked)).sort(([one], [other]) => other.arrived - one.arrived).flat();
}

/**
 * Connects a store to the event stream. Calls `changed` with whether the stack answers when that is known, and after
 * events. Returns a function that disconnects.
 */
export function connect(store, changed) {
  let source, timer;
  const open = () => {
    source = new EventSource("/local/events");
    source.onopen = () => changed(true);
    source.onmessage = ({data}) => {
      const event = JSON.parse(data);
      store.add(event);
      // No live message tells it, and the other windows of the user show it nevertheless.
      const username = seenBy(event);
      if (username) window.dispatchEvent(new CustomEvent("quick-photos:live", {detail: {kind: "seen", username}}));
      timer ??= setTimeout(() => { timer = null; changed(true); }, 50);
    };
    source.onerror = () => {
      changed(false);
      // A browser connects again by itself, except after an answer that is no stream.
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(() => { timer = null; open(); }, 2000);
    };
  };
  open();
  return () => { source.close(); clearTimeout(timer); };
}

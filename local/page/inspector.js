// The right side of the page: what happened, the tables, and the access patterns.

import {html, useEffect, useReducer, useRef, useState} from "./vendor/preact.js";
import {Collection} from "./inspect/collection.js";
import {Store, connect, listed, sum} from "./inspect/events.js";
import {Stack, get} from "./inspect/parts.js";
import {Patterns} from "./inspect/patterns.js";
import {Tables} from "./inspect/tables.js";
import {Action} from "./inspect/trace.js";
import {count, units} from "./inspect/values.js";

const VIEWS = ["What happened", "Tables", "Access patterns"];

/** The time after which the page shows how long ago the actions were. */
const CLOCK_MS = 20_000;

/** The events with which somebody begins to use a side of the page. */
const USES = ["pointerdown", "keydown", "drop"];

/**
 * Shows the right side. `selected` is the item to show where it lies: its table, itself, and the request that named it.
 * Calls `onReady` when it gets all later events, or when it knows that the stack does not answer.
 */
export function Inspector({selected, onSelect, onReady}) {
  const [store] = useState(() => new Store());
  const [view, setView] = useState(VIEWS[0]);
  const [isConnected, setConnected] = useState(true);
  const [known, setKnown] = useState({tables: new Map(), patterns: new Map(), rules: new Map()});
  const [isLoaded, setLoaded] = useState(false);
  const [place, setPlace] = useState({});
  const [pattern, setPattern] = useState(null);
  const [, redraw] = useReducer((number) => number + 1, 0);
  const list = useRef({until: 0}).current;
  const root = useRef();

  const load = () => {
    const by = (name, entries) => new Map(entries.map((entry) => [entry[name], entry]));
    const add = (path, read) => get(path).then((answer) => setKnown((known) => ({...known, ...read(answer)})), console.warn);
    const answers = [
      add("/local/tables", ({tables}) => ({tables: by("name", tables)})),
      add("/local/patterns", ({patterns, rules}) => ({patterns: by("function", patterns), rules: by("operation", rules)})),
    ];
    // An action that is drawn before has neither keys nor a contract, and would move when it gets them.
    Promise.all(answers).then(() => setLoaded(true));
  };
  const showPattern = (name) => {
    onSelect(null);
    setPattern(name);
    setView(VIEWS[2]);
  };
  useEffect(() => { if (store.stack) load(); }, [store.stack]);

  useEffect(() => {
    const disconnect = connect(store, (isConnected) => { setConnected(isConnected); onReady(); redraw(); });
    const mark = ({detail}) => store.mark(detail);
    // Who uses this side reads, so nothing may move. Who uses the app wants to see what that asks.
    const use = ({target}) => {
      if (target.closest(".sides")) return;
      list.reading = root.current.contains(target);
      if (!list.reading) store.use += 1;
    };
    window.addEventListener("quick-photos:request", mark);
    // A link or a button that has sent a request began its use already.
    const move = () => {
      if (!store.asked()) return;
      list.reading = false;
      store.use += 1;
    };
    for (const type of USES) document.addEventListener(type, use, true);
    window.addEventListener("hashchange", move);
    // Times are relative.
    const clock = setInterval(redraw, CLOCK_MS);
    return () => {
      disconnect();
      clearInterval(clock);
      window.removeEventListener("hashchange", move);
      window.removeEventListener("quick-photos:request", mark);
      for (const type of USES) document.removeEventListener(type, use, true);
    };
  }, []);

  const latest = store.actions.at(-1)?.arrived ?? 0;
  const showUntil = (arrived) => {
    list.until = Math.max(list.until, arrived);
    root.current.scrollIntoView();
  };
  const first = store.asked();
  if (first && first.use !== list.opened?.use && !list.reading) {
    list.opened = first;
    // What others did after it waits, also if it came before this was drawn.
    showUntil(first.arrived);
  }
  if (!list.opened) list.until = latest;
  const actions = listed(store, list.until, list.reading);
  const waiting = store.actions.length - actions.length;
  const isOpen = (action) => action.open ?? action === list.opened;
  const toggle = (action) => {
    action.open = !isOpen(action);
    list.opened ??= action;
    redraw();
  };
  return html`
    <${Stack.Provider} value=${{...known, load, select: onSelect, showPattern, endpoint: store.endpoint}}>
      <div class="inspect" ref=${root}>
        <nav class="views" aria-label="Views">
          ${VIEWS.map((name) => html`<button aria-current=${name === view ? "true" : null} onClick=${() => { setView(name); setPattern(null); }}>${name}</button>`)}
        </nav>
        <h2 class="unseen">${view}</h2>
        ${view === VIEWS[0] && html`
          <div class="status">
            <span>${count(store.actions.length, "action")}: ${units(sum(store.actions, true))} <b role="status">${!isConnected && "The stack does not answer. Waiting for it."}</b></span>
            <button class="main" disabled=${waiting === 0} onClick=${() => { showUntil(latest); redraw(); }}>${waiting} new</button>
          </div>
          ${!actions.length && html`<p>Use the app, or curl. Each request shows here, with what it asks of DynamoDB and what that costs.</p>`}
          <ol class="happened">${isLoaded && actions.map((action) => html`
            <${Action} key=${action.arrived} action=${action} open=${isOpen(action)} onToggle=${() => toggle(action)} />`)}
          </ol>`}
        ${view === VIEWS[1] && html`<${Tables} place=${place} onPlace=${setPlace} />`}
        ${view === VIEWS[2] && html`<${Patterns} figures=${store.figures} chosen=${pattern} />`}
        ${selected && known.tables.has(selected.table) && html`
          <${Collection} selected=${selected} table=${known.tables.get(selected.table)} onSelect=${onSelect} />`}
      </div>
    <//>`;
}

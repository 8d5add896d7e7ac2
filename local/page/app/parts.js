// The parts of which the views are made.
import {html, useEffect, useLayoutEffect, useRef, useState} from "../vendor/preact.js";
import {me, path, request} from "../api.js";
import {attempt, forgetLists, notify, useAction, useOptimistic, useUpdate} from "./data.js";
import {Image} from "./image.js";
import {ago, whole} from "./time.js";

/** Returns the component of this name, whose file is loaded when it first shows. */
export function late(file, name) {
  let View = null;
  return (props) => {
    const update = useUpdate();
    useEffect(() => {
      if (!View) attempt(async () => {
        View = (await import(file))[name];
        update();
      });
    }, []);
    return View && html`<${View} ...${props} />`;
  };
}

/** The heading of a view. It gets the focus, so that a screen reader reads it and the keys scroll the view. */
export function Heading({title, children}) {
  const heading = useRef(null);
  useEffect(() => heading.current.focus({preventScroll: true}), []);
  useEffect(() => {
    document.title = `${title} · Quick Photos`;
  }, [title]);
  return html`<h1 tabindex="-1" ref=${heading}>${children ?? title}</h1>`;
}

/** The heading of a list with the button that reads it again, which says when there is something new at the beginning. */
export const Title = ({title, list, news}) => html`
  <div class=${news ? "row news" : "row"}><${Heading} title=${title} />
    <span role="status"><button type="button" class=${news ? "main" : "plain"} disabled=${list.busy} onClick=${({target}) => {
      target.closest(".view").scrollTo(0, 0);
      list.reload();
    }}>${news || "Refresh"}</button></span></div>`;

/** The way back from a part of the settings. */
export const BackToSettings = () => html`<a href="#/settings">Back to the settings</a>`;

/** A problem as the API says it. The fields in `shown` show their errors themselves. */
export function Trouble({problem, shown = [], retry}) {
  if (!problem) return null;
  const others = problem.errors?.filter(({field}) => !shown.includes(field)) ?? [];
  if (problem.errors?.length > 0 && others.length == 0) return null;
  return html`
    <div class="trouble" role="alert">
      <p><strong>${problem.title ?? problem.name}</strong></p>
      <p>${problem.detail ?? (problem.title ? "" : problem.message)}</p>
      ${problem.hint && html`<p class="small">${problem.hint}</p>`}
      <ul>${others.map(({field, message}) => html`<li key=${field}><code>${field}</code> ${message}</li>`)}</ul>
      ${retry && html`<button type="button" onClick=${retry}>Try again</button>`}
    </div>`;
}

let fields = 0;

/** Begins the names of fields, because a field named `tagName` would hide this property of its form. */
const PREFIX = "field-";

/** A field with its label, its hint, and the error that the API gives for it. With `options` it is a choice. */
export function Field({label, name, hint, problem, options, as = options ? "select" : "input", ...rest}) {
  const [id] = useState(() => `field-${++fields}`);
  const error = problem?.errors?.find(({field}) => field == name)?.message;
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <${as} id=${id} name=${PREFIX + name} autocomplete="off" aria-invalid=${error && "true"} aria-describedby="${id}-hint"
        ...${rest}>
        ${options?.map(([value, label]) => html`<option key=${value} value=${value} selected=${value == rest.defaultValue}
          defaultSelected=${value == rest.defaultValue}>${label ?? value}</option>`)}
      <//>
      <p id="${id}-hint" class=${error ? "error" : "quiet small"}>${error ?? hint}</p>
    </div>`;
}

/**
 * A form. `send` gets the values of its fields, and of those of `children` that have one. `others` are further buttons, with what
 * they do.
 */
export function Form({fields = [], label, send, others = {}, children}) {
  const {busy, problem, run} = useAction();
  const form = useRef(null);
  useEffect(() => form.current.querySelector("[aria-invalid]")?.focus(), [problem]);
  const submit = (event) => {
    event.preventDefault();
    const form = event.target;
    run(async () => {
      const values = [...new FormData(form)].map(([name, value]) => [name.slice(PREFIX.length), value.replaceAll("\r\n", "\n")]);
      await send(Object.fromEntries(values));
      form.reset();
    });
  };
  return html`
    <form ref=${form} onSubmit=${submit}>
      ${children}
      ${fields.map((field) => html`<${Field} key=${field.name} problem=${problem} ...${field} />`)}
      <${Trouble} problem=${problem} shown=${fields.map(({name}) => name)} />
      <p class="actions">
        <button class="main" disabled=${busy}>${label}</button>
        ${Object.entries(others).map(([label, action]) => html`
          <button key=${label} type="button" disabled=${busy} onClick=${() => run(action)}>${label}</button>`)}
      </p>
    </form>`;
}

/** A modal dialog. Escape, and a click beside it, close it. Then what had the focus has it again or, if that is gone, the heading. */
export function Dialog({title, onClose, children}) {
  const dialog = useRef(null);
  const close = () => dialog.current.close();
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current.showModal();
    // Until the dialog is gone, nothing else can get the focus.
    return () => queueMicrotask(() => (before.isConnected ? before : document.querySelector("h1"))?.focus({preventScroll: true}));
  }, []);
  return html`
    <dialog ref=${dialog} aria-label=${title} onClose=${onClose}
      onMouseDown=${(event) => event.target == dialog.current && close()}>
      <div class="sheet">
        <h2>${title}</h2>
        ${children}
        <button type="button" class="plain close" onClick=${close}>Close</button>
      </div>
    </dialog>`;
}

/** The entries of a list, its states, and the button for more. An `endless` list goes on when its end comes near. */
export function Pages({list, empty, endless, children}) {
  const end = useRef(null);
  useEffect(() => {
    if (!endless || !list.next || list.busy || list.problem) return;
    const near = ([{isIntersecting}]) => isIntersecting && list.more();
    const observer = new IntersectionObserver(near, {root: end.current.closest(".view"), rootMargin: "400px"});
    observer.observe(end.current);
    return () => observer.disconnect();
  });
  const isOffline = list.problem?.status === 0;
  const none = list.loaded && list.items.length == 0 && !list.next && !list.problem;
  return html`
    <div class="pages" aria-busy=${list.busy}>
      ${isOffline && list.loaded && html`<p class="quiet" role="status">There is no connection. This is what was here before, and it is
        read again by itself.</p>`}
      ${none ? empty : children}
      ${!list.loaded && list.busy && html`<p class="quiet late">Loading …</p>`}
      <${Trouble} problem=${list.problem} retry=${list.retry} />
      ${list.next && !list.problem && html`
        <button type="button" ref=${end} class="more" disabled=${list.busy} onClick=${list.more}>More</button>`}
    </div>`;
}

/**
 * The button that follows or unfollows a user, or asks a user who approves followers. `viewer` says whether the user who
 * is signed in follows them already, or has asked. `onChange` gets the change of the number of followers.
 */
export function Follow({username, viewer, onChange = () => {}}) {
  const update = useUpdate();
  const change = useOptimistic();
  // A list that is read meanwhile brings another object.
  const current = useRef(viewer);
  current.current = viewer;
  if (username == me().username) return null;
  const {follows = false, requested = false} = viewer ?? {};
  const state = follows ? "follows" : requested ? "asks" : "none";
  const on = state != "none";
  const show = (state) => {
    const by = Number(state == "follows") - Number(current.current.follows ?? false);
    // The alerts end with the friendship.
    Object.assign(current.current, {follows: state == "follows", requested: state == "asks"}, by < 0 && {alerts: false});
    update();
    if (by) onChange(by);
  };
  const send = async (wanted) => {
    const {status} = await request(wanted == "none" ? "DELETE" : "PUT", path`/users/${username}/followers/me`);
    forgetLists();
    notify({text: status == 202 ? `You have asked ${username}, who approves followers.`
      : wanted == "follows" ? `You follow ${username}.`
      : state == "asks" ? `You do not ask ${username} any more.` : `You do not follow ${username} any more.`});
    return status == 202 ? "asks" : wanted;
  };
  const toggle = () => change("follow", state, on ? "none" : "follows", show, send);
  const label = follows ? "Following" : requested ? "Requested" : "Follow";
  return html`
    <button type="button" class=${on ? "" : "main"} disabled=${!viewer} aria-pressed=${on}
      aria-label="${label} ${username}" onClick=${toggle}>${label}</button>`;
}

/** The picture of a person, or the first letter of the name. */
export const Portrait = ({name, picture}) => html`
  <span class="portrait" aria-hidden="true">
    ${picture ? html`<${Image} blurhash=${picture.blurhash} src=${picture.small} alt="" />` : [...name][0].toUpperCase()}
  </span>`;

/**
 * A person in a list, with the button to follow, or with other buttons. Somebody who was deleted meanwhile has no card.
 */
export const Person = ({username, card = {name: username}, viewer, children}) => html`
  <li class="person row">
    <a href="#/users/${username}"><${Portrait} ...${card} /><span><strong>${card.name}</strong>
      <span class="quiet small">${username}</span></span></a>
    ${children ?? html`<${Follow} username=${username} viewer=${viewer} />`}
  </li>`;

/** The portrait and the name of a person, as a link to the profile. `people` has the cards by username. */
export function Name({username, people}) {
  const card = people[username] ?? {name: username};
  return html`<a class="name" href="#/users/${username}"><${Portrait} ...${card} />${card.name}</a>`;
}

/** A time of the API. */
export const Time = ({at}) => html`
  <time dateTime=${at} title=${whole(at)}>${ago(at)}</time>`;

/** Returns a number with its noun: "1 comment", "2 comments". */
export const counted = (number, noun, plural = `${noun}s`) => `${number} ${number == 1 ? noun : plural}`;

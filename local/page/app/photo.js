// One photo with its comments and the reactions to it.
import {html, useEffect, useLayoutEffect, useRef, useState} from "../vendor/preact.js";
import {me, mine, path, request} from "../api.js";
import {attempt, beside, changes, forgetLists, known, notify, seen, usePages, useUpdate, visit} from "./data.js";
import {Comments} from "./comments.js";
import {showOwn} from "./header.js";
import {useLive, watch} from "./live.js";
import {Dialog, Form, Heading, Name, Pages, Time, late} from "./parts.js";
import {
  AUDIENCE_FIELD, COLUMN, Caption, Picture, covered, icon, problemOf, reactionName, Reactions, SENSITIVE_FIELD, sensitiveName, Show, TEXT_FIELDS,
  Tiles, titleOf, viewOf,
} from "./picture.js";
import {renewed} from "./renewed.js";
import {ReportDialog} from "./reports.js";
import {useSwipe} from "./swipe.js";
import {forgetUpload, useUploads} from "./upload.js";

const Share = late("./links.js", "Share");

/** What becomes of the link of a photo that only its owner may see from now on. */
const KEEP_LINK = {
  name: "keepLink", label: "The link of the photo, if it has one",
  options: [["", "It ends, because only you may see the photo"], ["true", "It stays: anybody with it sees the photo"]],
};

/** The photo, its reactions, its newest comments, their people, and what the user did, in one request. */
export function PhotoPage({username, id}) {
  const url = path`/users/${username}/photos/${id}`;
  const list = usePages(`${url}?include=comments,people,viewer`, "reactions");
  const view = viewOf({username, id});
  const update = useUpdate();
  const [dialog, setDialog] = useState(() => visit.enlarged == view && "enlarged");
  useUploads();
  const photo = list.first.photo ?? seen({username, id}) ?? {username, id};
  // What was read behind the first pages stays.
  useLive(({kind, photo}) => kind == "photo" && viewOf(photo) == view, () => list.renew(({items, next, first}, body) => {
    const reactions = renewed({reactions: items, nextCursor: next || null}, body, "reactions");
    const comments = renewed(first.comments, body.comments, "comments");
    return {items: reactions.reactions, next: reactions.nextCursor ?? "", first: {...body, comments}};
  }));
  useLayoutEffect(() => {
    watch({username, id});
    return () => watch(null);
  }, []);
  const neighbours = beside((other) => viewOf(other) == view);

  // In a busy browser, this may run after a key has taken the step to the next photo, which stays enlarged.
  useEffect(() => {
    if (visit.enlarged == view) visit.enlarged = "";
  }, []);
  // A key takes a step from the photo of the address, which a busy browser may not have drawn yet.
  useLayoutEffect(() => {
    const step = (event) => {
      const here = beside((other) => viewOf(other) == location.hash);
      const other = here[["ArrowLeft", "ArrowRight"].indexOf(event.key)];
      if (!other || event.altKey || event.target.closest("input, textarea, dialog:not(.enlarged)")) return;
      event.preventDefault();
      go(other);
    };
    document.addEventListener("keydown", step);
    return () => document.removeEventListener("keydown", step);
  });
  // The photo takes the place of this one in the history, so that going back leads to the list.
  const go = (other) => {
    visit.enlarged = dialog == "enlarged" ? viewOf(other) : "";
    location.replace(viewOf(other));
  };
  const swipe = useSwipe(neighbours.map((other) => other && (() => go(other))));
  const steps = neighbours.map((other, index) => other && html`
    <a key=${index} class="step" href=${viewOf(other)} aria-label=${["Previous photo", "Next photo"][index]}
      onClick=${(event) => {
        event.preventDefault();
        go(other);
      }}>${icon(["M14 6l-6 6 6 6", "M10 6l6 6-6 6"][index])}</a>`);

  const change = (type, reaction) => {
    list.setItems((items) => [
      ...(reaction ? [reaction] : []),
      ...items.filter(({username, reactionType}) => username != me().username || reactionType != type),
    ]);
    if (reaction) attempt(list.addMe);
  };
  const pin = () => attempt(async () => {
    const {body} = await request("PATCH", mine``, {body: {pinnedImage: {username, id}}});
    showOwn(body);
    forgetLists();
    notify({text: "This photo is the picture of your profile."});
  });
  const before = (name) => name == "sensitive" ? photo.sensitive?.reason ?? "" : photo[name] ?? (name == "audience" ? "everyone" : "");
  const edit = async ({keepLink, ...values}) => {
    const changed = changes(values, before);
    if (changed.sensitive == "") changed.sensitive = null;
    const {body} = await request("PATCH", url, {body: {...changed, ...keepLink && {keepLink: true}}});
    known(body);
    forgetLists(mine`/links`);
    setDialog(null);
    notify({text: "The photo is changed."});
  };
  const remove = async () => {
    await request("DELETE", url);
    forgetLists();
    forgetUpload(photo);
    notify({text: "The photo is deleted."});
    location.replace(`#/users/${username}`);
  };
  const title = `Photo by ${list.people[username]?.name ?? username}`;
  // Nothing shows before its place is known, which depends on the shape of the photo.
  if (!photo.status) return html`
    <div class="late"><${Heading} title=${title} /></div><${Pages} key="loading" list=${list} />
    ${list.problem && html`<p><a href="#/users/${username}">All photos of ${username}</a></p>`}`;
  return html`
    <article class="photo">
      <div class="frame swipe" ...${swipe}>
        <${Picture} photo=${photo} sizes=${COLUMN} after />
        ${photo.urls && !covered(photo) && html`
          <button type="button" class="enlarge" aria-label="Enlarge" onClick=${() => setDialog("enlarged")}></button>`}
        ${steps}
      </div>
      <${Show} photo=${photo} onShow=${update} />
      <div class="row">
        <div>
          <${Heading} title=${title}>Photo by <a
            href="#/users/${username}">${list.people[username]?.name ?? username}</a><//>
          <p class="quiet"><${Time} at=${photo.timestamp} />${photo.edited && ", edited"}</p>
        </div>
        <${Reactions} photo=${photo} onChange=${change} />
      </div>
      ${photo.status == "removed" && html`<p class="trouble">${problemOf(photo)} Only you see it.</p>`}
      ${photo.sensitive && !covered(photo) && html`<p class="quiet small">${photo.sensitive.by == "owner" ? "Sensitive" : "A moderator has marked it as sensitive"}: ${
        sensitiveName(photo.sensitive.reason)}</p>`}
      <${Caption} photo=${photo} />
      ${username != me().username && photo.status == "ready" && html`
        <p class="actions"><button type="button" class="plain small" onClick=${() => setDialog("report")}>Report the photo</button></p>`}
      ${username == me().username && html`
        <p class="actions">${Object.entries({
          ...photo.status == "ready" && {Share: () => setDialog("share")}, Edit: () => setDialog("edit"), "Pin to my profile": pin, Delete: () => setDialog("delete")})
          .map(([label, action]) => html`<button key=${label} type="button" onClick=${action}>${label}</button>`)}</p>`}
    </article>
    <${Comments} url=${url} photo=${photo} list=${list} />
    <h2>Reactions</h2>
    <${Pages} list=${list} empty=${html`<p class="quiet">Nobody has reacted yet.</p>`}>
      <ul class="lines">${list.items.map(({username, reactionType, timestamp}) => html`
        <li key=${username + reactionType} class="by"><${Name} username=${username} people=${list.people} />
          ${reactionName(reactionType)} <span class="quiet small"><${Time} at=${timestamp} /></span></li>`)}
      </ul>
    <//>
    ${photo.status == "ready" && html`<${Similar} key=${url} url=${url} />`}
    ${dialog == "enlarged" && photo.urls && !covered(photo) && html`<${Enlarged} photo=${photo} steps=${steps} swipe=${swipe} onClose=${() => setDialog(null)} />`}
    ${dialog == "share" && html`<${Share} photo=${photo} onClose=${() => setDialog(null)} />`}
    ${dialog == "edit" && html`<${Edit} before=${before} marked=${photo.sensitive?.by == "moderator"} send=${edit} onClose=${() => setDialog(null)} />`}
    ${dialog == "report" && html`
      <${ReportDialog} title="Report this photo" about=${{photo: {username, id}}} onClose=${() => setDialog(null)} />`}
    ${dialog == "delete" && html`
      <${Dialog} title="Delete this photo?" onClose=${() => setDialog(null)}>
        <p>It disappears at once, with its reactions and comments. This cannot be undone.</p>
        <${Form} label="Delete the photo" send=${remove} />
      <//>`}`;
}

/** Edits the texts, the audience and the mark of a photo, which are as `before` says. Only a moderator changes what is `marked`. */
function Edit({before, marked, send, onClose}) {
  const [audience, setAudience] = useState(before("audience"));
  const choice = {...AUDIENCE_FIELD, onChange: ({target}) => setAudience(target.value)};
  const fields = [...TEXT_FIELDS, choice, ...marked ? [] : [SENSITIVE_FIELD]].map((field) => ({...field, defaultValue: before(field.name)}));
  if (audience == "me" && before("audience") != "me") fields.push({...KEEP_LINK, defaultValue: ""});
  return html`
    <${Dialog} title="Edit the photo" onClose=${onClose}><${Form} fields=${fields} label="Save" send=${send} /><//>`;
}

/** The photos that look like one. They are searched on demand, because nobody needs them to look at a photo. */
function Similar({url}) {
  const [open, setOpen] = useState(false);
  const list = usePages(open && `${url}/similar?limit=12`, "photos");
  return html`
    <h2>Looks like this</h2>
    ${open ? html`
      <${Pages} list=${list} empty=${html`<p class="quiet">No other photo looks like this one.</p>`}>
        <${Tiles} photos=${list.items} />
      <//>` : html`<p class="actions"><button type="button" onClick=${() => setOpen(true)}>Search similar photos</button></p>`}`;
}

/** A photo as large as the window. Escape and a click close it. */
function Enlarged({photo, steps, swipe, onClose}) {
  const dialog = useRef(null);
  useLayoutEffect(() => dialog.current.showModal(), []);
  const {width, height} = photo;
  return html`
    <dialog ref=${dialog} class="enlarged swipe" ...${swipe} aria-label=${titleOf(photo)} onClose=${onClose}
      onClick=${({target}) => target.closest("a") ?? dialog.current.close()} style=${{width: `min(100vw, 100dvh * ${width / height})`}}>
      <${Picture} photo=${photo} sizes=${`min(100vw, ${100 * width / height}vh)`} after />
      ${steps}
      <button type="button" class="close">Close</button>
    </dialog>`;
}

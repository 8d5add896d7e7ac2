// One photo with its comments and the reactions to it.
import {html, useEffect, useLayoutEffect, useRef, useState} from "../vendor/preact.js";
import {me, mine, path, request} from "../api.js";
import {attempt, beside, changes, forgetLists, known, notify, seen, usePages, useUpdate, visit} from "./data.js";
import {inOrder} from "./arrange.js";
import {Comments} from "./comments.js";
import {showOwn} from "./header.js";
import {useLive, watch} from "./live.js";
import {Order} from "./order.js";
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
  const place = useRef(0);
  const pictures = photo.pictures?.filter(({urls}) => urls) ?? [];
  const at = place.current = Math.min(place.current, Math.max(pictures.length - 1, 0));
  // An answer leaves out the text of a picture that has none.
  const shown = pictures.length > 0 ? {...photo, altText: undefined, ...pictures[at]} : photo;
  const placed = pictures.length > 1 && `${at + 1} of ${pictures.length}`;

  // In a busy browser, this may run after a key has taken the step to the next photo, which stays enlarged.
  useEffect(() => {
    if (visit.enlarged == view) visit.enlarged = "";
  }, []);
  // A key takes a step from the picture of the photo of the address, which a busy browser may not have drawn yet.
  useLayoutEffect(() => {
    const step = (event) => {
      const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
      if (!by || event.altKey || event.target.closest("input, textarea, dialog:not(.enlarged)")) return;
      const [before, after] = beside((other) => viewOf(other) == location.hash);
      const other = by < 0 ? before : after;
      const isHere = view == location.hash && pictures[place.current + by];
      if (!isHere && !other) return;
      event.preventDefault();
      if (isHere) turn(place.current + by);
      else go(other);
    };
    document.addEventListener("keydown", step);
    return () => document.removeEventListener("keydown", step);
  });
  // The photo takes the place of this one in the history, so that going back leads to the list.
  const go = (other) => {
    visit.enlarged = dialog == "enlarged" ? viewOf(other) : "";
    location.replace(viewOf(other));
  };
  const turn = (index) => {
    place.current = index;
    update();
  };
  // From the first picture and from the last one, a step leads to the photos beside this one.
  const ways = [-1, 1].map((by, index) => {
    const other = neighbours[index];
    return pictures[at + by] ? {kind: "picture", href: view, go: () => turn(at + by)} : other && {kind: "photo", href: viewOf(other), go: () => go(other)};
  });
  const swipe = useSwipe(ways.map((way) => way?.go));
  const steps = ways.map((way, index) => way && html`
    <a key=${index} class="step" href=${way.href} aria-label="${["Previous", "Next"][index]} ${way.kind}"
      onClick=${(event) => {
        event.preventDefault();
        way.go();
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
  const edit = async ({keepLink, ...values}, arranged) => {
    const changed = arranged ? changesOfSeveral(values, before, photo.pictures, arranged) : changes(values, before);
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
        <${Picture} key=${shown.number} photo=${shown} sizes=${COLUMN} after place=${placed} />
        ${shown.urls && !covered(photo) && html`
          <button type="button" class="enlarge" aria-label="Enlarge" onClick=${() => setDialog("enlarged")}></button>`}
        <${Place} place=${placed} />
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
    ${dialog == "enlarged" && shown.urls && !covered(photo) && html`<${Enlarged} photo=${shown} place=${placed} steps=${steps} swipe=${swipe} onClose=${() => setDialog(null)} />`}
    ${dialog == "share" && html`<${Share} photo=${photo} onClose=${() => setDialog(null)} />`}
    ${dialog == "edit" && html`<${Edit} before=${before} pictures=${photo.pictures} marked=${photo.sensitive?.by == "moderator"} send=${edit} onClose=${() => setDialog(null)} />`}
    ${dialog == "report" && html`
      <${ReportDialog} title="Report this photo" about=${{photo: {username, id}}} onClose=${() => setDialog(null)} />`}
    ${dialog == "delete" && html`
      <${Dialog} title="Delete this photo?" onClose=${() => setDialog(null)}>
        <p>It disappears at once, with its reactions and comments. This cannot be undone.</p>
        <${Form} label="Delete the photo" send=${remove} />
      <//>`}`;
}

/** Returns what a form changes of a photo of several pictures, which are `arranged` as they are to be from now on. */
function changesOfSeveral(values, before, pictures, arranged) {
  const texts = Object.fromEntries(Object.entries(values).filter(([name]) => !name.startsWith("altText")));
  const list = (pictures) => pictures.map(({number, altText}) => ({number, altText}));
  const wanted = list(inOrder(arranged, values));
  return {...changes(texts, before), ...JSON.stringify(wanted) != JSON.stringify(list(pictures)) && {pictures: wanted}};
}

/** Returns why the owner does not see a picture of several, or others do not. */
const noteOf = (picture) => picture.status == "pending" ? "It waits for its file." : picture.problem && problemOf(picture);

/**
 * Edits the texts, the audience and the mark of a photo, which are as `before` says, and the order of several pictures. Only a
 * moderator changes what is `marked`.
 */
function Edit({before, pictures, marked, send, onClose}) {
  const [audience, setAudience] = useState(before("audience"));
  const [arranged, setArranged] = useState(() => pictures?.map((picture, index) => ({
    ...picture, key: picture.number, name: `picture ${index + 1}`, src: picture.urls?.[0]?.url, note: noteOf(picture),
  })));
  const choice = {...AUDIENCE_FIELD, onChange: ({target}) => setAudience(target.value)};
  const fields = [...pictures ? TEXT_FIELDS.slice(0, 1) : TEXT_FIELDS, choice, ...marked ? [] : [SENSITIVE_FIELD]]
    .map((field) => ({...field, defaultValue: before(field.name)}));
  if (audience == "me" && before("audience") != "me") fields.push({...KEEP_LINK, defaultValue: ""});
  return html`
    <${Dialog} title="Edit the photo" onClose=${onClose}>
      <${Form} fields=${fields} label="Save" send=${(values) => send(values, arranged)}>
        ${arranged && html`<${Order} pictures=${arranged} onChange=${setArranged} />`}
      <//>
    <//>`;
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

/** The place of a picture among several, which is read out when it changes. */
const Place = ({place}) => place && html`<p class="badge place" role="status">${place}</p>`;

/** A photo as large as the window. Escape and a click close it. */
function Enlarged({photo, place, steps, swipe, onClose}) {
  const dialog = useRef(null);
  useLayoutEffect(() => dialog.current.showModal(), []);
  const {width, height} = photo;
  return html`
    <dialog ref=${dialog} class="enlarged swipe" ...${swipe} aria-label=${titleOf(photo)} onClose=${onClose}
      onClick=${({target}) => target.closest("a") ?? dialog.current.close()} style=${{width: `min(100vw, 100dvh * ${width / height})`}}>
      <${Picture} key=${photo.number} photo=${photo} sizes=${`min(100vw, ${100 * width / height}vh)`} after place=${place} />
      <${Place} place=${place} />
      ${steps}
      <button type="button" class="close">Close</button>
    </dialog>`;
}

// Links, with which people without an account see a photo or a profile: the dialog that shares one, the list of all, and what
// a link opens in the app.
import {html, useEffect, useState} from "../vendor/preact.js";
import {me, mine, path, request} from "../api.js";
import {attempt, forgetLists, known, notify, useAction, usePages, useUpdate} from "./data.js";
import {BackToSettings, Dialog, Field, Heading, Pages, Time, Trouble, counted} from "./parts.js";
import {COLUMN, Caption, Picture, Show, titleOf, viewOf} from "./picture.js";
import {after, whole} from "./time.js";

/** Returns the path of the link of a photo or, without one, of the profile. */
const pathOf = (photo) => photo ? mine`/photos/${photo.id}/link` : mine`/link`;

/** What passes a link on: the apps of a phone, or the clipboard. */
const passes = () => navigator.share ? "Share" : "Copy";

/** Passes a link on. Returns what the page says about it. */
async function pass(url) {
  try {
    // The phone says what it does, and also when its user does not choose an app.
    if (navigator.share) return await navigator.share({url}) ?? "";
    // Browsers have a clipboard only on localhost and with TLS.
    await navigator.clipboard.writeText(url);
    return "The link is copied.";
  } catch {
    return navigator.share ? "" : "The browser has not copied the link. Select it, and copy it yourself.";
  }
}

/** How long a link opens: the number of days. */
const ENDS = [["", "Until you end it"], ["1", "For a day"], ["7", "For a week"], ["30", "For a month"]];

/** Returns the end that somebody chooses: after a number of days, at a time that was there before, or never. */
const endOf = (choice) => /^\d+$/.test(choice) ? after(choice) : choice || null;

const untilText = (until) => `Until ${whole(until)}`;

const ENDED = "The link has ended. Within a minute, it opens nothing any more.";

/**
 * Shares a photo or, without one, the profile of the user: makes the link, passes it on, and changes it. A link that is there
 * is read first, because a PUT replaces its settings.
 */
export function Share({photo, onClose}) {
  const [link, setLink] = useState(null);
  const [status, setStatus] = useState("");
  const {busy, problem, run} = useAction();
  const url = pathOf(photo);
  useEffect(() => run(async () => {
    const none = (problem) => problem.is?.("no-link") ? {body: {}} : Promise.reject(problem);
    setLink((await request("GET", url).catch(none)).body);
  }), []);

  const put = async (parts) => {
    const {until = null, indexed = false} = link;
    const {body} = await request("PUT", url, {body: {until, indexed, ...parts}});
    forgetLists(mine`/links`);
    setLink(body);
    return body;
  };
  const share = () => run(async () => setStatus(await pass((link.url ? link : await put({})).url)));
  const change = (parts, text) => link.url ? run(async () => {
    await put(parts);
    setStatus(text);
  }) : setLink({...link, ...parts});
  const end = () => run(async () => {
    await request("DELETE", url);
    forgetLists(mine`/links`);
    notify({text: ENDED});
    onClose();
  });
  const choose = ({target: {value}}) => change({until: endOf(value)}, "The end of the link is changed.");
  const {until, indexed = false} = link ?? {};
  return html`
    <${Dialog} title=${photo ? "Share this photo" : "Share your profile"} onClose=${onClose}>
      <p>Anybody with the link sees ${photo ? "the photo, whatever its audience is" : "your profile and your photos for everyone"}.
        Nobody needs an account for it.</p>
      <${Trouble} problem=${problem} />
      ${link && html`
        ${link.url && html`<${Field} label="Link" name="url" readonly value=${link.url} onFocus=${({target}) => target.select()} />`}
        <${Field} label="How long it opens" name="until" options=${[...until ? [[until, untilText(until)]] : [], ...ENDS]}
          value=${until ?? ""} disabled=${busy} onChange=${choose} />
        <label class="switch"><input type="checkbox" role="switch" checked=${indexed} disabled=${busy}
          onChange=${({target}) => change({indexed: target.checked}, "The link is changed.")} />Search engines may list it</label>
        <p class="actions">
          <button type="button" class="main" disabled=${busy} onClick=${share}>${passes()} the link</button>
          ${link.url && html`
            <button type="button" disabled=${busy} onClick=${() => change({renew: link.token},
              "This is a new link. Within a minute, the old one opens nothing any more.")}>Make a new link</button>
            <button type="button" disabled=${busy} onClick=${end}>End the link</button>`}
        </p>`}
      <p class="small" role="status">${status}</p>
    <//>`;
}

/** The links of the user, with their photos, in one request. */
export function Links() {
  const list = usePages(mine`/links`, "links");
  const end = (link) => attempt(async () => {
    await request("DELETE", pathOf(link.photo));
    list.setItems((items) => items.filter((item) => item != link));
    document.querySelector("h1").focus();
    notify({text: ENDED});
  });
  return html`
    <${Heading} title="Links" />
    <p><${BackToSettings} /></p>
    <p>Anybody with a link sees its photo, whatever the audience of the photo is. “Share” in the view of a photo makes one.</p>
    <${Pages} list=${list} empty=${html`<p class="empty">You share nothing by a link.</p>`}>
      <ul class="lines">${list.items.map((link) => html`<${Row} key=${link.token} link=${link} onEnd=${() => end(link)} />`)}</ul>
    <//>`;
}

function Row({link: {photo, sharedPhoto, url, until, created}, onEnd}) {
  const shown = sharedPhoto && known(sharedPhoto);
  const title = !photo ? "Your profile" : shown?.caption?.split("\n", 1)[0] || (shown ? titleOf(shown) : "A photo that is gone");
  const copy = async () => {
    const text = await pass(url);
    if (text) notify({text});
  };
  return html`
    <li class="favorite">
      ${shown ? html`<${Picture} photo=${shown} sizes="76px" />` : html`<span class="chip">${photo ? "Photo" : "Profile"}</span>`}
      <div><p><a href=${photo ? viewOf(photo) : `#/users/${me().username}`}>${title}</a></p>
        <p class="small"><a href=${url}><code>${url}</code></a></p>
        <p class="quiet small">${until ? untilText(until) : html`<${Time} at=${created} />`}</p></div>
      <button type="button" aria-label="${passes()} the link of ${title}" onClick=${copy}>${passes()}</button>
      <button type="button" aria-label="End the link of ${title}" onClick=${onEnd}>End</button>
    </li>`;
}

/** What a link opens, for a user who is signed in. The owner and a visitor of a profile see the view that the app has. */
export function Opened({token}) {
  const [opened, setOpened] = useState(null);
  const {problem, run} = useAction();
  const update = useUpdate();
  const read = async (show = "") => (await request("GET", path`/s/${token}` + show, {headers: {Accept: "application/json"}})).body;
  useEffect(() => run(async () => {
    const body = await read();
    const {username, photo} = body;
    if (photo && username != me().username) setOpened({...body, photo: {...photo, username, urls: photo.urls[0] && photo.urls}});
    else location.replace(photo ? viewOf({...photo, username}) : `#/users/${username}`);
  }), []);
  if (problem?.is?.("no-link")) return html`
    <${Heading} title="This link has ended" />
    <p>It opens nothing any more. Ask whoever sent it for a new one. <a href="#/feed">Back to the feed</a></p>`;
  if (!opened) return html`<div class="late"><${Heading} title="A link" /></div><${Trouble} problem=${problem} />`;
  const {username, name, photo} = opened;
  const show = async () => {
    const {urls, pictures} = (await read("?show=sensitive")).photo;
    Object.assign(photo, {urls, pictures});
  };
  const pictures = photo.urls && photo.pictures ? photo.pictures : [photo];
  const reactions = Object.values(photo.reactions).reduce((sum, number) => sum + number, 0);
  return html`
    <article class="photo">
      ${pictures.map((picture, index) => html`
        <div key=${index} class="frame"><${Picture} photo=${{...photo, altText: undefined, ...picture}} sizes=${COLUMN} after
          place=${pictures.length > 1 && `${index + 1} of ${pictures.length}`} /></div>`)}
      <${Show} photo=${photo} show=${show} onShow=${update} />
      <div>
        <${Heading} title="Photo by ${name}">Photo by <a href="#/users/${username}">${name}</a><//>
        <p class="quiet"><${Time} at=${photo.timestamp} /> · ${counted(reactions, "reaction")} · ${counted(photo.comments, "comment")}</p>
      </div>
      <${Caption} photo=${photo} />
      <p><a href=${viewOf(photo)}>React and comment</a> <span class="quiet">if ${name} lets you see the photo without the link, too.</span></p>
    </article>`;
}

// One photo with the reactions to it, which are one Query.
import {html, useState} from "../vendor/preact.js";
import {me, path, request} from "../api.js";
import {attempt, forgetLists, notify, useAction, usePages} from "./data.js";
import {day, Dialog, Heading, Pages, Time, Trouble} from "./parts.js";
import {Picture, reactionName, Reactions} from "./picture.js";
import {useUploads} from "./upload.js";

export function PhotoPage({username, timestamp}) {
  const url = path`/users/${username}/photos/${timestamp}`;
  const list = usePages(url, "reactions");
  const [deleting, setDeleting] = useState(false);
  useUploads();
  const {photo} = list.first;
  const own = username == me().username;

  const change = (type, reaction) => list.setItems((items) => [
    ...(reaction ? [reaction] : []),
    ...items.filter(({reactingUser, reactionType}) => reactingUser != me().username || reactionType != type),
  ]);
  const pin = () => attempt(async () => {
    await request("PATCH", path`/users/${username}`, {body: {pinnedImage: timestamp}});
    forgetLists();
    notify({text: "This photo is pinned to your profile."});
  });
  return html`
    <article class="photo">
      ${photo ? html`<${Picture} photo=${photo} sizes="(max-width: 60rem) 100vw, 45vw" />`
        : !list.problem && html`<div class="picture blank"></div>`}
      <div class="row">
        <div>
          <${Heading} title=${`Photo by ${username}`}>Photo by <a href="#/users/${username}">${username}</a><//>
          <p class="quiet"><${Time} at=${timestamp} /></p>
        </div>
        ${photo && html`<${Reactions} photo=${photo} onChange=${change} />`}
      </div>
      ${own && photo && html`
        <p class="actions"><button type="button" onClick=${pin}>Pin to my profile</button>
          <button type="button" onClick=${() => setDeleting(true)}>Delete</button></p>`}
    </article>
    <section>
      <h2>Reactions</h2>
      <${Pages} list=${list} empty=${html`<p class="quiet">Nobody has reacted yet.</p>`}>
        <ul class="lines">${list.items.map(({reactingUser, reactionType, timestamp}) => html`
          <li key=${reactingUser + reactionType}><a href="#/users/${reactingUser}">${reactingUser}</a>
            <span>${reactionName(reactionType)}</span> <span class="quiet small"><${Time} at=${timestamp} /></span></li>`)}
        </ul>
      <//>
    </section>
    ${deleting && html`<${DeletePhoto} url=${url} timestamp=${timestamp} onClose=${() => setDeleting(false)} />`}`;
}

function DeletePhoto({url, timestamp, onClose}) {
  const {busy, problem, run} = useAction();
  const remove = () => run(async () => {
    await request("DELETE", url);
    forgetLists();
    notify({text: "The photo is deleted."});
    location.replace(`#/users/${me().username}`);
  });
  return html`
    <${Dialog} title="Delete this photo?" onClose=${onClose}>
      <p>Your photo of ${day(timestamp)} disappears at once, with its reactions. This cannot be undone.</p>
      <${Trouble} problem=${problem} />
      <p><button type="button" class="main" disabled=${busy} onClick=${remove}>Delete the photo</button></p>
    <//>`;
}

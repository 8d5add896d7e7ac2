// One photo with the reactions to it, which are one Query.
import {html, useState} from "../vendor/preact.js";
import {me, mine, path, request} from "../api.js";
import {attempt, forgetLists, notify, usePages} from "./data.js";
import {Dialog, Form, Heading, Pages, Time} from "./parts.js";
import {Picture, reactionName, Reactions} from "./picture.js";
import {forgetUpload, useUploads} from "./upload.js";

export function PhotoPage({username, timestamp}) {
  const url = path`/users/${username}/photos/${timestamp}`;
  const list = usePages(url, "reactions");
  const [deleting, setDeleting] = useState(false);
  useUploads();
  const photo = list.first.photo ?? {username, timestamp, reactions: {}, mine: {}};

  const change = (type, reaction) => list.setItems((items) => [
    ...(reaction ? [reaction] : []),
    ...items.filter(({reactingUser, reactionType}) => reactingUser != me().username || reactionType != type),
  ]);
  const pin = () => attempt(async () => {
    await request("PATCH", mine``, {body: {pinnedImage: timestamp}});
    forgetLists();
    notify({text: "This photo is pinned to your profile."});
  });
  const remove = async () => {
    await request("DELETE", url);
    forgetLists();
    forgetUpload(photo);
    notify({text: "The photo is deleted."});
    location.replace(`#/users/${username}`);
  };
  return html`
    <article class="photo">
      <${Picture} photo=${photo} sizes="(max-width: 60rem) 100vw, 45vw" />
      <div class="row">
        <div>
          <${Heading} title="Photo by ${username}">Photo by <a href="#/users/${username}">${username}</a><//>
          <p class="quiet"><${Time} at=${timestamp} /></p>
        </div>
        <${Reactions} photo=${photo} onChange=${change} />
      </div>
      ${username == me().username && html`
        <p class="actions"><button type="button" disabled=${!photo.status} onClick=${pin}>Pin to my profile</button>
          <button type="button" disabled=${!photo.status} onClick=${() => setDeleting(true)}>Delete</button></p>`}
    </article>
    <h2>Reactions</h2>
    <${Pages} list=${list} empty=${html`<p class="quiet">Nobody has reacted yet.</p>`}>
      <ul class="lines">${list.items.map(({reactingUser, reactionType, timestamp}) => html`
        <li key=${reactingUser + reactionType}><a href="#/users/${reactingUser}">${reactingUser}</a>
          ${` ${reactionName(reactionType)} `}<span class="quiet small"><${Time} at=${timestamp} /></span></li>`)}
      </ul>
    <//>
    ${deleting && html`
      <${Dialog} title="Delete this photo?" onClose=${() => setDeleting(false)}>
        <p>It disappears at once, with its reactions. This cannot be undone.</p>
        <${Form} label="Delete the photo" send=${remove} />
      <//>`}`;
}

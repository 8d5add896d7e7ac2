// One photo with its comments and the reactions to it.
import {html, useState} from "../vendor/preact.js";
import {me, mine, path, request} from "../api.js";
import {attempt, forgetLists, known, notify, usePages} from "./data.js";
import {Comments} from "./comments.js";
import {Dialog, Form, Heading, Name, Pages, Time} from "./parts.js";
import {Caption, Picture, reactionName, Reactions, TEXT_FIELDS} from "./picture.js";
import {forgetUpload, useUploads} from "./upload.js";

/** The photo, its reactions, its newest comments, their people, and what the user did, in one request. */
export function PhotoPage({username, timestamp}) {
  const url = path`/users/${username}/photos/${timestamp}`;
  const list = usePages(`${url}?include=comments,people,viewer`, "reactions");
  const [dialog, setDialog] = useState(null);
  useUploads();
  const photo = list.first.photo ?? {username, timestamp, reactions: {}, viewer: {reactions: [], saved: false}};

  const change = (type, reaction) => {
    list.setItems((items) => [
      ...(reaction ? [reaction] : []),
      ...items.filter(({reactingUser, reactionType}) => reactingUser != me().username || reactionType != type),
    ]);
    if (reaction) attempt(list.addMe);
  };
  const pin = () => attempt(async () => {
    await request("PATCH", mine``, {body: {pinnedImage: timestamp}});
    forgetLists();
    notify({text: "This photo is the picture of your profile."});
  });
  const edit = async ({caption, altText}) => {
    const {body} = await request("PATCH", url, {body: {caption: caption || null, altText: altText || null}});
    known(body);
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
  return html`
    <article class="photo">
      <${Picture} photo=${photo} sizes="(max-width: 60rem) 100vw, 45vw" />
      <div class="row">
        <div>
          <${Heading} title="Photo by ${list.people[username]?.name ?? username}">Photo by <a
            href="#/users/${username}">${list.people[username]?.name ?? username}</a><//>
          <p class="quiet"><${Time} at=${timestamp} />${photo.edited && ", edited"}</p>
        </div>
        <${Reactions} photo=${photo} onChange=${change} />
      </div>
      <${Caption} photo=${photo} />
      ${username == me().username && html`
        <p class="actions">${Object.entries({"Edit texts": () => setDialog("edit"), "Pin to my profile": pin, Delete: () => setDialog("delete")})
          .map(([label, action]) => html`
            <button key=${label} type="button" disabled=${!photo.status} onClick=${action}>${label}</button>`)}</p>`}
    </article>
    <${Comments} url=${url} photo=${photo} list=${list} />
    <h2>Reactions</h2>
    <${Pages} list=${list} empty=${html`<p class="quiet">Nobody has reacted yet.</p>`}>
      <ul class="lines">${list.items.map(({reactingUser, reactionType, timestamp}) => html`
        <li key=${reactingUser + reactionType} class="by"><${Name} username=${reactingUser} people=${list.people} />
          ${reactionName(reactionType)} <span class="quiet small"><${Time} at=${timestamp} /></span></li>`)}
      </ul>
    <//>
    ${dialog == "edit" && html`
      <${Dialog} title="Edit the texts" onClose=${() => setDialog(null)}>
        <${Form} fields=${TEXT_FIELDS.map((field) => ({...field, defaultValue: photo[field.name]}))} label="Save" send=${edit} />
      <//>`}
    ${dialog == "delete" && html`
      <${Dialog} title="Delete this photo?" onClose=${() => setDialog(null)}>
        <p>It disappears at once, with its reactions and comments. This cannot be undone.</p>
        <${Form} label="Delete the photo" send=${remove} />
      <//>`}`;
}

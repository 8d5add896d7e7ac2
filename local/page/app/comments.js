// The comments on a photo. The newest come with the photo, and all of them when they are asked for.
import {html, useRef, useState} from "../vendor/preact.js";
import {me, newKey, path, request} from "../api.js";
import {attempt, notify, usePages} from "./data.js";
import {Dialog, Form, Name, Pages, Time, counted} from "./parts.js";
import {ReportDialog, reasonName} from "./reports.js";

/** The comments, and the form for a new one. `list` is the list of the photo, whose path is `url`. */
export function Comments({url, photo, list}) {
  const [whole, setWhole] = useState(false);
  const all = usePages(whole && `${url}/comments?include=people,viewer&limit=100`, "comments");
  const [open, setOpen] = useState(null);
  const [reported, setReported] = useState(null);
  const draft = useRef({});

  const newest = list.first.comments ?? [];
  const shown = all.loaded ? all : {
    ...list, busy: list.busy || all.busy, problem: all.problem, items: newest,
    next: photo.comments > newest.length, more: () => whole ? all.reload() : setWhole(true),
    setItems: (change) => list.setFirst(({comments}) => ({comments: change(comments)})),
  };
  const people = {...list.people, ...all.people};

  const add = async ({text}) => {
    // A text that is sent again is the same comment.
    if (draft.current.text != text) draft.current = {text, key: newKey()};
    const headers = {"Idempotency-Key": draft.current.key};
    const {body} = await request("POST", `${url}/comments`, {body: {text}, headers});
    draft.current = {};
    photo.comments += 1;
    shown.setItems((items) => [{...body, viewer: {canEdit: true, canDelete: true}}, ...items]);
    attempt(list.addMe);
  };
  const replace = (text, comment) => {
    setOpen(null);
    notify({text});
    shown.setItems((items) => items.flatMap((other) => other.id == open.id ? comment ?? [] : other));
  };
  const edit = async (body) => {
    const answer = await request("PATCH", url + path`/comments/${open.id}`, {body});
    replace("The comment is changed.", {...open, ...answer.body});
  };
  const remove = async () => {
    await request("DELETE", url + path`/comments/${open.id}`);
    photo.comments -= 1;
    replace("The comment is deleted.");
  };
  return html`
    <h2>${counted(photo.comments ?? 0, "comment")}</h2>
    ${photo.status == "ready" && html`<${Form} fields=${[TEXT]} label="Send" send=${add} />`}
    <${Pages} list=${shown} empty=${html`<p class="quiet">Nobody has written yet.</p>`}>
      <ul class="lines">${shown.items.map((comment) => html`
        <${Comment} key=${comment.id} comment=${comment} people=${people} onOpen=${() => setOpen(comment)}
          onReport=${() => setReported(comment)} />`)}</ul>
    <//>
    ${reported && html`
      <${ReportDialog} title="Report the comment of ${reported.author}" onClose=${() => setReported(null)}
        about=${{photo: {username: photo.username, id: photo.id}, comment: reported.id}} />`}
    ${open && html`
      <${Dialog} title=${open.viewer.canEdit ? "Edit the comment" : "Delete this comment?"} onClose=${() => setOpen(null)}>
        ${open.viewer.canEdit
          ? html`<${Form} fields=${[{...TEXT, label: "Text", defaultValue: open.text}]} label="Save" send=${edit}
              others=${{"Delete the comment": remove}} />`
          : html`<p>This cannot be undone.</p><${Form} label="Delete the comment" send=${remove} />`}
      <//>`}`;
}

const TEXT = {name: "text", label: "Your comment", as: "textarea", rows: 2, required: true,
  hint: "@ada mentions ada"};

function Comment({comment: {author, timestamp, text, mentions, edited, removed, viewer}, people, onOpen, onReport}) {
  const label = viewer.canEdit ? "Edit" : "Delete";
  return html`
    <li>
      <div class="row"><p class="by"><${Name} username=${author} people=${people} />
          <span class="quiet small"><${Time} at=${timestamp} />${edited && ", edited"}</span></p>
        <span>
          ${author != me().username && html`
            <button type="button" class="plain small" aria-label="Report the comment of ${author}" onClick=${onReport}>Report</button>`}
          ${viewer.canDelete && html`
            <button type="button" class="plain small" aria-label="${label} the comment of ${author}" onClick=${onOpen}>${label}</button>`}
        </span>
      </div>
      ${removed && html`<p class="quiet small">A moderator has removed this comment: ${reasonName(removed)}. Only you see it.</p>`}
      <p class="text">${linked(text, mentions)}</p>
    </li>`;
}

/** Returns a text whose mentions are links to the profiles. The API says whom it mentions. */
function linked(text, mentions) {
  return text.split(/((?<![\w=/-])@[\w.-]+)/).map((part) => {
    const name = part.startsWith("@") && part.slice(1).replace(/[._-]+$/, "");
    return mentions.includes(name) ? html`<a href="#/users/${name}">@${name}</a>${part.slice(name.length + 1)}` : part;
  });
}

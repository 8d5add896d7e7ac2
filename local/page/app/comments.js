// The comments on a photo. The newest come with the photo, and the others when they are asked for.
import {html, useEffect, useRef, useState} from "../vendor/preact.js";
import {me, newKey, path, request, warn} from "../api.js";
import {attempt, notify, usePages} from "./data.js";
import {Dialog, Form, Name, Pages, Time, counted} from "./parts.js";
import {ReportDialog, reasonName} from "./reports.js";

/** The comments, and the form for a new one. `list` is the list of the photo, whose path is `url`. */
export function Comments({url, photo, list}) {
  const newest = list.first.comments ?? {comments: [], nextCursor: null};
  const [whole, setWhole] = useState(false);
  const older = usePages(whole && `${url}/comments?include=people,viewer&limit=100`, "comments", newest.nextCursor ?? "");
  // Newer comments than a page has come in between.
  useEffect(() => setWhole(false), [newest.nextCursor]);
  const [opened, setOpened] = useState(null);
  const [sort, setSort] = useState("Newest");
  const top = usePages(sort == "Top" && `${url}/comments/top?include=people,viewer`, "comments");

  const shown = {
    ...list, busy: list.busy || older.busy, problem: older.problem ?? top.problem, retry: (older.problem ? older : top).retry,
    items: unique([newest.pinned, ...sort == "Top" ? top.items : [], ...newest.comments, ...older.items]),
    next: older.loaded ? older.next : newest.nextCursor,
    more: () => older.loaded ? older.more() : whole ? older.reload() : setWhole(true),
  };
  const people = {...list.people, ...older.people, ...top.people};
  const found = useFound(shown.items.flatMap(({mentions}) => mentions).filter((name) => !people[name]));
  const send = useSend(url, photo);
  const add = async (body) => {
    const comment = await send(body);
    list.setFirst(({comments}) => ({comments: {...comments, comments: unique([comment, ...comments.comments])}}));
    attempt(list.addMe);
  };
  const replace = (id, comment) => {
    const change = (items) => items.flatMap((other) => other.id == id ? comment ?? [] : other);
    list.setFirst(({comments}) => ({
      comments: {...comments, pinned: comments.pinned && change([comments.pinned])[0], comments: change(comments.comments)},
    }));
    older.setItems(change);
    top.setItems(change);
  };
  const {dialog, actions} = useActions(url, photo, replace);
  const pin = photo.username == me().username && ((comment) => attempt(async () => {
    await request("PATCH", url, {body: {pinnedComment: comment.pinned ? null : comment.id}});
    list.reload();
  }));
  return html`
    <h2>${counted(photo.comments ?? 0, "comment")}</h2>
    ${photo.status == "ready" && html`<${Form} fields=${[TEXT]} label="Send" send=${add} />`}
    ${shown.items.length > 1 && html`
      <div class="sort" role="group" aria-label="Order of the comments">${["Newest", "Top"].map((name) => html`
        <button key=${name} type="button" class="plain small" aria-pressed=${sort == name} onClick=${() => setSort(name)}>${name}</button>`)}
      </div>`}
    <${Pages} list=${shown} empty=${html`<p class="quiet">Nobody has written yet.</p>`}>
      <ul class="lines">${shown.items.map((comment) => html`
        <${Comment} key=${comment.id} comment=${comment} people=${people} found=${found} actions=${actions} onPin=${pin}
          isOpened=${opened == comment.id} onReplies=${() => setOpened(opened == comment.id ? null : comment.id)}>
          ${opened == comment.id && html`
            <${Replies} url=${url} photo=${photo} comment=${comment} onChange=${(comment) => replace(comment.id, comment)} />`}
        <//>`)}</ul>
    <//>
    ${dialog}`;
}

/** The replies to a comment, and the form for a new one. `onChange` gets the comment with another count. */
function Replies({url, photo, comment, onChange}) {
  const list = usePages(url + path`/comments?replyTo=${comment.id}&order=asc&include=people,viewer`, "comments");
  const known = useRef(comment.replies);
  const count = (number) => {
    known.current = (comment.replies ?? 0) + number;
    onChange({...comment, replies: known.current});
  };
  // Somebody else replied meanwhile.
  useEffect(() => {
    if (known.current != comment.replies) list.reload();
    known.current = comment.replies;
  }, [comment.replies]);
  const found = useFound(list.items.flatMap(({mentions}) => mentions).filter((name) => !list.people[name]));
  const send = useSend(url, photo, comment.id);
  const add = async (body) => {
    const reply = await send(body);
    list.setItems((items) => unique([...items, reply]));
    count(1);
    attempt(list.addMe);
  };
  const replace = (id, reply) => {
    list.setItems((items) => items.flatMap((other) => other.id == id ? reply ?? [] : other));
    if (!reply) count(-1);
  };
  const {dialog, actions} = useActions(url, photo, replace);
  return html`
    <div class="replies">
      <${Pages} list=${list} empty="">
        <ul class="lines">${list.items.map((reply) => html`
          <${Comment} key=${reply.id} comment=${reply} people=${list.people} found=${found} actions=${actions} />`)}</ul>
      <//>
      ${photo.status == "ready" && html`<${Form} fields=${[{...TEXT, label: "Your reply"}]} label="Reply" send=${add} />`}
      ${dialog}
    </div>`;
}

/** Returns the function that sends a new comment, or a reply to a comment. */
function useSend(url, photo, replyTo) {
  const draft = useRef({});
  return async ({text}) => {
    // A text that is sent again is the same comment.
    if (draft.current.text != text) draft.current = {text, key: newKey()};
    const headers = {"Idempotency-Key": draft.current.key};
    const {body} = await request("POST", `${url}/comments`, {body: {text, replyTo}, headers});
    draft.current = {};
    photo.comments += 1;
    return {...body, viewer: {canEdit: true, canDelete: true, liked: false}};
  };
}

/**
 * Returns what one can do with a comment, and the dialog that is open. `replace` gets the id of a comment and the changed comment,
 * or nothing.
 */
function useActions(url, photo, replace) {
  const [open, setOpen] = useState(null);
  const [reported, setReported] = useState(null);
  const finish = (text, comment) => {
    setOpen(null);
    notify({text});
    replace(open.id, comment);
  };
  const edit = async (body) => {
    const answer = await request("PATCH", url + path`/comments/${open.id}`, {body});
    finish("The comment is changed.", {...open, ...answer.body});
  };
  const remove = async () => {
    await request("DELETE", url + path`/comments/${open.id}`);
    photo.comments -= 1 + (open.replies ?? 0);
    finish("The comment is deleted.");
  };
  const like = (comment) => attempt(async () => {
    const {liked} = comment.viewer;
    await request(liked ? "DELETE" : "PUT", url + path`/comments/${comment.id}/like`);
    const likes = (comment.likes ?? 0) + (liked ? -1 : 1);
    replace(comment.id, {...comment, likes, viewer: {...comment.viewer, liked: !liked}});
  });
  const dialog = html`
    ${reported && html`
      <${ReportDialog} title="Report the comment of ${reported.username}" onClose=${() => setReported(null)}
        about=${{photo: {username: photo.username, id: photo.id}, comment: reported.id}} />`}
    ${open && html`
      <${Dialog} title=${open.viewer.canEdit ? "Edit the comment" : "Delete this comment?"} onClose=${() => setOpen(null)}>
        ${open.viewer.canEdit
          ? html`<${Form} fields=${[{...TEXT, label: "Text", defaultValue: open.text}]} label="Save" send=${edit}
              others=${{"Delete the comment": remove}} />`
          : html`<p>This cannot be undone.</p><${Form} label="Delete the comment" send=${remove} />`}
      <//>`}`;
  return {dialog, actions: {open: setOpen, report: setReported, like}};
}

const TEXT = {name: "text", label: "Your comment", as: "textarea", rows: 2, required: true,
  hint: "@ada mentions ada"};

/** Returns each comment once. A page that was read again can have one of another page, and the first may be missing. */
function unique(comments) {
  const ids = new Set();
  return comments.filter((comment) => comment && !ids.has(comment.id) && ids.add(comment.id));
}

function Comment({comment, people, found, actions, isOpened, onReplies, onPin, children}) {
  const {username, timestamp, text, mentions, edited, removed, pinned, replies, likes, viewer} = comment;
  const label = viewer.canEdit ? "Edit" : "Delete";
  return html`
    <li>
      <div class="row"><p class="by"><${Name} username=${username} people=${people} />
          <span class="quiet small"><${Time} at=${timestamp} />${edited && ", edited"}${pinned && ", pinned"}</span></p>
        <span>
          ${username != me().username && html`
            <button type="button" class="plain small" aria-label="Report the comment of ${username}" onClick=${() => actions.report(comment)}>Report</button>`}
          ${viewer.canDelete && html`
            <button type="button" class="plain small" aria-label="${label} the comment of ${username}" onClick=${() => actions.open(comment)}>${label}</button>`}
        </span>
      </div>
      ${removed && html`<p class="quiet small">A moderator has removed this comment: ${reasonName(removed)}. Only you see it.</p>`}
      <p class="text">${linked(text, mentions.filter((name) => people[name] || found.has(name)))}</p>
      ${!removed && html`
        <button type="button" class="plain small" aria-pressed=${viewer.liked} onClick=${() => actions.like(comment)}
          aria-label=${likes ? `${counted(likes, "like")} for ${username}` : `Like the comment of ${username}`}>
          ${likes ? counted(likes, "like") : "Like"}</button>`}
      ${onReplies && !removed && html`
        <button type="button" class="plain small" aria-expanded=${isOpened} onClick=${onReplies}
          aria-label=${replies ? `${counted(replies, "reply", "replies")} to ${username}` : `Reply to ${username}`}>
          ${replies ? counted(replies, "reply", "replies") : "Reply"}</button>`}
      ${onPin && !removed && html`
        <button type="button" class="plain small" aria-pressed=${Boolean(pinned)} onClick=${() => onPin(comment)}
          aria-label="Pin the comment of ${username}">Pin</button>`}
      ${children}
    </li>`;
}

/** Returns those of these usernames that are of users. The answer about a photo does not tell it of whom only a text names. */
function useFound(names) {
  const searched = useRef(new Set());
  const [found, setFound] = useState(new Set());
  useEffect(() => {
    for (const name of names.filter((name) => !searched.current.has(name))) {
      searched.current.add(name);
      request("GET", path`/users?q=${name}&limit=1`, {unasked: true}).then(({body: {users}}) => {
        if (users[0]?.username == name) setFound((found) => new Set(found).add(name));
      }, warn);
    }
  }, [names.join()]);
  return found;
}

/** Returns a text with links to these users where it mentions them. */
function linked(text, mentions) {
  return text.split(/((?<![\w=/-])@[\w.-]+)/).map((part) => {
    const name = part.startsWith("@") && part.slice(1).replace(/[._-]+$/, "");
    return mentions.includes(name) ? html`<a href="#/users/${name}">@${name}</a>${part.slice(name.length + 1)}` : part;
  });
}

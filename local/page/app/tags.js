// The user's tags: list, create, rename and delete.
import {html, useState} from "../vendor/preact.js";
import {mine, request} from "../api.js";
import {forgetLists, notify, usePages} from "./data.js";
import {Dialog, Field, Form, Heading, Pages, Time} from "./parts.js";

const ORDERS = [["sort=name", "Name"], ["sort=created&order=desc", "Newest"], ["sort=accessed&order=desc", "Last used"]];

export function Tags() {
  const [order, setOrder] = useState(ORDERS[0][0]);
  const [open, setOpen] = useState(null);
  const list = usePages(`${mine`/tags`}?${order}`, "tags");
  const replace = (tag, text) => {
    forgetLists();
    setOpen(null);
    notify({text});
    list.setItems((items) => items.flatMap((other) => other == open ? tag ?? [] : other));
  };
  const create = async (body) => {
    const {body: tag} = await request("POST", mine`/tags`, {body});
    forgetLists();
    list.setItems((items) => [tag, ...items.filter(({tagId}) => tagId != tag.tagId)]);
  };
  const rename = async (body) => {
    const answer = await request("PATCH", mine`/tags/${open.tagId}`, {body});
    replace(answer.body, `The tag is called ${body.tagName} now.`);
  };
  const remove = async () => {
    await request("DELETE", mine`/tags/${open.tagId}`);
    replace(null, `The tag ${open.tagName} is deleted.`);
  };
  return html`
    <${Heading} title="Tags" />
    <p><a href="#/favorites">Back to the favorites</a></p>
    <${Form} fields=${[{name: "tagName", label: "New tag", required: true}]} label="Create" send=${create} />
    <${Field} label="Order" name="order" options=${ORDERS} value=${order} onChange=${(event) => setOrder(event.target.value)} />
    <${Pages} list=${list} empty=${html`<p class="empty">No tags yet.</p>`}>
      <ul class="lines">${list.items.map((tag) => html`
        <li key=${tag.tagId} class="row">
          <span><a href="#/favorites?${new URLSearchParams({tag: tag.tagId, tagName: tag.tagName})}">${tag.tagName}</a>
            <span class="quiet small"> last used <${Time} at=${tag.lastAccessTime} /></span></span>
          <button type="button" aria-label="Change ${tag.tagName}" onClick=${() => setOpen(tag)}>Change</button>
        </li>`)}</ul>
    <//>
    ${open && html`
      <${Dialog} title="Change “${open.tagName}”" onClose=${() => setOpen(null)}>
        <${Form} fields=${[{name: "tagName", label: "Name", required: true, defaultValue: open.tagName}]} label="Rename"
          send=${rename} others=${{"Delete it, also from its favorites": remove}} />
      <//>`}`;
}

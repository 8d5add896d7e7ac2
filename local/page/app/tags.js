// The user's tags: list, create, rename and delete.
import {html, useState} from "../vendor/preact.js";
import {me, path, request} from "../api.js";
import {forgetLists, notify, useAction, usePages} from "./data.js";
import {Dialog, Field, Heading, Pages, Time, Trouble} from "./parts.js";

const ORDERS = [["sort=name", "Name"], ["sort=created&order=desc", "Newest"], ["sort=accessed&order=desc", "Last used"]];

export function Tags() {
  const url = path`/users/${me().username}/tags`;
  const [order, setOrder] = useState(ORDERS[0][0]);
  const [open, setOpen] = useState(null);
  const list = usePages(`${url}?${order}`, "tags");
  const {busy, problem, run} = useAction();
  const create = (event) => {
    event.preventDefault();
    const form = event.target;
    run(async () => {
      await request("POST", url, {body: {tagName: form.tagName.value}});
      forgetLists();
      form.reset();
      list.reload();
    });
  };
  const changed = (text) => {
    forgetLists();
    setOpen(null);
    notify({text});
    list.reload();
  };
  return html`
    <${Heading} title="Tags" />
    <p><a href="#/favorites">Back to the favorites</a></p>
    <div class="filters">
      <${Field} label="Order" name="order" as="select" value=${order} onChange=${(event) => setOrder(event.target.value)}>
        ${ORDERS.map(([value, label]) => html`<option key=${value} value=${value}>${label}</option>`)}
      <//>
      <form class="row" onSubmit=${create}>
        <${Field} label="New tag" name="tagName" required problem=${problem} /><button disabled=${busy}>Create</button>
      </form>
    </div>
    <${Trouble} problem=${problem} shown=${["tagName"]} />
    <${Pages} list=${list} empty=${html`<p class="empty">No tags yet.</p>`}>
      <ul class="lines">${list.items.map((tag) => html`
        <li key=${tag.tagId} class="row">
          <span><a href="#/favorites?${new URLSearchParams({tag: tag.tagId})}">${tag.tagName}</a>
            ${" "}<span class="quiet small">last used <${Time} at=${tag.lastAccessTime} /></span></span>
          <button type="button" aria-label="Change ${tag.tagName}" onClick=${() => setOpen(tag)}>Change</button>
        </li>`)}</ul>
    <//>
    ${open && html`<${ChangeTag} tag=${open} onChanged=${changed} onClose=${() => setOpen(null)} />`}`;
}

function ChangeTag({tag, onChanged, onClose}) {
  const url = path`/users/${me().username}/tags/${tag.tagId}`;
  const {busy, problem, run} = useAction();
  const rename = (event) => {
    event.preventDefault();
    const {tagName} = Object.fromEntries(new FormData(event.target));
    run(async () => {
      await request("PATCH", url, {body: {tagName}});
      onChanged(`The tag is called ${tagName} now.`);
    });
  };
  const remove = () => run(async () => {
    await request("DELETE", url);
    onChanged(`The tag ${tag.tagName} is deleted.`);
  });
  return html`
    <${Dialog} title=${`Change “${tag.tagName}”`} onClose=${onClose}>
      <form onSubmit=${rename}>
        <${Field} label="Name" name="tagName" required problem=${problem} defaultValue=${tag.tagName} />
        <${Trouble} problem=${problem} shown=${["tagName"]} />
        <p class="actions"><button class="main" disabled=${busy}>Rename</button>
          <button type="button" disabled=${busy} onClick=${remove}>Delete the tag, also from its favorites</button></p>
      </form>
    <//>`;
}

// People, found by the beginning of their username or of the words of their name.
import {html} from "../vendor/preact.js";
import {path} from "../api.js";
import {useFilter, usePages} from "./data.js";
import {Field, Heading, Pages, Person, counted} from "./parts.js";

const MIN_LETTERS = 2;

export function People() {
  const {asked, field} = useFilter("people", {q: ""});
  const q = asked.q.trim();
  const list = usePages(q.length >= MIN_LETTERS && path`/users?q=${q}&include=viewer`, "users");
  return html`
    <${Heading} title="Find people" />
    <form role="search" onSubmit=${(event) => event.preventDefault()}>
      <${Field} label="Name" type="search" ...${field("q")}
        hint="Two letters or more of a name, such as el or ada ma" />
    </form>
    <p class="small quiet" role="status">${list.loaded && !list.busy && counted(list.items.length, "result") + (list.next && " or more")}</p>
    <${Pages} list=${list} empty=${html`<p class="empty">Nobody is found. Names are found by the beginnings of their words.</p>`}>
      <ul>${list.items.map(({username, viewer}) => html`
        <${Person} key=${username} username=${username} card=${list.people[username]} viewer=${viewer} />`)}</ul>
    <//>`;
}

// People, found by the beginning of their username or of the words of their name, and people to follow.
import {html, useEffect} from "../vendor/preact.js";
import {mine, path} from "../api.js";
import {useFilter, usePages} from "./data.js";
import {Field, Heading, Pages, Person, counted} from "./parts.js";

export function People() {
  const {asked, field} = useFilter("people", {q: ""});
  const q = asked.q.trim();
  const list = usePages(q ? path`/users?q=${q}&include=viewer` : mine`/suggestions?include=viewer`, "users");
  // After the heading, which takes the focus in other views.
  useEffect(() => document.querySelector("[type=search]").focus(), []);
  return html`
    <${Heading} title="Find people" />
    <form role="search" onSubmit=${(event) => event.preventDefault()}>
      <${Field} label="Name" type="search" ...${field("q")}
        hint="The beginnings of words of a name, such as el or ada ma" />
    </form>
    <p><a href="#/hashtags">Find hashtags</a></p>
    <p class="small quiet" role="status">${q === "" ? "People to follow" : list.loaded && !list.busy && counted(list.items.length, "result") + (list.next && " or more")}</p>
    <${Pages} list=${list} empty=${html`<p class="empty">${q === "" ? "There is nobody else to follow." : "Nobody is found. Names are found by the beginnings of their words."}</p>`}>
      <ul>${list.items.map(({username, viewer}) => html`
        <${Person} key=${username} username=${username} card=${list.people[username]} viewer=${viewer} />`)}</ul>
    <//>`;
}

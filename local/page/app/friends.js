// Who follows somebody, and whom somebody follows.
import {html} from "../vendor/preact.js";
import {path} from "../api.js";
import {usePages} from "./data.js";
import {Heading, Pages, Person} from "./parts.js";

/** The user and the followers, which are one Query. */
export function Followers({username}) {
  const list = usePages(path`/users/${username}/followers`, "followers");
  const people = list.items.map(({followingUser}) => ({username: followingUser}));
  return html`<${People} title="Followers of" owner=${username} list=${list} people=${people} />`;
}

/** The profiles of those whom somebody follows: a Query of an index, and a BatchGetItem of the users. */
export function Following({username}) {
  const list = usePages(path`/users/${username}/following/profiles`, "following");
  return html`<${People} title="Followed by" owner=${username} list=${list} people=${list.items} />`;
}

const People = ({title, owner, list, people}) => html`
  <${Heading} title="${title} ${owner}" />
  <p><a href="#/users/${owner}">Back to the profile</a></p>
  <${Pages} list=${list} empty=${html`<p class="empty">Nobody yet.</p>`}>
    <ul>${people.map((person) => html`<${Person} key=${person.username} ...${person} />`)}</ul>
  <//>`;

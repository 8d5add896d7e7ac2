// Who follows somebody, and whom somebody follows.
import {html} from "../vendor/preact.js";
import {path} from "../api.js";
import {usePages} from "./data.js";
import {Heading, Pages, Person} from "./parts.js";

/** The two lists: their titles, and the field of the person in an entry. */
const KINDS = {followers: ["Followers of", "followingUser"], following: ["Followed by", "followedUser"]};

/** The friendships, the cards of the people, and whether the user follows them, in one request. */
export function Friends({username, kind}) {
  const [title, field] = KINDS[kind];
  const list = usePages(path`/users/${username}/${kind}?include=people,viewer`, kind);
  return html`
    <${Heading} title="${title} ${username}" />
    <p><a href="#/users/${username}">Back to the profile</a></p>
    <${Pages} list=${list} empty=${html`<p class="empty">Nobody yet.</p>`}>
      <ul>${list.items.map(({[field]: name, viewer}) => html`
        <${Person} key=${name} username=${name} card=${list.people[name]} viewer=${viewer} />`)}</ul>
    <//>`;
}

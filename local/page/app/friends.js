// Who follows somebody, and whom somebody follows.
import {html} from "../vendor/preact.js";
import {path} from "../api.js";
import {usePages} from "./data.js";
import {Heading, Pages, Person} from "./parts.js";

/** The user and the followers, which are one Query. */
export function Followers({username}) {
  const list = usePages(path`/users/${username}/followers`, "followers");
  return html`
    <${Heading} title="Followers of ${list.first.user?.name ?? username}" />
    <p><a href="#/users/${username}">Back to the profile</a></p>
    <${Pages} list=${list} empty=${html`<p class="empty">Nobody follows ${username} yet.</p>`}>
      <ul class="people">${list.items.map(({followingUser}) => html`
        <${Person} key=${followingUser} username=${followingUser} />`)}</ul>
    <//>`;
}

/** The profiles of those whom somebody follows: a Query of an index, and a BatchGetItem of the users. */
export function Following({username}) {
  const list = usePages(path`/users/${username}/following/profiles`, "following");
  return html`
    <${Heading} title="Followed by ${username}" />
    <p><a href="#/users/${username}">Back to the profile</a></p>
    <${Pages} list=${list} empty=${html`<p class="empty">${username} does not follow anybody yet.</p>`}>
      <ul class="people">${list.items.map(({username, name, status}) => html`
        <${Person} key=${username} username=${username} name=${name}>
          ${status && html`<span class="quiet small motto">${status}</span>`}<//>`)}</ul>
    <//>`;
}

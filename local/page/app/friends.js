// Who follows somebody, whom somebody follows, who asks to follow the user, and whom the user blocks or mutes.
import {html} from "../vendor/preact.js";
import {me, mine, path, request} from "../api.js";
import {attempt, forgetLists, notify, usePages} from "./data.js";
import {BackToSettings, Follow, Heading, Pages, Person} from "./parts.js";

/** The titles of the lists. */
const TITLES = {
  followers: (username) => `Followers of ${username}`, following: (username) => `Followed by ${username}`,
  requests: () => "Requests to follow", blocks: () => "Blocked and muted",
};

/** The friendships, requests or blocks, the cards of the people, and whether the user follows them, in one request. */
export function Friends({username, kind}) {
  const list = usePages(path`/users/${username}/${kind}?include=people` + (kind == "blocks" ? "" : ",viewer"), kind);
  const own = username == me().username;
  const act = (method, url, name, text) => attempt(async () => {
    await request(method, url);
    forgetLists();
    list.setItems((items) => items.filter((item) => item.username != name));
    notify({text});
  });
  /** The buttons beside a person: to answer a request, to remove a follower, or to end a block or a mute. */
  const buttons = ({username: name, viewer, level}) => kind == "requests" ? html`
      <span class="row"><button type="button" class="main" aria-label="Accept ${name}"
        onClick=${() => act("PUT", mine`/requests/${name}`, name, `${name} follows you.`)}>Accept</button>
      <button type="button" aria-label="Decline ${name}"
        onClick=${() => act("DELETE", mine`/requests/${name}`, name, `The request of ${name} is declined.`)}>Decline</button></span>`
    : own && kind == "followers" ? html`
      <span class="row"><${Follow} username=${name} viewer=${viewer} />
      <button type="button" aria-label="Remove ${name}"
        onClick=${() => act("DELETE", mine`/followers/${name}`, name, `${name} does not follow you any more.`)}>Remove</button></span>`
    : kind == "blocks" ? html`
      <button type="button" aria-label="Un${level} ${name}"
        onClick=${() => act("DELETE", mine`/blocks/${name}`, name, `You do not ${level} ${name} any more.`)}>Un${level}</button>`
    : undefined;
  return html`
    <${Heading} title=${TITLES[kind](username)} />
    <p>${["followers", "following"].includes(kind) ? html`<a href="#/users/${username}">Back to the profile</a>` : html`<${BackToSettings} />`}</p>
    <${Pages} list=${list} empty=${html`<p class="empty">Nobody${list.loaded && list.first[kind]?.length ? " else" : " yet"}.</p>`}>
      <ul>${list.items.map((item) => html`
        <${Person} key=${item.username} username=${item.username} card=${list.people[item.username]}
          viewer=${item.viewer}>${buttons(item)}<//>`)}</ul>
    <//>`;
}

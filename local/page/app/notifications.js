// The inbox of the user: what others did.
import {html, useEffect} from "../vendor/preact.js";
import {me, mine, request} from "../api.js";
import {attempt, forgetLists, usePages} from "./data.js";
import {tellWindow, useNews} from "./live.js";
import {Pages, Portrait, Time, Title} from "./parts.js";
import {viewOf} from "./picture.js";

const DID = {
  accepted: "accepted your request", comment: "commented on your photo", follower: "followed you",
  like: "liked your comment", mention: "mentioned you in a comment", photo: "shared a photo", pin: "pinned your comment", reaction: "reacted to your photo", reply: "replied to your comment",
  request: "asked to follow you",
};

const nameOf = ({kind, changed, photo}) => kind + changed + photo?.id;

/** What others did, newest first. What is shown counts as seen. */
export function Notifications() {
  const list = usePages(mine`/notifications?include=comments,people,photos&limit=25`, "notifications");
  const newest = list.items.find(({seen}) => !seen)?.changed;
  useEffect(() => {
    if (newest) attempt(async () => {
      await request("PUT", mine`/notifications/seen`, {body: {until: newest}});
      forgetLists();
      tellWindow({kind: "seen", username: me().username});
    });
  }, [newest]);
  const isNew = useNews("notifications", list, nameOf);
  return html`
    <${Title} title="Notifications" list=${list} news=${isNew && "New notifications"} />
    <${Pages} list=${list} endless empty=${html`<p class="empty">Nobody has done anything yet.</p>`}>
      <ul class="lines notifications">${list.items.map((one) => html`
        <${Line} key=${nameOf(one)} notification=${one} people=${list.people} />`)}</ul>
    <//>`;
}

/** The number of people whom a notification names. The others are a number. */
const MAX_NAMES = 2;

function Line({notification: {kind, photo, comment, usernames, number, changed, seen}, people}) {
  const cards = usernames.slice(0, MAX_NAMES).map((username) => ({username, name: username, ...people[username]}));
  const others = parseInt(number) - cards.length;
  const names = cards.map(({username, name}) => html`<a key=${username} href="#/users/${username}">${name}</a>`);
  if (others > 0) names.push(`${others}${typeof number == "string" ? "+" : ""} other${others == 1 ? "" : "s"}`);
  const view = kind == "request" ? "#/settings/requests" : photo ? viewOf(photo) : `#/users/${usernames[0]}`;
  return html`
    <li class=${seen ? "" : "new"}>
      <span class="portraits">${cards.map((card) => html`<${Portrait} key=${card.username} ...${card} />`)}</span>
      <div>
        <p>${!seen && html`<span class="unseen">New: </span>`}
          ${names.map((name, index) => [index > 0 && (index == names.length - 1 ? " and " : ", "), html`<strong>${name}</strong>`])}
          ${" "}<a href=${view}>${DID[kind]}</a> <span class="quiet small"><${Time} at=${changed} /></span></p>
        ${comment && html`<p class="quiet beginning">${comment.text}</p>`}
      </div>
      ${photo?.picture?.small && html`<a class="thumbnail" href=${view} tabindex="-1" aria-hidden="true">
        <img src=${photo.picture.small} alt="" loading="lazy" /></a>`}
    </li>`;
}

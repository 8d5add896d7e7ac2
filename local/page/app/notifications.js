// The inbox of the user: the bell, and what others did.
import {html, useEffect, useState} from "../vendor/preact.js";
import {mine, request} from "../api.js";
import {attempt, forgetLists, usePages} from "./data.js";
import {Heading, Name, Pages, Time} from "./parts.js";
import {viewOf} from "./picture.js";

const DID = {
  accepted: "accepted your request", comment: "commented on your photo", follower: "followed you",
  mention: "mentioned you in a comment", reaction: "reacted to your photo", request: "asked to follow you",
};

/** The time in which several changes of the inbox are one. */
const SETTLE_MS = 300;

/** The link to the inbox, with the number of what the user has not seen. The right side says when the inbox changes. */
export function Bell({username, current}) {
  const [unseen, setUnseen] = useState(0);
  useEffect(() => {
    let timer = null;
    const read = async () => {
      const {body} = await request("GET", mine`?include=counts`, {unasked: true});
      setUnseen(body.counts.notifications);
    };
    const change = ({detail}) => {
      if (detail !== username) return;
      clearTimeout(timer);
      timer = setTimeout(() => read().catch(console.warn), SETTLE_MS);
    };
    read().catch(console.warn);
    window.addEventListener("quick-photos:inbox", change);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("quick-photos:inbox", change);
    };
  }, [username]);
  return html`
    <a class="button plain bell" href="#/notifications" aria-current=${current ? "page" : null}
      aria-label=${unseen === 0 ? "Notifications" : `Notifications, ${unseen} new`}>
      <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true"><path fill="none" stroke="currentColor" stroke-width="2"
        stroke-linejoin="round" d="M6 10a6 6 0 0 1 12 0c0 5 2 6 2 7H4c0-1 2-2 2-7Zm4 10h4"/></svg>
      ${unseen !== 0 && html`<span class="count">${unseen}</span>`}</a>`;
}

/** What others did, newest first. What is shown counts as seen. */
export function Notifications() {
  const list = usePages(mine`/notifications?include=comments,people,photos&limit=25`, "notifications");
  const newest = list.items.find(({seen}) => !seen)?.changed;
  useEffect(() => {
    if (newest) attempt(() => request("PUT", mine`/notifications/seen`, {body: {until: newest}})).then(forgetLists);
  }, [newest]);
  return html`
    <div class="row"><${Heading} title="Notifications" />
      <button type="button" class="plain" disabled=${list.busy} onClick=${list.reload}>Refresh</button></div>
    <${Pages} list=${list} endless empty=${html`<p class="empty">Nobody has done anything yet.</p>`}>
      <ul class="lines">${list.items.map((one) => html`
        <${Line} key=${one.kind + one.changed + one.photo?.id} notification=${one} people=${list.people} />`)}</ul>
    <//>`;
}

function Line({notification: {kind, photo, comment, usernames, number, changed, seen}, people}) {
  const others = typeof number == "string" ? `${parseInt(number) - 1}+` : number - 1;
  const what = photo ? html`<a href=${viewOf(photo)}>${DID[kind]}</a>` : DID[kind];
  return html`
    <li class=${seen ? "" : "new"}>
      <p><${Name} username=${usernames[0]} people=${people} />
        ${others === 1 && usernames[1] ? html` and <${Name} username=${usernames[1]} people=${people} />`
          : others !== 0 && ` and ${others} others`}
        ${" "}${what} <span class="quiet small"><${Time} at=${changed} /></span></p>
      ${photo?.picture && html`<a class="thumbnail" href=${viewOf(photo)} tabindex="-1" aria-hidden="true">
        <img src=${photo.picture.small} alt="" loading="lazy" /></a>`}
      ${comment && html`<p class="quiet">${comment.text}</p>`}
      ${kind == "request" && html`<p class="small"><a href="#/users/${usernames[0]}">See the profile</a></p>`}
    </li>`;
}

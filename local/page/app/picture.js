// A picture in the place that is reserved for it, and the reactions to it.
import {html, useLayoutEffect, useRef, useState} from "../vendor/preact.js";
import {path, request} from "../api.js";
import {attempt, notify, useUpdate} from "./data.js";
import {day} from "./parts.js";
import {draw} from "./blurhash.js";

/** A photo. Its blurhash shows until the file is there, in a box of the same shape, so that nothing moves. */
export function Picture({photo, sizes}) {
  const canvas = useRef(null);
  const [shown, setShown] = useState("");
  const show = () => setShown("shown");
  useLayoutEffect(() => {
    if (canvas.current && photo.blurhash) draw(canvas.current, photo.blurhash);
  }, [photo.blurhash]);

  if (!photo.urls) return html`<div class="picture blank"><p>${without(photo)}</p></div>`;
  const {urls: {small, large}, width, height} = photo;
  return html`
    <div class="picture" style=${{aspectRatio: `${width} / ${height}`}}>
      <canvas ref=${canvas} width="32" height="32" aria-hidden="true"></canvas>
      <img class=${shown} src=${large} srcset=${`${small} ${Math.min(320, width)}w, ${large} ${width}w`} sizes=${sizes}
        width=${width} height=${height} alt=${`Photo by ${photo.username}, ${day(photo.timestamp)}`} loading="lazy"
        onLoad=${show} onError=${show} />
    </div>`;
}

/** Returns why a photo has no picture. */
function without({status, reason}) {
  if (status == "pending") return "Waiting for its picture …";
  if (status == "rejected") return `Rejected: ${reason}`;
  return status && "No picture is stored.";
}

/** Photos as a grid of squares. */
export const Grid = ({photos, pinned}) => html`
  <ul class="grid">
    ${photos.map((photo) => html`
      <li key=${photo.username + photo.timestamp}>
        <a href="#/photos/${photo.username}/${photo.timestamp}">
          <${Picture} photo=${photo} sizes="(max-width: 60rem) 33vw, 16vw" />
          ${photo.timestamp == pinned && html`<span class="badge">Pinned</span>`}
        </a>
      </li>`)}
  </ul>`;

const REACTIONS = {
  heart: ["heart", html`<path d="M12 20C5 14.5 3 11.500 3 8.500A4.500 4.500 0 0 1 12 7a4.500 4.500 0 0 1 9 1.500c0 3-2 6-9 11.500z" />`],
  "+1": ["thumbs up", html`<path d="M7 20H4v-9h3m0 9V11l4-8c2 0 2.500 1.500 2 3.500L12.500 9H19c1 0 1.500 1 1.300 2l-1.500 7.500c-.2 1-1 1.500-1.800 1.500z" />`],
  smiley: ["smile", html`<circle cx="12" cy="12" r="9" /><path d="M8 14c1.500 3 6.500 3 8 0M9 9v.5M15 9v.5" />`],
  sunglasses: ["sunglasses", html`<circle cx="6.500" cy="14" r="3.500" /><circle cx="17.500" cy="14" r="3.500" />
    <path d="M10 13.500c1-1 3-1 4 0M3 14l2-7h2m14 7-2-7h-2" />`],
};

/** Returns the name of a type of reaction. */
export const reactionName = (type) => REACTIONS[type]?.[0] ?? type;

/**
 * The buttons with which the user reacts and takes it back. Only the list of a photo's reactions says whether the user
 * has reacted. Where it is not shown, the answer to the PUT says so: 200 instead of 201.
 */
export function Reactions({photo, onChange = () => {}}) {
  const update = useUpdate();
  const toggle = (type) => attempt(async () => {
    const url = path`/users/${photo.username}/photos/${photo.timestamp}/reactions/${type}`;
    const on = !photo.mine[type];
    const {status, body} = await request(on ? "PUT" : "DELETE", url);
    if (status != 200) photo.reactions[type] = Math.max(0, (photo.reactions[type] ?? 0) + (on ? 1 : -1));
    else notify({text: "You have reacted like this before. Press again to take it back."});
    photo.mine[type] = on;
    update();
    onChange(type, on && body);
  });
  return html`
    <div class="reactions" role="group" aria-label="Reactions">
      ${Object.entries(REACTIONS).map(([type, [name, icon]]) => html`
        <button key=${type} type="button" disabled=${photo.status != "ready"} aria-pressed=${photo.mine[type] ?? false}
          aria-label="${name}, ${photo.reactions[type] ?? 0}" onClick=${() => toggle(type)}>
          <svg viewBox="0 0 24 24" aria-hidden="true">${icon}</svg>${photo.reactions[type] ?? 0}
        </button>`)}
    </div>`;
}

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
  heart: ["heart", "M12 20C5 14.5 3 11.5 3 8.5A4.5 4.5 0 0 1 12 7a4.5 4.5 0 0 1 9 1.5c0 3-2 6-9 11.5z"],
  "+1": ["thumbs up", "M7 20H4v-9h3m0 9V11l4-8c2 0 2.5 1.5 2 3.5L12.5 9H19c1 0 1.5 1 1.3 2l-1.5 7.5c-.2 1-1 1.5-1.8 1.5z"],
  smiley: ["smile", "M3 12a9 9 0 1 0 18 0 9 9 0 1 0-18 0M8 14c1.5 3 6.5 3 8 0M9 9v.5M15 9v.5"],
  sunglasses: ["sunglasses", "M3 14a3.5 3.5 0 1 0 7 0 3.5 3.5 0 1 0-7 0l2-7h2m7 7a3.5 3.5 0 1 0 7 0 3.5 3.5 0 1 0-7 0"
    + "m7 0-2-7h-2m-7 6.5c1-1 3-1 4 0"],
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
          <svg viewBox="0 0 24 24" aria-hidden="true"><path d=${icon} /></svg>${photo.reactions[type] ?? 0}
        </button>`)}
    </div>`;
}

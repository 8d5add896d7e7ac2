// A picture in the place that is reserved for it, its texts, its audience, and what the user does to it.
import {html} from "../vendor/preact.js";
import {me, mine, path, request} from "../api.js";
import {acted, attempt, browse, forgetLists, known, notify, showsSensitive, useOptimistic, useUpdate} from "./data.js";
import {Image} from "./image.js";
import {reasonName} from "./reports.js";
import {day} from "./time.js";

/** Returns the title of a photo. */
export const titleOf = ({username, timestamp}) => `Photo by ${username}, ${day(timestamp)}`;

/** Returns the address of a photo's view. */
export const viewOf = ({username, id}) => `#/photos/${username}/${id}`;

/** Returns the style of a box of the shape of a photo. CSS limits its height by `--shape`, the width of one of height 1. */
const box = ({width, height}) => ({aspectRatio: `${width} / ${height}`, "--shape": width / height});

/** The width of a photo that fills the column of a view, in CSS pixels. */
export const COLUMN = "(max-width: 60rem) 100vw, min(46rem, 50vw)";

/** The reasons why a photo is sensitive, with their names. */
export const SENSITIVE = [
  ["nudity", "Nudity"], ["violence", "Violence"], ["medical", "Injury or illness"], ["spoiler", "Spoiler"], ["other", "Another reason"],
];

/** Returns why a photo is sensitive, if it is. */
export const sensitiveName = (reason) => SENSITIVE.find(([value]) => value == reason)?.[1] ?? reason;

/** The field in which the owner says why a photo is sensitive. */
export const SENSITIVE_FIELD = {
  name: "sensitive", label: "Sensitive", options: [["", "No"], ...SENSITIVE], hint: "Others see a blurred picture until they open it.",
};

/** Returns whether the picture of a photo of somebody else is blurred until the user asks for it. */
export const covered = ({sensitive, username, urls, opened}) =>
  sensitive && !opened && username != me()?.username && !(urls && showsSensitive());

/** The button that shows a sensitive photo. `show` is how it gets its URLs, and `onShow` renders what shows it. */
export function Show({photo, show, onShow}) {
  if (!covered(photo)) return null;
  const open = () => attempt(async () => {
    if (!photo.urls) await (show?.() ?? request("GET", path`/users/${photo.username}/photos/${photo.id}`).then(({body}) => known(body.photo)));
    photo.opened = true;
    onShow();
  });
  return html`<p class="actions"><button type="button" onClick=${open}>Show the sensitive photo</button></p>`;
}

/**
 * A photo in a box of its shape, so that nothing moves, with its audience unless it is for everyone, and whether a moderator
 * has removed it. A sensitive one is blurred until the user shows it, or if it is `open`. The browser loads one file that is large enough for `sizes`, the width of the box. With `after` the small
 * file shows until then, which a list has loaded already. A photo of several pictures says how many it has, unless it is one of them with its `place`.
 */
export function Picture({photo, sizes, after, open, place}) {
  const audience = AUDIENCES.find(([value]) => value == photo.audience)?.[1];
  const label = photo.status == "removed" ? "Removed" : audience;
  const count = !place && photo.pictureCount > 1 && html`<span class="badge place">${photo.pictureCount}<span class="unseen"> pictures</span></span>`;
  const badge = [label && html`<span class="badge">${label}</span>`, count];
  if (!open && covered(photo)) return html`
    <div class="picture" style=${box(photo)}>
      <${Image} blurhash=${photo.blurhash} />
      <span class="badge">Sensitive: ${sensitiveName(photo.sensitive.reason)}<span class="unseen">. ${titleOf(photo)}</span></span>
      ${count}
    </div>`;
  if (!photo.urls) return html`<div class="picture blank"><p>${without(photo)}</p>${badge}</div>`;
  const {urls, width, height, blurhash} = photo;
  const srcset = urls.map(({width, url}) => `${url} ${width}w`).join(", ");
  return html`
    <div class="picture" style=${box(photo)}>
      <${Image} blurhash=${blurhash} small=${after && urls[1] && urls[0].url} src=${urls.at(-1).url} srcset=${srcset} sizes=${sizes}
        width=${width} height=${height}
        alt=${photo.altText ?? titleOf(photo) + (place ? `, picture ${place}` : "")} />
      ${badge}
    </div>`;
}

/** The fields of the texts of a photo. */
export const TEXT_FIELDS = [
  {name: "caption", label: "Caption", as: "textarea", rows: 3},
  {name: "altText", label: "Description", as: "textarea", rows: 2,
    hint: "What the photo shows, for people who cannot see it"},
];

/** The audiences of photos, with their names. An answer leaves out the first one. */
export const AUDIENCES = [["everyone", "Everyone"], ["followers", "Followers"], ["me", "Only me"]];

/** The field of the audience of a photo. */
export const AUDIENCE_FIELD = {name: "audience", label: "Who may see it", options: AUDIENCES};

/** The caption of a photo, if it has one, with links of its hashtags. */
export const Caption = ({photo: {caption, hashtags = []}}) => caption && html`
  <p class="text">${caption.split(/([#＃﹟][\p{L}\p{N}\p{M}_\u200c\u200d]+)/u).map((part) =>
    hashtags.includes(part.slice(1)) ? html`<a href="#/hashtags/${encodeURIComponent(part.slice(1))}">${part}</a>` : part)}</p>`;

const PROBLEMS = {
  "not-a-picture": "The file is no JPEG, PNG or WebP picture. Convert it",
  "picture-too-large": "The file is too large. Make it smaller",
  "too-many-pixels": "The picture has too many pixels. Make it smaller",
  "picture-damaged": "The picture is damaged. Save it again as JPEG",
};

/** The decisions, which have a reason. */
const DECISIONS = {
  "picture-refused": "The check of pictures has refused this",
  "removed-by-moderator": "A moderator has removed this",
};

/** Returns why only the owner sees a photo, or a picture of several. */
export function problemOf({problem, reason, number}) {
  const kind = problem.split(":").at(-1);
  if (PROBLEMS[kind]) return `${PROBLEMS[kind]}, and ${number ? "replace this picture." : "upload it as a new photo."}`;
  return `${DECISIONS[kind]} ${number ? "picture" : "photo"}: ${reasonName(reason)}.`;
}

/** Returns why a photo has no picture. */
function without(photo) {
  if (photo.status == "pending") return "Waiting for its picture …";
  if (photo.problem) return problemOf(photo);
  return "No picture is stored.";
}

/** Photos as a grid of squares. */
export function Grid({photos, pinned}) {
  browse(photos);
  return html`<${Tiles} photos=${photos} pinned=${pinned} />`;
}

/** Photos in rows, each of which leads to its view. */
export function Tiles({photos, pinned}) {
  return html`
    <ul class="grid">
      ${photos.map((photo) => html`
        <li key=${photo.username + photo.id}>
          <a href=${viewOf(photo)}>
            <${Picture} photo=${photo} sizes="(max-width: 60rem) 33vw, 16vw" />
            ${photo.id == pinned && html`<span class="badge">Pinned</span>`}
          </a>
        </li>`)}
    </ul>`;
}

/** Photos in rows of one height, each in its own shape. `onOpen` gets the photo that is clicked. */
export const Rows = ({photos, onOpen}) => html`
  <ul class="rows">
    ${photos.filter(({urls, sensitive}) => urls || sensitive).map((photo) => {
      const shape = photo.width / photo.height;
      const open = (event) => {
        event.preventDefault();
        onOpen(photo);
      };
      return html`
        <li key=${photo.username + photo.id} style=${{flex: `${shape} 1 calc(${shape} * var(--height))`}}>
          <a href=${viewOf(photo)} onClick=${open}><${Picture} photo=${photo} sizes="(max-width: 60rem) 60vw, 25vw" /></a>
        </li>`;
    })}
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

export const icon = (path) => html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d=${path} /></svg>`;

/** The buttons with which the user reacts, saves the photo, and takes both back. `viewer` says what the user did. */
export function Reactions({photo, onChange = () => {}}) {
  const update = useUpdate();
  const change = useOptimistic();
  const {reactions, viewer} = photo;
  const react = (type) => {
    const show = (on) => {
      const others = photo.viewer.reactions.filter((other) => other != type);
      if (on != photo.viewer.reactions.includes(type)) {
        photo.viewer.reactions = on ? [...others, type] : others;
        photo.reactions[type] = Math.max(0, (photo.reactions[type] ?? 0) + (on ? 1 : -1));
        onChange(type, on && {username: me().username, reactionType: type, timestamp: new Date().toISOString()});
      }
      acted(photo);
      update();
    };
    const send = async (on) => {
      await request(on ? "PUT" : "DELETE", path`/users/${photo.username}/photos/${photo.id}/reactions/${type}`);
    };
    const on = viewer.reactions.includes(type);
    change(type, on, !on, show, send);
  };
  const save = () => change("save", viewer.saved, !viewer.saved, (saved) => {
    photo.viewer.saved = saved;
    acted(photo);
    update();
  }, async (saved) => {
    await request(saved ? "PUT" : "DELETE", mine`/saved/${photo.username}/${photo.id}`);
    forgetLists(mine`/favorites`);
    notify({text: saved ? "The photo is in your favorites." : "The photo is not in your favorites any more."});
  });
  const isReady = photo.status == "ready";
  return html`
    <div class="reactions" role="group" aria-label="Reactions">
      ${Object.entries(REACTIONS).map(([type, [name, path]]) => html`
        <button key=${type} type="button" disabled=${!isReady} aria-pressed=${viewer.reactions.includes(type)}
          aria-label="${name}, ${reactions[type] ?? 0}" onClick=${() => react(type)}>
          ${icon(path)}${reactions[type] ?? 0}
        </button>`)}
      <button type="button" disabled=${!isReady} aria-pressed=${viewer.saved} aria-label="Save" onClick=${save}>
        ${icon("M6 3h12v18l-6-5-6 5z")}</button>
    </div>`;
}

// Uploads. They go on when the user changes the view, and after a reload.
import {html, useEffect, useState} from "../vendor/preact.js";
import {Uploads as Queue, sendFile} from "../vendor/client.js";
import {me, mine} from "../api.js";
import {attempt, forgetLists, known, useEdited, useUpdate} from "./data.js";
import {live} from "./live.js";
import {Dialog, Form, Trouble} from "./parts.js";
import {AUDIENCE_FIELD, problemOf, SENSITIVE_FIELD, TEXT_FIELDS, viewOf} from "./picture.js";

export {sendFile};

/** Files that wait for their texts. */
let added = [];
/** The uploads of the user. */
let queue = null;
/** The uploads whose rows are closed. */
const closed = new Set();
const previews = new Map();
/** The photos of uploads as all views share them. */
const photos = new WeakMap();

function changed(change) {
  change?.();
  window.dispatchEvent(new Event("quick-photos:uploads"));
}

/** Returns the uploads of the user who is signed in, and goes on with those that a reload has interrupted. */
function mineNow() {
  if (!me()) return {list: []};
  if (queue?.api.session.username == me().username) return queue;
  const uploads = queue = new Queue(me().api, undefined, live());
  uploads.addEventListener("change", () => {
    for (const {photo} of uploads.list) {
      if (!photo || photos.has(photo)) continue;
      photos.set(photo, known(photo));
      forgetLists();
    }
    changed();
  });
  uploads.resume().catch(console.warn);
  return uploads;
}

// The page goes on with an upload after a reload, but not before somebody opens it again.
window.addEventListener("beforeunload", (event) => {
  if (added.length > 0 || queue?.busy) event.preventDefault();
});

const photoOf = (upload) => photos.get(upload.photo);

/** Returns the uploads of this window, and renders the component again when one of them changes. */
export function useUploads() {
  const update = useUpdate();
  useEffect(() => {
    window.addEventListener("quick-photos:uploads", update);
    return () => window.removeEventListener("quick-photos:uploads", update);
  }, []);
  return mineNow().list.map((upload) => ({upload, photo: photoOf(upload)}));
}

/** Forgets the uploads, because another user signs in. */
export const clearUploads = () => changed(() => {
  added = [];
  queue = null;
});

/** Forgets the upload of a photo that is deleted. */
export function forgetUpload(photo) {
  for (const upload of mineNow().list) if (photoOf(upload) == photo) queue.remove(upload);
}

/** Returns the URL of a picture before it is uploaded. */
function previewOf(file) {
  if (!previews.has(file)) previews.set(file, URL.createObjectURL(file));
  return previews.get(file);
}

function forgetPreview(file) {
  URL.revokeObjectURL(previews.get(file));
  previews.delete(file);
}

/** Adds files. They wait for their texts. */
const add = (files) => changed(() => added = [...added, ...files]);

/**
 * Asks for the texts of the files that were added and for their audience, and uploads them. A form does not send a field
 * that is disabled. So until the audience that the profile has for new photos is known, the API takes that one.
 */
function Describe({added: files}) {
  const {known, problem} = useEdited(mine``);
  const texts = files.flatMap((file, index) => TEXT_FIELDS.map((field) => ({
    ...field, name: field.name + index, label: `${field.label} of ${file.name} (optional)`,
  })));
  const audience = {
    ...AUDIENCE_FIELD, label: `Who may see ${files.length == 1 ? "it" : "them"}`, disabled: !known,
    defaultValue: known && (known.body.defaultAudience ?? "everyone"),
  };
  const take = () => changed(() => added = added.filter((file) => !files.includes(file)));
  const cancel = () => {
    files.forEach(forgetPreview);
    take();
  };
  const upload = async (values) => {
    take();
    files.forEach((file, index) => {
      const texts = {caption: values["caption" + index], altText: values["altText" + index]};
      mineNow().add(file, {...texts, audience: values.audience, sensitive: values.sensitive || undefined});
    });
  };
  return html`
    <${Dialog} title="Add ${files.length == 1 ? "a photo" : "photos"}" onClose=${cancel}>
      <p class="actions previews">${files.map((file, index) => html`<img key=${index} src=${previewOf(file)} alt="" width="56" height="56" />`)}</p>
      <${Trouble} problem=${problem} />
      <${Form} fields=${[...texts, audience, SENSITIVE_FIELD]} label="Upload" send=${upload} />
    <//>`;
}

/** The button that chooses pictures. */
export const AddPhotos = () => html`
  <label class="button main"><input class="unseen" type="file" multiple accept="image/jpeg,image/png,image/webp"
    onChange=${(event) => {
      add(event.target.files);
      event.target.value = "";
    }} />Add<span class="who"> photos</span></label>`;

/** Takes pictures that are dropped anywhere on the page. */
export function DropTarget() {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const drag = (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(event.type == "dragover");
      if (event.type == "drop") add(event.dataTransfer.files);
    };
    const leave = (event) => event.relatedTarget ?? setOver(false);
    const listeners = [["dragover", drag], ["drop", drag], ["dragleave", leave]];
    for (const [name, listener] of listeners) window.addEventListener(name, listener);
    return () => listeners.forEach(([name, listener]) => window.removeEventListener(name, listener));
  }, []);
  return html`<p class="drop" hidden=${!over}>Drop your pictures</p>`;
}

/** The uploads and how far they are. */
export function Uploads() {
  const open = useUploads().filter(({upload}) => !closed.has(upload));
  return html`
    ${open.length > 0 && html`
      <section class="uploads" aria-label="Uploads">
        <ul>${open.map((one) => html`<${Row} key=${one.upload.key} ...${one} />`)}</ul>
      </section>`}
    ${added.length > 0 && html`<${Describe} added=${added} />`}`;
}

function Row({upload, photo}) {
  const {file, sent, state, problem} = upload;
  const isEnded = state == "ready" || state == "rejected";
  const close = () => {
    forgetPreview(file);
    if (isEnded) changed(() => closed.add(upload));
    else attempt(() => upload.abort());
  };
  return html`
    <li class="row">
      <img src=${previewOf(file)} alt="" width="56" height="56" />
      <div>
        <p><strong>${file.name}</strong></p>
        ${sent < 1 && !problem && html`<progress value=${sent} aria-label="Sending ${file.name}"></progress>`}
        <p role="status" class=${state}>${state == "rejected" ? `Rejected: ${problemOf(photo)}` : STATES[state]}</p>
        <${Trouble} problem=${problem} retry=${() => upload.retry()} />
      </div>
      ${state == "ready" && html`<a href=${viewOf(photo)}>See photo</a>`}
      <button type="button" class="plain" aria-label="${isEnded ? "Close" : "Cancel"} ${file.name}" onClick=${close}>
        ${isEnded ? "Close" : "Cancel"}</button>
    </li>`;
}

const STATES = {
  waiting: "Waiting for its turn …", sending: "Sending to S3 …", processing: "Making its sizes …", ready: "Ready", failed: "",
};

// Uploads: a POST creates the photo, the file goes to S3 with the form of the answer, and then process-photo makes the
// sizes. They go on when the user changes the view.
import {html, useEffect, useState} from "../vendor/preact.js";
import {mine, newKey, Problem, request} from "../api.js";
import {forgetLists, known, useEdited, useUpdate} from "./data.js";
import {Dialog, Form, Trouble} from "./parts.js";
import {AUDIENCE_FIELD, problemOf, TEXT_FIELDS, viewOf} from "./picture.js";

const FORMATS = {"image/png": "png", "image/webp": "webp"};
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 4000;
const MAX_PAUSES = 60;

/** @type {{file: File, key: string, preview: string, texts?: object, sent: number, photo?: object, problem?: Problem, closed?: boolean}[]} */
let uploads = [];

function changed(change) {
  change?.();
  window.dispatchEvent(new Event("quick-photos:uploads"));
}

/** Returns the uploads of this window, and renders the component again when one of them changes. */
export function useUploads() {
  const update = useUpdate();
  useEffect(() => {
    window.addEventListener("quick-photos:uploads", update);
    return () => window.removeEventListener("quick-photos:uploads", update);
  }, []);
  return uploads;
}

/** Forgets the uploads, because another user signs in. */
export const clearUploads = () => changed(() => uploads = []);

/** Forgets the upload of a photo that is deleted. */
export const forgetUpload = (photo) => changed(() => uploads = uploads.filter((upload) => upload.photo != photo));

/** Adds files. They wait for their texts. */
const add = (files) => changed(() => uploads = [
  ...Array.from(files, (file) => ({file, key: newKey(), preview: URL.createObjectURL(file), sent: 0})), ...uploads,
]);

/**
 * Asks for the texts of the files that were added and for their audience, and uploads them. A form does not send a field
 * that is disabled. So until the audience that the profile has for new photos is known, the API takes that one.
 */
function Describe({added}) {
  const {known, problem} = useEdited(mine``);
  const texts = added.flatMap(({file}, index) => TEXT_FIELDS.map((field) => ({
    ...field, name: field.name + index, label: `${field.label} of ${file.name} (optional)`,
  })));
  const audience = {
    ...AUDIENCE_FIELD, label: `Who may see ${added.length == 1 ? "it" : "them"}`, disabled: !known,
    defaultValue: known && (known.body.defaultAudience ?? "everyone"),
  };
  const cancel = () => changed(() => {
    added.forEach(({preview}) => URL.revokeObjectURL(preview));
    uploads = uploads.filter(({texts}) => texts);
  });
  const upload = async (values) => added.forEach((upload, index) => {
    const text = (name) => values[name + index];
    upload.texts = {caption: text("caption"), altText: text("altText"), audience: values.audience};
    start(upload);
  });
  return html`
    <${Dialog} title="Add ${added.length == 1 ? "a photo" : "photos"}" onClose=${cancel}>
      <p class="actions previews">${added.map(({key, preview}) => html`<img key=${key} src=${preview} alt="" width="56" height="56" />`)}</p>
      <${Trouble} problem=${problem} />
      <${Form} fields=${[...texts, audience]} label="Upload" send=${upload} />
    <//>`;
}

/** Uploads a file. The key makes a second attempt continue with the same photo. */
async function start(upload) {
  const {file, key, texts} = upload;
  changed(() => Object.assign(upload, {sent: 0, problem: null}));
  try {
    const {body: {upload: form, ...photo}} = await request("POST", mine`/photos`, {
      body: {format: FORMATS[file.type] ?? "jpeg", ...texts},
      headers: {"Idempotency-Key": key},
    });
    changed(() => upload.photo = known(photo));
    forgetLists();
    if (form) await sendFile(form, file, (sent) => changed(() => upload.sent = sent));
    changed(() => upload.sent = 1);
    await waitForSizes(upload);
  } catch (problem) {
    changed(() => Object.assign(upload, {problem}));
  }
}

/** Sends a file to S3 by XMLHttpRequest, which alone tells the progress of an upload. */
export const sendFile = (form, file, onProgress) => new Promise((resolve, reject) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(form.fields)) data.append(name, value);
  data.append("file", file);
  const post = new XMLHttpRequest();
  post.upload.onprogress = ({loaded, total}) => onProgress(loaded / total);
  post.onerror = () => reject(new Problem(0, "The file did not reach S3", "Try again."));
  post.onload = () => post.status < 300 ? resolve() : reject(refusal(post));
  post.open("POST", form.url);
  post.send(data);
});

/** Returns what S3 says in its XML. */
function refusal({status, responseText}) {
  const answer = new DOMParser().parseFromString(responseText, "text/xml");
  return new Problem(status, "S3 refused the file", answer.querySelector("Message")?.textContent ?? `${status}`);
}

async function waitForSizes(upload) {
  let pause = FIRST_PAUSE;
  for (let round = 0; round < MAX_PAUSES && uploads.includes(upload); round++) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(pause * 1.5, LONGEST_PAUSE);
    const {body} = await request("GET", mine`/photos/${upload.photo.id}?limit=1`);
    changed(() => known(body.photo));
    if (body.photo.status != "pending") return;
  }
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
  const all = useUploads();
  const added = all.filter(({texts}) => !texts);
  const open = all.filter(({texts, closed}) => texts && !closed);
  return html`
    ${open.length > 0 && html`
      <section class="uploads" aria-label="Uploads">
        <ul>${open.map((upload) => html`<${Row} key=${upload.key} upload=${upload} />`)}</ul>
      </section>`}
    ${added.length > 0 && html`<${Describe} key=${added[0].key} added=${added} />`}`;
}

function Row({upload}) {
  const {file, preview, sent, photo, problem} = upload;
  const [state, text] = stateOf(upload);
  const close = () => changed(() => {
    URL.revokeObjectURL(preview);
    upload.closed = true;
  });
  return html`
    <li class="row">
      <img src=${preview} alt="" width="56" height="56" />
      <div>
        <p><strong>${file.name}</strong></p>
        ${sent < 1 && !problem && html`<progress value=${sent} aria-label="Sending ${file.name}"></progress>`}
        <p role="status" class=${state}>${text}</p>
        <${Trouble} problem=${problem} retry=${() => start(upload)} />
      </div>
      ${state == "ready" && html`<a href=${viewOf(photo)}>See photo</a>`}
      ${(problem || state != "busy") && html`<button type="button" class="plain" aria-label="Close ${file.name}"
        onClick=${close}>Close</button>`}
    </li>`;
}

function stateOf({sent, photo, problem}) {
  if (problem) return ["rejected", ""];
  if (sent < 1) return ["busy", "Sending to S3 …"];
  if (photo.status == "pending") return ["busy", "Making its sizes …"];
  return photo.status == "rejected" ? ["rejected", `Rejected: ${problemOf(photo)}`] : ["ready", "Ready"];
}

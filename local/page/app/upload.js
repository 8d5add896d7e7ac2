// Uploads. They go on when the user changes the view, and after a reload.
import {html, useEffect, useLayoutEffect, useRef, useState} from "../vendor/preact.js";
import {Uploads as Queue, sendFile} from "../vendor/client.js";
import {me, mine, warn} from "../api.js";
import {inOrder} from "./arrange.js";
import {attempt, forgetLists, known, useEdited, useUpdate} from "./data.js";
import {live} from "./live.js";
import {Order} from "./order.js";
import {Dialog, Field, Form, Trouble} from "./parts.js";
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
  uploads.resume().catch(warn);
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

/** The maximum number of pictures of a photo. */
const MAX_PICTURES = 10;

/**
 * Asks for the texts of the files that were added and for their audience, and uploads them: several as one photo, or each as
 * its own. A form does not send a field that is disabled. So until the audience that the profile has for new photos is known,
 * the API takes that one.
 */
function Describe({added: files}) {
  const {known, problem} = useEdited(mine``);
  const [pictures, setPictures] = useState([]);
  const [together, setTogether] = useState(true);
  const taken = useRef(0);
  useLayoutEffect(() => {
    const others = files.slice(taken.current).map((file, index) => ({key: taken.current + index, name: file.name, src: previewOf(file), file}));
    taken.current = files.length;
    setPictures((pictures) => [...pictures, ...others]);
  }, [files]);
  const several = pictures.length > 1;
  const isOne = together && several && pictures.length <= MAX_PICTURES;
  const texts = isOne ? TEXT_FIELDS.slice(0, 1) : pictures.flatMap(({key, name}) => TEXT_FIELDS.map((field) => ({
    ...field, name: field.name + key, label: `${field.label} of ${name} (optional)`,
  })));
  const audience = {
    ...AUDIENCE_FIELD, label: `Who may see ${several && !isOne ? "them" : "it"}`, disabled: !known,
    defaultValue: known && (known.body.defaultAudience ?? "everyone"),
  };
  const take = () => changed(() => added = added.filter((file) => !files.includes(file)));
  const cancel = () => {
    files.forEach(forgetPreview);
    take();
  };
  const upload = async (values) => {
    take();
    const all = {audience: values.audience, sensitive: values.sensitive || undefined};
    if (!isOne) return pictures.forEach(({key, file}) => {
      mineNow().add(file, {...all, caption: values["caption" + key], altText: values["altText" + key]});
    });
    const inTurn = inOrder(pictures, values).map(({file, altText}) => ({file, altText}));
    files.filter((file) => file != inTurn[0].file).forEach(forgetPreview);
    mineNow().addPictures(inTurn, {...all, caption: values.caption});
  };
  const hint = pictures.length > MAX_PICTURES ? `A photo has at most ${MAX_PICTURES} pictures.` : "";
  return html`
    <${Dialog} title="Add ${several ? "photos" : "a photo"}" onClose=${cancel}>
      ${!isOne && html`<p class="actions previews">${pictures.map(({key, src}) => html`<img key=${key} src=${src} alt="" width="56" height="56" />`)}</p>`}
      <${Trouble} problem=${problem} />
      <${Form} fields=${[...texts, audience, SENSITIVE_FIELD]} label="Upload" send=${upload}>
        ${several && html`
          <${Field} label="What becomes of them" name="together" options=${TOGETHER} defaultValue=${isOne ? "one" : "each"} disabled=${hint != ""}
            hint=${hint} onChange=${({target}) => setTogether(target.value == "one")} />`}
        ${isOne && html`<${Order} pictures=${pictures} onChange=${setPictures} least="2" />`}
      <//>
    <//>`;
}

const TOGETHER = [["one", "One photo with all of them"], ["each", "A photo of each"]];

/** A button that chooses pictures. */
const Choose = ({main, multiple, onChoose, children}) => html`
  <label class=${main ? "button main" : "button"}><input class="unseen" type="file" multiple=${multiple} accept="image/jpeg,image/png,image/webp"
    onChange=${(event) => {
      onChoose(event.target.files);
      event.target.value = "";
    }} />${children}</label>`;

/** The button that adds photos. */
export const AddPhotos = () => html`<${Choose} main multiple onChoose=${add}>Add<span class="who"> photos</span><//>`;

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
  const {file, count, sent, state, problem} = upload;
  const isEnded = state == "ready" || state == "rejected";
  const name = count > 1 ? `${file.name} and ${count - 1} more` : file.name;
  const close = () => {
    forgetPreview(file);
    if (isEnded) changed(() => closed.add(upload));
    else attempt(() => upload.abort());
  };
  return html`
    <li class="row">
      <img src=${previewOf(file)} alt="" width="56" height="56" />
      <div>
        <p><strong>${name}</strong></p>
        ${sent < 1 && !problem && html`<progress value=${sent} aria-label="Sending ${name}"></progress>`}
        <p role="status" class=${state}>${state == "rejected" ? `Rejected: ${problemOf(photo)}` : STATES[state]}</p>
        ${state == "incomplete" && html`<ul>${upload.failedPictures.map((picture) => html`
          <${Failed} key=${picture.number} upload=${upload} picture=${picture} isLast=${count == 1} />`)}</ul>`}
        <${Trouble} problem=${problem} retry=${() => upload.retry()} />
      </div>
      ${state == "ready" && html`<a href=${viewOf(photo)}>See photo</a>`}
      <button type="button" class="plain" aria-label="${isEnded ? "Close" : "Cancel"} ${name}" onClick=${close}>
        ${isEnded ? "Close" : "Cancel"}</button>
    </li>`;
}

/** A picture that cannot become ready, with the buttons that replace it and leave it out. The last picture stays. */
function Failed({upload, picture, isLast}) {
  const {number, problem} = picture;
  const name = upload.fileOf(number)?.name ?? `picture ${number}`;
  return html`
    <li>
      <p class="rejected">${problem ? `${name}: ${problemOf(picture)}` : `${name}: Choose its file again.`}</p>
      <p class="actions">
        <${Choose} onChoose=${([file]) => upload.replace(number, file)}>Replace<span class="unseen"> ${name}</span><//>
        ${!isLast && html`<button type="button" class="plain" aria-label="Leave out ${name}" onClick=${() => upload.replace(number)}>Leave out</button>`}
      </p>
    </li>`;
}

const STATES = {
  waiting: "Waiting for its turn …", sending: "Sending to S3 …", processing: "Making its sizes …", ready: "Ready", failed: "",
  incomplete: "Not ready: replace these pictures or leave them out.",
};

import {newKey, type QuickPhotos} from "./client.js";
import {BrowserFiles, MemoryFiles, type FileStore, type KeptFile, type Texts} from "./files.js";
import type {Live, PhotoKey} from "./live.js";
import {Problem} from "./problems.js";
import {retried, sleep} from "./retries.js";
import type {components} from "./schema.js";

type Photo = components["schemas"]["Photo"];

const FORMATS: Record<string, string> = {"image/png": "png", "image/webp": "webp"};
/** The pauses between two questions whether a photo is ready: each is longer than the one before. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 4000;
/** The same with a live connection, whose messages can be lost. Without one, the photo is read six times. */
const FIRST_LIVE_PAUSE_MS = 10_000;
const LONGEST_LIVE_PAUSE_MS = 60_000;
/** The time after which a photo that is not ready is a failure. Most are ready within seconds. */
export const PROCESSING_TIMEOUT_MS = 240_000;

/**
 * The uploads of a user. Files are sent one after the other, and are kept until their photos are finished, so that `resume`
 * goes on after a reload. An event `change` follows each change of an upload or of the list. With `live`, a photo is read when
 * it is ready, instead of again and again.
 */
export class Uploads extends EventTarget {
  /** The uploads, the newest first, with those that are finished. */
  list: readonly Upload[] = [];
  /** What the file before waits for, if there is one. */
  #last: Promise<unknown> | undefined;

  constructor(
    readonly api: QuickPhotos, readonly files: FileStore = "indexedDB" in globalThis ? new BrowserFiles() : new MemoryFiles(),
    readonly live?: Live,
  ) {
    super();
  }

  /** Begins to upload a file. */
  add(file: File, texts: Texts = {}): Upload {
    const kept = {key: newKey(), username: this.api.session.username, file, texts};
    // A browser without space uploads too, but not after a reload.
    return this.#begin(kept, this.files.put(kept).catch(() => {}));
  }

  /** Goes on with the uploads of this user that a reload has interrupted. Throws what the store throws. */
  async resume(): Promise<void> {
    const kept = await this.files.all();
    const isNew = ({key, username}: KeptFile) => username === this.api.session.username && !this.list.some((upload) => upload.key === key);
    for (const file of kept.filter(isNew)) this.#begin(file);
  }

  /** Whether a file is not sent yet. */
  get busy(): boolean {
    return this.list.some(({state}) => state === "waiting" || state === "sending");
  }

  #begin(kept: KeptFile, stored?: Promise<unknown>): Upload {
    const upload = new Upload(this, kept, stored);
    this.list = [upload, ...this.list];
    upload.retry();
    return upload;
  }

  /** @internal Runs `send` after those before. */
  inTurn(send: () => Promise<void>): Promise<void> {
    const turn = this.#last ? this.#last.then(send) : send();
    const last = this.#last = turn.catch(() => {}).finally(() => {
      if (this.#last === last) this.#last = undefined;
    });
    return turn;
  }

  /** @internal */
  changed(): void {
    this.dispatchEvent(new Event("change"));
  }

  /** Takes an upload that is finished off the list. `abort` ends any other. */
  remove(upload: Upload): void {
    this.list = this.list.filter((other) => other !== upload);
    this.changed();
  }
}

/** One file on its way to a photo. */
export class Upload {
  readonly key: string;
  readonly file: File;
  /** `ready` and `rejected` are the ends: the photo says why it is rejected. A `failed` upload can be sent again. */
  state: "waiting" | "sending" | "processing" | "ready" | "rejected" | "failed" = "waiting";
  /** The part of the file that is sent, from 0 to 1. */
  sent = 0;
  /** The photo as it was read last. */
  photo: Photo | undefined;
  /** Why the upload has failed. */
  problem: Problem | undefined;
  /** The photo when it is ready or rejected. Throws a Problem if the last attempt failed, and an `AbortError` after `abort`. */
  done!: Promise<Photo>;
  #control = new AbortController();

  /** @internal `add` of Uploads makes uploads. */
  constructor(private readonly uploads: Uploads, private readonly kept: KeptFile, private readonly stored: Promise<unknown> = Promise.resolve()) {
    this.key = kept.key;
    this.file = kept.file;
  }

  /** Sends the file again after a failure. The key leads to the same photo. */
  retry(): void {
    this.#control = new AbortController();
    this.#change({state: "waiting", sent: 0, problem: undefined});
    this.done = this.#run(this.#control.signal);
    this.done.catch((problem) => this.#control.signal.aborted || this.#change({state: "failed", problem}));
  }

  /** Stops the upload, and deletes a photo that is not ready. Throws what the deletion throws. */
  async abort(): Promise<void> {
    this.#control.abort();
    this.uploads.remove(this);
    await this.#forget();
    // The request that creates the photo may be on its way. What waits has sent nothing.
    if (this.state !== "waiting") await this.done.catch(() => {});
    if (this.photo?.status === "pending") await this.uploads.api.request("DELETE", `/users/me/photos/${this.photo.id}`);
  }

  async #run(signal: AbortSignal): Promise<Photo> {
    const {api, live} = this.uploads;
    // It listens before the file is sent, because the photo can be ready before S3 has answered.
    const hints = live && new Hints(live, ({username, id}) => username === api.session.username && id === this.photo?.id);
    try {
      await this.uploads.inTurn(() => this.#send(signal));
      await this.#process(hints, signal);
    } finally {
      hints?.end();
    }
    await this.#forget();
    this.#change({state: this.photo!.status === "rejected" ? "rejected" : "ready"});
    return this.photo!;
  }

  /** Reads the photo until it is ready or rejected. */
  async #process(hints: Hints | undefined, signal: AbortSignal): Promise<void> {
    const {api, live} = this.uploads;
    const end = Date.now() + PROCESSING_TIMEOUT_MS;
    for (let count = 0; this.photo!.status === "pending"; count++) {
      if (Date.now() > end) throw new Problem(0, "The photo is not ready", "It was sent, and nobody has answered. Try again later.");
      if (hints && live!.isConnected) await hints.wait(Math.min(FIRST_LIVE_PAUSE_MS * 3 ** count, LONGEST_LIVE_PAUSE_MS), signal);
      else await sleep(Math.min(FIRST_PAUSE_MS * 1.5 ** count, LONGEST_PAUSE_MS), signal);
      const path = {username: "me", photo: this.photo!.id};
      const {data} = await api.GET("/users/{username}/photos/{photo}", { params: {path, query: {limit: 1}}, signal });
      this.#change({photo: data.photo!});
    }
  }

  async #send(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#change({state: "sending"});
    const {file, texts, key} = this.kept;
    // It is not aborted, because a lost answer would leave a photo that nobody knows.
    const {body} = await this.uploads.api.request("POST", "/users/me/photos", {
      body: {format: FORMATS[file.type] ?? "jpeg", ...texts}, headers: {"Idempotency-Key": key},
    });
    const {upload: form, ...photo} = body;
    this.#change({photo});
    // A photo that is not pending has its file already.
    if (form) await retried(() => sendFile(form, file, (sent) => this.#change({sent}), signal), signal);
    this.#change({sent: 1, state: "processing"});
  }

  async #forget(): Promise<void> {
    await this.stored;
    await this.uploads.files.delete(this.key).catch(() => {});
  }

  #change(change: Partial<Upload>): void {
    Object.assign(this, change);
    this.uploads.changed();
  }
}

/** What a live connection says about one photo, from now on. */
class Hints {
  readonly #end = new AbortController();
  #isTold = false;
  #wake = () => {};

  constructor(live: Live, isAbout: (photo: PhotoKey) => boolean) {
    const hear = (event: Event) => {
      if (event.type === "photo" && !isAbout((event as CustomEvent<PhotoKey>).detail)) return;
      this.#isTold = true;
      this.#wake();
    };
    for (const type of ["photo", "connected"]) live.addEventListener(type, hear, {signal: this.#end.signal});
  }

  /** Returns when the photo may have changed since the last call, or after a time. Throws the reason of the signal. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isTold) {
      const told = new AbortController();
      this.#wake = () => told.abort();
      await sleep(ms, AbortSignal.any([signal, told.signal])).catch(() => signal.throwIfAborted());
    }
    this.#isTold = false;
  }

  end(): void {
    this.#end.abort();
  }
}

/**
 * Sends a file to S3 with the form of an answer, and reports the part that is sent: browsers tell it only of an
 * XMLHttpRequest, and Node.js not at all. Throws a Problem, and the reason of the signal.
 */
export async function sendFile(
  form: components["schemas"]["UploadForm"], file: Blob, onProgress: (sent: number) => void = () => {}, signal?: AbortSignal,
): Promise<void> {
  const data = new FormData();
  for (const [name, value] of Object.entries(form.fields)) data.append(name, value);
  data.append("file", file);
  signal?.throwIfAborted();
  const {status, text} = await ("XMLHttpRequest" in globalThis ? post(form.url, data, onProgress, signal) : postByFetch(form.url, data, signal));
  if (status >= 300) throw new Problem(status, "S3 refused the file", /<Message>(.*?)<\/Message>/s.exec(text)?.[1] ?? `Status ${status}`);
}

type S3Answer = Promise<{status: number; text: string}>;
const lost = (cause?: unknown) => new Problem(0, "The file did not reach S3", "Try again.", {cause});

const post = (url: string, data: FormData, onProgress: (sent: number) => void, signal?: AbortSignal): S3Answer => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest();
  request.upload.onprogress = ({loaded, total}) => onProgress(loaded / total);
  request.onload = () => resolve({status: request.status, text: request.responseText});
  request.onerror = () => reject(lost());
  request.onabort = () => reject(signal!.reason);
  signal?.addEventListener("abort", () => request.abort());
  request.open("POST", url);
  request.send(data);
});

async function postByFetch(url: string, data: FormData, signal?: AbortSignal): S3Answer {
  try {
    const answer = await fetch(url, {method: "POST", body: data, signal: signal ?? null});
    return {status: answer.status, text: await answer.text()};
  } catch (cause) {
    signal?.throwIfAborted();
    throw lost(cause);
  }
}

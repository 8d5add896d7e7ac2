import {newKey, type QuickPhotos} from "./client.js";
import {BrowserFiles, MemoryFiles, type FileStore, type KeptFile, type NewPicture, type Texts} from "./files.js";
import type {Live, PhotoKey} from "./live.js";
import {Problem} from "./problems.js";
import {retried, sleep} from "./retries.js";
import type {components} from "./schema.js";

type Photo = components["schemas"]["Photo"];
type Picture = NonNullable<Photo["pictures"]>[number];
/** A picture as the answer to a write shows it. A pending one has a form. */
type SentPicture = Picture & {upload?: components["schemas"]["UploadForm"]};

const FORMATS: Record<string, string> = {"image/png": "png", "image/webp": "webp"};
const formatOf = ({type}: File) => FORMATS[type] ?? "jpeg";
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
    return this.#add({file, texts});
  }

  /** Begins to upload from two to ten files as the pictures of one photo, in this order. */
  addPictures(pictures: readonly NewPicture[], texts: Texts = {}): Upload {
    return this.#add({file: pictures[0]!.file, texts, pictures});
  }

  #add(upload: Pick<KeptFile, "file" | "texts" | "pictures">): Upload {
    const kept = {key: newKey(), username: this.api.session.username, ...upload};
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

/** One file, or the files of several pictures, on the way to a photo. */
export class Upload {
  readonly key: string;
  /** The file, of several pictures the first one. */
  readonly file: File;
  /**
   * `ready` and `rejected` are the ends: the photo says why it is rejected. A `failed` upload can be sent again. One of several
   * pictures is `incomplete` until those that cannot become ready are replaced or left out.
   */
  state: "waiting" | "sending" | "processing" | "incomplete" | "ready" | "rejected" | "failed" = "waiting";
  /** The part of the files that is sent, from 0 to 1. */
  sent = 0;
  /** The photo as it was read last. */
  photo: Photo | undefined;
  /** Why the upload has failed. */
  problem: Problem | undefined;
  /** The photo when it is ready, rejected or incomplete. Throws a Problem if the last attempt failed, and an `AbortError` after `abort`. */
  done!: Promise<Photo>;
  #control = new AbortController();

  /** @internal `add` of Uploads makes uploads. */
  constructor(private readonly uploads: Uploads, private kept: KeptFile, private readonly stored: Promise<unknown> = Promise.resolve()) {
    this.key = kept.key;
    this.file = kept.file;
  }

  /** The number of pictures that the photo gets. */
  get count(): number {
    return this.photo?.pictures?.length ?? this.kept.pictures?.length ?? 1;
  }

  /** Returns the file of a picture of several, unless it was added elsewhere. */
  fileOf(number: number): File | undefined {
    return this.kept.replacements?.find((other) => other.number === number)?.file ?? this.kept.pictures?.[number - 1]?.file;
  }

  /** The pictures of an `incomplete` upload that cannot become ready. */
  get failedPictures(): Picture[] {
    return this.photo?.pictures?.filter(({number, status}) => status === "rejected" || status === "pending" && !this.fileOf(number)) ?? [];
  }

  /** Sends what is not sent yet again after a failure. The key leads to the same photo. */
  retry(): void {
    this.#begin((signal) => this.#create(signal));
  }

  /** Replaces a picture of an `incomplete` upload, or leaves it out if there is no file. */
  replace(number: number, file?: File): void {
    this.#begin((signal) => this.#replace(number, file, signal));
  }

  #begin(send: (signal: AbortSignal) => Promise<void>): void {
    this.#control = new AbortController();
    this.#change({state: "waiting", sent: 0, problem: undefined});
    this.done = this.#run(send, this.#control.signal);
    this.done.catch(async (problem) => {
      if (this.#control.signal.aborted) return;
      // A photo that is deleted or has expired does not come back.
      if (problem instanceof Problem && problem.is("no-photo")) await this.#forget();
      this.#change({state: "failed", problem});
    });
  }

  /** Stops the upload, and deletes a photo that is not ready. Throws what the deletion throws. */
  async abort(): Promise<void> {
    this.#control.abort();
    this.uploads.remove(this);
    await this.#forget();
    // The request that creates the photo may be on its way. What waits has sent nothing since the last reload.
    if (this.state !== "waiting") await this.done.catch(() => {});
    const {id} = this.kept;
    if (id && !this.photo) {
      await this.#read(id).catch((problem) => {
        if (!(problem instanceof Problem && problem.is("no-photo"))) throw problem;
      });
    }
    if (this.photo?.status === "pending") await this.uploads.api.request("DELETE", `/users/me/photos/${this.photo.id}`);
  }

  async #run(send: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<Photo> {
    const {api, live} = this.uploads;
    // It listens before the file is sent, because the photo can be ready before S3 has answered.
    const hints = live && new Hints(live, ({username, id}) => username === api.session.username && id === this.photo?.id);
    try {
      await this.uploads.inTurn(async () => {
        signal.throwIfAborted();
        this.#change({state: "sending"});
        await send(signal);
        this.#change({sent: 1, state: "processing"});
      });
      await this.#process(hints, signal);
    } finally {
      hints?.end();
    }
    const {status} = this.photo!;
    if (status !== "pending") await this.#forget();
    this.#change({state: status === "pending" ? "incomplete" : status === "rejected" ? "rejected" : "ready"});
    return this.photo!;
  }

  /** Whether the photo can still change by itself. */
  get #isProcessed(): boolean {
    const {status, pictures} = this.photo!;
    return status === "pending" && (pictures?.some(({number, status}) => status === "pending" && this.fileOf(number)) ?? true);
  }

  /** Reads the photo until it is ready or rejected, or until only pictures are left that cannot become ready. */
  async #process(hints: Hints | undefined, signal: AbortSignal): Promise<void> {
    const {live} = this.uploads;
    const end = Date.now() + PROCESSING_TIMEOUT_MS;
    for (let count = 0; this.#isProcessed; count++) {
      if (Date.now() > end) throw new Problem(0, "The photo is not ready", "It was sent, and nobody has answered. Try again later.");
      if (hints && live!.isConnected) await hints.wait(Math.min(FIRST_LIVE_PAUSE_MS * 3 ** count, LONGEST_LIVE_PAUSE_MS), signal);
      else await sleep(Math.min(FIRST_PAUSE_MS * 1.5 ** count, LONGEST_PAUSE_MS), signal);
      await this.#read(this.photo!.id, signal);
    }
  }

  async #read(id: string, signal?: AbortSignal): Promise<void> {
    const params = {path: {username: "me", photo: id}, query: {limit: 1}};
    const {data} = await this.uploads.api.GET("/users/{username}/photos/{photo}", {params, signal: signal ?? null});
    this.#change({photo: data.photo!});
  }

  async #create(signal: AbortSignal): Promise<void> {
    const {id, file, texts, key, pictures} = this.kept;
    // A key that does not count any more would lead to another photo.
    if (id) await this.#read(id);
    if (id && this.photo!.status !== "pending") return;
    const files = pictures ? {pictures: pictures.map(({file, altText}) => ({format: formatOf(file), altText}))} : {format: formatOf(file)};
    // It is not aborted, because a lost answer would leave a photo that nobody knows.
    const {body} = await this.uploads.api.request("POST", "/users/me/photos", {body: {...files, ...texts}, headers: {"Idempotency-Key": key}});
    const {upload: form, ...photo} = body;
    this.#change({photo});
    this.kept = {...this.kept, id: photo.id};
    // What is kept without the id would be sent again.
    if (!signal.aborted) await this.uploads.files.put(this.kept).catch(() => this.#forget());
    // A photo that is not pending has its file already.
    if (form) await retried(() => sendFile(form, file, (sent) => this.#change({sent}), signal), signal);
    else await this.#sendPictures(photo.pictures ?? [], signal);
    // The answer has no form for a picture that has replaced another one. So its file replaces it once more, unless S3 has it.
    for (const {number, status} of (photo.pictures ?? []) as Picture[]) {
      const replacement = status === "pending" && this.kept.replacements?.find((other) => other.number === number);
      if (replacement && !replacement.sent) await this.#replace(number, replacement.file, signal);
    }
  }

  /** Changes the pictures of the photo. A repetition leads to the same pictures. */
  async #replace(number: number, file: File | undefined, signal: AbortSignal): Promise<void> {
    const {id, pictures: before = []} = this.photo!;
    const pictures = before.flatMap(({number: other, altText}): object[] =>
      other !== number ? [{number: other, altText}] : file ? [{format: formatOf(file), altText}] : []);
    const {body} = await this.uploads.api.request("PATCH", `/users/me/photos/${id}`, {body: {pictures}});
    const added = (body.pictures as Picture[]).find((picture) => !before.some(({number}) => number === picture.number));
    const keep = async (sent: boolean) => {
      if (!file || !added) return;
      const others = this.kept.replacements?.filter((other) => other.number !== added.number) ?? [];
      this.kept = {...this.kept, replacements: [...others, {number: added.number, file, sent}]};
      if (!signal.aborted) await this.uploads.files.put(this.kept).catch(() => {});
    };
    await keep(false);
    this.#change({photo: body});
    await this.#sendPictures(body.pictures, signal);
    await keep(true);
  }

  /** Sends the files of those pictures that have forms, one after the other. */
  async #sendPictures(pictures: readonly SentPicture[], signal: AbortSignal): Promise<void> {
    const waiting = pictures.flatMap(({number, upload: form}) => {
      const file = this.fileOf(number);
      return form && file ? [{form, file}] : [];
    });
    const bytes = waiting.reduce((sum, {file}) => sum + file.size, 0);
    let before = 0;
    for (const {form, file} of waiting) {
      await retried(() => sendFile(form, file, (sent) => this.#change({sent: (before + sent * file.size) / bytes}), signal), signal);
      before += file.size;
    }
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

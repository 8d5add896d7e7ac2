import {newKey, type QuickPhotos} from "./client.js";
import {Problem} from "./problems.js";

/** A connection that is not used for 10 minutes ends, so the client sends this often. */
const PING_PAUSE_MS = 540_000;
/** The longest pause before the first attempt to connect again. Each further one is twice as long. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** The time after which a hidden document has no connection, because each minute of a connection costs something. */
export const HIDDEN_TIMEOUT_MS = 60_000;
/** The time in which several changes of the shown photo are one request. */
const SETTLE_MS = 100;
/** The time after which a sign-out does not wait for the server any more. */
const CLOSE_TIMEOUT_MS = 2000;

/** The key of a photo. */
export interface PhotoKey {
  username: string;
  id: string;
}

export interface LiveOptions {
  /** Connects in the place of the platform's class. Node.js has one from version 22 on. */
  WebSocket?: typeof globalThis.WebSocket;
}

export interface Live {
  addEventListener(type: "photo", listener: (event: CustomEvent<PhotoKey>) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener(...listener: Parameters<EventTarget["addEventListener"]>): void;
}

/**
 * The live connection of one open window or app. It says that something is to be read again, and never what it is now:
 *
 * - `notifications`: the user has a new notification.
 * - `feed`: the home feed has a new photo.
 * - `photo`: the photo in `detail` has changed. It is the one that `watch` has named, or one of the user that became ready
 *   or was rejected.
 * - `connected`: the connection is there, the first time or again. Changes before it bring no event, so read what shows.
 *
 * A lost connection comes back by itself, and a document that is hidden for a minute has none. It keeps a program in
 * Node.js running until `close`.
 */
export class Live extends EventTarget {
  readonly #path = `/users/me/screens/${newKey().match(/.{8}/g)!.join("-")}`;
  readonly #WebSocket: typeof globalThis.WebSocket;
  /** Aborts when nothing is to be heard any more. */
  readonly #end = new AbortController();
  #socket: WebSocket | undefined;
  #isConnected = false;
  #isHidden = false;
  /** The shown photo as the body of a request has it, and as the server knows it. */
  #shown = "{}";
  #told = "";
  #isTelling = false;
  /** The attempts to connect since a connection has lasted. */
  #attempts = 0;
  #retry: Timer;
  #settle: Timer;
  #hide: Timer;
  #pings: Timer;

  /** Connects at once. */
  constructor(readonly api: QuickPhotos, {WebSocket = globalThis.WebSocket}: LiveOptions = {}) {
    super();
    if (!WebSocket) throw new TypeError("This platform has no WebSocket. Use Node.js 22, or pass a class of a package.");
    this.#WebSocket = WebSocket;
    const {signal} = this.#end;
    if ("document" in globalThis) {
      document.addEventListener("visibilitychange", () => this.#look(), {signal});
      // The connection of another network may be dead, and nobody says so.
      globalThis.addEventListener("online", () => this.#reconnect(), {signal});
      this.#look();
    }
    void this.#tell();
  }

  /** Whether events come. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  /**
   * Says which photo shows, or that none does. Call it before the photo is read, because a change between the two would
   * bring no event. Without a connection, the next one begins with this photo.
   */
  watch(photo: PhotoKey | null): void {
    this.#shown = JSON.stringify(photo ? {photo: {username: photo.username, id: photo.id}} : {});
    clearTimeout(this.#settle);
    if (this.#socket) this.#settle = setTimeout(() => void this.#tell(), SETTLE_MS);
  }

  /** Ends the connection. Call it before the user signs out. The server does not have to know it of a user who is gone. */
  async close(isGone = false): Promise<void> {
    const isConnected = this.#isConnected;
    this.#stop();
    // A screen without a connection hears nothing, and expires by itself.
    if (!isConnected || isGone) return;
    await this.api.request("DELETE", this.#path, {signal: AbortSignal.timeout(CLOSE_TIMEOUT_MS)}).catch(() => {});
  }

  /** Tells the server what shows, and connects, until the server knows all and there is a connection. */
  async #tell(): Promise<void> {
    if (this.#isTelling) return;
    this.#isTelling = true;
    clearTimeout(this.#retry);
    const {signal} = this.#end;
    let sent = "";
    try {
      while (!signal.aborted && !this.#isHidden && !(this.#socket && this.#told === this.#shown)) {
        sent = this.#shown;
        const {url} = (await this.api.request<{url: string}>("PUT", this.#path, {body: JSON.parse(sent), signal})).body;
        this.#told = sent;
        if (!this.#socket && !this.#isHidden) this.#connect(url);
      }
    } catch (problem) {
      if (signal.aborted) return;
      if (isRefusal(problem)) {
        // A photo may be gone without its viewer.
        if (sent === "{}") return this.#stop();
        if (this.#shown === sent) this.#shown = "{}";
      }
      this.#pause(problem instanceof Problem ? problem.retryAfter : 0);
    } finally {
      this.#isTelling = false;
    }
  }

  #connect(url: string): void {
    const socket = this.#socket = new this.#WebSocket(url);
    let opened = Infinity;
    socket.onopen = () => {
      opened = Date.now();
      this.#isConnected = true;
      this.#pings = setInterval(() => socket.send('{"action":"ping"}'), PING_PAUSE_MS);
      this.dispatchEvent(new Event("connected"));
    };
    socket.onmessage = ({data}) => {
      const {kind, photo} = JSON.parse(data);
      if (kind === "photo") this.dispatchEvent(new CustomEvent("photo", {detail: photo}));
      if (kind === "notifications" || kind === "feed") this.dispatchEvent(new Event(kind));
    };
    socket.onclose = () => {
      this.#disconnect();
      // A server that closes each connection soon does not get a new one each second.
      if (Date.now() - opened > LONGEST_PAUSE_MS) this.#attempts = 0;
      this.#pause();
    };
  }

  /** Tries again after a random pause, so that the clients of a server that was restarted do not come together. */
  #pause(retryAfter = 0): void {
    if (this.#isHidden) return;
    const longest = Math.min(FIRST_PAUSE_MS * 2 ** this.#attempts++, LONGEST_PAUSE_MS);
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#tell(), Math.max(Math.random() * longest, retryAfter * 1000));
  }

  #disconnect(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#isConnected = false;
    clearInterval(this.#pings);
    clearTimeout(this.#settle);
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  #reconnect(): void {
    if (this.#isHidden) return;
    this.#disconnect();
    void this.#tell();
  }

  /** Looks whether the document is hidden. */
  #look(): void {
    clearTimeout(this.#hide);
    if (document.visibilityState === "hidden") {
      this.#hide = setTimeout(() => {
        this.#isHidden = true;
        clearTimeout(this.#retry);
        this.#disconnect();
      }, HIDDEN_TIMEOUT_MS);
      return;
    }
    this.#isHidden = false;
    if (!this.#socket) void this.#tell();
  }

  #stop(): void {
    this.#end.abort();
    this.#disconnect();
    clearTimeout(this.#retry);
    clearTimeout(this.#hide);
  }
}

type Timer = ReturnType<typeof setTimeout> | undefined;

/** Whether the server will not take the request later either, for example because the profile is gone. */
const isRefusal = (problem: unknown) =>
  problem instanceof Problem && problem.status >= 400 && problem.status < 500 && problem.status !== 401 && problem.status !== 429;

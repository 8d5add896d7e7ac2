import createClient, {type MaybeOptionalInit} from "openapi-fetch";
import type {HttpMethod, PathsWithMethod, RequiredKeysOf, SuccessResponseJSON} from "openapi-typescript-helpers";
import {Pages, type List} from "./pages.js";
import {Problem, content, problemOf} from "./problems.js";
import {retried} from "./retries.js";
import type {paths} from "./schema.js";
import type {Session} from "./session.js";

/** The time in which an answer has to come. API Gateway answers within 30 seconds. */
export const ANSWER_TIMEOUT_MS = 35_000;

/** What is sent beside the method and the path. */
export interface RequestOptions {
  /** What is sent as JSON. */
  body?: unknown;
  headers?: Record<string, string> | Headers;
  signal?: AbortSignal | null;
}

/** What a request has answered: JSON, or a text. */
export interface Answer<Body> {
  status: number;
  body: Body;
  headers: Headers;
}

type Init<Path extends keyof paths, Method extends HttpMethod> = MaybeOptionalInit<paths[Path], Extract<Method, keyof paths[Path]>>;
type Optional<Type> = RequiredKeysOf<Type> extends never ? [Type?] : [Type];
/** A request of this method. It throws what `request` throws, so there is always `data`. A 304 has none: `If-None-Match` is for `request`. */
type Call<Method extends HttpMethod> = <Path extends PathsWithMethod<paths, Method>>(path: Path, ...init: Optional<Init<Path, Method>>) =>
  Promise<{data: SuccessResponseJSON<paths[Path][Method] & {}>; response: Response}>;

/** The API, as one user sees it. */
export class QuickPhotos {
  readonly session: Session;
  readonly #api: string;
  readonly #fetch: typeof fetch;
  /** Requests whose paths, parameters, bodies and answers the compiler checks. They throw what `request` throws. */
  readonly GET: Call<"get">;
  readonly POST: Call<"post">;
  readonly PUT: Call<"put">;
  readonly PATCH: Call<"patch">;
  readonly DELETE: Call<"delete">;

  /** `api` is the address of the API, without a slash at its end. `fetch` sends in the place of the platform's. */
  constructor({api, session, fetch}: {api: string; session: Session; fetch?: typeof globalThis.fetch}) {
    this.#api = api;
    this.session = session;
    this.#fetch = fetch ?? ((...request) => globalThis.fetch(...request));
    // `include` has its words in one value, separated by commas.
    const querySerializer = {array: {style: "form", explode: false}} as const;
    const typed = createClient<paths>({
      baseUrl: api, querySerializer,
      fetch: async (request) => {
        const {method, url, headers, signal} = request;
        const {status, text, headers: answered} = await this.#send(method, url, headers, await request.text(), signal);
        return new Response(text || null, {status, headers: answered});
      },
    });
    const {GET, POST, PUT, PATCH, DELETE} = typed as unknown as Record<"GET" | "POST" | "PUT" | "PATCH" | "DELETE", never>;
    [this.GET, this.POST, this.PUT, this.PATCH, this.DELETE] = [GET, POST, PUT, PATCH, DELETE];
  }

  /**
   * Sends a request to a path such as `/users/me`. A token that is refused is renewed once. A request without a lasting answer
   * is repeated: a POST has an `Idempotency-Key` of its own, unless `headers` has one, so that nothing is created twice.
   * Throws a Problem, whose status is 0 if no answer came; what the session throws; and the reason of the signal.
   */
  async request<Body = any>(method: string, path: string, {body, headers, signal}: RequestOptions = {}): Promise<Answer<Body>> {
    const all = new Headers(headers);
    if (body != null) all.set("Content-Type", "application/json");
    const answer = await this.#send(method, this.#api + path, all, body == null ? "" : JSON.stringify(body), signal);
    return {status: answer.status, body: content(answer.headers, answer.text) as Body, headers: answer.headers};
  }

  /** Returns the pages of a list. They are read as they are asked for, and throw what `request` throws. */
  pages<Path extends List>(path: Path, ...[init]: Optional<Init<Path, "get">>): Pages<SuccessResponseJSON<paths[Path]["get"]>> {
    const {params, ...others} = (init ?? {}) as {params?: {query?: object}};
    return new Pages(async (cursor) => {
      const query = {...params?.query, ...(cursor && {cursor})};
      const {data} = await (this.GET as (path: string, init: object) => Promise<{data: any}>)(path, {...others, params: {...params, query}});
      return data;
    });
  }

  async #send(method: string, url: string, headers: Headers, body: string, signal?: AbortSignal | null): Promise<Received> {
    if (method === "POST" && !headers.has("Idempotency-Key")) headers.set("Idempotency-Key", newKey());
    /** Sends the request once, with another token than the refused one. */
    const exchange = async (refused?: string): Promise<Received> => {
      const timeout = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
      try {
        const token = await this.session.token(refused);
        headers.set("Authorization", `Bearer ${token}`);
        const answer = await this.#fetch(url, {method, headers, body: body || null, signal: signal ? AbortSignal.any([signal, timeout]) : timeout});
        return {status: answer.status, headers: answer.headers, text: await answer.text(), token};
      } catch (cause) {
        // A TypeError is what fetch throws without an answer.
        if (!(cause instanceof TypeError || timeout.aborted)) throw cause;
        throw new Problem(0, "No answer", "The server cannot be reached. Try again.", {cause});
      }
    };
    // The repetition of a write with a precondition finds what the first one has written, and fails.
    const isConditional = method !== "GET" && (headers.has("If-Match") || headers.has("If-None-Match"));
    return retried(async () => {
      let answer = await exchange();
      if (answer.status === 401) answer = await exchange(answer.token);
      if (answer.status < 300 || answer.status === 304) return answer;
      throw problemOf(answer.status, answer.headers, answer.text);
    }, signal, isConditional ? [429] : undefined);
  }
}

interface Received {
  status: number;
  headers: Headers;
  text: string;
  token: string;
}

/** Returns a random key. `crypto.randomUUID` is not there on pages without TLS, such as those of a phone in a local network. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

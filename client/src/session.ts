/** Who is signed in, and tokens for the API. */

/** A user who is signed in. */
export interface Session {
  readonly username: string;
  /**
   * Returns a valid access token, renewed before it ends. `refused` is a token that the API has answered with 401: the
   * session fetches another one, once for all callers.
   */
  token(refused?: string): Promise<string>;
}

/** What survives a reload: `localStorage`, `sessionStorage`, or something of the app. */
export interface Store {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** Returns a store that ends with the page. */
export function inMemory(): Store {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  };
}

/** A token is renewed this long before it ends, so that it does not end on its way. */
const MARGIN_SECONDS = 60;

/** A session whose tokens are renewed in time. */
export abstract class RenewedSession implements Session {
  #token = "";
  #renewAt = 0;
  #renewal: Promise<string> | undefined;

  constructor(readonly username: string) {}

  /** Fetches a new token. */
  protected abstract fetchToken(): Promise<string>;

  /**
   * Keeps a token that has just been issued. Its end is as far from its receipt as `exp` is from `iat`, whatever the clock
   * of the device shows.
   */
  protected keep(token: string): string {
    const {exp, iat} = claims(token);
    this.#token = token;
    this.#renewAt = Date.now() + (exp - iat - MARGIN_SECONDS) * 1000;
    return token;
  }

  /** Forgets the token. */
  protected forget(): void {
    this.#token = "";
  }

  async token(refused?: string): Promise<string> {
    if (this.#token && this.#token !== refused && Date.now() < this.#renewAt) return this.#token;
    this.#renewal ??= this.fetchToken()
      .then((token) => this.keep(token))
      .finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }
}

/** Returns the claims of an access token. The API checks the signature, and the client does not. */
export function claims(token: string): {username: string; iat: number; exp: number} {
  return JSON.parse(new TextDecoder().decode(fromBase64(token.split(".")[1] ?? "")));
}

/** Decodes base64, also in the alphabet of URLs. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
}

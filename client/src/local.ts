/** Signing in at the local stack, which gives a token to any username. */

import {problemOf} from "./problems.js";
import {RenewedSession} from "./session.js";

/** A session with tokens of the local stack at the URL `api`. A restarted stack refuses older tokens. */
export class LocalIssuer extends RenewedSession {
  readonly #url: string;

  constructor({api, username, groups = []}: {api: string; username: string; groups?: string[]}) {
    super(username);
    const query = new URLSearchParams(groups.map((group) => ["group", group])).toString();
    this.#url = `${api}/local/token/${encodeURIComponent(username)}${query && `?${query}`}`;
  }

  protected async fetchToken(): Promise<string> {
    const answer = await fetch(this.#url);
    const text = await answer.text();
    if (!answer.ok) throw problemOf(answer.status, answer.headers, text);
    return text;
  }
}

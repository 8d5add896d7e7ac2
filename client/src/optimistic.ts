/**
 * A value that shows what the user wants at once, and what the server has when a request fails. While one request is on its
 * way, the last wish waits, and those between are not sent.
 */
export class Optimistic<Value> {
  #confirmed: Value;
  #wanted: Value;
  #sending: Promise<void> | undefined;

  /**
   * `show` gets each value to show, and the last one twice. `send` sends a value, and returns what the server has made of it, such as a request to
   * follow, or nothing if it is as it was sent.
   */
  constructor(value: Value, private readonly show: (value: Value) => void, private readonly send: (value: Value) => Promise<Value | void>) {
    this.#confirmed = this.#wanted = value;
  }

  /** The value that shows. */
  get value(): Value {
    return this.#wanted;
  }

  /** Shows a value, and returns when the server has the last one that was set. Throws what `send` throws, after showing what the server has. */
  set(value: Value): Promise<void> {
    this.#wanted = value;
    this.show(value);
    return this.#sending ??= this.#run().finally(() => this.#sending = undefined);
  }

  async #run() {
    while (this.#wanted !== this.#confirmed) {
      const sent = this.#wanted;
      try {
        this.#confirmed = (await this.send(sent)) ?? sent;
      } catch (problem) {
        // A wish that came meanwhile is tried on its own.
        if (this.#wanted !== sent) continue;
        this.#wanted = this.#confirmed;
        this.show(this.#confirmed);
        throw problem;
      }
      // An answer that was read before may show by now, so the value shows once more.
      if (this.#wanted === sent) this.show(this.#wanted = this.#confirmed);
    }
  }
}

import type {PathsWithMethod, SuccessResponseJSON} from "openapi-typescript-helpers";
import type {components, paths} from "./schema.js";

/** The cards of people, by username. */
export type People = Record<string, components["schemas"]["Card"]>;

/** The paths of the lists that have pages. */
export type List = {
  [Path in PathsWithMethod<paths, "get">]: SuccessResponseJSON<paths[Path]["get"]> extends {nextCursor: string | null} ? Path : never;
}[PathsWithMethod<paths, "get">];

/** An entry of a list. The body of a page has one array. */
export type Entry<Body> = {[Field in keyof Body]: Body[Field] extends (infer Item)[] ? Item : never}[keyof Body];

/** One page of a list. */
export interface Page<Body> {
  body: Body;
  entries: Entry<Body>[];
  /** The people of this page and of those before. */
  people: People;
}

/** The pages of a list: `for await (const {entries, people} of pages)`. */
export class Pages<Body> implements AsyncIterableIterator<Page<Body>> {
  readonly #read: (cursor: string) => Promise<Body>;
  #cursor: string | null;
  #people: People = {};
  #last: Promise<unknown> = Promise.resolve();

  /** `read` reads the page at a cursor. The first page has none. */
  constructor(read: (cursor: string) => Promise<Body>, cursor = "") {
    this.#read = read;
    this.#cursor = cursor;
  }

  /** Reads the next page, after those of earlier calls. Throws what `read` throws; then the next call reads the same page. */
  next(): Promise<IteratorResult<Page<Body>, undefined>> {
    const page = this.#last.then(() => this.#next());
    this.#last = page.catch(() => {});
    return page;
  }

  async #next(): Promise<IteratorResult<Page<Body>, undefined>> {
    if (this.#cursor === null) return {done: true, value: undefined};
    const body = await this.#read(this.#cursor);
    const {nextCursor, people} = body as {nextCursor?: string | null; people?: People};
    this.#cursor = nextCursor ?? null;
    this.#people = {...this.#people, ...people};
    const entries = Object.values(body as object).find(Array.isArray) as Entry<Body>[];
    return {done: false, value: {body, entries, people: this.#people}};
  }

  /** Returns the entries of all pages, one after the other. */
  async *entries(): AsyncGenerator<Entry<Body>> {
    for await (const page of this) yield* page.entries;
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}

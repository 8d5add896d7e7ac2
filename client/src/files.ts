import type {components} from "./schema.js";

/** What the owner says about a photo. */
export type Texts = Pick<components["schemas"]["Photo"], "caption" | "altText" | "audience"> & {
  sensitive?: components["schemas"]["SensitiveReason"];
};

/** A picture of a photo of several. */
export interface NewPicture {
  file: File;
  altText?: string;
}

/** An upload that is not finished. */
export interface KeptFile {
  /** The idempotency key, which leads to the same photo again for a day. */
  key: string;
  /** The id of the photo, since before the file is sent. */
  id?: string;
  username: string;
  /** The file, of several pictures the first one. */
  file: File;
  texts: Texts;
  /** The pictures of a photo of several, as the photo was created: the first one has the number 1. */
  pictures?: readonly NewPicture[];
  /** The files that have replaced rejected ones, with the numbers of their pictures, and whether S3 has them. */
  replacements?: readonly {number: number; file: File; sent?: boolean}[];
}

/** Where files are until their photos are finished. */
export interface FileStore {
  put(kept: KeptFile): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  all(): Promise<KeptFile[]>;
}

/** Keeps files in memory, as long as the program runs. */
export class MemoryFiles implements FileStore {
  readonly #kept = new Map<string, KeptFile>();
  put = async (kept: KeptFile) => this.#kept.set(kept.key, kept);
  delete = async (key: string) => this.#kept.delete(key);
  all = async () => [...this.#kept.values()];
}

/** Keeps files in the IndexedDB of a browser, so that a reload does not lose them. */
export class BrowserFiles implements FileStore {
  put = (kept: KeptFile) => this.#run("readwrite", (store) => store.put(kept));
  delete = (key: string) => this.#run("readwrite", (store) => store.delete(key));
  all = () => this.#run<KeptFile[]>("readonly", (store) => store.getAll());

  #run<Result>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const opening = indexedDB.open("quick-photos", 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore("uploads", {keyPath: "key"});
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const transaction = opening.result.transaction("uploads", mode);
        const request = act(transaction.objectStore("uploads"));
        transaction.oncomplete = () => resolve(request.result);
        transaction.onabort = () => reject(transaction.error);
        opening.result.close(); // after the transaction
      };
    });
  }
}

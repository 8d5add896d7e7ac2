// State that survives a reload.
import {useEffect, useState} from "./vendor/preact.js";

/** Returns a state that a window keeps when it is loaded again or, with `localStorage`, that the browser keeps. */
export function useKept(name, initial, storage = sessionStorage) {
  const [value, setValue] = useState(() => JSON.parse(storage.getItem(name)) ?? initial);
  useEffect(() => storage.setItem(name, JSON.stringify(value)), [value]);
  return [value, setValue];
}

// The live connection of this window, which says what is to be read again.
import {useEffect, useRef, useState} from "../vendor/preact.js";
import {Live} from "../vendor/client.js";
import {me, mine, request, warn} from "../api.js";
import {attempt, forgetLists} from "./data.js";

/** Connects to the host of the page. The stack names itself localhost, and a page of 127.0.0.1 or of a phone may not connect there. */
class Socket extends WebSocket {
  constructor(url) {
    super(Object.assign(new URL(url), {host: location.host}).href);
  }
}

/** The time in which several messages are one. */
const SETTLE_MS = 300;
let current = null;
/** The lists with something new since they were read. A view that is gone back to looks for it. */
const heard = new Set();

/** Tells the views of this window what is to be read again, such as `{kind: "notifications"}`. */
export const tellWindow = (message) => window.dispatchEvent(new CustomEvent("quick-photos:live", {detail: message}));

/** Returns the connection of the user who is signed in. */
export function live() {
  if (current?.api.session == me()) return current;
  endLive();
  const begun = current = new Live(me().unasked, {WebSocket: Socket});
  let times = 0;
  const tell = ({type: kind, detail: photo}) => {
    heard.add(kind);
    // Nobody knows what is new after a time without a connection.
    if (kind == "connected" && times++ > 0) forgetLists();
    tellWindow({kind, photo});
  };
  for (const kind of ["connected", "notifications", "feed", "photo"]) begun.addEventListener(kind, tell);
  return begun;
}

/** Ends the connection, because the user signs out or is gone. */
export function endLive(isGone) {
  current?.close(isGone);
  current = null;
}

window.addEventListener("quick-photos:gone", () => endLive(true));

/** Says which photo shows, or that none does. */
export const watch = (photo) => me() && live().watch(photo);

/**
 * Calls `read` after a message that `isAbout` takes, and when there is a connection, also again. Messages that come together
 * or while it reads are one.
 */
export function useLive(isAbout, read) {
  const now = useRef();
  now.current = {isAbout, read};
  useEffect(() => {
    let timer, reading;
    const hear = ({detail}) => {
      if (detail.kind != "connected" && !now.current.isAbout(detail)) return;
      timer ??= setTimeout(async () => {
        await reading;
        timer = null;
        reading = now.current?.read().catch(warn);
      }, SETTLE_MS);
    };
    window.addEventListener("quick-photos:live", hear);
    return () => {
      now.current = null;
      clearTimeout(timer);
      window.removeEventListener("quick-photos:live", hear);
    };
  }, []);
}

/** Returns whether a list of the user, such as `feed`, has a newer entry than those that show. `idOf` returns what names an entry. */
export function useNews(kind, list, idOf) {
  const [isNew, setNew] = useState(false);
  const look = async () => {
    if (!list.loaded) return;
    const {body} = await request("GET", mine`/${kind}?limit=1`, {unasked: true});
    const first = (body.photos ?? body[kind])[0];
    heard.delete(kind);
    setNew(Boolean(first) && !list.items.some((item) => idOf(item) == idOf(first)));
  };
  useLive((message) => message.kind == kind, look);
  useEffect(() => {
    if (heard.has(kind)) attempt(look);
  }, []);
  useEffect(() => setNew(false), [list.first]);
  return isNew;
}

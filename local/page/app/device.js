// This browser as a device of the user, which gets push notifications. The push service of a browser cannot reach a local stack, so
// a window gets them from the one of the stack, and hands them to the service worker.
import {me, mine, newKey, Problem, request, send, warn} from "../api.js";
import {notify} from "./data.js";

const WORKER = "/local/page/push-worker.js";
const CURVE = {name: "ECDH", namedCurve: "P-256"};
const BASE64URL = {alphabet: "base64url", omitPadding: true};

/** Whether the browser can show notifications. It does so for pages on localhost or with TLS alone. */
export const canPush = "serviceWorker" in navigator && "Notification" in window;

const name = () => `push of ${me().username}`;

/** Returns the subscription of the user in this browser, or null. */
export const subscription = () => JSON.parse(localStorage.getItem(name()));

/** Returns the service worker, as soon as it runs. */
async function worker() {
  const registration = await navigator.serviceWorker.register(WORKER);
  const next = registration.installing ?? registration.waiting;
  if (next) await new Promise((resolve) => {
    const look = () => ["activated", "redundant"].includes(next.state) && resolve();
    next.addEventListener("statechange", look);
    look();
  });
  return registration.active;
}

/** Registers the browser as a device, which says also that the user still uses it. */
const put = ({id, endpoint, keys}, options) =>
  request("PUT", mine`/devices/${id}`, {body: {address: {kind: "web", endpoint, keys}, locale: navigator.language}, ...options});

/** Subscribes with new keys. */
async function subscribe(options) {
  const {body: {applicationServerKey}} = await request("GET", mine`/devices`, options);
  const headers = {"Content-Type": "application/json"};
  const answer = await send("/local/push", {method: "POST", headers, body: JSON.stringify({applicationServerKey})});
  const {endpoint} = await answer.json();
  const pair = await crypto.subtle.generateKey(CURVE, true, ["deriveBits"]);
  const point = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  const keys = {p256dh: point.toBase64(BASE64URL), auth: crypto.getRandomValues(new Uint8Array(16)).toBase64(BASE64URL)};
  const jwk = await crypto.subtle.exportKey("jwk", pair.privateKey);
  const made = {id: subscription()?.id ?? newKey(), endpoint, keys, jwk};
  await put(made, options);
  localStorage.setItem(name(), JSON.stringify(made));
}

/** Turns push notifications on. */
export async function turnOn() {
  if (await Notification.requestPermission() != "granted") {
    throw new Problem(0, "The browser shows no notifications", "Allow them for this page in the settings of the browser.");
  }
  await subscribe();
  listen();
}

/** Turns push notifications off. A user who is gone has no devices. */
export async function turnOff(isGone = false) {
  const {id, endpoint} = subscription();
  localStorage.removeItem(name());
  stop();
  if (!isGone) await request("DELETE", mine`/devices/${id}`);
  await send(new URL(endpoint).pathname, {method: "DELETE"});
}

/** Ends listening. */
let stop = () => {};

/**
 * Hands the messages for the user to the service worker. Of several windows, one listens, because a browser has few
 * connections to a server.
 */
function listen() {
  stop();
  const {endpoint, ...secrets} = subscription();
  const control = new AbortController();
  stop = () => control.abort();
  const hear = () => new Promise((resolve) => {
    const source = new EventSource(new URL(endpoint).pathname);
    source.onmessage = async ({data}) => (await worker()).postMessage({...secrets, message: data});
    source.onerror = () => source.readyState == EventSource.CLOSED && renew(endpoint).catch(warn);
    control.signal.addEventListener("abort", () => resolve(source.close()));
  });
  navigator.locks.request(endpoint, {signal: control.signal}, hear).catch(() => {});
}

/** Subscribes again, because a restarted stack does not know an endpoint, unless another window has done so. */
async function renew(endpoint) {
  if (subscription()?.endpoint == endpoint) await subscribe({unasked: true});
  if (subscription()) listen();
}

/** Listens for the user who signs in, or for nobody. */
export function listenFor(user) {
  stop();
  if (!user || !subscription()) return;
  put(subscription(), {unasked: true}).catch(warn);
  listen();
}

if (canPush) navigator.serviceWorker.addEventListener("message", ({data: {push, view}}) => {
  if (push) notify({text: [push.title, push.body].filter(Boolean).join(": ")});
  else location.hash = view;
});

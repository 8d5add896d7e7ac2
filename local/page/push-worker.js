// The service worker, which shows push notifications. A browser decrypts those of its own push service (`push`). Those of the
// stack come from a window (`message`), encrypted, with the keys of the subscription.

const CURVE = {name: "ECDH", namedCurve: "P-256"};

/** Returns the bytes of a text in base64url. */
const bytesOf = (text) => Uint8Array.fromBase64(text, {alphabet: "base64url"});
const joined = (...parts) => new Uint8Array(parts.flatMap((part) => [...part]));
const label = (text) => new TextEncoder().encode(text + "\0");

/** Derives a key of some bytes by HKDF. */
async function derive(secret, salt, info, length) {
  const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  return new Uint8Array(await crypto.subtle.deriveBits({name: "HKDF", hash: "SHA-256", salt, info}, key, 8 * length));
}

/**
 * Decrypts a message, as https://www.rfc-editor.org/rfc/rfc8291 says. It begins with 16 bytes of salt, 4 of the size of a record,
 * and the public key of the sender with its length. The only record follows.
 */
async function decrypt(message, {jwk, keys: {p256dh, auth}}) {
  const begin = 21 + message[20];
  const [salt, sender] = [message.subarray(0, 16), message.subarray(21, begin)];
  const own = await crypto.subtle.importKey("jwk", jwk, CURVE, false, ["deriveBits"]);
  const other = await crypto.subtle.importKey("raw", sender, CURVE, false, []);
  const common = await crypto.subtle.deriveBits({name: "ECDH", public: other}, own, 256);
  const secret = await derive(common, bytesOf(auth), joined(label("WebPush: info"), bytesOf(p256dh), sender), 32);
  const key = await derive(secret, salt, label("Content-Encoding: aes128gcm"), 16);
  const iv = await derive(secret, salt, label("Content-Encoding: nonce"), 12);
  const gcm = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
  const padded = new Uint8Array(await crypto.subtle.decrypt({name: "AES-GCM", iv}, gcm, message.subarray(begin)));
  // A 2 ends the text, and only zeros follow.
  return JSON.parse(new TextDecoder().decode(padded.subarray(0, padded.lastIndexOf(2))));
}

async function show({title, body, tag, badge, photo}) {
  const view = photo ? `#/photos/${photo.username}/${photo.id}` : "#/notifications";
  await registration.showNotification(title, {body, tag, data: view});
  if (badge !== undefined) await navigator.setAppBadge?.(badge);
}

/** Shows a view in a window that is open, or in a new one. */
async function open(view) {
  const [first] = await clients.matchAll({type: "window", includeUncontrolled: true});
  if (!first) return clients.openWindow(`/${view}`);
  first.postMessage({view});
  return first.focus();
}

addEventListener("push", (event) => event.waitUntil(show(event.data.json())));

addEventListener("message", (event) => event.waitUntil((async () => {
  const push = await decrypt(bytesOf(event.data.message), event.data);
  event.source.postMessage({push});
  await show(push);
})()));

addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});

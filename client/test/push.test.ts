// Push notifications, with a browser whose push service is that of the local stack.
import assert from "node:assert/strict";
import {createECDH, randomBytes} from "node:crypto";
import {test} from "node:test";
import {registerPush, unregisterPush} from "quick-photos-client";
import {API, as} from "./stack.js";

/** Returns the registration of a service worker. It has a subscription with another key already. */
function browser() {
  let key: unknown = "another";
  const subscription = (endpoint: string) => {
    const keys = {p256dh: createECDH("prime256v1").generateKeys("base64url"), auth: randomBytes(16).toString("base64url")};
    return {toJSON: () => ({endpoint, keys}), unsubscribe: async () => (key = undefined, true)};
  };
  const subscribe = async ({applicationServerKey}: PushSubscriptionOptionsInit) => {
    if (key && key !== applicationServerKey) throw new DOMException("", "InvalidStateError");
    const headers = {"Content-Type": "application/json"};
    const answer = await fetch(`${API}/local/push`, {method: "POST", headers, body: JSON.stringify({applicationServerKey})});
    key = applicationServerKey;
    return subscription((await answer.json()).endpoint);
  };
  const getSubscription = async () => key ? subscription("") : null;
  return {key: () => key, registration: {pushManager: {subscribe, getSubscription}} as unknown as ServiceWorkerRegistration};
}

test("a browser becomes a device of the user, once, until the user signs out", async () => {
  const [api, {key, registration}] = [as("ben"), browser()];
  const options = {registration, id: "browser-1", locale: "en-GB", appVersion: "1.2"};
  const ids = async () => (await api.request("GET", "/users/me/devices")).body.devices.map(({id}: {id: string}) => id);
  const device = await registerPush(api, options);
  assert.deepEqual([device.id, device.kind, device.locale, device.appVersion], ["browser-1", "web", "en-GB", "1.2"]);
  await registerPush(api, options);
  assert.deepEqual(await ids(), ["browser-1"]);
  await unregisterPush(api, options);
  assert.deepEqual([await ids(), key()], [[], undefined]);
});

import type {QuickPhotos} from "./client.js";

/** A device that gets push notifications, as the API shows it. */
export interface Device {
  id: string;
  kind: "web" | "apns" | "fcm";
  locale?: string;
  appVersion?: string;
  /** The last time that the app has registered it. */
  used: string;
  /** The time at which it expires unless the app registers it again. */
  until: string;
}

/** What a browser subscribes with. `id` names this browser among the devices of the user: keep it, for example in localStorage. */
export interface PushOptions {
  registration: Pick<ServiceWorkerRegistration, "pushManager">;
  id: string;
  locale?: string;
  appVersion?: string;
}

/**
 * Subscribes this browser to push notifications, and registers it as a device of the user. Call it whenever the app starts,
 * because a device that is not used expires. The user has to be asked for the permission before.
 */
export async function registerPush(api: QuickPhotos, {registration, id, ...about}: PushOptions): Promise<Device> {
  const {applicationServerKey} = (await api.request<{applicationServerKey: string}>("GET", "/users/me/devices")).body;
  const {pushManager} = registration;
  const options = {userVisibleOnly: true, applicationServerKey};
  const subscription = await pushManager.subscribe(options).catch(async (problem) => {
    // A subscription with the key of another server keeps the browser from a new one.
    if (problem.name !== "InvalidStateError") throw problem;
    await (await pushManager.getSubscription())?.unsubscribe();
    return pushManager.subscribe(options);
  });
  const {endpoint, keys} = subscription.toJSON();
  return (await api.request<Device>("PUT", pathOf(id), {body: {address: {kind: "web", endpoint, keys}, ...about}})).body;
}

/** Ends the push notifications of this browser. Call it before the user signs out. */
export async function unregisterPush(api: QuickPhotos, {registration, id}: PushOptions): Promise<void> {
  await api.request("DELETE", pathOf(id));
  await (await registration.pushManager.getSubscription())?.unsubscribe();
}

const pathOf = (id: string) => `/users/me/devices/${encodeURIComponent(id)}`;

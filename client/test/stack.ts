import {LocalIssuer, QuickPhotos} from "quick-photos-client";

/** The address of the local stack. */
export const API = process.env["QUICK_PHOTOS_API"] ?? "http://localhost:3000";

/** Returns the API as this user of the sample data sees it. */
export const as = (username: string, options: {fetch?: typeof fetch} = {}) =>
  new QuickPhotos({api: API, session: new LocalIssuer({api: API, username}), ...options});

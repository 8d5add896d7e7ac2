// What the deletion of an account has deleted so far, counted from the events of the stack.

/** What is counted: its name, whether a key is of it, and the attribute of the profile that has its number, if one has. */
const KINDS = [
  ["Photos", ({pk, sk}, me) => pk == `USER#${me}` && sk.startsWith("PHOTO#"), "uploads"],
  ["Links", ({pk, sk}, me) => pk == `USER#${me}` && sk.startsWith("SHARE#"), "links"],
  ["Comments", ({pk}, me) => pk.startsWith("COMMENT#") && pk.endsWith(`#${me}`), "commentsWritten"],
  ["Followers", ({pk, sk}, me) => pk == `USER#${me}` && sk.startsWith("#FRIEND#"), "followers"],
  ["People you follow", ({sk}, me) => sk == `#FRIEND#${me}`, "following"],
  ["Reactions", ({pk}, me) => pk.startsWith(`REACTION#${me}#`)],
  ["Comments and reactions on your photos", ({sk}, me) => sk.startsWith(`PHOTO#${me}#`)],
  ["Places in the feeds of followers", ({pk, sk}, me) => pk.startsWith("Feed#") && sk.endsWith(`#${me}`)],
  ["Favorites and tags", ({pk}, me) => pk == `FavoriteData#${me}` || pk == `Tag#${me}`],
  ["Photos in your feed", ({pk}, me) => pk == `Feed#${me}`],
  ["Notifications", ({pk, sk}, me) => pk == `Inbox#${me}` && sk != "SEEN"],
  ["Entries of the search", ({pk, sk}, me) => pk.startsWith("People#") && sk.endsWith(`#${me}`)],
];

/** Returns the names of the two key attributes in one spelling. */
const keyOf = ({PK, SK, pk = PK, sk = SK}) => ({pk: pk?.S ?? "", sk: sk?.S ?? ""});

/** Returns the keys that a request to DynamoDB deletes, and those that it updates. */
function writes({operation, body}) {
  if (operation == "DeleteItem") return {deleted: [body.Key], updated: []};
  const requests = operation == "TransactWriteItems" ? body?.TransactItems
    : operation == "BatchWriteItem" ? Object.values(body?.RequestItems ?? {}).flat() : [];
  return {
    deleted: requests?.flatMap(({Delete, DeleteRequest}) => Delete?.Key ?? DeleteRequest?.Key ?? []) ?? [],
    updated: requests?.flatMap(({Update}) => Update?.Key ?? []) ?? [],
  };
}

/** The deletion of the account of a user, in the events of `/local/events`. */
export class Cascade {
  /** The profile as it was, and the tombstone that is in its place. */
  profile = null;
  tombstone = null;
  /** The time at which all that belonged to the user is deleted, in milliseconds. Then a timer is put, at whose end the name is free. */
  done = null;
  #deleted = KINDS.map(() => new Set());
  #corrected = {users: new Set(), photos: new Set()};

  constructor(username) {
    this.username = username;
  }

  /** Takes an event in. A trace ends with each function that the deletion goes through, but all keys have the username. */
  add(event) {
    const {type, status} = event;
    if (type == "record") this.#record(event);
    if (type != "dynamodb" || status != 200) return;
    const {deleted, updated} = writes(event);
    const kinds = deleted.map((key) => this.#count(keyOf(key)));
    if (!kinds.some((kind) => kind >= 0)) return;
    for (const {pk, sk} of updated.map(keyOf)) {
      if (pk == `USER#${this.username}` || !pk.startsWith("USER#")) continue;
      this.#corrected[sk.startsWith("PHOTO#") ? "photos" : "users"].add(pk + sk);
    }
  }

  #record({keys, old, new: now, time}) {
    const {pk, sk} = keyOf(keys);
    if (sk == `#METADATA#${this.username}` && now?.erasing && old?.username) [this.profile, this.tombstone] = [old, now];
    if (pk == `REST#${this.username}` && now && this.tombstone) this.done = time;
  }

  #count({pk, sk}) {
    const kind = KINDS.findIndex(([, isOf]) => isOf({pk, sk}, this.username));
    if (kind >= 0) this.#deleted[kind].add(pk + sk);
    return kind;
  }

  /** Returns what there is of each kind: its name, how many are deleted, and how many are left if the profile tells. */
  kinds() {
    return KINDS.map(([name, , counted], index) => {
      const total = counted && this.profile && Number(this.profile[counted]?.N ?? 0);
      const deleted = this.#deleted[index].size;
      return {name, deleted, total, left: counted && total !== null ? Math.max(0, total - deleted) : null};
    });
  }

  /** Returns how many users and how many photos of others have other counts now. */
  corrected() {
    return {users: this.#corrected.users.size, photos: this.#corrected.photos.size};
  }

  /** Returns for how many seconds the deletion has run. */
  seconds() {
    return this.tombstone ? Math.max(0, (this.done ?? Date.now()) - Date.parse(this.tombstone.since.S)) / 1000 : 0;
  }
}

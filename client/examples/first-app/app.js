// A first app: feed, photo, upload and notifications. `?api=` is the address of the API.
import {LocalIssuer, Optimistic, QuickPhotos, Uploads} from "quick-photos-client";

const address = new URLSearchParams(location.search).get("api") ?? "http://localhost:3000";
const main = document.querySelector("main");
const me = {path: {username: "me"}};
let api, uploads;

/** Returns an element with properties, attributes such as `aria-pressed`, and children. */
function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) key in made ? made[key] = value : made.setAttribute(key, value);
  made.append(...children.filter((child) => child != null));
  return made;
}

/** Runs an action, and shows the sentence of a problem. */
const attempt = (action) => async (event) => {
  event?.preventDefault();
  error.textContent = "";
  await Promise.resolve(event).then(action).catch((problem) => error.textContent = problem.message);
};
const error = element("p", {id: "error", role: "alert"});
main.before(error);

// On AWS, a session of Cognito takes the place of the local issuer.
function signIn(username) {
  sessionStorage.setItem("username", username);
  api = new QuickPhotos({api: address, session: new LocalIssuer({api: address, username})});
  uploads = new Uploads(api);
  uploads.addEventListener("change", showUploads);
  uploads.resume().catch(console.warn);
  show();
}

function signInPage() {
  const name = element("input", {required: true, autocapitalize: "none", value: "ada"});
  const send = attempt(() => signIn(name.value));
  main.replaceChildren(element("h1", {}, "Sign in"), element("form", {onsubmit: send},
    element("label", {}, "Username ", name), " ", element("button", {}, "Sign in")));
}

const picture = ({urls, width, height, altText, username}) => urls && element("img", {
  src: urls[0].url, srcset: urls.map(({width, url}) => `${url} ${width}w`).join(), sizes: "min(100vw, 30rem)", width, height,
  alt: altText ?? `Photo by ${username}`, loading: "lazy",
});

/** A button that shows a tap at once, and takes it back if the request fails. */
function heart({username, id, reactions, viewer}) {
  const button = element("button");
  let count = reactions.heart - viewer.reactions.includes("heart");
  const draw = (on) => {
    button.textContent = `♥ ${count + on}`;
    button.ariaPressed = on;
    button.ariaLabel = `Heart, ${count + on}`;
  };
  const params = {path: {username, photo: id, type: "heart"}};
  const liked = new Optimistic(viewer.reactions.includes("heart"), draw, (on) =>
    api[on ? "PUT" : "DELETE"]("/users/{username}/photos/{photo}/reactions/{type}", {params}).then(() => on));
  button.onclick = attempt(() => liked.set(!liked.value));
  draw(liked.value);
  return button;
}

const card = (photo, people) => element("article", {},
  element("p", {}, people[photo.username]?.name ?? photo.username),
  element("a", {href: `#photo/${photo.username}/${photo.id}`}, picture(photo) ?? `Open the photo${photo.sensitive ? ", which is sensitive" : ""}`),
  photo.caption && element("p", {}, photo.caption),
  element("p", {}, heart(photo), ` ${photo.comments} comments`));

async function feed(place) {
  const pages = api.pages("/users/{username}/feed", {params: {...me, query: {include: ["viewer"], limit: 10}}});
  const list = element("div"), more = element("button", {}, "More");
  const read = async () => {
    const {done, value} = await pages.next();
    if (value) list.append(...value.entries.map((photo) => card(photo, value.people)));
    more.hidden = done || !value.body.nextCursor;
  };
  more.onclick = attempt(read);
  await read();
  place.append(element("h1", {}, "Feed"), list, more);
}

async function photo(place, username, id) {
  const path = {username, photo: id};
  const {data} = await api.GET("/users/{username}/photos/{photo}", {params: {path, query: {include: ["comments", "people", "viewer"]}}});
  const comment = ({username, text}) => element("li", {}, element("b", {}, data.people[username]?.name ?? username), ` ${text}`);
  const list = element("ul", {}, ...data.comments.comments.map(comment)), text = element("input", {required: true});
  const send = attempt(async () => {
    const {data: added} = await api.POST("/users/{username}/photos/{photo}/comments", {params: {path}, body: {text: text.value}});
    list.prepend(comment(added));
    text.value = "";
  });
  place.append(element("h1", {}, "Photo"), card(data.photo, data.people),
    element("form", {onsubmit: send}, element("label", {}, "Comment ", text), " ", element("button", {}, "Send")), list);
}

const DID = {
  accepted: "accepted your request", comment: "commented", follower: "followed you", like: "liked your comment", mention: "mentioned you", photo: "shared a photo", pin: "pinned your comment", reaction: "reacted to your photo", reply: "replied to you", request: "asks to follow you",
};

async function notifications(place) {
  const list = element("ul");
  for await (const {entries, people} of api.pages("/users/{username}/notifications", {params: {...me, query: {include: ["people"]}}})) {
    list.append(...entries.map(({usernames, kind, photo}) => element("li", {}, people[usernames[0]]?.name ?? usernames[0], " ",
      photo ? element("a", {href: `#photo/${photo.username}/${photo.id}`}, DID[kind]) : DID[kind])));
  }
  place.append(element("h1", {}, "Notifications"), list);
}

function showUploads() {
  const row = (upload) => element("li", {}, `${upload.file.name}: ${upload.problem?.message ?? upload.state} `,
    upload.state == "failed" ? element("button", {onclick: () => upload.retry()}, "Try again") : null,
    upload.state == "sending" ? element("progress", {value: upload.sent, ariaLabel: upload.file.name}) : null,
    upload.state == "ready" ? element("a", {href: `#photo/${api.session.username}/${upload.photo.id}`}, "See photo") : null);
  document.querySelector("#uploads").replaceChildren(...uploads.list.map(row));
}

/** Shows the page of the address. One that has been left meanwhile does not show. */
const show = attempt(async () => {
  if (!api) return signInPage();
  const [name, ...parts] = location.hash.slice(1).split("/").map(decodeURIComponent), place = element("div"), asked = location.hash;
  await ({photo, notifications}[name] ?? feed)(place, ...parts);
  if (asked == location.hash) main.replaceChildren(place);
});

document.querySelector("nav input").onchange = ({target}) => {
  for (const file of target.files) uploads?.add(file);
  target.value = "";
};
window.onhashchange = show;
sessionStorage.username ? signIn(sessionStorage.username) : show();

// Signs in on the API page: fetches a token from the local issuer and gives it to RapiDoc, for every way of
// authentication that the document describes. Its quick start opens an operation and sends it.
const page = document.querySelector("rapi-doc");
const form = document.querySelector("form");
const output = document.querySelector("output");

const loaded = new Promise((resolve) => page.addEventListener("spec-loaded", (event) => resolve(event.detail)));
fetch("/local/openapi.json").then((answer) => answer.json()).then((api) => page.loadSpec(drawable(api)));

/** Returns the document with examples that RapiDoc can draw. */
function drawable(api) {
  for (const operations of Object.values(api.paths)) {
    for (const {requestBody = {}, responses} of Object.values(operations)) {
      // RapiDoc takes the object in an `example` for named examples: it drops those without a `value`, and throws at null.
      for (const {content = {}} of [requestBody, ...Object.values(responses)]) {
        for (const media of Object.values(content)) {
          if (!("example" in media)) continue;
          media.examples = {sample: {value: media.example ?? {}}};
          delete media.example;
        }
      }
    }
  }
  return api;
}

// RapiDoc moves this line, the licence, out of a narrow window.
const sheet = new CSSStyleSheet();
sheet.replaceSync("#api-info { margin-left: 0 !important; }");
page.shadowRoot.adoptedStyleSheets.push(sheet);

const operations = document.querySelector(".operations");
loaded.then(({tags}) => operations.append(...tags.map(({name, paths}) => {
  const group = document.createElement("optgroup");
  group.label = name;
  group.append(...paths.map(({elementId, summary}) => new Option(summary, elementId)));
  return group;
})));
operations.addEventListener("change", () => page.scrollToPath(operations.value));

/** Draws RapiDoc in the colors of the page, light or dark. */
function color() {
  const style = getComputedStyle(document.documentElement);
  const colors = {
    "bg-color": "--paper", "text-color": "--ink", "primary-color": "--accent", "nav-bg-color": "--raised", "nav-text-color": "--ink",
    "nav-hover-bg-color": "--sunken", "nav-hover-text-color": "--accent", "nav-accent-color": "--accent", "regular-font": "--sans", "mono-font": "--mono",
  };
  page.setAttribute("theme", dark.matches ? "dark" : "light");
  for (const [name, token] of Object.entries(colors)) page.setAttribute(name, style.getPropertyValue(token).trim());
}
const dark = matchMedia("(prefers-color-scheme: dark)");
dark.addEventListener("change", color);
color();

/** The checkboxes of groups, with what their members are. */
const GROUPS = {editor: "an editor", moderator: "a moderator"};

let user = null;
const users = fetch("/local/users").then((answer) => answer.json()).then(({users}) => {
  document.querySelector("datalist").append(...users.map(({username, name}) => new Option(name, username)));
  form.user.value ||= users[0]?.username ?? "";
});

/** Signs in as the user in the form. Returns whether there is a token. */
async function signIn() {
  await users;
  const name = form.user.value.trim();
  const groups = Object.keys(GROUPS).filter((group) => form[group].checked);
  const query = groups.map((group) => `group=${group}s`).join("&");
  const answer = await fetch(`/local/token/${encodeURIComponent(name)}${query && `?${query}`}`);
  if (!answer.ok) {
    output.value = (await answer.json()).detail;
    return false;
  }
  const token = await answer.text();
  for (const scheme of (await loaded).securitySchemes ?? []) page.setApiKey(scheme.securitySchemeId, token);
  user = name;
  output.value = [`Signed in as ${name}`, ...groups.map((group) => GROUPS[group])].join(", ");
  return true;
}

/** Returns an element of the form of an operation, as soon as RapiDoc has drawn it. */
async function part(elementId, selector) {
  for (;;) {
    const request = page.shadowRoot.getElementById(elementId)?.querySelector("api-request");
    const found = request?.shadowRoot.querySelector(selector);
    if (found) return found;
    await new Promise(requestAnimationFrame);
  }
}

/** Opens an operation and sends it. */
async function send({try: operation}) {
  if (!user && !await signIn()) return;
  const {elementId} = (await loaded).tags.flatMap(({paths}) => paths).find(({method, path}) => `${method} ${path}` == operation);
  operations.value = elementId;
  await page.scrollToPath(elementId);
  const button = await part(elementId, "[part~=btn-try]");
  button.click();
  (await part(elementId, ".response-message:not(:empty)")).scrollIntoView({block: "center"});
}

for (const button of document.querySelectorAll("[data-try]")) button.addEventListener("click", () => send(button.dataset));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  signIn();
});

// Shows the document with Scalar, adds the rules and the quick start to it, and signs in: fetches a token from the local issuer
// and gives it to Scalar.
const form = document.querySelector("form");
const output = document.querySelector("output");

const load = async (path) => (await fetch(path)).text();
const [api, rules, problems, users] = await Promise.all(
  ["/local/openapi.json", "/local/docs/api.md", "/local/docs/problems.md", "/local/users"].map(load));
const content = JSON.parse(api);

/** Returns Markdown without its links to other files of the project, and with links to headings as Scalar has them. */
const linked = (text) => text
  .replace(/\]\(#/g, "](#description/")
  .replace(/\]\(problems\.md\)/g, "](#description/problems)")
  .replace(/\[([^\]]+)\]\((?!https:|#)[^)]+\)/g, "$1");

content.info.description = `
## Quick start

Each of these signs in, sends the request to the stack that runs here, and shows its answer:

- [Read a feed](#send/listFeed)
- [Read a profile with its photos](#send/fetchUserAndPhotos)
- [React to a photo](#send/addReaction)
- [List the songs of an artist](#send/listSongsByArtist)

Every other operation can be tried in the same way: sign in as the user of its example, press *Test Request*, and then *Send*. In TypeScript, \`api\`
is a \`QuickPhotos\` of \`quick-photos-client\`.

## Rules

${linked(rules.slice(rules.indexOf("## Authentication"), rules.indexOf("## Who sees what"))).replace(/^#/gm, "##")}

${linked(problems).replace(/^#/gm, "##")}`;

/** The groups, with what their members are. */
const GROUPS = {editors: "an editor", moderators: "a moderator"};

/** The operations by their id, each with the part of the address that shows it. */
const operations = {};
for (const [path, methods] of Object.entries(content.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    const {operationId: id, tags: [tag], parameters = [], responses, "x-callers": callers, "x-example-caller": caller} = operation;
    operations[id] = {caller, group: callers in GROUPS ? callers : "", address: `tag/${tag}/${method.toUpperCase()}${path}`};
    // Scalar would send what these schemas name, such as an entity tag.
    for (const parameter of parameters) if (parameter.in === "header") parameter.schema = {type: "string"};
    const slugs = [];
    for (const response of Object.values(responses)) {
      const {"application/problem+json": problem} = response.content ?? {};
      if (!problem) continue;
      slugs.push(...Object.keys(problem.examples));
      // Scalar would show the message of API Gateway, which the rules explain, in its place.
      response.content = {"application/problem+json": problem};
    }
    const member = callers in GROUPS ? `, ${GROUPS[callers]}` : "";
    if (caller) operation.description += `

The example is a request of ${caller}${member}. [Sign in as ${caller}${member}](#sign-in/${id})`;
    operation.description += `

Problems: ${slugs.map((slug) => `[${slug}](#problem/${slug})`).join(", ")}`;
  }
}

const configuration = {
  content,
  agent: {disabled: true},
  defaultHttpClient: {targetKey: "shell", clientKey: "curl"},
  documentDownloadType: "none",
  hideClientButton: true,
  // All but curl and Swift. The document has the calls in TypeScript.
  hiddenClients: ["c", "clojure", "csharp", "dart", "fsharp", "go", "http", "java", "js", "julia", "kotlin", "node", "objc", "ocaml",
    "php", "powershell", "python", "r", "ruby", "rust", "shell/httpie", "shell/wget"],
  mcp: {disabled: true},
  modelsSectionLabel: "Schemas",
  showDeveloperTools: "never",
  telemetry: false,
  withDefaultFonts: false,
};
const reference = Scalar.createApiReference(document.querySelector(".reference"), configuration);
const people = JSON.parse(users).users;
document.querySelector("datalist").append(...people.map(({username, name}) => new Option(name, username)));
form.user.value ||= people[0]?.username ?? "";

/** Signs in as the user in the form. */
async function signIn() {
  const name = form.user.value.trim();
  const groups = Object.keys(GROUPS).filter((group) => form[group].checked);
  const query = groups.map((group) => `group=${group}`).join("&");
  const answer = await fetch(`/local/token/${encodeURIComponent(name)}${query && `?${query}`}`);
  if (!answer.ok) {
    output.value = (await answer.json()).detail;
    return;
  }
  const token = await answer.text();
  reference.updateConfiguration({...configuration, authentication: {preferredSecurityScheme: "token", securitySchemes: {token: {token}}}});
  output.value = [`Signed in as ${name}`, ...groups.map((group) => GROUPS[group])].join(", ");
}

/** Returns an element, as soon as Scalar has drawn it. */
async function element(find) {
  for (;;) {
    const found = find();
    if (found) return found;
    await new Promise(requestAnimationFrame);
  }
}

/** The links that do something, by the first part of their address. */
const ACTIONS = {
  /** Signs in as the user whose request the example of an operation is. */
  async "sign-in"(id) {
    const {caller, group} = operations[id];
    form.user.value = caller;
    for (const name of Object.keys(GROUPS)) form[name].checked = name === group;
    await signIn();
  },

  /** Signs in, opens an operation and sends its example. */
  async send(id) {
    await ACTIONS["sign-in"](id);
    const {address} = operations[id];
    location.hash = address;
    const section = await element(() => document.querySelector(`[id$="/${CSS.escape(address)}"]`));
    (await element(() => section.querySelector(".show-api-client-button"))).click();
    const buttons = () => [...document.querySelectorAll("[role=dialog] button")];
    (await element(() => buttons().find((button) => button.innerText.startsWith("Send") && button.checkVisibility()))).click();
    (await element(() => document.querySelector("[role=dialog] a[href*='/HTTP/Status/']"))).scrollIntoView({block: "center"});
  },

  /** Shows a kind of problem in the table. */
  problem(slug) {
    const cells = [...document.querySelectorAll("td:first-child")];
    cells.find(({innerText}) => innerText === slug).scrollIntoView({block: "center"});
  },
};
document.addEventListener("click", (event) => {
  const [, action, subject] = event.target.closest?.("a")?.hash.match(/^#(sign-in|send|problem)\/(.+)$/) ?? [];
  if (!action) return;
  event.preventDefault();
  event.stopPropagation();
  ACTIONS[action](subject);
}, {capture: true});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  signIn();
});

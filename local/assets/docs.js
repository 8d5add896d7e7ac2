// Signs in on the API page: fetches a token from the local issuer and gives it to RapiDoc, for every way of
// authentication that the document describes.
const page = document.querySelector("rapi-doc");
const form = document.querySelector("form");
const output = document.querySelector("output");

const loaded = new Promise((resolve) => page.addEventListener("spec-loaded", (event) => resolve(event.detail)));

async function signIn(user, group) {
  const query = group ? `?group=${group}` : "";
  const response = await fetch(`/local/token/${encodeURIComponent(user)}${query}`);
  if (!response.ok) {
    output.value = (await response.json()).detail;
    return;
  }
  const token = await response.text();
  for (const scheme of (await loaded).securitySchemes ?? []) page.setApiKey(scheme.securitySchemeId, token);
  output.value = `Signed in as ${user}${group ? `, in the group ${group}` : ""}`;
}

for (const button of form.querySelectorAll("[data-user]")) {
  button.addEventListener("click", () => signIn(button.dataset.user, button.dataset.group));
}
form.addEventListener("submit", (event) => {
  event.preventDefault();
  signIn(form.user.value.trim());
});

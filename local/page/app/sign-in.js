// The start: what the app is, the feed of somebody, and the people as whom one can look around. The local issuer gives a
// token to any username.
import {html, useEffect, useState} from "../vendor/preact.js";
import {request, send, signIn, signOut} from "../api.js";
import {useAction} from "./data.js";
import {useFeed} from "./feed.js";
import {Form, Heading, Portrait, Trouble} from "./parts.js";
import {Rows} from "./picture.js";

const fields = (username) => [
  {name: "username", label: "Username", required: true, autocapitalize: "none", hint: "Such as dora", defaultValue: username},
  {name: "name", label: "Name", required: true},
  {name: "email", label: "E-mail (optional)", type: "email", hint: "The welcome e-mail stays here, at /local/outbox."},
];

const GROUPS = {
  editors: "As an editor, who may change the catalogues", moderators: "As a moderator, who decides about reports",
};

/** `gone` is the problem of a user who is not there any more. `onSignedIn` gets the view to show, if not the feed. */
export function SignIn({gone, onSignedIn}) {
  const [users, setUsers] = useState(null);
  const [groups, setGroups] = useState([]);
  const {busy, problem, run} = useAction();
  const first = users?.[0];
  const feed = useFeed(first?.username);
  // The search of the API needs a token, so the stack itself lists the users. The feed of the first one is the fullest.
  const load = () => run(async () => {
    const {users} = await (await send("/local/users")).json();
    if (users[0]) await signIn(users[0].username, {looking: true});
    setUsers(users);
  });
  useEffect(load, []);

  const enter = (username, view) => run(async () => {
    await signIn(username, {groups});
    onSignedIn(view);
  });
  const create = async ({username, name, email}) => {
    await signIn(username, {groups});
    try {
      await request("POST", "/users", {body: {username, name, email}});
    } catch (problem) {
      signOut();
      throw problem;
    }
    onSignedIn();
  };
  return html`
    <header class="top"><span class="brand">Quick Photos</span><a href="/local/docs">API</a></header>
    <main class="sign-in">
      <${Heading} title="See what every click asks of DynamoDB" />
      <p class="lead">A photo app on AWS Lambda and DynamoDB, on this machine. Each request to the database is shown, with its
        cost and its reason.</p>
      <${Trouble} problem=${problem ?? gone ?? feed.problem} retry=${users ? null : problem && load} />
      <h2 class="small quiet">Look around as</h2>
      <ul class="users">
        ${users?.map(({username, name, picture}) => html`
          <li key=${username}><button type="button" disabled=${busy} onClick=${() => enter(username)}>
            <${Portrait} name=${name} picture=${picture} /><span>${name}</span></button></li>`)}
      </ul>
      <details open=${gone != null}>
        <summary>Somebody new, an editor or a moderator</summary>
        ${Object.entries(GROUPS).map(([group, label]) => html`
          <label key=${group} class="switch"><input type="checkbox" role="switch" checked=${groups.includes(group)}
            onChange=${({target}) => setGroups([...groups.filter((other) => other != group), ...target.checked ? [group] : []])} />
            ${label}</label>`)}
        <section class="card"><h2>Somebody new</h2>
          <${Form} fields=${fields(gone?.username)} label="Create the profile" send=${create} /></section>
      </details>
      <section class="glimpse" aria-label="A feed" aria-busy=${feed.busy}>
        <div class="row"><h2>${first && `The feed of ${first.name}`}</h2>
          ${first && html`<button type="button" class="main" disabled=${busy} onClick=${() => enter(first.username)}>
            Look around as ${first.name}</button>`}</div>
        <${Rows} photos=${feed.items} onOpen=${({username, id}) => enter(first.username, `#/photos/${username}/${id}`)} />
      </section>
    </main>`;
}

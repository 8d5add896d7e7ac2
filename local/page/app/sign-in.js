// Signing in: as a user of the sample data, or as a new one. The local issuer gives a token to any username.
import {html, useEffect, useState} from "../vendor/preact.js";
import {request, send, signIn, signOut} from "../api.js";
import {useAction} from "./data.js";
import {Form, Heading, Portrait, Trouble} from "./parts.js";

const fields = (username) => [
  {name: "username", label: "Username", required: true, autocapitalize: "none", hint: "Such as dora", defaultValue: username},
  {name: "name", label: "Name", required: true},
  {name: "email", label: "E-mail (optional)", type: "email", hint: "The welcome e-mail stays here, at /local/outbox."},
];

/** The users and the form for a new one. `gone` is the problem of a user who is not there any more. */
export function SignIn({gone, onSignedIn}) {
  const [users, setUsers] = useState(null);
  const [editor, setEditor] = useState(false);
  const {busy, problem, run} = useAction();
  // The search of the API needs a token, so the stack itself lists the users.
  const load = () => run(async () => setUsers((await (await send("/local/users")).json()).users));
  useEffect(load, []);

  const enter = async (username) => {
    await signIn(username, editor);
    onSignedIn();
  };
  const create = async ({username, name, email}) => {
    await signIn(username, editor);
    try {
      await request("POST", "/users", {body: {username, name, email: email || null}});
    } catch (problem) {
      signOut();
      throw problem;
    }
    onSignedIn();
  };
  return html`
    <main class="sign-in">
      <p class="brand">Quick Photos</p>
      <${Heading} title="Who are you today?" />
      <p class="lead">Choose somebody and look around: follow, react, add a picture. The other side of the page shows what
        each click asks of DynamoDB.</p>
      <${Trouble} problem=${problem ?? gone} retry=${users ? null : problem && load} />
      <ul class="users">
        ${users?.map(({username, name}) => html`
          <li key=${username}><button type="button" disabled=${busy} onClick=${() => run(() => enter(username))}>
            <${Portrait} name=${name} />${name}</button></li>`)}
      </ul>
      <label class="switch" hidden=${!users}><input type="checkbox" role="switch" checked=${editor}
        onChange=${(event) => setEditor(event.target.checked)} /> As an editor, who may change the catalogues</label>
      <section class="card" hidden=${!users}><h2>Somebody new</h2>
        <${Form} fields=${fields(gone?.username)} label="Create the profile" send=${create} /></section>
    </main>`;
}

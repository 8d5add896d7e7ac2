// Signing in: as a user of the sample data, or as a new one. The local issuer gives a token to any username.
import {html, useEffect, useState} from "../vendor/preact.js";
import {request, signIn, signOut} from "../api.js";
import {useAction} from "./data.js";
import {Field, Heading, Initial, Trouble} from "./parts.js";

export function SignIn({onSignedIn}) {
  const [users, setUsers] = useState([]);
  const [editor, setEditor] = useState(false);
  const entry = useAction();
  const creation = useAction();

  useEffect(() => {
    entry.run(async () => setUsers((await (await fetch("/local/users")).json()).users));
  }, []);

  const enter = (username) => entry.run(async () => {
    await signIn(username, editor);
    onSignedIn();
  });
  const create = (event) => {
    event.preventDefault();
    const {username, name, email} = Object.fromEntries(new FormData(event.target));
    creation.run(async () => {
      await signIn(username, editor);
      try {
        await request("POST", "/users", {body: {username, name, email: email || null}});
      } catch (problem) {
        signOut();
        throw problem;
      }
      onSignedIn();
    });
  };
  return html`
    <main class="sign-in">
      <p class="brand">Quick Photos</p>
      <${Heading} title="Who are you today?" />
      <p class="lead">Choose somebody and look around: follow, react, add a picture. Each click shows what it asked of DynamoDB.</p>
      <${Trouble} problem=${entry.problem} />
      <ul class="users">
        ${users.map(({username, name}) => html`
          <li key=${username}><button type="button" disabled=${entry.busy} onClick=${() => enter(username)}>
            <${Initial} name=${name} /><span>${name}</span></button></li>`)}
      </ul>
      <label class="switch"><input type="checkbox" role="switch" checked=${editor}
        onChange=${(event) => setEditor(event.target.checked)} /> As an editor, who may change the catalogues</label>
      <section class="card">
        <h2>Somebody new</h2>
        <form onSubmit=${create}>
          <${Field} label="Username" name="username" required autocomplete="off" autocapitalize="none"
            problem=${creation.problem} hint="Lower-case letters, digits, dots, dashes and underscores" />
          <${Field} label="Name" name="name" required autocomplete="off" problem=${creation.problem} />
          <${Field} label="E-mail (optional)" name="email" type="email" autocomplete="off" problem=${creation.problem}
            hint="The welcome e-mail does not leave this machine. It is at /local/outbox." />
          <${Trouble} problem=${creation.problem} shown=${["username", "name", "email"]} />
          <button class="main" disabled=${creation.busy}>Create the profile</button>
        </form>
      </section>
    </main>`;
}

// The deletion of the own account: the question, and what it deletes while it runs.
import {html, useEffect} from "../vendor/preact.js";
import {me, mine, Problem, request} from "../api.js";
import {Cascade} from "./cascade.js";
import {useEdited, useUpdate} from "./data.js";
import {BackToSettings, Form, Heading, Trouble, counted} from "./parts.js";
import {whole} from "./time.js";

/** Asks for the username, and deletes the account. `onDeleted` gets the cascade that begins. */
export function DeleteAccount({onDeleted}) {
  const {username} = me();
  const {known, problem} = useEdited(mine``);
  const field = {name: "username", label: `Type ${username} to delete the account`, autocapitalize: "none", required: true};
  const remove = async (values) => {
    if (values.username != username) {
      throw new Problem(0, "Not your username", "", {errors: [{field: "username", message: `You are ${username}.`}]});
    }
    const cascade = await watch(username);
    try {
      await request("DELETE", mine``);
    } catch (problem) {
      cascade.source.close();
      throw problem;
    }
    onDeleted(cascade);
  };
  return html`
    <${Heading} title="Delete my account" />
    <p><${BackToSettings} /></p>
    <${Trouble} problem=${problem} />
    ${known && html`
      <p>Your profile disappears at once, and everything else within seconds: ${counted(known.body.photos, "photo")} with
        their comments and reactions, ${counted(known.body.followers, "follower")}, ${known.body.following} people whom you follow,
        and all your comments, reactions, favorites and notifications. Nobody can bring it back.</p>
      <p>You can <a href="#/settings/data">take your data with you</a> before.</p>
      <section class="card danger"><${Form} fields=${[field]} label="Delete my account" send=${remove} /></section>`}`;
}

/** Returns the cascade of the deletion of a user, which the events of the stack tell from now on. */
async function watch(username) {
  const cascade = new Cascade(username);
  cascade.source = new EventSource("/local/events");
  cascade.source.onmessage = ({data}) => cascade.add(JSON.parse(data));
  await new Promise((resolve, reject) => {
    cascade.source.onopen = resolve;
    cascade.source.onerror = () => reject(new Problem(0, "No answer", "The events of the stack cannot be read."));
  });
  cascade.source.onerror = () => cascade.lost = true;
  return cascade;
}

/** What the deletion has deleted so far and, at its end, what is left. */
export function Farewell({cascade, onEnd}) {
  const update = useUpdate();
  const {done, lost, profile, tombstone, username} = cascade;
  useEffect(() => {
    const frame = () => {
      update();
      if (!cascade.done) next = requestAnimationFrame(frame);
    };
    let next = requestAnimationFrame(frame);
    return () => {
      cancelAnimationFrame(next);
      cascade.source.close();
    };
  }, []);
  const kinds = cascade.kinds();
  const sum = kinds.reduce((sum, {deleted}) => sum + deleted, 0);
  const {users, photos} = cascade.corrected();
  const title = done ? `${profile.name.S} is gone` : `Deleting ${username} …`;
  return html`
    <header class="top"><span class="brand">Quick Photos</span></header>
    <main>
      <${Heading} title=${title} />
      <p class="quiet">${counted(sum, "item")} in ${cascade.seconds().toFixed(1)} seconds</p>
      <ul class="cascade">${kinds.map(({name, deleted, total, left}) => html`
        <li key=${name} class=${done ? "gone" : ""}>
          <span>${name}</span>
          ${left !== null && html`<span class="bar" style=${{"--part": total && left / total}}></span>`}
          <strong>${left === null || done ? `${deleted} deleted` : `${left} left`}</strong>
        </li>`)}</ul>
      <p>${counted(users, "other user")} and ${counted(photos, "photo")} of others have other counts now.</p>
      <div role="status">${lost && !done && html`
        <p class="trouble">The connection to the stack was lost. The deletion goes on, but its end does not show here.</p>`}
        ${done && html`
        <p>Nothing is left of you but a tombstone: the name <strong>${username}</strong> rests
          until ${whole(tombstone.until.S)}, so that nobody takes it while a token of yours can still act. Then it is free.</p>`}
      </div>
      <p><button type="button" class=${done ? "main" : ""} onClick=${onEnd}>Back to the start</button></p>
    </main>`;
}

// Everything that is kept about the user, as one file.
import {html, useEffect, useState} from "../vendor/preact.js";
import {mine, request} from "../api.js";
import {Form, Heading, Trouble} from "./parts.js";

/** The pause between two questions how far it is. */
const PAUSE_MS = 1000;

const STATES = {queued: "It waits for its turn.", running: "It is being made.", ready: "It is ready.", failed: "It has failed."};

/** The view in which a user makes an export, and downloads it. The same request answers with the export that is there. */
export function Export() {
  const [made, setMade] = useState(null);
  const [problem, setProblem] = useState(null);
  const begin = async () => setMade((await request("POST", mine`/exports`)).body);
  useEffect(() => {
    if (made?.state != "queued" && made?.state != "running") return;
    const timer = setTimeout(() => {
      request("GET", mine`/exports/${made.id}`, {unasked: true}).then(({body}) => setMade(body), setProblem);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [made]);
  const {photos, of, bytes} = made?.progress ?? {};
  return html`
    <section class="pages">
      <${Heading} title="Your data" />
      <p>A zip archive with everything that is kept about you: profile, photos, comments, reactions, people, favorites and
        notifications. Its <code>index.html</code> shows all of it without a network. You can have one a day.</p>
      <${Form} label=${made ? "Look again" : "Make an export"} send=${begin} />
      <div role="status">
        ${made && html`
          <p>${STATES[made.state]} ${made.reason}</p>
          ${of > 0 && html`<p><progress max=${of} value=${photos} aria-label="Pictures"></progress>
            <span class="quiet"> ${photos} of ${of} photos, ${Math.ceil(bytes / 1000)} kB</span></p>`}
          ${made.url && html`<p><a class="button main" href=${made.url}>Download</a></p>`}`}
      </div>
      <${Trouble} problem=${problem} />
    </section>`;
}

// Everything that is kept about the user, as one file, and the things of such a file.
import {html, useEffect, useState} from "../vendor/preact.js";
import {mine, request} from "../api.js";
import {BackToSettings, Form, Heading, Trouble} from "./parts.js";
import {sendFile} from "./upload.js";

/** The pause between two questions how far it is. */
const PAUSE_MS = 1000;

const STATES = {
  queued: "It waits for its turn.", waiting: "It waits for its file.", running: "It is being made.", ready: "It is ready.",
  done: "It is done.", failed: "It has failed.",
};
const UNFINISHED = ["queued", "waiting", "running"];

/** An export or an import that a function makes, as it is now. The same request answers with the one that is there. */
function useWork(kind) {
  const [made, setMade] = useState(null);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    if (!UNFINISHED.includes(made?.state)) return;
    const timer = setTimeout(() => {
      request("GET", mine`/${kind}/${made.id}`, {unasked: true}).then(({body}) => {
        // What waits has not got its file, and the problem says why.
        if (body.state != "waiting") setProblem(null);
        setMade(body);
      }, (trouble) => setMade({...made, trouble}));
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [made]);
  const begin = async () => {
    setProblem(null);
    const {body} = await request("POST", mine`/${kind}`);
    setMade(body);
    return body;
  };
  return {made, problem: problem ?? made?.trouble, setProblem, begin};
}

/** The view in which a user makes an export and downloads it, and imports the file of one. */
export const Export = () => html`
  <section class="pages">
    <${Heading} title="Your data" />
    <p><${BackToSettings} /></p>
    <${Take} />
    <${Bring} />
  </section>`;

function Take() {
  const {made, problem, begin} = useWork("exports");
  const {photos, of, bytes} = made?.progress ?? {};
  return html`
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
    <${Trouble} problem=${problem} />`;
}

function Bring() {
  const {made, problem, setProblem, begin} = useWork("imports");
  const send = async (file) => {
    const {upload} = await begin();
    if (upload) await sendFile(upload, file, () => {});
  };
  return html`
    <h2>Bring your data</h2>
    <p>The photos, favorites and tags of such an archive, with which you begin anew. What you have already stays as it is.</p>
    <p><label class="button main"><input class="unseen" type="file" accept=".zip"
      onChange=${({target}) => {
        send(target.files[0]).catch(setProblem);
        target.value = "";
      }} />Import a file</label></p>
    <div role="status">
      ${made && html`
        <p>${STATES[made.state]} ${made.reason}</p>
        <p class="quiet">${made.photos} photos, ${made.favorites} favorites, ${made.tags} tags; left out: ${made.leftOut}</p>
        <ul>${made.reasons.map(({what, reason}) => html`<li key=${what}>${what}: ${reason}</li>`)}</ul>`}
    </div>
    <${Trouble} problem=${problem} />`;
}

// The dialog in which an editor creates, replaces, changes and deletes a song or a person.
import {html, useEffect, useState} from "../vendor/preact.js";
import {path, request} from "../api.js";
import {useAction} from "./data.js";
import {Dialog, Field, Trouble} from "./parts.js";

/** What a new document may look like. */
const EXAMPLE = {songs: {Genre: {S: "Folk"}, Year: {N: "2024"}}, people: {FirstName: {S: "Dora"}, Roles: {SS: ["User"]}}};

/**
 * Edits the document at a path, or creates one if there is no path. Each write is made on the condition that the document
 * is still the one that was read (If-Match), or that there is none (If-None-Match).
 */
export function EditDocument({kind, url, onChanged, onClose}) {
  const [etag, setEtag] = useState(null);
  const [whole, setWhole] = useState(JSON.stringify(EXAMPLE[kind], null, 2));
  const [patch, setPatch] = useState('{"Phone": "555-0100", "Roles": null}');
  const [way, setWay] = useState("PUT");
  const {busy, problem, run} = useAction();

  const read = () => run(async () => {
    const {body, headers} = await request("GET", `${url}?format=dynamodb`);
    setWhole(JSON.stringify(body, null, 2));
    setEtag(headers.get("etag"));
  });
  useEffect(() => {
    if (url) read();
  }, []);

  const condition = url ? {"If-Match": etag} : {"If-None-Match": "*"};
  const save = (event) => {
    event.preventDefault();
    const {artist, songTitle, personId} = Object.fromEntries(new FormData(event.target));
    const to = url ?? (kind == "people" ? path`/people/${personId}` : path`/music/${artist}/${songTitle}`);
    run(async () => {
      if (way == "PATCH") await request("PATCH", to, {body: patch, headers: condition});
      else await request("PUT", `${to}?format=dynamodb`, {body: whole, headers: condition});
      onChanged("The document is saved.");
    });
  };
  const remove = () => run(async () => {
    await request("DELETE", url, {headers: condition});
    onChanged("The document is deleted.");
  });
  return html`
    <${Dialog} title=${url ? "Edit the document" : "New document"} onClose=${onClose}>
      <form onSubmit=${save}>
        ${!url && kind == "songs" && html`
          <${Field} label="Artist" name="artist" required problem=${problem} />
          <${Field} label="Title" name="songTitle" required problem=${problem} />`}
        ${!url && kind == "people" && html`<${Field} label="Number" name="personId" inputmode="numeric" required problem=${problem} />`}
        ${url && kind == "people" && html`
          <${Field} label="What to write" name="way" as="select" value=${way} onChange=${(event) => setWay(event.target.value)}>
            <option value="PUT">The whole document</option><option value="PATCH">Some of its attributes</option>
          <//>`}
        ${way == "PUT"
          ? html`<${Field} label="Document" name="whole" as="textarea" rows="12" spellcheck=${false} value=${whole}
              onInput=${(event) => setWhole(event.target.value)} hint="DynamoDB JSON: each value has its type" />`
          : html`<${Field} label="Attributes" name="patch" as="textarea" rows="6" spellcheck=${false} value=${patch}
              onInput=${(event) => setPatch(event.target.value)} hint="Plain JSON, a merge patch: null removes an attribute" />`}
        <${Trouble} problem=${problem} shown=${["artist", "songTitle", "personId"]} retry=${problem?.status == 412 && url ? read : null} />
        <p class="actions"><button class="main" disabled=${busy}>Save</button>
          ${url && html`<button type="button" disabled=${busy} onClick=${remove}>Delete</button>`}</p>
      </form>
    <//>`;
}

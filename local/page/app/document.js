// The dialog in which an editor creates, changes and deletes a song or a person.
import {html} from "../vendor/preact.js";
import {escaped, path, Problem, request} from "../api.js";
import {forgetLists, notify, useEdited} from "./data.js";
import {Dialog, Form, Trouble} from "./parts.js";

/** Returns the path of a document, or null if it has no key. */
export function pathOf({Artist, SongTitle, PersonID}) {
  if (PersonID) return path`/people/${PersonID.N}`;
  return Artist && SongTitle ? path`/music/${escaped(Artist.S)}/${escaped(SongTitle.S)}` : null;
}

const EXAMPLES = [
  {PersonID: {N: "100"}, FirstName: {S: "Dora"}, Roles: {SS: ["User"]}},
  {Artist: {S: "Dora"}, SongTitle: {S: "First Light"}, Genre: {S: "Folk"}},
];

/**
 * Edits a document, or creates one if it has no key. Each write has a condition: the document is still the one that was
 * read (If-Match), or there is none (If-None-Match). Lists have no ETags, so the document is read first.
 */
export function EditDocument({document, songs, onChanged, onClose}) {
  const url = pathOf(document);
  const example = {body: EXAMPLES[Number(songs)], headers: {"If-None-Match": "*"}};
  const {known, problem, read} = useEdited(`${url}?format=dynamodb`, url ? null : example);
  const done = (text, document) => {
    forgetLists();
    notify({text});
    onChanged(document);
  };
  const save = async ({text}) => {
    const document = parse(text);
    const to = url ?? pathOf(document);
    if (!to) throw new Problem(0, "The document has no key", "It needs a PersonID, or an Artist and a SongTitle.");
    // A song is replaced. A person is changed in what is different, so that nothing else is overwritten.
    const [method, body] = url && !songs ? ["PATCH", difference(known.body, document)] : ["PUT", document];
    const answer = await request(method, `${to}?format=dynamodb`, {body, headers: known.headers});
    done("The document is saved.", answer.body);
  };
  const remove = async () => {
    await request("DELETE", url, {headers: known.headers});
    done("The document is deleted.");
  };
  const text = known && JSON.stringify(known.body, null, 2);
  const fields = [{name: "text", label: "Document", as: "textarea", rows: 12, spellcheck: false, defaultValue: text,
    hint: "DynamoDB JSON: each value has its type"}];
  return html`
    <${Dialog} title=${url ? "Edit the document" : "New document"} onClose=${onClose}>
      <${Trouble} problem=${problem} />
      ${known && html`<${Form} key=${known.headers["If-Match"]} fields=${fields} label="Save" send=${save}
        others=${url ? {Delete: remove, "Fetch it again": read} : {}} />`}
    <//>`;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Problem(0, "The document is not JSON", error.message);
  }
}

/** Returns the merge patch between two documents. Maps are merged at any depth, and null removes an attribute. */
function difference(before, after) {
  const patch = {};
  for (const name of Object.keys({...before, ...after})) {
    const [old, now] = [before[name], after[name]];
    if (JSON.stringify(old) == JSON.stringify(now)) continue;
    patch[name] = old?.M && now?.M ? {M: difference(old.M, now.M)} : now ?? null;
  }
  return patch;
}

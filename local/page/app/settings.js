// The settings of the user, and the profile with its privacy.
import {html} from "../vendor/preact.js";
import {mine, request} from "../api.js";
import {changes, forgetLists, notify, useEdited} from "./data.js";
import {subscription} from "./device.js";
import {showOwn} from "./header.js";
import {BackToSettings, Form, Heading, Trouble} from "./parts.js";
import {AUDIENCES} from "./picture.js";

const audienceName = (audience = "everyone") => AUDIENCES.find(([value]) => value == audience)[1];

/** The parts of the settings: their address, their name, and what the profile tells about them. */
const PARTS = [
  ["profile", "Profile and privacy", ({approvesFollowers, defaultAudience}) =>
    `${approvesFollowers ? "You accept who follows you" : "Everyone may follow you"}. New photos: ${audienceName(defaultAudience)}`],
  ["requests", "Requests to follow", ({counts: {requests}}) => requests === 0 ? "Nobody waits for your answer" : `${requests} waiting for your answer`],
  ["blocks", "Blocked and muted", () => "Whom you keep away"],
  ["push", "Push notifications", () => subscription() ? "On in this browser" : "Off in this browser"],
  ["links", "Links", () => "What people without an account see"],
  ["reports", "Reports", () => "What people report, for moderators"],
  ["data", "Your data", () => "Take it with you, or bring it"],
  ["delete", "Delete my account", () => "Everything of you disappears"],
];

export function Settings() {
  const {known, problem} = useEdited(mine`?include=counts`);
  return html`
    <${Heading} title="Settings" />
    <${Trouble} problem=${problem} />
    <ul class="lines settings">${PARTS.map(([part, name, about]) => html`
      <li key=${part}><a href="#/settings/${part}"><strong>${name}</strong><span class="quiet small">${known && about(known.body)}</span></a></li>`)}
    </ul>`;
}

const FIELDS = [
  {name: "name", label: "Name", required: true},
  {name: "status", label: "Status"},
  {name: "interests", label: "Interests", hint: "Separated by commas"},
  {
    name: "approvesFollowers", label: "Who may follow you", options: [["false", "Everyone"], ["true", "People whom you accept"]],
    hint: "If everyone may follow you, everyone can see your photos for followers.",
  },
  {name: "defaultAudience", label: "Who may see new photos", options: AUDIENCES, hint: "Each photo can have another audience."},
  {
    name: "sensitivePhotos", label: "Sensitive photos of others", options: [["hide", "Blurred until I open them"], ["show", "Shown"]],
    hint: "This goes for the feed, profiles and all other lists.",
  },
  {name: "email", label: "E-mail", hint: "Only you see your e-mail address, birthdate and address."},
  {name: "birthdate", label: "Birthdate", type: "date"},
  {name: "address", label: "Address", as: "textarea", rows: 3},
];

const DEFAULTS = {defaultAudience: "everyone", sensitivePhotos: "hide"};

/**
 * Changes the profile by a PATCH with those fields that are different. The condition (If-Match) keeps it from
 * overwriting a change that was made in another window meanwhile.
 */
export function EditProfile() {
  const {known, problem, read} = useEdited(mine``);
  const before = (name) => name == "interests" ? known.body.interests.join(", ")
    : name == "approvesFollowers" ? String(known.body[name] ?? false)
    : known.body[name] ?? DEFAULTS[name] ?? "";
  const save = async (values) => {
    const body = changes(values, before);
    if (body.approvesFollowers) body.approvesFollowers = body.approvesFollowers == "true";
    if ("interests" in body) body.interests = body.interests ? body.interests.split(",").map((interest) => interest.trim()) : null;
    const answer = await request("PATCH", mine``, {body, headers: known.headers});
    forgetLists();
    showOwn(answer.body);
    notify({text: "Your profile is saved."});
    await read();
  };
  const fields = known && FIELDS.map((field) => ({...field, defaultValue: before(field.name)}));
  return html`
    <${Heading} title="Profile and privacy" />
    <p><${BackToSettings} /></p>
    <${Trouble} problem=${problem} />
    ${known && html`<${Form} key=${known.headers["If-Match"]} fields=${fields} label="Save" send=${save}
      others=${{"Fetch it again": read}} />`}`;
}

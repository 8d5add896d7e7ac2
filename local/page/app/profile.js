// A profile with its photos, and the form that changes one's own.
import {html, useEffect, useState} from "../vendor/preact.js";
import {gone, me, mine, path, request} from "../api.js";
import {forgetLists, notify, usePages} from "./data.js";
import {Dialog, Follow, Form, Heading, Initial, Pages} from "./parts.js";
import {Grid} from "./picture.js";
import {useUploads} from "./upload.js";

/**
 * The profile and its photos are one Query, oldest photo first. If it answers all of them, they only have to be turned
 * around. Otherwise a second list has them newest first, page by page.
 */
export function Profile({username}) {
  const own = username == me().username;
  const profile = usePages(path`/users/${username}/profile`, "photos");
  const newest = usePages(profile.next ? path`/users/${username}/photos` : null, "photos");
  const [user, setUser] = useState(null);
  const [editing, setEditing] = useState(false);
  const uploads = useUploads();
  useEffect(() => setUser(profile.first.user), [profile.first]);
  useEffect(() => own && profile.problem?.status == 404 && me() && gone(), [profile.problem]);

  const photos = profile.next ? newest.items : profile.items.toReversed();
  const added = uploads.map(({photo}) => photo).filter((photo) => own && photo && !photos.includes(photo));
  const list = {...(profile.next ? newest : profile), items: [...added, ...photos]};
  const changeFollowers = (by) => setUser((user) => ({...user, followers: user.followers + by}));
  const saved = (user) => {
    setUser(user);
    setEditing(false);
  };
  return html`
    <section class="profile">
      <${Initial} name=${user?.name ?? username} />
      <div><${Heading} title=${user?.name ?? username} /><p class="quiet">${username}</p></div>
      ${own ? html`<button type="button" disabled=${!user} onClick=${() => setEditing(true)}>Edit profile</button>`
        : !profile.problem && html`<${Follow} username=${username} onChange=${changeFollowers} />`}
      <p class="motto">${user?.status}</p>
      <p class="counts">
        <a href="#/users/${username}/followers"><strong>${user?.followers ?? "–"}</strong> ${user?.followers == 1 ? "follower" : "followers"}</a>
        <a href="#/users/${username}/following"><strong>${user?.following ?? "–"}</strong> following</a>
      </p>
      <p class="counts">${user?.interests?.map((interest) => html`<span key=${interest} class="chip">${interest}</span>`)}</p>
    </section>
    <h2 class="unseen">Photos</h2>
    <${Pages} list=${list} empty=${html`
      <p class="empty">No photos yet.${own && " Drop a picture anywhere on this page."}</p>`}>
      <${Grid} photos=${list.items} pinned=${user?.pinnedImage} />
    <//>
    ${editing && html`<${EditProfile} user=${user} onSaved=${saved} onClose=${() => setEditing(false)} />`}`;
}

const FIELDS = [
  {name: "name", label: "Name", required: true},
  {name: "status", label: "Status"},
  {name: "interests", label: "Interests", hint: "Separated by commas"},
  {name: "email", label: "E-mail", hint: "Only you see your e-mail address, birthdate and address."},
  {name: "birthdate", label: "Birthdate", type: "date"},
  {name: "address", label: "Address", as: "textarea", rows: 3},
];

/** Changes the profile by a PATCH with those fields that are different. An empty one is removed by null. */
function EditProfile({user, onSaved, onClose}) {
  const before = (name) => name == "interests" ? user.interests.join(", ") : user[name] ?? "";
  const save = async (values) => {
    const body = {};
    for (const [name, value] of Object.entries(values)) {
      const after = value.replaceAll("\r\n", "\n");
      if (after != before(name)) body[name] = after || null;
    }
    body.interests &&= body.interests.split(",").map((interest) => interest.trim());
    const answer = await request("PATCH", mine``, {body});
    forgetLists();
    notify({text: "Your profile is saved."});
    onSaved(answer.body);
  };
  const fields = FIELDS.map((field) => ({...field, defaultValue: before(field.name)}));
  return html`
    <${Dialog} title="Edit profile" onClose=${onClose}><${Form} fields=${fields} label="Save" send=${save} /><//>`;
}

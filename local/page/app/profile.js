// A profile with its photos, and the form that changes one's own.
import {html, useEffect, useState} from "../vendor/preact.js";
import {me, path, request} from "../api.js";
import {forgetLists, notify, useAction, usePages} from "./data.js";
import {Dialog, Field, Follow, Heading, Initial, Pages, Trouble} from "./parts.js";
import {Grid} from "./picture.js";
import {useUploads} from "./upload.js";

/**
 * The profile and its photos are one Query, oldest photo first. If it answers all of them, they only have to be turned
 * around. Otherwise a second list has them newest first, page by page.
 */
export function Profile({username}) {
  const own = username == me().username;
  const profile = usePages(path`/users/${username}/profile?limit=50`, "photos");
  const newest = usePages(profile.next ? path`/users/${username}/photos?limit=50` : null, "photos");
  const uploads = useUploads();
  const [user, setUser] = useState(null);
  const [editing, setEditing] = useState(false);
  useEffect(() => setUser(profile.first.user ?? null), [profile.first]);

  const list = profile.next ? newest : profile;
  const photos = profile.next ? newest.items : [...profile.items].reverse();
  const added = own ? uploads.map(({photo}) => photo).filter((photo) => photo && !photos.includes(photo)) : [];
  const changeFollowers = (by) => setUser((user) => ({...user, followers: user.followers + by}));
  const saved = (user) => {
    setUser(user);
    setEditing(false);
  };
  return html`
    <section class="profile">
      <${Initial} name=${user?.name ?? username} />
      <div>
        <${Heading} title=${user?.name ?? username} />
        <p class="quiet">${username}</p>
      </div>
      ${user && (own ? html`<button type="button" onClick=${() => setEditing(true)}>Edit profile</button>`
        : html`<${Follow} username=${username} onChange=${changeFollowers} />`)}
      <p class="motto">${user?.status ?? " "}</p>
      <p class="counts">
        <a href="#/users/${username}/followers"><strong>${user?.followers ?? "–"}</strong> followers</a>
        <a href="#/users/${username}/following"><strong>${user?.following ?? "–"}</strong> following</a>
        ${user?.interests?.map((interest) => html`<span class="chip">${interest}</span>`)}
      </p>
    </section>
    <h2 class="unseen">Photos</h2>
    <${Pages} list=${profile.problem ? profile : list} empty=${added.length > 0 ? html`<${Grid} photos=${added} />` : html`
      <p class="empty">${own ? "No photos yet. Drop a picture anywhere on this page." : "No photos yet."}</p>`}>
      <${Grid} photos=${[...added, ...photos]} pinned=${user?.pinnedImage} />
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
  const {busy, problem, run} = useAction();
  const text = (name) => name == "interests" ? (user.interests ?? []).join(", ") : user[name] ?? "";
  const save = (event) => {
    event.preventDefault();
    const body = {};
    for (const [name, value] of new FormData(event.target)) {
      const written = value.replaceAll("\r\n", "\n");
      if (written == text(name)) continue;
      if (name == "interests") body[name] = written.split(",").map((interest) => interest.trim()).filter(Boolean);
      else body[name] = written || (name == "name" ? "" : null);
    }
    run(async () => {
      const answer = await request("PATCH", path`/users/${user.username}`, {body});
      forgetLists();
      notify({text: "Your profile is saved."});
      onSaved(answer.body);
    });
  };
  return html`
    <${Dialog} title="Edit profile" onClose=${onClose}>
      <form onSubmit=${save}>
        ${FIELDS.map((field) => html`
          <${Field} key=${field.name} ...${field} problem=${problem} defaultValue=${text(field.name)} />`)}
        <${Trouble} problem=${problem} shown=${FIELDS.map(({name}) => name)} />
        <button class="main" disabled=${busy}>Save</button>
      </form>
    <//>`;
}

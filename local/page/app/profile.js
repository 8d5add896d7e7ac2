// A profile with its photos.
import {html, useEffect, useState} from "../vendor/preact.js";
import {gone, me, mine, path, request} from "../api.js";
import {attempt, forgetLists, notify, usePages} from "./data.js";
import {Dialog, Follow, Form, Heading, Pages, Portrait, late} from "./parts.js";
import {Grid} from "./picture.js";
import {ReportDialog} from "./reports.js";
import {useUploads} from "./upload.js";

const Share = late("./links.js", "Share");

/** The profile, its newest photos, and whether the user follows it, in one request. */
export function Profile({username}) {
  const own = username == me().username;
  const profile = usePages(path`/users/${username}/profile?order=desc&include=viewer`, "photos");
  const [user, setUser] = useState(null);
  const [counted, setCounted] = useState(new Set());
  const [dialog, setDialog] = useState(null);
  const uploads = useUploads();
  useEffect(() => {
    setUser(profile.first.user);
    // The first page has not all of them.
    setCounted(new Set([...profile.first.photos ?? [], ...uploads.map(({photo}) => photo)].filter((photo) => photo?.status == "ready")));
  }, [profile.first]);
  useEffect(() => own && profile.problem?.is?.("no-profile") && me() && gone(), [profile.problem]);

  const added = uploads.map(({photo}) => photo).filter((photo) => own && photo && !profile.items.includes(photo));
  const list = {...profile, items: [...added, ...profile.items]};
  // The count of the answer has what was ready then.
  const number = user && user.photos + uploads.filter(({photo}) => own && photo?.status == "ready" && !counted.has(photo)).length;
  const changeFollowers = (by) => setUser((user) => ({...user, followers: user.followers + by}));
  const {viewer} = user ?? {};
  const muting = viewer?.muted ? "Unmute" : "Mute";
  /** Puts a block or a mute, or ends it if `level` is null. */
  const keepAway = async (level, text) => {
    await request(level ? "PUT" : "DELETE", mine`/blocks/${username}`, {body: level && {level}});
    forgetLists();
    notify({text});
  };
  const mute = () => attempt(async () => {
    await (viewer.muted ? keepAway(null, `You do not mute ${username} any more.`)
      : keepAway("mute", `You mute ${username}. Your feed leaves out their photos.`));
    setUser({...user, viewer: {...viewer, muted: !viewer.muted}});
  });
  const alert = () => attempt(async () => {
    const alerts = !viewer.alerts;
    await request(alerts ? "PUT" : "DELETE", path`/users/${username}/followers/me/alerts`);
    forgetLists();
    notify({text: alerts ? `You are told of new photos of ${username}.` : `You are not told of new photos of ${username} any more.`});
    setUser({...user, viewer: {...viewer, alerts}});
  });
  // A block and its end change the counts, and which photos the user may see.
  const block = async () => {
    await keepAway("block", `You block ${username}.`);
    setDialog(null);
    setUser({...user, viewer: {...viewer, blocked: true}});
    profile.reload();
  };
  const unblock = () => attempt(async () => {
    await keepAway(null, `You do not block ${username} any more.`);
    // The button gives way to another one.
    document.querySelector("h1").focus();
    profile.reload();
  });
  if (profile.problem?.is?.("no-user")) return html`
    <${Heading} title="There is no user ${username}" />
    <p>The name may be mistyped, or the account is deleted. <a href="#/people?q=${username}">Search people</a></p>`;
  return html`
    <section class="profile">
      <${Portrait} name=${user?.name ?? username} picture=${user?.picture} />
      <div><${Heading} title=${user?.name ?? username} /><p class="quiet">${username}</p></div>
      ${own ? html`<a class="button" href="#/settings/profile">Edit profile</a>`
        : viewer?.blocked ? html`<button type="button" aria-label="Unblock ${username}" onClick=${unblock}>Unblock</button>`
        : !profile.problem && html`<${Follow} username=${username} viewer=${viewer} onChange=${changeFollowers} />`}
      <p class="motto">${user?.status}</p>
      <p class="counts">
        <span><strong>${number ?? "–"}</strong> ${number == 1 ? "photo" : "photos"}</span>
        <a href="#/users/${username}/followers"><strong>${user?.followers ?? "–"}</strong> ${user?.followers == 1 ? "follower" : "followers"}</a>
        <a href="#/users/${username}/following"><strong>${user?.following ?? "–"}</strong> following</a>
        ${viewer?.followsYou && html`<span class="chip">Follows you</span>`}
        ${viewer?.blocked && html`<span class="chip">You block ${username}</span>`}
        ${own && html`
          <span class="actions"><button type="button" class="plain small" aria-label="Share your profile"
            onClick=${() => setDialog("share")}>Share</button></span>`}
        ${!own && !profile.problem && !viewer?.blocked && html`
          <span class="actions">
            ${viewer?.follows && html`<button type="button" class="plain small" aria-pressed=${Boolean(viewer.alerts)}
              aria-label="Alerts of ${username}" onClick=${alert}>${viewer.alerts ? "🔔" : "🔕"} Alerts</button>`}
            ${viewer?.follows && html`<button type="button" class="plain small" aria-label="${muting} ${username}" onClick=${mute}>${muting}</button>`}
            <button type="button" class="plain small" disabled=${!viewer} aria-label="Block ${username}"
              onClick=${() => setDialog("block")}>Block</button>
            <button type="button" class="plain small" aria-label="Report ${username}"
              onClick=${() => setDialog("report")}>Report</button>
          </span>`}
      </p>
      <p class="counts">${user?.interests?.map((interest) => html`<span key=${interest} class="chip">${interest}</span>`)}</p>
    </section>
    <h2 class="unseen">Photos</h2>
    <${Pages} list=${list} empty=${html`
      <p class="empty">No photos yet.${own && " Drop a picture anywhere on this page."}</p>`}>
      <${Grid} photos=${list.items} pinned=${user?.pinnedImage?.id} />
    <//>
    ${dialog == "share" && html`<${Share} onClose=${() => setDialog(null)} />`}
    ${dialog == "report" && html`
      <${ReportDialog} title="Report ${username}" about=${{username}} onClose=${() => setDialog(null)} />`}
    ${dialog == "block" && html`
      <${Dialog} title="Block ${username}?" onClose=${() => setDialog(null)}>
        <p>${username} will see neither you nor your photos, and is not told. You stop following each other, which does not
          come back when you unblock them.</p>
        <${Form} label="Block ${username}" send=${block} />
      <//>`}`;
}

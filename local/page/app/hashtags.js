// The photos of everybody with a hashtag, which can be followed, and the search of hashtags by their beginning.
import {html, useState} from "../vendor/preact.js";
import {escaped, me, mine, path, request} from "../api.js";
import {browse, forgetLists, notify, useAction, useEdited, useFilter, usePages, useUpdate} from "./data.js";
import {Field, Form, Heading, Pages, Time, Title, Trouble, counted} from "./parts.js";
import {Tiles} from "./picture.js";

/** The photos with a hashtag, newest first. */
export function Hashtag({kind: tag}) {
  const list = usePages(path`/tags/${escaped(tag)}/photos?include=people,viewer&limit=24`, "photos");
  browse(list.items);
  return html`
    <${Title} title="#${tag}" list=${list} />
    <p class="row"><a href="#/hashtags">Find hashtags</a> <${FollowTag} tag=${tag} viewer=${list.first?.viewer} /></p>
    <${Pages} list=${list} endless empty=${html`<p class="empty">There is no photo with this hashtag.</p>`}>
      <${Tiles} photos=${list.items} />
    <//>
    ${me().groups.includes("moderators") && html`<${Moderation} tag=${tag} />`}`;
}

/** What moderators have decided about a hashtag, which is read when it opens, and the form of the next decision. */
function Moderation({tag}) {
  const [history, setHistory] = useState(null);
  const {problem, run} = useAction();
  const read = async () => setHistory((await request("GET", path`/tags/${escaped(tag)}/decisions`)).body);
  const decide = async ({note}) => {
    const decision = history.hidden ? "show" : "hide";
    await request("PUT", path`/tags/${escaped(tag)}/decision`, {body: {decision, note: note || undefined}});
    forgetLists();
    notify({text: history.hidden ? `Everybody finds #${tag} again.` : `Nobody finds #${tag} any more.`});
    await read();
  };
  return html`
    <details onToggle=${({target}) => target.open && !history && run(read)}>
      <summary>For moderators</summary>
      <${Trouble} problem=${problem} />
      <ol class="lines">${history?.decisions.map(({decision, note, moderator, timestamp}) => html`
        <li key=${timestamp}><p>${decision == "hide" ? "Hidden" : "Shown again"} <span class="quiet small">by ${
          moderator}, <${Time} at=${timestamp} /></span></p>
          ${note && html`<p class="text">${note}</p>`}</li>`)}</ol>
      ${history && html`<${Form} key=${history.decisions.length} fields=${NOTE} send=${decide}
        label=${history.hidden ? `Show #${tag} again` : `Hide #${tag}`} />`}
    </details>`;
}

const NOTE = [{name: "note", label: "Note for moderators (optional)", as: "textarea", rows: 2, maxlength: 1000}];

/** The button that follows or unfollows a hashtag. `viewer` says whether the user who is signed in follows it already. */
function FollowTag({tag, viewer}) {
  const update = useUpdate();
  const {busy, problem, run} = useAction();
  const toggle = () => run(async () => {
    await request(viewer.followed ? "DELETE" : "PUT", path`/tags/${escaped(tag)}/followers/me`);
    viewer.followed = !viewer.followed;
    forgetLists();
    update();
    notify({text: viewer.followed ? `You follow #${tag}. Its photos come into your feed.` : `You do not follow #${tag} any more.`});
  });
  const followed = viewer?.followed ?? false, label = followed ? "Following" : "Follow";
  return html`
    <button type="button" class=${followed ? "" : "main"} disabled=${!viewer || busy} aria-pressed=${followed}
      aria-label="${label} #${tag}" onClick=${toggle}>${label}</button>
    <${Trouble} problem=${problem} />`;
}

/** The hashtags that the user who is signed in follows. */
function Followed() {
  const {known, problem} = useEdited(mine`/hashtags`);
  const hashtags = known?.body.hashtags ?? [];
  return html`
    <${Trouble} problem=${problem} />
    ${hashtags.length > 0 && html`
      <h2>You follow</h2>
      <ul>${hashtags.map((hashtag) => html`
        <li key=${hashtag}><a href="#/hashtags/${encodeURIComponent(hashtag)}">${`#${hashtag}`}</a></li>`)}</ul>`}`;
}

/** The search of hashtags. */
export function Hashtags() {
  const {asked, field} = useFilter("hashtags", {q: ""});
  const q = asked.q.trim().replace(/^#/, "");
  const list = usePages(q && path`/tags?q=${q}&limit=20`, "hashtags");
  return html`
    <${Heading} title="Find hashtags" />
    <form role="search" onSubmit=${(event) => event.preventDefault()}>
      <${Field} label="Hashtag" type="search" ...${field("q")} hint="The beginning of a hashtag, such as sun" />
    </form>
    ${!q && html`<${Followed} />`}
    <${Pages} list=${list} empty=${html`<p class="empty">${q && "No hashtag begins so."}</p>`}>
      <ul>${list.items.map(({hashtag, count}) => html`
        <li key=${hashtag}><a href="#/hashtags/${encodeURIComponent(hashtag)}">${`#${hashtag}`}</a>
          <span class="quiet small"> ${count > 1 ? `${counted(count, "photo")} or more` : "a few photos"}</span></li>`)}</ul>
    <//>`;
}

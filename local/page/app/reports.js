// The dialog that reports a photo, a comment or a user, and the reports for moderators.
import {html, useRef, useState} from "../vendor/preact.js";
import {join, me, path, request} from "../api.js";
import {attempt, notify, useAction, useFilter, usePages} from "./data.js";
import {BackToSettings, Dialog, Field, Form, Heading, Pages, Person, Time, Trouble, counted} from "./parts.js";
import {Picture, SENSITIVE, sensitiveName, viewOf} from "./picture.js";

const REASONS = [
  ["spam", "Advertising or spam"], ["nudity", "Nudity"], ["violence", "Violence or threats"], ["harassment", "Harassment"],
  ["hate", "Hate"], ["self-harm", "Self-harm"], ["illegal", "Something illegal"], ["other", "Another reason"],
];

/** Returns the name of a reason. */
export const reasonName = (reason) => REASONS.find(([value]) => value == reason)?.[1] ?? reason;

const FIELDS = [
  {name: "reason", label: "Reason", options: REASONS},
  {name: "text", label: "What is wrong (optional)", as: "textarea", rows: 3},
];

/** Reports `about`, the fields of a report that say what it is about. */
export function ReportDialog({title, about, onClose}) {
  const send = async ({reason, text}) => {
    const {status} = await request("POST", "/reports", {body: {...about, reason, text: text || undefined}});
    notify({text: status == 201 ? "Thank you. A moderator will look at it." : "You have reported this already."});
    onClose();
  };
  return html`
    <${Dialog} title=${title} onClose=${onClose}>
      <p>Only the moderators learn of it.</p>
      <${Form} fields=${FIELDS} label="Report" send=${send} />
    <//>`;
}

const STATES = [["open", "Open"], ["removed", "Removed"], ["partly-removed", "Some pictures removed"], ["marked", "Marked as sensitive"], ["dismissed", "Dismissed"]];
const DECISIONS = {remove: "Removed", mark: "Marked as sensitive", dismiss: "Dismissed", reopen: "Taken back"};
const OUTCOMES = {
  removed: "It is removed. Its owner sees why.", "partly-removed": "These pictures are removed. Their owner sees why.", marked: "It is marked as sensitive.", dismissed: "The report is dismissed.", open: "The decision is taken back. The report is open.",
};

/** The reports in one state, with what they are about, in one request. Only members of `moderators` may read them. */
export function Reports() {
  const [moderator, setModerator] = useState(me().groups.includes("moderators"));
  const {asked, field} = useFilter("settings/reports", {state: "open"});
  const list = usePages(moderator && path`/reports?state=${asked.state}&include=people`, "reports");
  const change = ({target: {checked}}) => attempt(async () => {
    await join("moderators", checked);
    setModerator(checked);
  });
  const decide = (report, decision, note, further) => attempt(async () => {
    const {body} = await request("PUT", path`/reports/${report.id}`, {body: {decision, ...further, note: note || undefined}});
    list.setItems((items) => items.filter((other) => other != report));
    notify({text: OUTCOMES[body.state]});
  });
  return html`
    <${Heading} title="Reports" />
    <p><${BackToSettings} /></p>
    <p class="row"><label class="switch"><input type="checkbox" role="switch" checked=${moderator} onChange=${change} />
      As a moderator</label></p>
    ${!moderator ? html`<p class="empty">Moderators decide about what people report.</p>` : html`
      <form role="search" onSubmit=${(event) => event.preventDefault()}>
        <${Field} label="State" options=${STATES} defaultValue=${asked.state} ...${field("state")} />
      </form>
      <${Pages} list=${list} empty=${html`<p class="empty">No reports here.</p>`}>
        <ul class="reports">${list.items.map((report) => html`
          <${Report} key=${report.id} report=${report} people=${list.people} onDecide=${decide} />`)}</ul>
      <//>`}`;
}

function Report({report, people, onDecide}) {
  const {id, username, photo, comment, state, complaints, visitors, reasons, texts, timestamp, reason, sensitive, decided, reportedPhoto, reportedComment, pictures: removed = []} = report;
  const note = useRef("");
  const mark = useRef(sensitive ?? SENSITIVE[0][0]);
  const [chosen, setChosen] = useState(removed);
  const decide = (decision, further) => onDecide(report, decision, note.current, further);
  const pictures = reportedPhoto?.pictures ?? [];
  // A removal of all pictures is one of the photo.
  const isOfSome = chosen.length > 0 && chosen.length < pictures.filter(canBeRemoved).length;
  const remove = () => decide("remove", isOfSome ? {pictures: chosen} : {});
  const kind = comment ? "comment" : photo ? "photo" : "user";
  const what = isOfSome ? "chosen pictures" : kind;
  const dismiss = state == "removed" ? `Show the ${kind} again` : state == "partly-removed" ? "Show all pictures again" : "Dismiss";
  const view = photo && viewOf(photo);
  return html`
    <li class="card">
      <ul><${Person} username=${username} card=${people[username]} viewer=${{}}>
        <span class="quiet small"><${Time} at=${timestamp} /></span><//></ul>
      ${reportedPhoto && html`<a href=${view}><${Picture} photo=${reportedPhoto} sizes="20rem" open /></a>`}
      ${pictures.length > 1 && html`<${Choice} photo=${reportedPhoto} chosen=${chosen} onChange=${setChosen} />`}
      ${reportedComment && html`<blockquote class="text">${reportedComment.text}</blockquote>`}
      ${photo && !reportedPhoto && !reportedComment && html`<p class="quiet">The ${kind} is deleted.</p>`}
      <p class="counts">
        <span>${[complaints && counted(complaints, "complaint"), visitors && `${counted(visitors, "report")} without an account`].filter(Boolean)
          .join(", ")} about ${kind == "user" ? username : `a ${kind}`}</span>
        ${Object.entries(reasons).map(([reason, number]) => html`
          <span key=${reason} class="chip">${reasonName(reason)}${number > 1 && ` × ${number}`}</span>`)}
        ${reason && html`<span class="chip">Removed${removed.length > 0 && ` (${counted(removed.length, "picture")})`}: ${reasonName(reason)}</span>`}
        ${sensitive && html`<span class="chip">Sensitive: ${sensitiveName(sensitive)}</span>`}
      </p>
      <ul class="lines">${Object.entries(texts).map(([name, text]) => html`
        <li key=${name}><p><a href="#/users/${name}">${name}</a>: ${text}</p></li>`)}</ul>
      ${decided && html`<${History} id=${id} />`}
      <${Field} label="Note for moderators (optional)" name="note" as="textarea" rows="2" maxlength="1000"
        onInput=${({target}) => (note.current = target.value)} />
      ${kind == "photo" && html`
        <${Field} label="Why it is sensitive" name="sensitive" options=${SENSITIVE} defaultValue=${mark.current}
          onChange=${({target}) => (mark.current = target.value)} />`}
      <p class="actions">
        ${kind != "user" && state != "removed" && html`
          <button type="button" aria-label="Remove the ${what} ${id}" onClick=${remove}>Remove the ${what}</button>`}
        ${kind == "photo" && html`
          <button type="button" aria-label="Mark as sensitive ${id}" onClick=${() => decide("mark", {sensitive: mark.current})}>Mark as sensitive</button>`}
        ${state != "dismissed" && html`
          <button type="button" aria-label="${dismiss} ${id}" onClick=${() => decide("dismiss")}>${dismiss}</button>`}
        ${state != "open" && html`
          <button type="button" aria-label="Take back the decision about ${id}" onClick=${() => decide("reopen")}>Take back</button>`}
      </p>
    </li>`;
}

const canBeRemoved = ({status}) => status == "ready" || status == "removed";

/** The pictures of a reported photo, of which the moderator chooses those to remove. */
const Choice = ({photo, chosen, onChange}) => html`
  <fieldset>
    <legend class="quiet small">To remove single pictures, choose them.</legend>
    <ol class="choice">${photo.pictures.map((picture, index) => html`
      <li key=${picture.number}><label>
        <${Picture} photo=${{...photo, altText: undefined, ...picture, pictureCount: undefined}} sizes="8rem" open />
        <input type="checkbox" disabled=${!canBeRemoved(picture)} checked=${chosen.includes(picture.number)}
          onChange=${({target}) => onChange([...chosen.filter((other) => other != picture.number), ...target.checked ? [picture.number] : []])} />
        Picture ${index + 1}</label></li>`)}</ol>
  </fieldset>`;

/** What moderators have decided about a report, which is read when it opens. */
function History({id}) {
  const [decisions, setDecisions] = useState(null);
  const {problem, run} = useAction();
  const open = ({target}) => target.open && !decisions && run(async () => {
    setDecisions((await request("GET", path`/reports/${id}`)).body.decisions);
  });
  return html`
    <details onToggle=${open}>
      <summary aria-label="History of ${id}">History</summary>
      <${Trouble} problem=${problem} />
      ${decisions?.length == 0 && html`<p class="quiet">All decisions are older than a year.</p>`}
      <ol class="lines">${decisions?.map(({decision, reason, pictures, sensitive, note, moderator, timestamp}) => html`
        <li key=${timestamp}><p>${DECISIONS[decision]}${pictures && ` (${counted(pictures.length, "picture")})`}${reason && `: ${reasonName(reason)}`}${sensitive && `: ${sensitiveName(sensitive)}`} <span class="quiet small">by ${
          moderator}, <${Time} at=${timestamp} /></span></p>
          ${note && html`<p class="text">${note}</p>`}</li>`)}</ol>
    </details>`;
}

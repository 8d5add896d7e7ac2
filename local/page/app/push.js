// The settings of push notifications, and the devices that get them.
import {html} from "../vendor/preact.js";
import {mine, request} from "../api.js";
import {notify, useAction, useEdited, useUpdate} from "./data.js";
import {canPush, subscription, turnOff, turnOn} from "./device.js";
import {BackToSettings, Form, Heading, Time, Trouble} from "./parts.js";

const KINDS = [
  ["follower", "follows you"], ["request", "asks to follow you"], ["accepted", "accepts your request"],
  ["reaction", "reacts to your photo"], ["comment", "comments on your photo"], ["mention", "mentions you"], ["reply", "replies to your comment"], ["like", "likes your comment"], ["pin", "pins your comment"],
  ["photo", "shares a photo, with alerts on"],
];

const LOCK_SCREEN = [["everything", "Who, and what they write"], ["people", "Who"], ["nothing", "That something is new"]];

const DEVICES = {apns: "Apple device", fcm: "Android device", web: "Browser"};

export function Push() {
  const devices = useEdited(mine`/devices`);
  const {known, problem, read} = useEdited(mine``);
  const update = useUpdate();
  const {busy, problem: trouble, run} = useAction();
  const own = subscription();
  const change = (action, text) => run(async () => {
    await action().finally(update);
    await devices.read();
    notify({text});
  });
  const turn = ({target: {checked}}) => change(checked ? turnOn : turnOff, `This browser shows ${checked ? "push" : "no"} notifications.`);
  const remove = (id) => change(id == own?.id ? turnOff : () => request("DELETE", mine`/devices/${id}`), "The device is signed out.");
  return html`
    <${Heading} title="Push notifications" />
    <p><${BackToSettings} /></p>
    <label class="switch"><input type="checkbox" role="switch" checked=${Boolean(own)} disabled=${busy || !canPush} onChange=${turn} />
      In this browser</label>
    ${!canPush && html`<p class="quiet">Browsers show notifications of pages on localhost or with TLS.</p>`}
    <${Trouble} problem=${trouble ?? problem ?? devices.problem} />
    ${known && html`<${Wishes} key=${known.headers["If-Match"]} known=${known} read=${read} />`}
    <h2>Devices</h2>
    ${devices.known && html`
      <ul class="lines">${devices.known.body.devices.map(({id, kind, locale, appVersion, used}) => {
        const name = id == own?.id ? "This browser" : DEVICES[kind];
        return html`
          <li key=${id} class="row"><span>${name} <span class="quiet small">
            ${[locale, appVersion].filter(Boolean).map((text) => `${text} · `)}<${Time} at=${used} /></span></span>
            <button type="button" disabled=${busy} aria-label="Sign out: ${name}" onClick=${() => remove(id)}>Sign out</button></li>`;
      })}</ul>
      ${devices.known.body.devices.length == 0 && html`<p class="quiet">No device gets push notifications.</p>`}`}`;
}

/** What the user wants to be told, and when. */
function Wishes({known: {body: {pushOff = [], quietHours, lockScreen}, headers}, read}) {
  const fields = [
    {name: "from", label: "Quiet from", type: "time", defaultValue: quietHours?.from, hint: "Without times, no hours are quiet."},
    {name: "to", label: "Quiet until", type: "time", defaultValue: quietHours?.to},
    {name: "timeZone", label: "Time zone", defaultValue: quietHours?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone},
    {name: "lockScreen", label: "What a lock screen shows", options: LOCK_SCREEN, defaultValue: lockScreen ?? "everything"},
  ];
  const save = async ({from, to, timeZone, lockScreen, ...kinds}) => {
    const pushOff = KINDS.map(([kind]) => kind).filter((kind) => !kinds[kind]);
    const quietHours = from || to ? {from, to, timeZone} : null;
    await request("PATCH", mine``, {body: {pushOff, quietHours, lockScreen}, headers});
    notify({text: "Your wishes are saved."});
    await read();
  };
  return html`
    <${Form} fields=${fields} label="Save" send=${save} others=${{"Fetch it again": read}}>
      <fieldset><legend>You are told when somebody</legend>
        <div class="checks">${KINDS.map(([kind, label]) => html`
          <label key=${kind}><input type="checkbox" name="field-${kind}" defaultChecked=${!pushOff.includes(kind)} />${label}</label>`)}</div>
      </fieldset>
    <//>`;
}

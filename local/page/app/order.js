// The pictures of a photo of several, with what a form asks about each.
import {html, useLayoutEffect, useRef, useState} from "../vendor/preact.js";
import {moved} from "./arrange.js";
import {Field} from "./parts.js";

/**
 * The pictures of a photo in their order: each with its text alternative, the buttons that move it, and one that leaves it out
 * as long as more than `least` are there. A picture has a `key` and a `name`, and `src` or a `note` why it has none.
 */
export function Order({pictures, onChange, least = 1}) {
  const list = useRef(null);
  const used = useRef(null);
  const [said, say] = useState("");
  // An element that moves loses the focus.
  useLayoutEffect(() => {
    const button = used.current;
    if (!button) return;
    used.current = null;
    const next = button.isConnected ? button.parentElement.querySelector("button:enabled") : list.current;
    (button.isConnected && !button.disabled ? button : next)?.focus();
  }, [pictures]);
  const change = (changed, text) => ({currentTarget}) => {
    used.current = currentTarget;
    say(text);
    onChange(changed);
  };
  const move = (index, by) => change(moved(pictures, index, by), `${pictures[index].name} is number ${index + by + 1} of ${pictures.length}.`);
  return html`
    <ol class="order" tabindex="-1" aria-label="Pictures" ref=${list}>${pictures.map(({key, name, src, note, altText}, index) => html`
      <li key=${key}>
        ${src ? html`<img src=${src} alt="" width="56" height="56" />` : html`<span class="quiet">–</span>`}
        <div>
          <p><strong>${index + 1}.</strong> ${name}${note && html` <span class="quiet small">${note}</span>`}</p>
          <${Field} name=${"altText" + key} label="Description of ${name} (optional)" as="textarea" rows="2" defaultValue=${altText}
            hint="What it shows, for people who cannot see it" />
          <p class="actions">
            <button type="button" disabled=${index == 0} aria-label="Move up ${name}" onClick=${move(index, -1)}>Move up</button>
            <button type="button" disabled=${index == pictures.length - 1} aria-label="Move down ${name}" onClick=${move(index, 1)}>Move down</button>
            <button type="button" disabled=${pictures.length <= least} aria-label="Remove ${name}"
              onClick=${change(pictures.filter((other) => other.key != key), `${name} is removed.`)}>Remove</button>
          </p>
        </div>
      </li>`)}
    </ol>
    <p class="unseen" role="status">${said}</p>`;
}

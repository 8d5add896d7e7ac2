// The splitter between both sides.
import {html} from "./vendor/preact.js";

/** The least and the most of the width that the app gets, and a step of a key, in percent. */
const MIN = 30, MAX = 70, STEP = 5;

/** A splitter that a mouse, a finger, or a key moves. `share` is the part of the width that the app has, in percent. */
export function Splitter({share, onShare}) {
  const move = (to) => onShare(Math.round(Math.min(MAX, Math.max(MIN, to))));
  const keys = {ArrowLeft: share - STEP, ArrowRight: share + STEP, Home: MIN, End: MAX};
  const press = (event) => {
    if (!(event.key in keys)) return;
    event.preventDefault();
    move(keys[event.key]);
  };
  const drag = ({currentTarget, pointerId, clientX}) => {
    if (!currentTarget.hasPointerCapture(pointerId)) return;
    const {left, width} = currentTarget.closest(".page").getBoundingClientRect();
    move((clientX - left) / width * 100);
  };
  return html`
    <section class="widths" aria-label="Widths of both sides"><div class="splitter" role="separator" tabindex="0" aria-orientation="vertical" aria-label="Width of the app" title="Drag to change the widths"
      aria-valuemin=${MIN} aria-valuemax=${MAX} aria-valuenow=${share} aria-valuetext="${share} %" onKeyDown=${press}
      onPointerDown=${({currentTarget, pointerId}) => currentTarget.setPointerCapture(pointerId)} onPointerMove=${drag}></div></section>`;
}

// An image that appears.
import {html, useLayoutEffect, useRef, useState} from "../vendor/preact.js";
import {draw} from "./blurhash.js";

/** An image. Until the file is there, its blurhash shows, and then the `small` file if there is one. */
export function Image({blurhash, small, ...rest}) {
  const canvas = useRef(null);
  useLayoutEffect(() => {
    if (blurhash) draw(canvas.current, blurhash);
  }, [blurhash]);
  return html`
    <canvas ref=${canvas} width="32" height="32" aria-hidden="true"></canvas>
    ${small && html`<${File} src=${small} alt="" />`}
    ${rest.src && html`<${File} ...${rest} />`}`;
}

/** A file that fades in when it is there. */
function File(props) {
  const [shown, setShown] = useState("");
  const show = () => setShown("shown");
  return html`<img class=${shown} loading="lazy" decoding="async" onLoad=${show} onError=${show} ...${props} />`;
}

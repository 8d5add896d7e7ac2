// An image that appears.
import {html, useLayoutEffect, useRef, useState} from "../vendor/preact.js";
import {draw} from "./blurhash.js";

/** An image. Its blurhash shows until the file is there. */
export function Image({blurhash, ...rest}) {
  const canvas = useRef(null);
  const [shown, setShown] = useState("");
  const show = () => setShown("shown");
  useLayoutEffect(() => {
    if (blurhash) draw(canvas.current, blurhash);
  }, [blurhash]);
  return html`
    <canvas ref=${canvas} width="32" height="32" aria-hidden="true"></canvas>
    <img class=${shown} loading="lazy" onLoad=${show} onError=${show} ...${rest} />`;
}

// A swipe to the left or to the right by a finger.
import {useRef} from "../vendor/preact.js";

/** The way from which on a movement is a swipe. */
const FAR_PX = 60;

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * Returns the handlers of an element with the class `swipe`, which follows the finger. `steps` are the functions for a swipe
 * to the right, which leads back, and to the left. One that is missing leads nowhere.
 */
export function useSwipe(steps) {
  const start = useRef(null);
  const move = (element, x) => {
    element.toggleAttribute("data-held", x !== null);
    element.style.translate = x && !calm.matches ? `${x}px` : "";
  };
  const stepOf = (x) => steps[x > 0 ? 0 : 1];
  const end = ({type, clientX, currentTarget}) => {
    if (start.current === null) return;
    const x = clientX - start.current;
    start.current = null;
    move(currentTarget, null);
    if (type == "pointerup" && Math.abs(x) >= FAR_PX) stepOf(x)?.();
  };
  return {
    onPointerDown: ({pointerType, isPrimary, clientX}) => {
      start.current = pointerType != "mouse" && isPrimary ? clientX : null;
    },
    onPointerMove: ({clientX, currentTarget}) => {
      const x = clientX - start.current;
      if (start.current !== null && stepOf(x)) move(currentTarget, x);
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
}

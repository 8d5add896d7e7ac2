// Mounts the page: the app on the left, what happened on the right. On a narrow window, two tabs switch between them.
import {html, render, useEffect, useErrorBoundary, useState} from "./vendor/preact.js";
import {begin} from "./api.js";
import {App} from "./app/app.js";
import {useKept} from "./kept.js";
import {Splitter} from "./splitter.js";

// The app shows before the right side is loaded.
const loading = import("./inspector.js").catch((error) => ({Inspector: () => { throw error; }}));

const SIDES = [["app", "Photos"], ["inspector", "What happened"]];
/** The time that requests wait for the right side, so that the right side shows the first ones too. */
const MAX_WAIT_MS = 1000;
const narrow = matchMedia("(max-width: 60rem)");

/** The right side. The app works without it, so an error of it is only reported. */
function Right(props) {
  const [{Inspector}, setPart] = useState({});
  const [error] = useErrorBoundary((error) => console.warn("The right side has failed:", error));
  useEffect(() => {
    loading.then(setPart);
  }, []);
  if (error) return html`<p class="quiet">This side of the page has failed. The console says why.</p>`;
  return Inspector && html`<${Inspector} ...${props} />`;
}

/** Shows both sides, and which of them a narrow window shows. */
function Page() {
  const [side, setSide] = useState(() => sessionStorage.getItem("side") ?? "app");
  const [selected, setSelected] = useState(null);
  const [unseen, setUnseen] = useState(0);
  const [isNarrow, setNarrow] = useState(narrow.matches);
  const [share, setShare] = useKept("share", 50, localStorage);
  const [isWhole, setWhole] = useKept("whole", false);
  // A narrow window that shows the right side shows nothing else.
  const isAlone = isNarrow ? side == "inspector" : isWhole;

  useEffect(() => {
    const count = () => setUnseen((number) => number + 1);
    const measure = () => setNarrow(narrow.matches);
    window.addEventListener("quick-photos:request", count);
    narrow.addEventListener("change", measure);
    setTimeout(begin, MAX_WAIT_MS);
    return () => {
      window.removeEventListener("quick-photos:request", count);
      narrow.removeEventListener("change", measure);
    };
  }, []);

  const show = (name) => {
    setSide(name);
    sessionStorage.setItem("side", name);
    setUnseen(0);
  };
  return html`
    <div class="page" data-side=${side} data-whole=${isWhole || null} style=${{"--share": `${share}%`}}>
      <div class="side app"><${App} /></div>
      <${Splitter} share=${share} onShare=${setShare} />
      <div class="side inspector" role=${isAlone ? "main" : "complementary"} aria-label="What happened">
        ${isAlone && html`<h1 class="unseen">What happened</h1>`}
        <${Right} selected=${selected} onSelect=${setSelected} onReady=${begin} isWhole=${isWhole} onWhole=${setWhole} />
      </div>
      <nav class="sides" aria-label="Sides of the page">
        ${SIDES.map(([name, label]) => html`
          <button key=${name} type="button" aria-current=${side == name ? "true" : null} onClick=${() => show(name)}>
            ${label}${name == "inspector" && side == "app" && unseen > 0 && html` <span class="count">${unseen}</span>`}
          </button>`)}
      </nav>
    </div>`;
}

render(html`<${Page} />`, document.body);

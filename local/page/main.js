// Mounts the page: the app on the left, what happened on the right. On a narrow window, two tabs switch between them.
import {html, render, useEffect, useState} from "./vendor/preact.js";
import {App} from "./app/app.js";

// The app works without the right side, so a part that does not load is only reported.
const {Inspector} = await import("./inspector.js").catch((error) => {
  console.warn("inspector.js cannot be loaded:", error.message);
  return {Inspector: () => html`<p class="quiet">The right side of the page cannot be loaded.</p>`};
});

const SIDES = [["app", "Photos"], ["inspector", "What happened"]];

/** Shows both sides, and which of them a narrow window shows. */
function Page() {
  const [side, setSide] = useState("app");
  const [selected, setSelected] = useState(null);
  const [unseen, setUnseen] = useState(0);

  useEffect(() => {
    const count = () => setUnseen((number) => number + 1);
    window.addEventListener("quick-photos:request", count);
    return () => window.removeEventListener("quick-photos:request", count);
  }, []);

  const show = (name) => {
    setSide(name);
    setUnseen(0);
  };
  return html`
    <div class="page" data-side=${side}>
      <div class="side app"><${App} /></div>
      <aside class="side inspector" aria-label="What happened">
        <${Inspector} selected=${selected} onSelect=${setSelected} />
      </aside>
      <nav class="sides" aria-label="Sides of the page">
        ${SIDES.map(([name, label]) => html`
          <button key=${name} type="button" aria-current=${side == name ? "true" : null} onClick=${() => show(name)}>
            ${label}${name == "inspector" && side == "app" && unseen > 0 && html` <span class="count">${unseen}</span>`}
          </button>`)}
      </nav>
    </div>`;
}

render(html`<${Page} />`, document.body);

import {html} from "../vendor/preact.js";

/** The app. */
export const App = () => html`<main><h1>Quick Photos</h1></main>`;

import "./shell/styles.css";
import { createRoot } from "react-dom/client";
import { App } from "./app.js";
import { router } from "./router.js";
import { takeTokenFromAddress } from "./session.js";
import { takeThemeFromAddress } from "./shell/theme-in-address.js";

/** After this time the frame is shown although the page's own code is not loaded yet. */
const FIRST_PAGE_MS = 3_000;

// First, before other code can read, store or send the URL.
takeTokenFromAddress();
addEventListener("hashchange", takeTokenFromAddress);
takeThemeFromAddress();

const root = document.getElementById("root");
// Not awaited here: pages import from the file that this one becomes a part of, and would be loaded only after it.
if (root) void show(root);

async function show(root: HTMLElement): Promise<void> {
  // The skeleton of index.html stays until the first page can take its place.
  await Promise.race([router.load(), new Promise((resolve) => setTimeout(resolve, FIRST_PAGE_MS))]);
  createRoot(root).render(<App />);
}

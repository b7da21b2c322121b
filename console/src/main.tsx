import "./shell/styles.css";
import { createRoot } from "react-dom/client";
import { App } from "./app.js";
import { takeTokenFromAddress } from "./session.js";

// Before anything else looks at the address, or could keep or send it.
takeTokenFromAddress();

const root = document.getElementById("root");
if (root) createRoot(root).render(<App />);

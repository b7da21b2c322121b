import "./shell/styles.css";
import { createRoot } from "react-dom/client";
import { App } from "./app.js";
import { takeTokenFromAddress } from "./session.js";

// Before other code can read, store or send the URL.
takeTokenFromAddress();

const root = document.getElementById("root");
if (root) createRoot(root).render(<App />);

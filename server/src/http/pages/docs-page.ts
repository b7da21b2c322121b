import { readFile } from "node:fs/promises";
import type { Api } from "../api.js";
import { compressedFile, type StaticFile, sendStatic, staticFile } from "./static-file.js";

/**
 * Only this origin, and no inline script: the browser loads no font or icon from another host and uses no proxy there,
 * whatever the page asks for. Scalar uses inline styles.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Botyard API</title>
  </head>
  <body>
    <div id="app"><noscript>This page needs JavaScript. The API is described in /openapi.json.</noscript></div>
    <script src="/docs/scalar.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/** Everything that would send the document or its reader to another host is off. */
const SCALAR_CONFIGURATION = {
  url: "/openapi.json",
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
};

const START_SCRIPT = `Scalar.createApiReference("#app", ${JSON.stringify(SCALAR_CONFIGURATION)});\n`;

const JAVASCRIPT = "text/javascript; charset=utf-8";

/**
 * `GET /docs`: a reference page that Scalar makes from the OpenAPI document, from local files only.
 *
 * @param scalarFile the path of Scalar's script for browsers
 */
export function addDocsRoutes(app: Api, scalarFile: string): void {
  const hidden = { schema: { hide: true } };
  const page = staticFile("text/html; charset=utf-8", Buffer.from(PAGE));
  const start = staticFile(JAVASCRIPT, Buffer.from(START_SCRIPT));
  const scalar = once(async () => compressedFile(JAVASCRIPT, await readFile(scalarFile)));

  app.get("/docs", hidden, (request, reply) => {
    reply.header("content-security-policy", CONTENT_SECURITY_POLICY).header("referrer-policy", "no-referrer");
    sendStatic(request, reply, page);
  });

  app.get("/docs/start.js", hidden, (request, reply) => {
    sendStatic(request, reply, start);
  });

  app.get("/docs/scalar.js", hidden, async (request, reply) => sendStatic(request, reply, await scalar()));
}

/** 3.4 MB for a page that is seldom opened: read and compressed once, at the first request. */
function once(load: () => Promise<StaticFile>): () => Promise<StaticFile> {
  let loaded: Promise<StaticFile> | undefined;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}

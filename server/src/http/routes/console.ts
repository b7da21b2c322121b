import type { FastifyReply } from "fastify";
import type { Api } from "../api.js";
import { sendRouteNotFound } from "../error-response.js";
import { type ConsoleFiles, readConsoleFiles } from "../pages/console-files.js";
import { sendStatic } from "../pages/static-file.js";

/** A file's name has a hash of its content. */
const FOR_EVER = "public, max-age=31536000, immutable";

/**
 * `GET /console`: the owner's web page. Every path below it gives the same page, which routes in the browser; its files are
 * in `assets/`. It needs no credential: everything that it shows comes from the API.
 *
 * @param folder what the build of the console made
 */
export async function addConsoleRoutes(app: Api, folder: string): Promise<void> {
  const files = await readConsoleFiles(folder);
  const options = { schema: { hide: true } };

  app.get("/", options, (_request, reply) => {
    reply.redirect("/console", 302);
  });

  app.get("/console", options, (_request, reply) => {
    sendPage(files, reply);
  });

  app.get<{ Params: { "*": string } }>("/console/*", options, (request, reply) => {
    const path = request.params["*"];
    const file = files.find(path);
    if (file) {
      sendStatic(request, reply, file, FOR_EVER);
    } else if (path.startsWith("assets/")) {
      sendRouteNotFound(request, reply);
    } else {
      sendPage(files, reply);
    }
  });
}

function sendPage(files: ConsoleFiles, reply: FastifyReply): void {
  const { html, nonce } = files.page();
  reply
    .header("content-security-policy", contentSecurityPolicy(nonce))
    .header("x-content-type-options", "nosniff")
    .header("referrer-policy", "no-referrer")
    .header("cache-control", "no-store")
    .type("text/html; charset=utf-8")
    .send(html);
}

/** Only this origin. The component library writes its variables into style elements, hence the nonce. */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask } from "../support/api-client.js";

let api: RunningApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

describe("the console's page", () => {
  it.each(["/console", "/console/", "/console/sign-in", "/console/bots/x/updates", "/console/%zz"])(
    "is at %s, and may load nothing that is not from here",
    async (path) => {
      const page = await ask(api, "GET", path);
      expect(page.status).toBe(200);
      expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(page.headers.get("x-content-type-options")).toBe("nosniff");
      expect(page.headers.get("referrer-policy")).toBe("no-referrer");
      expect(page.headers.get("cache-control")).toBe("no-store");
      expect(page.text).not.toMatch(/https?:\/\//);
      const [, nonce = ""] = /nonce="([^"]+)"/.exec(page.text) ?? [];
      expect(page.headers.get("content-security-policy")?.split("; ")).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        `style-src 'self' 'nonce-${nonce}'`,
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]);
    },
  );

  it("has an unpredictable nonce and no inline script", async () => {
    const pages = await Promise.all([1, 2].map(() => ask(api, "GET", "/console")));
    const [first, second] = pages.map(({ text }) => /nonce="([^"]+)"/.exec(text)?.[1]);
    expect(first).toMatch(/^[\w+/]{22}==$/);
    expect(second).not.toBe(first);
    expect(pages[0]?.text).not.toMatch(/<script(?![^>]* src="\/console\/assets\/)/);
  });

  it("is the target of the root, and answers HEAD", async () => {
    const root = await fetch(api.url, { redirect: "manual" });
    expect([root.status, root.headers.get("location")]).toEqual([302, "/console"]);
    const head = await ask(api, "HEAD", "/console");
    expect([head.status, head.text]).toEqual([200, ""]);
    expect(head.headers.get("content-security-policy")).toContain("default-src 'none'");
  });
});

describe("the console's files", () => {
  let script: string;

  beforeAll(async () => {
    const { text } = await ask(api, "GET", "/console");
    // The one before it is the bundler's runtime, too small to be worth compressing.
    script = [...text.matchAll(/<script[^>]* src="([^"]+)"/g)].at(-1)?.[1] ?? "";
  });

  it("are sent compressed to clients that accept it, and can be cached without limit", async () => {
    const bodies = await Promise.all(
      ["identity", "gzip, deflate", "gzip;q=0.5, br", "br;q=0, gzip"].map(async (accepted) => {
        // The client of the tests decodes by itself.
        const { request } = await import("undici");
        const answer = await request(`${api.url}${script}`, { headers: { "accept-encoding": accepted } });
        expect(answer.headers).toMatchObject({
          "cache-control": "public, max-age=31536000, immutable",
          "content-type": "text/javascript; charset=utf-8",
          "x-content-type-options": "nosniff",
          vary: "accept-encoding",
        });
        return {
          encoding: answer.headers["content-encoding"],
          body: Buffer.from(await answer.body.arrayBuffer()),
        };
      }),
    );
    expect(bodies.map(({ encoding }) => encoding)).toEqual([undefined, "gzip", "br", "gzip"]);
    const [plain, gzipped, brotli] = bodies.map(({ body }) => body);
    // `toEqual` takes seconds for a script of this size.
    expect(gunzipSync(gzipped ?? "").equals(plain ?? Buffer.of())).toBe(true);
    expect(brotliDecompressSync(brotli ?? "").equals(plain ?? Buffer.of())).toBe(true);
  });

  it.each([
    "/console/assets/gone-00000000.js",
    "/console/assets/",
    "/console/assets/..%2f..%2fpackage.json",
    "/console/assets/index.js.br",
  ])("are those of the build and no others: %s", async (path) => {
    const answer = await ask(api, "GET", path);
    expect(answer.status).toBe(404);
    expect(Object.keys(answer.body as object)).toEqual(["error"]);
  });

  it("answer HEAD", async () => {
    const head = await ask(api, "HEAD", script);
    expect([head.status, head.text]).toEqual([200, ""]);
  });
});

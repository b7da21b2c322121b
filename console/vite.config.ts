import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

/** Where the service runs while somebody works on the console: `BOTYARD_URL`. */
const SERVICE = process.env.BOTYARD_URL || "http://127.0.0.1:8080";
/** Smaller than this, a file is sent as it is. */
const MIN_COMPRESSED_BYTES = 1024;

/** Leaves each file's compressed forms beside it, so that the service never compresses anything itself. */
const precompressed: Plugin = {
  name: "precompressed",
  apply: "build",
  generateBundle: {
    order: "post",
    handler(_options, bundle) {
      for (const [fileName, file] of Object.entries(bundle)) {
        const content = Buffer.from(file.type === "chunk" ? file.code : file.source);
        if (fileName.endsWith(".html") || content.length < MIN_COMPRESSED_BYTES) continue;
        const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
        this.emitFile({
          type: "asset",
          fileName: `${fileName}.br`,
          source: brotliCompressSync(content, { params }),
        });
        this.emitFile({ type: "asset", fileName: `${fileName}.gz`, source: gzipSync(content, { level: 9 }) });
      }
    },
  },
};

/** Files that import each other may use what is not there yet: a component is undefined, but only on some pages. */
const noCycles: Plugin = {
  name: "no-cycles",
  apply: "build",
  generateBundle(_options, bundle) {
    const importsOf = (name: string): string[] => {
      const file = bundle[name];
      return file?.type === "chunk" ? file.imports : [];
    };
    const done = new Set<string>();
    const follow = (name: string, path: readonly string[]): void => {
      if (path.includes(name)) this.error(`files import each other: ${[...path, name].join(" -> ")}`);
      if (done.has(name)) return;
      for (const imported of importsOf(name)) follow(imported, [...path, name]);
      done.add(name);
    };
    for (const name of Object.keys(bundle)) follow(name, []);
  },
};

/**
 * Puts the style sheet and the code behind the skeleton: a style sheet in the head is waited for before anything is shown,
 * which takes two seconds at 50 KB/s.
 */
const skeletonFirst: Plugin = {
  name: "skeleton-first",
  apply: "build",
  transformIndexHtml: {
    order: "post",
    handler(html) {
      const late: string[] = [];
      const head = html.replaceAll(
        /\s*<(?:script type="module"[^>]*><\/script|link rel="(?:stylesheet|modulepreload)"[^>]*)>/g,
        (tag) => {
          late.push(tag.trim());
          return "";
        },
      );
      return head.replace(
        "<!-- The style sheet and the code: the build puts them here. -->",
        late.join("\n    "),
      );
    },
  },
};

export default defineConfig({
  base: "/console/",
  plugins: [noCycles, skeletonFirst, precompressed],
  build: {
    // The policy of the page would refuse what is written into addresses or into the page itself.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
    reportCompressedSize: false,
    // For the licenses and the bill of materials of the package that carries the console.
    license: { fileName: "libraries.json" },
    chunkSizeWarningLimit: 1_000,
    // "use client" speaks to servers that render; there is none here.
    rolldownOptions: {
      checks: { moduleLevelDirective: false },
      output: {
        // A group of shared modules would be named by all pages that share it.
        chunkFileNames: ({ name }) => `assets/${name.replace(/~.*/, "")}-[hash].js`,
        assetFileNames: ({ names }) =>
          `assets/${names[0]?.replace(/(~.*)?\.[a-z0-9]+$/, "")}-[hash][extname]`,
        // Without groups, each set of pages that share something is a file of its own: 126, most below 2 kB. Groups by entry
        // (`entriesAware`) that are merged when they are small import each other, and differ from build to build.
        codeSplitting: {
          groups: [
            { name: "first", tags: ["$initial"], priority: 1 },
            { name: "library", test: /node_modules/, minShareCount: 2 },
            { name: "shared", minShareCount: 2 },
          ],
        },
      },
    },
  },
  html: { cspNonce: "__CSP_NONCE__" },
  server: { host: "127.0.0.1", proxy: { "/v1": SERVICE } },
});

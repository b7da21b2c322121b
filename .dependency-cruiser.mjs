/**
 * Which folder of the server may import which. The picture and the reasons are in docs/architecture.md; npm packages
 * are free except where a rule names them.
 */

const src = "^server/src/";
const sdk = "^sdk/src/";
/** The entries of the SDK beside the main one, and the folders behind them. */
const entries = "node|testing|conversation|sqlite|postgres|databases";
const page = "^console/src/";

/** A rule that lets the files of `from` import, of the server's own files, only those of `allowed`. */
function only(from, allowed, comment) {
  return {
    name: `${from.name}-imports`,
    severity: "error",
    comment,
    from: { path: `${src}${from.path}`, ...(from.not ? { pathNot: `${src}${from.not}` } : {}) },
    to: { path: src, pathNot: allowed.map((path) => `${src}${path}`) },
  };
}

const domain = "domain/";
const files = "files/";
const fairness = "fairness/";
/** What the directory of cells is asked for and keeps, and what cells tell each other. */
const directory =
  "store/cells/(cell|cell-identity|directory|feed/(feed-layout|feed-parts)|guests/(changes|guests)|moves/owner-moves)\\.ts$";
const seam =
  "store/(parts/[^/]+|store|events|audited-verbs|verbs|reports|unavailable|unsent|erase-remains)\\.ts$";

export default {
  forbidden: [
    only({ name: "domain", path: domain }, [domain], "The rules of the domain stand on nothing."),
    only({ name: "seam", path: seam }, [seam, domain], "The store's contract speaks of the domain only."),
    only({ name: "files", path: files }, [files], "Files and folders, whatever is in them."),
    only(
      { name: "engine", path: "store/(sqlite|postgres)/" },
      ["store/$1/", "store/shared/", "store/(parts/)?[^/]+\\.ts$", directory, domain],
      "An engine keeps the contract, and knows no other engine.",
    ),
    only(
      { name: "shared", path: "store/shared/" },
      ["store/shared/", "store/(parts/)?[^/]+\\.ts$", domain],
      "What both engines do in the same way knows neither.",
    ),
    only(
      { name: "cells", path: "store/cells/" },
      ["store/cells/", seam, domain],
      "What makes one store of several knows no engine.",
    ),
    only(
      { name: "copy", path: "store/copy/" },
      ["store/", domain],
      "What moves a store to another engine knows the engines and nothing of the service.",
    ),
    only(
      { name: "backup", path: "store/backup/" },
      ["store/", files, domain],
      "What copies a database as a file knows the engine whose file it is, and nothing of the service.",
    ),
    only(
      { name: "fairness", path: fairness },
      [fairness, seam, domain],
      "What owners may use is decided in one place, which knows nothing of those who ask it.",
    ),
    only(
      { name: "worker", path: "(operations|polling|delivery)/" },
      ["$1/", fairness, seam, domain],
      "Writing, waiting and sending know the store and not each other.",
    ),
    {
      name: "ledger",
      severity: "error",
      comment: "What a lane knows of its updates is decided without those who hold lanes.",
      from: { path: `${src}delivery/ledger/` },
      to: { path: `${src}delivery/lanes/` },
    },
    only(
      { name: "http", path: "http/" },
      ["http/", "operations/", "polling/", fairness, seam, domain],
      "HTTP turns requests into operations, polls and reads; it reaches no engine and sends nothing itself.",
    ),
    only(
      { name: "metrics", path: "metrics/" },
      ["metrics/", "(delivery|http)/tally\\.ts$", "store/observer\\.ts$", seam, domain],
      "What watches reads what the parts count; how they work is none of its business.",
    ),
    only(
      { name: "tracing", path: "tracing/" },
      [
        "tracing/",
        "(delivery/sending/attempt-spans|http/requests/request-span)\\.ts$",
        "store/observer\\.ts$",
        domain,
      ],
      "What makes spans implements what the parts ask for, and knows no more of them.",
    ),
    {
      name: "tracing-library",
      severity: "error",
      comment: "The parts know of spans, and only one room whose they are.",
      from: { path: src, pathNot: `${src}tracing/` },
      to: { path: "@opentelemetry" },
    },
    {
      name: "metrics-library",
      severity: "error",
      comment: "The parts keep plain numbers, and only one room knows what becomes of them.",
      from: { path: src, pathNot: `${src}metrics/` },
      to: { path: "prom-client" },
    },
    only(
      {
        name: "cli",
        path: "cli/",
        not: "cli/(stores/|commands/stores/|commands/service/(serve|console|doctor)\\.ts$)",
      },
      ["cli/", "config\\.ts$", "config/", "process/version\\.ts$", files, domain],
      "The command speaks to the running service over HTTP, like any other client.",
    ),
    only(
      { name: "copy-command", path: "cli/(commands/stores/copy|stores/copy-[^/]+)\\.ts$" },
      ["cli/", "config\\.ts$", "config/", "process/data-dir\\.ts$", "store/copy/", seam, domain],
      "The one command that opens stores itself, while no service runs on them.",
    ),
    only(
      {
        name: "upkeep-commands",
        path: "cli/(commands/stores/(rekey|after-restore|deliveries|migrate|backup|restore)|stores/(own-store|restore-check))\\.ts$",
      },
      [
        "cli/",
        "config\\.ts$",
        "config/",
        "process/(data-dir|version)\\.ts$",
        "store/(backup/|(inspection|migration-progress)\\.ts$)",
        "(inspect-cells|cell-addresses)\\.ts$",
        "open-(store|keys)\\.ts$",
        "operations/",
        seam,
        domain,
      ],
      "The commands that do an operation themselves, beside the services or while none runs.",
    ),
    only(
      { name: "cells-command", path: "cli/commands/stores/cells\\.ts$" },
      ["cli/", "config\\.ts$", "config/", "administer-cells\\.ts$", seam, domain],
      "The command that administers the cells of a directory, beside the services.",
    ),
    only(
      { name: "doctor", path: "doctor/" },
      [
        "doctor/",
        "config(/|\\.ts$)",
        "process/(data-dir|lost-database|version)\\.ts$",
        "(inspect-cells|cell-addresses)\\.ts$",
        "store/(store|cells/directory)\\.ts$",
        "open-(store|keys)\\.ts$",
        "store/(inspection|unsent|backup/backup-folder)\\.ts$",
        "delivery/sending/",
        domain,
      ],
      "What looks at an installation from outside: through the eyes of the store, and by the rules of deliveries.",
    ),
    only(
      { name: "doctor-command", path: "cli/commands/service/doctor\\.ts$" },
      ["cli/", "config\\.ts$", "config/", "doctor/", domain],
      "A command prints what the doctor finds.",
    ),
    only(
      { name: "config", path: "config(/|\\.ts$)" },
      ["config(/|\\.ts$)", domain],
      "Configuration is read before anything else exists.",
    ),
    only(
      { name: "process", path: "process/" },
      ["process/", "config(/|\\.ts$)", files, domain],
      "What surrounds the service knows nothing of its parts.",
    ),
    {
      name: "engines-behind-the-seam",
      severity: "error",
      comment: "Only the composition root chooses an engine.",
      from: {
        path: src,
        pathNot: [
          `${src}(service|open-store|open-cells|move-ends|guests-of-move|administer-cells|inspect-cells|cell-addresses|cli/stores/migrate-cells)\\.ts$`,
          `${src}store/`,
        ],
      },
      to: { path: `${src}store/(sqlite|postgres)/` },
    },
    {
      name: "copy-behind-its-command",
      severity: "error",
      comment: "Copying is for the command line, never for a running service.",
      from: {
        path: src,
        pathNot: [`${src}cli/(commands/stores/copy|stores/copy-[^/]+)\\.ts$`, `${src}store/copy/`],
      },
      to: { path: `${src}store/copy/` },
    },
    {
      name: "domain-without-io",
      severity: "error",
      comment: "The domain decides; it neither reads nor sends.",
      from: { path: `${src}${domain}` },
      to: { path: "^(node:)?(fs|net|http|https|http2|dns|child_process|worker_threads|tls|dgram)(/|$)" },
    },
    {
      name: "sdk-stands-alone",
      severity: "error",
      comment: "Whoever installs the SDK gets the SDK: no server code, no other package.",
      from: { path: sdk },
      to: { pathNot: [sdk, "^(node:)?[a-z_/]+$"] },
    },
    {
      name: "sdk-on-the-edge",
      severity: "error",
      comment:
        "Edge runtimes load the main entry, conversations and databases: Node's modules, but for their types, are behind the other two.",
      from: { path: sdk, pathNot: `${sdk}(node|testing)(/|\\.ts$)` },
      to: { dependencyTypes: ["core"], dependencyTypesNot: ["type-only"] },
    },
    {
      name: "sdk-main-without-the-rest",
      severity: "error",
      comment: "The other entries stand on the main one, never the other way round.",
      from: { path: sdk, pathNot: `${sdk}(${entries})(/|\\.ts$)` },
      to: { path: `${sdk}(${entries})(/|\\.ts$)` },
    },
    {
      name: "console-is-a-client",
      severity: "error",
      comment:
        "The console knows the service by its interface alone, through the SDK, like any other client.",
      from: { path: page },
      to: { path: ["^server/", "^sdk/(src|test)/", "^benchmarks/"] },
    },
    {
      name: "console-asks-in-one-place",
      severity: "error",
      comment: "What goes wrong with the API becomes words in one place, and its client is made in one.",
      from: { path: page, pathNot: `${page}api/` },
      to: { path: "^sdk/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "console-parts",
      severity: "error",
      comment: "Parts that pages are made of know no page.",
      from: { path: `${page}(api|ui|forms)/` },
      to: { path: `${page}(pages|shell|router|app)` },
    },
    {
      name: "no-cycle",
      severity: "error",
      comment: "A cycle means that two files are one.",
      from: { path: `(${src}|${sdk}|${page})` },
      to: { circular: true },
    },
    {
      name: "resolvable",
      severity: "error",
      comment: "An import that leads nowhere would slip past every other rule.",
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default"] },
  },
};

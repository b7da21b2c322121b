import { createInterface } from "node:readline";

/** @typedef {import("./main.js").Wishes} Wishes */

const DEFAULTS = /** @type {const} */ ({ folder: "my-bot", transport: "polling", language: "javascript" });

/**
 * Asks for what is not given.
 *
 * @param {{ [Wish in "folder" | "transport" | "language"]: Wishes[Wish] | undefined }} given
 * @param {boolean} isQuiet takes the defaults instead
 * @returns {Promise<Wishes>}
 */
export async function askFor({ folder, transport, language }, isQuiet) {
  if (isQuiet || (folder && transport && language)) {
    return {
      folder: folder ?? DEFAULTS.folder,
      transport: transport ?? DEFAULTS.transport,
      language: language ?? DEFAULTS.language,
    };
  }
  const terminal = createInterface({ input: process.stdin });
  const lines = terminal[Symbol.asyncIterator]();
  /** @param {string} question */
  const ask = async (question) => {
    process.stdout.write(question);
    const { value, done } = await lines.next();
    if (done) throw new Error("there is nobody to answer: use --yes, or say everything with options");
    return value.trim();
  };
  try {
    return {
      folder: folder ?? ((await ask(`Folder (${DEFAULTS.folder}): `)) || DEFAULTS.folder),
      transport: transport ?? (await choose(ask, "How it gets its updates", "polling", "webhook")),
      language: language ?? (await choose(ask, "Language", "javascript", "typescript")),
    };
  } finally {
    terminal.close();
  }
}

/**
 * Asks until the answer is one of two: the beginning of the word is enough, nothing is the first.
 *
 * @template {string} One
 * @template {string} Other
 * @param {(question: string) => Promise<string>} ask
 * @param {string} question
 * @param {One} one
 * @param {Other} other
 * @returns {Promise<One | Other>}
 */
async function choose(ask, question, one, other) {
  for (;;) {
    const answer = (await ask(`${question}, ${one} or ${other} (${one}): `)).toLowerCase();
    if (one.startsWith(answer)) return one;
    if (other.startsWith(answer)) return other;
  }
}

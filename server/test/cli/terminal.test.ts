import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { botyard, botyardResult, type Environment, environmentOf, run } from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const ESCAPE = "\u{1B}[";

describe.skipIf(process.platform !== "linux")("the botyard command on a terminal", () => {
  const dataDir = temporaryFolder("cli");
  let service: InProcessService;
  let owner: Environment;

  beforeAll(async () => {
    service = await startInProcessService(dataDir);
    owner = await environmentOf("alice", service, dataDir, { TERM: "xterm-256color" });
    owner.TERM = "xterm-256color";
    await botyardResult(["bot", "create", "--username", "echo"], owner);
  });
  afterAll(() => service.stop());

  /** What a terminal shows of a command, when this is typed. */
  const onTerminal = async (typed: string, args: readonly string[], env: Environment = {}) => {
    const words = [process.execPath, botyard, ...args].map((word) => `'${word}'`).join(" ");
    const typing = `printf '${typed}' | script --quiet --return --command "${words}" /dev/null`;
    const program = run("bash", ["-c", typing], { ...owner, ...env });
    const code = await program.exit;
    return { code, text: program.stdout() };
  };

  it("colours headings and states, unless NO_COLOR is set", async () => {
    const { code, text } = await onTerminal("", ["bot", "list"]);
    expect(code).toBe(0);
    expect(text).toContain(`${ESCAPE}1mid `);
    expect(text).toContain(`${ESCAPE}32menabled${ESCAPE}39m`);
    expect((await onTerminal("", ["bot", "list"], { NO_COLOR: "1" })).text).not.toContain(ESCAPE);
  });

  it("has no colours elsewhere", async () => {
    expect((await botyardResult(["bot", "list"], owner)).stdout).not.toContain(ESCAPE);
  });

  it("does what it asks about only when the answer is yes", async () => {
    const refused = await onTerminal("n\\n", ["bot", "delete", "echo"]);
    expect(refused.text).toContain("This will delete the bot echo with its token and updates.");
    expect(refused.text).toContain("It cannot be undone. Go on? [y/N]");
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining("botyard: nothing was changed") });
    expect((await botyardResult(["bot", "show", "echo"], owner)).code).toBe(0);

    const confirmed = await onTerminal("y\\n", ["bot", "delete", "echo"]);
    expect(confirmed).toMatchObject({ code: 0, text: expect.stringContaining("deleted") });
    expect((await botyardResult(["bot", "show", "echo"], owner)).code).toBe(1);
  });
});

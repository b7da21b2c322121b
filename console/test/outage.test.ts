import { expect, it } from "vitest";
import { useConsole } from "./support/console.js";

const under = useConsole();

it("a page that is open outlives the service: it says so, keeps what it shows, and goes on by itself", async () => {
  const { service } = under;
  await service.owner.createBot({ username: "before" });
  const page = await under.signedIn("/console");
  await page.getByText("@before").waitFor();
  await service.kill();
  await page.getByText("The service does not answer").waitFor();
  expect(await page.getByText("@before").isVisible()).toBe(true);

  await service.restart();
  await service.owner.createBot({ username: "after" });
  await page.getByText("@after").waitFor();
  await page.getByText("The service does not answer").waitFor({ state: "detached" });
});

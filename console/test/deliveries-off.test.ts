import { expect, it } from "vitest";
import { useConsole } from "./support/console.js";

const under = useConsole({ DELIVERIES: "off" });

it("every page says that the service sends nothing, and a test event says why it is not sent", async () => {
  const { bot } = await under.service.owner.createBot({ username: "drill" });
  await under.service.owner.putWebhook(bot.id, { url: "http://127.0.0.1:9/" });
  const page = await under.signedIn(`/console/bots/${bot.id}/webhook`);
  await page.getByText("Deliveries are off").waitFor();
  await page.getByRole("button", { name: /test event/i }).click();
  await page.getByText("its deliveries are off").waitFor();
  await page.getByRole("link", { name: "Channels" }).first().click();
  await page.getByRole("heading", { name: "Channels", level: 1 }).waitFor();
  expect(await page.getByText("Deliveries are off").isVisible()).toBe(true);
});

import { Bot, button, link, row, select } from "@botyard/sdk";
import { type FakeService, startFakeService } from "@botyard/sdk/testing";
import { afterEach, beforeEach } from "vitest";

/** A command with options, as products offer it. */
export const COMMAND = {
  description: "Tell the weather of a place",
  options: [
    { name: "city", type: "string", description: "Where", required: true },
    { name: "days", type: "integer", description: "For how many days" },
  ],
} as const;

/**
 * For each test of the file in which this is called: a channel on a fake service of its own, and what bots and tests do there.
 *
 * @param use called with both before each test
 */
export function onFakeChannel(use: (service: FakeService, channelId: string) => void) {
  let service: FakeService;
  let channelId: string;
  beforeEach(async () => {
    service = await startFakeService();
    channelId = service.addChannel("news").id;
    use(service, channelId);
  });
  afterEach(() => service.stop());

  const connectedBot = () => new Bot(service.token, { url: service.url, retries: 0 });
  /** Runs the newest update through the handlers, as a new process would. */
  const handleLast = (bot: Bot) => bot.handle(service.updates.at(-1) as never);
  const question = () =>
    connectedBot().api.createBotPost(channelId, {
      body: "Deploy 17?",
      components: [
        row(
          button("approve:17", "Approve", { style: "primary", value: "17" }),
          button("reject:17", "Reject"),
        ),
        row(select("when", ["now", "tomorrow"], { max: 2 }), link("Changes", "https://example.com/17")),
      ],
    });
  const responses = () => service.interactions.at(-1)?.responses;

  return { connectedBot, handleLast, question, responses };
}

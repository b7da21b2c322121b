import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { environmentOf } from "../support/program.js";
import { type Receiver, refuse, startReceiver } from "../support/receiver.js";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

describe("a receiver that verifies by Standard Webhooks", () => {
  let home: StoreHome;
  let service: InProcessService;
  let receiver: Receiver;
  let world: World;

  beforeEach(async () => {
    home = await engine.createHome();
    receiver = await startReceiver();
    service = await startInProcessService(home.dataDir, {
      ...home.environment,
      WEBHOOK_RETRY_SCHEDULE: "10ms,10ms,10ms,10ms,10ms",
    });
    const { BOTYARD_TOKEN = "" } = await environmentOf("owner", service, home.dataDir);
    world = await makeWorld({ url: service.url, ownerToken: async () => BOTYARD_TOKEN });
    const body = { url: receiver.url, secret_token: SECRET };
    await asOwner("PUT", `/v1/bot-api/bots/${world.botId}/webhook`, body);
  });
  afterEach(async () => {
    await service.stop();
    await receiver.close();
    await home.remove();
  });

  const asOwner = (method: string, path: string, body: unknown) =>
    ask(service, method, path, { token: world.ownerToken, body });
  const post = (body: string) => asOwner("POST", `/v1/channels/${world.channelId}/posts`, { body });
  const received = (count: number) =>
    eventually(`${count} requests`, () => receiver.requests.length === count);
  const messages = () =>
    receiver.requests.map(({ headers, body }) => {
      const said = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      return { id: said["webhook-id"], event: new Webhook(SECRET).verify(body, said) };
    });

  it("takes every attempt, and knows a repeated update by its id", async () => {
    receiver.answerWith(refuse(500));
    await post("one");
    await received(1);
    receiver.answerWith((response) => response.end());
    await eventually("it is sent again", () => receiver.requests.length > 1);
    const attempts = receiver.requests.length;
    await post("two");
    await received(attempts + 1);
    const ids = messages().map(({ id }) => id);
    expect(new Set(ids.slice(0, attempts))).toEqual(new Set([`${world.botId}_1`]));
    expect(ids.at(-1)).toBe(`${world.botId}_2`);
    const sendAgain = () =>
      asOwner("POST", `/v1/bot-api/bots/${world.botId}/updates/1/send-again`, undefined);
    await eventually(
      "the first is delivered, and sent again",
      async () => (await sendAgain()).status === 200,
    );
    expect(messages().at(-1)?.id).toBe(`${world.botId}_1`);
  });

  it("takes test events, each with an id of its own", async () => {
    for (let n = 1; n <= 2; n += 1) {
      await asOwner("POST", `/v1/bot-api/bots/${world.botId}/webhook/test`, undefined);
      await received(n);
    }
    const [first, second] = messages();
    expect(first?.event).toMatchObject({ update_id: 0, event_type: "webhook.test" });
    expect(second?.id).not.toBe(first?.id);
  });
});

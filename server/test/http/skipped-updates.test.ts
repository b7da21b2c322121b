import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { startControlledReceiver } from "../support/controlled-receiver.js";
import { createDeliveryWorld } from "../support/delivery-world.js";
import { eventually } from "../support/eventually.js";
import { accept } from "../support/receiver.js";

describe("an update that its owner skips", () => {
  let api: RunningApi;
  let world: World;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    world = await makeWorld(api);
  });

  const send = (path: string, method = "POST", body?: object) =>
    ask(api, method, `/v1/bot-api/bots/${world.botId}/${path}`, {
      token: world.ownerToken,
      ...(body === undefined ? {} : { body }),
    });
  const skip = (updateId: number) => send(`webhook/updates/${updateId}/skip`);
  const stats = async () => (await send("stats", "GET")).body;

  it("is failed and not sent, while the others are delivered; a replay sends it after all", async () => {
    const delivery = createDeliveryWorld(api.store);
    const receiver = await startControlledReceiver(delivery);
    const dispatcher = delivery.startDispatcher({ retrySchedule: [3_600_000] });
    await send("webhook", "PUT", { url: receiver.url });
    for (let posts = 1; posts <= 6; posts += 1) await post(api, world, "hello");
    await receiver.shows([1, 2, 3, 4]);
    receiver.answer(1, 422);
    await eventually("it is scheduled", async () => (await stats()).scheduled_retries === 1);
    const scheduled = await skip(1);
    expectContract("skipUpdate", scheduled);
    expect(scheduled.body).toMatchObject({ update_id: 1, state: "failed", next_retry_at: null });
    expect(scheduled.body.last_delivery_error).toContain("skipped_by_owner");
    // One that waits in memory, and one in flight that fails afterwards.
    expect((await skip(6)).body).toMatchObject({ state: "failed", webhook_attempt_count: 1 });
    expect((await skip(2)).body).toMatchObject({ state: "failed" });
    receiver.answer(2, 500);
    receiver.answerWith(accept);
    receiver.answerAll();
    await eventually("the others are delivered", async () => (await stats()).delivered_updates === 3);
    await eventually("nothing waits", async () => (await stats()).pending_updates === 0);
    expect(await stats()).toMatchObject({ terminal_failed_updates: 3, scheduled_retries: 0 });
    expect(receiver.requests.map(({ updateId }) => updateId)).not.toContain(6);
    await send("webhook/replay", "POST", { update_ids: [1, 6] });
    await eventually("both are delivered", async () => (await stats()).delivered_updates === 5);
    await dispatcher.stop(0);
    await receiver.close();
  });

  it("waits to be sent; no other and none of another owner can be skipped", async () => {
    await post(api, world, "hello");
    expect((await skip(1)).status).toBe(200);
    expectFailure("skipUpdate", await skip(1), 400, "update 1 is failed");
    expectFailure("skipUpdate", await skip(2), 404, "update not found");
    expectFailure("skipUpdate", await skip(0), 404, "update not found");
    const { ownerToken } = await makeWorld(api);
    const path = `/v1/bot-api/bots/${world.botId}/webhook/updates/1/skip`;
    expectFailure("skipUpdate", await ask(api, "POST", path, { token: ownerToken }), 404, "bot not found");
  });
});

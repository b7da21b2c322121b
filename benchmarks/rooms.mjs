import { setTimeout as pause } from "node:timers/promises";
import { median, round, withGoal } from "./support/figures.mjs";
import { ownerOf } from "./support/owner.mjs";
import { startBotyard } from "./support/processes.mjs";

export const question =
  "channels with two bots, of the holder and listed ones of another owner, made and changed a second: a thousand in one call, beside calls for each, one after the other and 32 at once";

const ROUNDS = 5;
const ROOMS_IN_BULK = 1_000;
const BULK_TO_SINGLE = { atLeast: 15 };

export async function run(engines, { quick }) {
  const table = [];
  const summary = [];
  for (const engine of engines) {
    for (const whose of ["own bots", "listed bots"]) {
      const rows = await measureEngine(engine, whose, quick ? 50 : 300);
      table.push(...rows);
      for (const what of ["made", "other bots", "other titles"]) {
        const ratio = median(rows.map((row) => row[`${what}: bulk / single`]));
        summary.push(
          `${engine.name}, ${whose}, ${what}: channels in bulk, of single calls, median ${withGoal(ratio, BULK_TO_SINGLE)}`,
        );
      }
    }
  }
  return { table, summary };
}

async function measureEngine(engine, whose, singleRooms) {
  const service = await startBotyard({ ...(await engine.createStore()), MAX_CHANNELS_PER_OWNER: "20000" });
  try {
    const owner = ownerOf(service);
    const isListed = whose === "listed bots";
    const maker = isListed ? ownerOf(service, "maker") : owner;
    let bot_ids = [];
    let other_ids = [];
    let made = 0;
    // A bot is attached to 1,000 channels at most.
    const changeBots = async () => {
      const ids = (await maker.createBots(3, `bench-${made}`)).map(({ id }) => id);
      bot_ids = ids.slice(0, 2);
      other_ids = ids.slice(1);
      if (!isListed) return;
      for (const id of ids) await maker.call("PATCH", `/v1/bot-api/bots/${id}`, { visibility: "listed" });
      // While another owner counts as there, one who does much has a share of the time only.
      await pause(2_100);
    };
    const nextRoom = () => ({ external_id: `bench-${made++}`, title: "A room" });
    const putAlone = async () => {
      const { external_id, title } = nextRoom();
      const { id } = await owner.call("PUT", `/v1/channels/external/${external_id}`, { title });
      await owner.call("PUT", `/v1/channels/${id}/bots`, { bot_ids });
    };
    const bulkOf = (channels) => owner.call("PUT", "/v1/channels/external", { channels });
    let last;
    let channelIds;
    /** Gives the channels that were made last other bots, or other titles, and all of them the same again. */
    const changeAlone = async (bodyOf, pathOf) => {
      const rate = await rateOf(singleRooms, async () => {
        for (let n = 0; n < singleRooms; n++) await owner.call("PUT", pathOf(n), bodyOf(n));
      });
      expectAll(200, await bulkOf(last));
      return rate;
    };
    const changeInBulk = async (bodyOf) => {
      const rate = await rateOf(ROOMS_IN_BULK, async () =>
        expectAll(200, await bulkOf(last.map((room, n) => ({ ...room, ...bodyOf(n) })))),
      );
      expectAll(200, await bulkOf(last));
      return rate;
    };
    const otherBots = () => ({ bot_ids: other_ids });
    const otherTitle = (n) => ({ title: `Room ${n}` });
    const rates = {
      single: () =>
        rateOf(singleRooms, async () => {
          for (let n = 0; n < singleRooms; n++) await putAlone();
        }),
      "at once": () =>
        rateOf(singleRooms * 2, () =>
          Promise.all(
            Array.from({ length: 32 }, async () => {
              for (let n = 0; n < singleRooms / 16; n++) await putAlone();
            }),
          ),
        ),
      bulk: () =>
        rateOf(ROOMS_IN_BULK, async () => {
          last = Array.from({ length: ROOMS_IN_BULK }, () => ({ ...nextRoom(), bot_ids }));
          const answer = await bulkOf(last);
          expectAll(201, answer);
          channelIds = answer.items.map(({ channel }) => channel.id);
        }),
      again: () => rateOf(ROOMS_IN_BULK, async () => expectAll(200, await bulkOf(last))),
      "bots alone": () => changeAlone(otherBots, (n) => `/v1/channels/${channelIds[n]}/bots`),
      "bots in bulk": () => changeInBulk(otherBots),
      "titles alone": () => changeAlone(otherTitle, (n) => `/v1/channels/external/${last[n].external_id}`),
      "titles in bulk": () => changeInBulk(otherTitle),
    };
    /** In each of these, bots come into further channels. */
    const MAKING = new Set(["single", "at once"]);
    const measureAll = async () => {
      const measured = {};
      for (const [name, rate] of Object.entries(rates)) {
        if (name === "single") await changeBots();
        measured[name] = await rate();
        if (MAKING.has(name)) await changeBots();
      }
      return measured;
    };
    await measureAll();
    const rows = [];
    for (let n = 0; n < ROUNDS; n++) {
      const measured = await measureAll();
      rows.push({
        engine: engine.name,
        bots: whose,
        "single/s": round(measured.single, 0),
        "32 at once/s": round(measured["at once"], 0),
        "in bulk/s": round(measured.bulk, 0),
        "again/s": round(measured.again, 0),
        "made: bulk / single": round(measured.bulk / measured.single),
        "made: bulk / at once": round(measured.bulk / measured["at once"]),
        "other bots: bulk / single": round(measured["bots in bulk"] / measured["bots alone"]),
        "other titles: bulk / single": round(measured["titles in bulk"] / measured["titles alone"]),
      });
    }
    return rows;
  } finally {
    await service.stop();
  }
}

/** @returns how many a second */
async function rateOf(count, work) {
  const startedAt = performance.now();
  await work();
  return (count * 1000) / (performance.now() - startedAt);
}

function expectAll(status, { items }) {
  const other = items.find((item) => item.status !== status);
  if (other) throw new Error(`${other.status} ${other.error}`);
}

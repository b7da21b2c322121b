// A process that keeps the store's thread busy writing and ends amid it. Arguments: the data folder, the milliseconds
// until then, the exit code.
import { randomUUID } from "node:crypto";
import { openSqliteStore } from "#botyard/store/sqlite/open.js";

const [dataDir, lastsMs, code] = process.argv.slice(2);
const store = await openSqliteStore({ dataDir });
const channel = {
  id: randomUUID(),
  slug: "busy",
  title: "",
  description: "",
  ownerUserId: "alice",
  createdAt: 1,
};
await store.createChannel(channel);

const author = { ownerUserId: "alice" };
const post = async () => {
  for (;;)
    await store.appendPosts([
      { id: randomUUID(), channelId: channel.id, author, payload: "{}", createdAt: 1 },
    ]);
};
for (let poster = 0; poster < 64; poster++) void post();
setTimeout(() => process.exit(Number(code)), Number(lastsMs));

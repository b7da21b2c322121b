// A product that opens its chat rooms to bots: it mirrors its rooms as channels of the users who hold them, and their
// messages as posts. Each run sends only new messages.
//
//   PLATFORM_TOKEN=… node examples/host-platform.mjs examples/rooms.json
//
// PLATFORM_TOKEN is one of the service's; BOTYARD_URL is the URL of the service.
import { readFileSync } from "node:fs";
import { PlatformClient } from "@botyard/sdk";

const { PLATFORM_TOKEN, BOTYARD_URL = "http://127.0.0.1:8080" } = process.env;
const platform = new PlatformClient(PLATFORM_TOKEN, { url: BOTYARD_URL });

for (const room of JSON.parse(readFileSync(process.argv[2], "utf8"))) await mirror(room);

async function mirror({ id, holder, title, messages }) {
  const owner = platform.as(holder);
  // The room's own id finds the channel again, so nothing has to be remembered here.
  const { metadata: { mirrored = 0 } = {} } = await owner.putExternalChannel(id, { title });
  const fresh = messages.filter(({ number }) => number > mirrored);
  const results = await owner.createPosts(
    fresh.map(({ number, author, text }) => ({
      external_id: id,
      body: text,
      author: { id: author, username: author },
      // A run that broke off before the line below sends these again, and they are published once.
      idempotency_key: `message-${number}`,
    })),
  );
  for (const { error } of results) if (error) throw new Error(error);
  const last = fresh.at(-1);
  if (last) await owner.putExternalChannel(id, { title, metadata: { mirrored: last.number } });
  console.log(`${id}: ${fresh.length} messages mirrored`);
}

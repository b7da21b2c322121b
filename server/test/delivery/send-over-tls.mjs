// Makes one attempt at each URL of the command line, the way the service would, and prints how they ended. A process
// of its own because only a process's start decides, by NODE_EXTRA_CA_CERTS, which authorities it trusts.
import { createSender } from "#botyard/delivery/sending/send-attempt.js";

const sender = createSender({
  reach: { allowPrivate: true, networks: [] },
  proxyUrl: process.env.PROXY_URL,
  timeoutMs: 60_000,
  userAgent: "Botyard/test",
});
const send = (url) =>
  new Promise((resolve) => {
    sender.send({ origin: new URL(url).origin, path: "/hook" }, "{}", resolve);
  });

const results = [];
for (const url of process.argv.slice(2)) results.push(await send(url));
await sender.close();
process.stdout.write(JSON.stringify(results));

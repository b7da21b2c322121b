import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type Bot, webhookHandler as fetchHandler, type WebhookOptions } from "@botyard/sdk";
import { fastifyWebhook, webhookHandler } from "@botyard/sdk/node";
import express from "express";
import fastify from "fastify";

export interface Receiver {
  url: string;
  close(): Promise<void>;
}

type Start = (bot: Bot, options: WebhookOptions) => Promise<Receiver>;

/** Every way to receive a bot's webhook, each on a live port. */
export const receivers: [string, Start][] = [
  [
    "the fetch standard",
    (bot, options) => {
      const handle = fetchHandler(bot, options);
      return listen(
        createServer((incoming, outgoing) => {
          void requestOf(incoming)
            .then(handle)
            .then(async (response) => {
              outgoing.writeHead(response.status, Object.fromEntries(response.headers));
              outgoing.end(await response.text());
            });
        }),
      );
    },
  ],
  ["Node's http", (bot, options) => listen(createServer(webhookHandler(bot, options)))],
  [
    "Node's http, by the handler of the fetch standard",
    (bot, options) => listen(createServer(fetchHandler(bot, options) as unknown as RequestListener)),
  ],
  [
    "Express",
    (bot, options) => {
      const app = express();
      app.all("/hook", webhookHandler(bot, options));
      return listen(createServer(app));
    },
  ],
  [
    "Express behind express.raw",
    (bot, options) => {
      const app = express();
      app.use(express.raw({ type: "*/*", limit: "5mb" }));
      app.all("/hook", webhookHandler(bot, options));
      return listen(createServer(app));
    },
  ],
  [
    "Fastify",
    async (bot, options) => {
      const app = fastify();
      await app.register(fastifyWebhook(bot, { ...options, path: "/hook" }));
      app.post("/echo", async (request) => request.body);
      const url = await app.listen({ host: "127.0.0.1", port: 0 });
      return { url: `${url}/hook`, close: () => app.close() };
    },
  ],
];

/** A request of Node's http as a request of the fetch standard. */
export async function requestOf(incoming: IncomingMessage): Promise<Request> {
  const { method = "", headers } = incoming;
  const body = method === "GET" ? {} : { body: new Uint8Array(await buffer(incoming)) };
  return new Request("http://edge/hook", { method, headers: headers as Record<string, string>, ...body });
}

async function listen(server: ReturnType<typeof createServer>): Promise<Receiver> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

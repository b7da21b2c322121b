// The publishing route with nothing but the service's schema, validation and answer, and a function of the caller behind it.
import fastify from "fastify";

const text = (maxLength) => ({ type: "string", maxLength });

const schema = {
  params: { type: "object", properties: { id: text(64) }, required: ["id"] },
  body: {
    type: "object",
    properties: {
      body: { ...text(4096), minLength: 1, pattern: "\\S" },
      media: { type: "array", maxItems: 10, items: { type: "object" } },
    },
    required: ["body"],
  },
  response: {
    201: {
      type: "object",
      properties: {
        id: text(64),
        channel_id: text(64),
        author_username: text(64),
        body: text(4096),
        created_at: text(64),
      },
    },
  },
};

/**
 * Serves until the process gets SIGTERM.
 *
 * @param {(post: object) => Promise<unknown> | undefined} accept called with each post before it is answered
 * @param {() => Promise<number>} countPending answers GET /pending: accepted posts whose outcome is not recorded yet
 */
export async function servePostRoute(port, accept = () => undefined, countPending = async () => 0) {
  const app = fastify({ bodyLimit: 65_536 });
  app.get("/pending", async () => ({ pending: await countPending() }));
  app.post("/v1/bot-api/channels/:id/posts", { schema }, async (request, reply) => {
    const post = {
      id: "01890000-0000-7000-8000-000000000000",
      channel_id: request.params.id,
      author_username: "bench",
      body: request.body.body,
      created_at: new Date().toISOString(),
    };
    const accepted = accept(post);
    if (accepted) await accepted;
    reply.code(201);
    return post;
  });
  process.on("SIGTERM", () => process.exit(0));
  await app.listen({ port, host: "127.0.0.1" });
}

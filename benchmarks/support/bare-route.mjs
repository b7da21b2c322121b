// The limit for publishing: the same route with the same validation and answer, and nothing behind it.
import fastify from "fastify";

const text = (maxLength) => ({ type: "string", maxLength });
const app = fastify({ bodyLimit: 65_536 });
app.post(
  "/v1/bot-api/channels/:id/posts",
  {
    schema: {
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
    },
  },
  async (request, reply) => {
    reply.code(201);
    return {
      id: "01890000-0000-7000-8000-000000000000",
      channel_id: request.params.id,
      author_username: "bench",
      body: request.body.body,
      created_at: new Date().toISOString(),
    };
  },
);
await app.listen({ port: Number(process.argv[2]), host: "127.0.0.1" });
process.on("SIGTERM", () => process.exit(0));

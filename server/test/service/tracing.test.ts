import { join } from "node:path";
import { SpanKind, trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTracing } from "#botyard/tracing/tracing.js";
import { ask, makeWorld } from "../support/api-client.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { startInProcessService } from "../support/in-process-service.js";
import { environmentOf, repository, startServiceProcess } from "../support/program.js";
import { startReceiver } from "../support/receiver.js";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";

describe(`tracing of a service on ${engine.name}`, () => {
  let home: StoreHome;
  beforeEach(async () => {
    home = await engine.createHome();
  });
  afterEach(async () => {
    trace.disable();
    await home.remove();
  });

  it("is none without an SDK", () => {
    expect(openTracing("1.0.0")).toBeUndefined();
  });

  it("makes a span of a request below its caller's, and of the attempts that it causes below that", async () => {
    const exporter = new InMemorySpanExporter();
    const processor = new SimpleSpanProcessor(exporter);
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }));
    const service = await startInProcessService(home.dataDir, home.environment);
    const receiver = await startReceiver();
    const { BOTYARD_TOKEN: token = "" } = await environmentOf("owner", service, home.dataDir);
    const world = await makeWorld({ url: service.url, ownerToken: async () => token });
    const webhook = { token, body: { url: `${receiver.url}?key=hidden` } };
    await ask(service, "PUT", `/v1/bot-api/bots/${world.botId}/webhook`, webhook);
    const headers = { traceparent: `00-${TRACE}-${CALLER}-01` };
    const path = `/v1/channels/${world.channelId}/posts`;
    await ask(service, "POST", path, { token, body: { body: "x" }, headers });
    await eventually("it is delivered", () => receiver.requests.length === 1);
    await service.stop();
    await receiver.close();

    const spans = exporter.getFinishedSpans();
    const ofTrace = spans.filter((span) => span.spanContext().traceId === TRACE);
    const [request, attempt] = [SpanKind.SERVER, SpanKind.CLIENT].map((kind) =>
      ofTrace.find((span) => span.kind === kind),
    );
    expect(ofTrace).toHaveLength(2);
    expect(request).toMatchObject({
      name: "POST /v1/channels/:id/posts",
      parentSpanContext: { spanId: CALLER },
      attributes: {
        "http.request.method": "POST",
        "http.route": "/v1/channels/:id/posts",
        "http.response.status_code": 201,
      },
    });
    expect(attempt).toMatchObject({
      name: "POST",
      parentSpanContext: { spanId: request?.spanContext().spanId },
      attributes: { "server.address": "127.0.0.1", "server.port": receiver.port },
    });
    expect(receiver.requests[0]?.headers["traceparent"]).toBe(
      `00-${TRACE}-${attempt?.spanContext().spanId}-01`,
    );
    expect(spans.some(({ name }) => name === "store trip")).toBe(true);
    expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toContain("hidden");
  });

  it("is registered by a file that node imports first, as the example shows", async () => {
    const example = join(repository, "examples/tracing.mjs");
    const service = await startServiceProcess(home.dataDir, {
      ...home.environment,
      NODE_OPTIONS: `--import=${example}`,
    });
    await fetch(`${service.url}/livez`);
    await eventually("a span is printed", () => service.stdout().includes("GET /livez"));
    expect(await service.stop()).toBe(0);
  });
});

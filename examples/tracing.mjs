/**
 * Traces a service with OpenTelemetry: node --import ./tracing.mjs node_modules/botyard/bin/botyard.js serve
 *
 * Prints each span. To send them to a collector, give the processor an exporter of @opentelemetry/exporter-trace-otlp-http;
 * or register @opentelemetry/sdk-node instead, which has it all.
 */
import { trace } from "@opentelemetry/api";
import { BasicTracerProvider, BatchSpanProcessor, ConsoleSpanExporter } from "@opentelemetry/sdk-trace-base";

const processor = new BatchSpanProcessor(new ConsoleSpanExporter(), { scheduledDelayMillis: 1000 });
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }));

import { RESERVED_PREFIXES } from "../../domain/events/event.js";
import { eventPayloads } from "../schemas/events/event-payloads.js";

/** A schema as it is in the OpenAPI document. */
export interface DocumentSchema {
  description?: string;
  properties?: Record<string, object>;
  [keyword: string]: unknown;
}

type Schemas = Record<string, DocumentSchema>;

/** The components that have a payload, with the suffix of the names of their variants. */
const UPDATES = { BotUpdate: "Update", OwnerUpdate: "OwnerUpdate" } as const;

/**
 * Types the payload of updates by their `event_type`: each component with a payload becomes a union of components, one
 * for each kind of event. This only changes the document, since the service stores and sends payloads unchanged.
 */
export function typeUpdates(schemas: Schemas): Schemas {
  const typed: Schemas = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const suffix = UPDATES[name as keyof typeof UPDATES];
    if (suffix) Object.assign(typed, choiceByEvent(name, schema, suffix));
    else typed[name] = schema;
  }
  return typed;
}

function choiceByEvent(name: string, schema: DocumentSchema, suffix: string): Schemas {
  const kinds = Object.entries(eventPayloads).map(([event, payload]) => ({
    event,
    name: `${pascalCase(event)}${suffix}`,
    schema: ofKind(schema, event, payload.$id),
  }));
  const custom = { name: `CustomEvent${suffix}`, schema: ofCustomKind(schema) };
  // Without a discriminator: a mapping names each kind, and those of custom events are not known.
  const choice = {
    description: `${schema.description} The payload depends on \`event_type\`. Further kinds of events may be added: ignore those you do not know.`,
    anyOf: [...kinds, custom].map((kind) => ({ $ref: `#/components/schemas/${kind.name}` })),
  };
  const choices = [...kinds, custom].map((kind) => [kind.name, kind.schema] as const);
  return { [name]: choice, ...Object.fromEntries(choices) };
}

/** Custom events have any kind without a prefix of the service's own. */
function ofCustomKind(schema: DocumentSchema): DocumentSchema {
  const reserved = RESERVED_PREFIXES.map((prefix) => prefix.replace(".", "\\.")).join("|");
  return {
    ...schema,
    properties: {
      ...schema.properties,
      event_type: {
        type: "string",
        not: { pattern: `^(?:${reserved})` },
        description: "The kind of event, as its emitter called it.",
        examples: ["ticket.opened"],
      },
      payload: { type: "object", additionalProperties: true, description: "What the emitter gave." },
    },
  };
}

function ofKind(schema: DocumentSchema, event: string, payload: string): DocumentSchema {
  return {
    ...schema,
    properties: {
      ...schema.properties,
      event_type: { type: "string", enum: [event], description: "The kind of event." },
      payload: { $ref: `#/components/schemas/${payload}`, description: "What happened." },
    },
  };
}

/** `channel.post_created` as `ChannelPostCreated`. */
function pascalCase(event: string): string {
  return event.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

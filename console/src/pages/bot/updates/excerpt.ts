import type { AnyUpdate, EventPayloads } from "@botyard/sdk";

type Interaction = EventPayloads["interaction.created"];

/** An update in a line: the text of its post, or the kind of event and what it is about. */
export function excerptOf({ event_type: type, payload }: AnyUpdate): string {
  const { body, deleted } = payload as { body?: unknown; deleted?: unknown };
  if (type === "channel.post_created" || type === "channel.post_edited") {
    if (deleted === true) return "(this post was deleted)";
    if (typeof body === "string") return type === "channel.post_edited" ? `Edited: ${body}` : body;
  }
  if (type === "channel.post_deleted") return "A post was deleted";
  if (type === "interaction.created")
    return deleted === true ? "(this interaction was erased)" : interactionIn(payload as Interaction);
  return `${type} ${JSON.stringify(payload)}`;
}

function interactionIn({ user, command, component }: Interaction): string {
  if (command) {
    const options = Object.entries(command.options ?? {}).map(
      ([name, value]) => ` ${name}: ${String(value)}`,
    );
    return `${user.username} chose /${command.name}${options.join()}`;
  }
  const values = component?.values?.join(", ") ?? "";
  return `${user.username} pressed ${component?.id ?? "a component"}${values && ` (${values})`}`;
}

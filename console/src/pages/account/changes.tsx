import type { AuditEntry } from "@botyard/sdk";
import { Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.js";
import { AnchorLink } from "../../ui/links.js";
import { Loaded } from "../../ui/loaded.js";
import { Moment } from "../../ui/moment.js";
import { Panel } from "../../ui/panel.js";
import classes from "../../ui/rows.module.css";

/** The newest entries of the audit log. */
export function Changes() {
  const query = useQuery(queries.changes());
  return (
    <Panel title="Recent changes" description="Who changed what of yours, and with which token.">
      <Loaded query={query}>
        {(entries) =>
          entries.length === 0 ? (
            <Text c="dimmed" size="sm">
              Nothing was changed yet.
            </Text>
          ) : (
            <ul className={classes["rows"]} aria-label="Recent changes">
              {entries.map((entry) => (
                <li key={entry.id}>
                  <Change {...entry} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Change({ at, by, operation, target, changes }: AuditEntry) {
  const fields = Object.entries(changes).map(fieldOf).join(", ");
  const { id, type, channel_id: channelId = type === "channel" ? id : undefined } = target;
  return (
    <Stack gap={2} py="xs">
      <Group justify="space-between" gap="sm">
        <Text fw={600} size="sm">
          {capitalized(wordsOf(operation))}
        </Text>
        <Text c="dimmed" size="sm">
          <Moment at={at} />
        </Text>
      </Group>
      <Text size="sm">
        {by.type === "platform" ? "The platform" : capitalized(`${by.type} ${by.id}`)}
        {by.token_id && `, token ${by.token_id}`}
        {fields && `: ${fields}`}
        {type === "bot" && operation !== "deleteBot" && (
          <>
            {" · "}
            <AnchorLink to="/bots/$botId" params={{ botId: id }} underline="always">
              Bot
            </AnchorLink>
          </>
        )}
        {type === "attachment" && ` · bot ${id}`}
        {channelId !== undefined && operation !== "deleteChannel" && (
          <>
            {" · "}
            <AnchorLink to="/channels/$channelId" params={{ channelId }} underline="always">
              Channel
            </AnchorLink>
          </>
        )}
      </Text>
    </Stack>
  );
}

/** A field with its values, as far as they are kept. */
function fieldOf([name, { before, after }]: [string, { before?: unknown; after?: unknown }]): string {
  const field = wordsOf(name);
  if (before === undefined && after === undefined) return field;
  if (before === undefined) return `${field} ${shown(after)}`;
  return `${field} ${shown(before)} → ${after === undefined ? "none" : shown(after)}`;
}

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** `rotateBotToken` and `display_name` in words. */
function wordsOf(name: string): string {
  return name.replaceAll("_", " ").replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

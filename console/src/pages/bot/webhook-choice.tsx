import { NativeSelect, type NativeSelectProps } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { DEFAULT, queries } from "../../api/queries.js";
import type { WebhookSearch } from "../search-params.js";
import { useWebhookName } from "./webhook-name.js";

interface WebhookChoiceProps extends Omit<NativeSelectProps, "data" | "value" | "onChange"> {
  botId: string;
}

/** Switches a page to another of the bot's webhooks; nothing when there is only the one that every bot has. */
export function WebhookChoice({ botId, ...props }: WebhookChoiceProps) {
  const name = useWebhookName();
  const navigate = useNavigate();
  const { data: webhooks = [] } = useQuery(queries.webhooks(botId));
  const names = new Set([
    DEFAULT,
    ...webhooks.map(({ name }) => name),
    ...(name === undefined ? [] : [name]),
  ]);
  if (names.size === 1) return null;
  const show = (chosen: string) =>
    void navigate({
      to: ".",
      search: (search: WebhookSearch) => ({
        ...search,
        update: undefined,
        webhook: chosen === DEFAULT ? undefined : chosen,
      }),
      replace: true,
      resetScroll: false,
    });
  return (
    <NativeSelect
      aria-label="Webhook"
      data={[...names]}
      value={name ?? DEFAULT}
      onChange={({ currentTarget: { value } }) => show(value)}
      {...props}
    />
  );
}

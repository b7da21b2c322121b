import { useParams } from "@tanstack/react-router";

/** The bot in the URL. */
export function useBotId(): string {
  return useParams({ from: "/signed-in/bots/$botId" }).botId;
}

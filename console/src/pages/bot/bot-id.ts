import { useParams } from "@tanstack/react-router";

/** The bot that the address names. */
export function useBotId(): string {
  return useParams({ from: "/signed-in/bots/$botId" }).botId;
}

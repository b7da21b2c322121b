import { describe, expect, it } from "vitest";
import { createProgram } from "#botyard/cli/program.js";
import { operations } from "../support/contract.js";

/** The command for each operation of the API. */
const COMMANDS: Record<string, string> = {
  listBots: "bot list",
  createBot: "bot create",
  getBot: "bot show",
  editBot: "bot edit",
  deleteBot: "bot delete",
  disableBot: "bot disable",
  enableBot: "bot enable",
  rotateBotToken: "bot rotate-token",
  overview: "overview",
  getBotOverview: "overview",
  listBotChannels: "bot channels",
  attachBot: "bot attach",
  detachBot: "bot detach",
  listBotUpdates: "updates",
  listUpdateAttempts: "webhook attempts",
  streamBotUpdates: "updates",
  getBotStats: "bot stats",
  readTimeline: "bot timeline",
  listBotConsumers: "bot consumers",
  listGivenUp: "updates given-up",
  handInGivenUp: "updates given-up",
  getWebhook: "webhook show",
  putWebhook: "webhook set",
  deleteWebhook: "webhook remove",
  pauseWebhook: "webhook pause",
  resumeWebhook: "webhook resume",
  rotateWebhookSecret: "webhook secret",
  testWebhook: "webhook test",
  sendUpdateAgain: "webhook send-again",
  skipUpdate: "webhook skip",
  listWebhookErrors: "webhook errors",
  groupWebhookErrors: "webhook errors",
  replayWebhook: "webhook replay",
  listWebhooks: "webhook list",
  // The same commands, with --name or --webhook.
  getNamedWebhook: "webhook show",
  putNamedWebhook: "webhook set",
  deleteNamedWebhook: "webhook remove",
  pauseNamedWebhook: "webhook pause",
  resumeNamedWebhook: "webhook resume",
  rotateNamedWebhookSecret: "webhook secret",
  testNamedWebhook: "webhook test",
  listNamedWebhookUpdates: "updates",
  listNamedWebhookAttempts: "webhook attempts",
  sendNamedWebhookUpdateAgain: "webhook send-again",
  skipNamedWebhookUpdate: "webhook skip",
  getNamedWebhookStats: "bot stats",
  readNamedWebhookTimeline: "bot timeline",
  listNamedWebhookErrors: "webhook errors",
  groupNamedWebhookErrors: "webhook errors",
  replayNamedWebhook: "webhook replay",
  listOwnerAudit: "audit",
  // The same command, with --all.
  listAudit: "audit",
  getAlerts: "owner alerts show",
  putAlerts: "owner alerts set",
  deleteAlerts: "owner alerts remove",
  listChannels: "channel list",
  // The same commands, with a bot's token.
  listBotPosts: "channel posts",
  emitMyEvent: "channel emit",
  createInteraction: "interaction press",
  getInteraction: "interaction show",
  respondToInteraction: "interaction respond",
  createChannel: "channel create",
  getChannel: "channel show",
  editChannel: "channel edit",
  putExternalChannel: "channel put",
  getExternalChannel: "channel show",
  putDirectChannel: "channel direct",
  listChannelBots: "channel bots",
  putChannelBots: "channel set-bots",
  listChannelPosts: "channel posts",
  deleteChannel: "channel delete",
  createChannelPost: "post create",
  getChannelPost: "post show",
  listPostUpdates: "post updates",
  editChannelPost: "post edit",
  deleteChannelPost: "post delete",
  createPosts: "batch posts",
  emitEvents: "batch events",
  emitChannelEvent: "channel emit",
  emitBotEvent: "bot emit",
  getSubscription: "bot subscription show",
  putSubscription: "bot subscription set",
  deleteSubscription: "bot subscription remove",
  previewSubscription: "bot subscription preview",
  exportOwner: "owner export",
  eraseOwner: "owner erase",
  getMe: "me",
  listConsumers: "consumer list",
  moveConsumer: "consumer move",
  deleteConsumer: "consumer delete",
  listMyGivenUp: "consumer given-up",
  giveUpUpdate: "consumer give-up",
  forgetGivenUp: "consumer handled",
  listMyChannels: "channel list",
  getMySubscription: "bot subscription show",
  putMySubscription: "bot subscription set",
  getMyCommands: "bot commands show",
  putMyCommands: "bot commands set",
  listChannelCommands: "channel commands",
  createBotPost: "post create",
  getBotPost: "post show",
  editBotPost: "post edit",
  deleteBotPost: "post delete",
  pollUpdates: "tail",
  readFeed: "feed tail",
  // The same, for a program that has no SDK.
  streamFeed: "feed tail",
  listFeedConsumers: "feed consumers",
  moveFeedConsumer: "feed move",
  deleteFeedConsumer: "feed delete",
  getFeedWebhook: "feed webhook show",
  putFeedWebhook: "feed webhook set",
  deleteFeedWebhook: "feed webhook remove",
  // The same updates, for a program that keeps no position; a person has `tail`.
  streamUpdates: "tail",
};

describe("the botyard command", () => {
  it("has a command for every operation of the API", () => {
    expect(Object.keys(COMMANDS).sort()).toEqual(operations.map(({ operationId }) => operationId).sort());
  });

  it.each([...new Set(Object.values(COMMANDS))])("has %s, with --json", (path) => {
    let command = createProgram();
    for (const name of path.split(" ")) {
      const child = command.commands.find((candidate) => candidate.name() === name);
      expect(child, name).toBeDefined();
      command = child ?? command;
    }
    expect(command.options.map(({ long }) => long)).toEqual(
      expect.arrayContaining(["--json", "--url", "--token"]),
    );
  });
});

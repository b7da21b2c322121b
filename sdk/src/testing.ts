export { type BotProcess, type Chat, type ChatOptions, type MakeBot, testChat } from "./testing/chat.js";
export { type EveryCrashOptions, everyCrash } from "./testing/every-crash.js";
export type { FakeAuthor } from "./testing/fake-log.js";
export {
  type Delivery,
  type FakeService,
  type FakeServiceOptions,
  startFakeService,
} from "./testing/fake-service.js";
export { type SignOptions, signWebhook } from "./testing/sign-webhook.js";

export type { FakeAuthor } from "./testing/fake-log.js";
export {
  type Delivery,
  type FakeService,
  type FakeServiceOptions,
  startFakeService,
} from "./testing/fake-service.js";
export { type SignOptions, signWebhook } from "./testing/sign-webhook.js";

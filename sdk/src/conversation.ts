export {
  type Conversation,
  type ConversationOptions,
  conversation,
} from "./conversation/conversation.js";
export { type AskOptions, ConversationChanged, type Dialogue } from "./conversation/dialogue.js";

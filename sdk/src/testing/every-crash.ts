import { deepStrictEqual } from "node:assert";
import { type Chat, type ChatOptions, type MakeBot, openChat } from "./chat.js";

export interface EveryCrashOptions extends ChatOptions {
  /** Conversations that run at once. 4 unless given. */
  atOnce?: number;
}

/** A test that has more steps than this is taken for one that never ends. */
const MOST_STEPS = 1_000;

/**
 * Holds a conversation once without a crash, and then again and again, each time with a bot that is killed at another step and
 * started anew: before and after each request to the service and each write of its {@link BotProcess.values}. It must end with the
 * same posts each time.
 *
 * @param makeBot makes the bot of each process
 * @param script what is said and expected
 * @returns how many crashes there were
 * @throws {Error} that names the step, when the conversation ended differently, or the script failed
 */
export async function everyCrash(
  makeBot: MakeBot,
  script: (chat: Chat) => Promise<unknown>,
  { atOnce = 4, ...options }: EveryCrashOptions = {},
): Promise<number> {
  const hold = async (crashAt?: number) => {
    const { chat, crashedAt } = await openChat(makeBot, options, crashAt);
    try {
      await script(chat);
      await chat.settles();
    } catch (error) {
      throw explained(error, crashedAt());
    } finally {
      await chat.stop();
    }
    // Posts of several people's answers may change their order.
    return { posts: chat.transcript().toSorted(), crashedAt: crashedAt() };
  };

  const { posts: wanted } = await hold();
  let crashes = 0;
  for (let first = 1; first < MOST_STEPS; first += atOnce) {
    const held = await Promise.allSettled(Array.from({ length: atOnce }, (_, index) => hold(first + index)));
    for (const one of held) {
      if (one.status === "rejected") throw one.reason as Error;
      const { posts, crashedAt } = one.value;
      if (crashedAt !== undefined) crashes += 1;
      try {
        deepStrictEqual(posts, wanted);
      } catch (error) {
        throw explained(error, crashedAt);
      }
    }
    if (crashes < first + atOnce - 1) return crashes;
  }
  throw new Error(`the conversation has more than ${MOST_STEPS} steps`);
}

function explained(cause: unknown, crashedAt: string | undefined): Error {
  const when = crashedAt === undefined ? "without a crash" : `killed ${crashedAt}`;
  return new Error(`${when}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}

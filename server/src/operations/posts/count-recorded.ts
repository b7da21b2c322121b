import type { TimelineInterval } from "../../domain/delivery/timeline.js";
import type { Store } from "../../store/store.js";

/** Each time is a search of the log; other calls of the store run between two of our calls. */
const TIMES_PER_CALL = 32;

/** Adds to each of a timeline's consecutive intervals how many updates were recorded in it. */
export async function countRecorded(
  store: Store,
  botId: string,
  intervals: readonly TimelineInterval[],
): Promise<TimelineInterval[]> {
  const starts = [...intervals.map(({ startsAt }) => startsAt), Number.MAX_SAFE_INTEGER];
  const numbers: number[] = [];
  while (numbers.length < starts.length) {
    const times = starts.slice(numbers.length, numbers.length + TIMES_PER_CALL);
    numbers.push(...(await store.findNumbersAt(botId, times)));
  }
  return intervals.map((interval, index) => {
    const [first = 1, next = first] = numbers.slice(index, index + 2);
    // A clock that was set back may have recorded later numbers with earlier times.
    return { ...interval, recorded: Math.max(0, next - first) };
  });
}

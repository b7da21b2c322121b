import { type RefObject, useEffect, useState } from "react";

/** Rows that are drawn above and below what can be seen, so that scrolling finds them there. */
const OVERSCAN_ROWS = 12;

/** The first row to be drawn and the one after the last. */
export interface RowsInSight {
  first: number;
  end: number;
}

/**
 * Which rows of a list in the page's own scroll can be seen. All rows have one height: nothing is kept of each, where a
 * library that measures them makes 100,000 objects anew for every page that is added.
 */
export function useRowsInSight(
  list: RefObject<HTMLElement | null>,
  count: number,
  rowPx: number,
): RowsInSight {
  const [rows, setRows] = useState<RowsInSight>({ first: 0, end: 2 * OVERSCAN_ROWS });
  useEffect(() => {
    const look = () => {
      const top = list.current?.getBoundingClientRect().top ?? 0;
      const first = Math.max(0, Math.floor(-top / rowPx) - OVERSCAN_ROWS);
      const end = Math.max(0, Math.ceil((innerHeight - top) / rowPx) + OVERSCAN_ROWS);
      setRows((before) => (before.first === first && before.end === end ? before : { first, end }));
    };
    look();
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [list, rowPx]);
  const end = Math.min(count, rows.end);
  return { first: Math.min(rows.first, Math.max(0, end - 1)), end };
}

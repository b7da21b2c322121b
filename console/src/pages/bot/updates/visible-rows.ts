import { type RefObject, useEffect, useState } from "react";

/** Rows rendered above and below the visible ones, for scrolling. */
const OVERSCAN_ROWS = 12;

/** The first row to render and the one after the last. */
export interface VisibleRows {
  first: number;
  end: number;
}

/**
 * The visible rows of a list that scrolls with the page. All rows have the same height, so nothing is stored for each; a
 * library that measures rows makes 100,000 new objects for every page that is added.
 */
export function useVisibleRows(
  list: RefObject<HTMLElement | null>,
  count: number,
  rowPx: number,
): VisibleRows {
  const [rows, setRows] = useState<VisibleRows>({ first: 0, end: 2 * OVERSCAN_ROWS });
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

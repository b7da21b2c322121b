/** What one check has found. */
export interface Finding {
  /** What was looked at, in a word or two. */
  check: string;
  result: "ok" | "warning" | "wrong";
  /** What is the case. */
  says: string;
  /** What to do about it. */
  mend?: string;
}

export const ok = (check: string, says: string): Finding => ({ check, result: "ok", says });

export const warning = (check: string, says: string, mend: string): Finding => ({
  check,
  result: "warning",
  says,
  mend,
});

export const wrong = (check: string, says: string, mend: string): Finding => ({
  check,
  result: "wrong",
  says,
  mend,
});

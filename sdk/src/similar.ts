/** The word that has most letters in common with `word` at its beginning and its end. */
export function mostSimilar(word: string, words: readonly string[]): string | undefined {
  return words.toSorted((a, b) => alike(word, b) - alike(word, a))[0];
}

/** @throws {TypeError} for an option that there is not, which plain JavaScript would ignore */
export function checkOptions(of: string, options: object | undefined, known: readonly string[]): void {
  for (const name of Object.keys(options ?? {})) {
    if (known.includes(name)) continue;
    throw new TypeError(`${of} has no option "${name}": did you mean "${mostSimilar(name, known)}"?`);
  }
}

function alike(one: string, other: string): number {
  const common = (at: (text: string, index: number) => string | undefined) => {
    let count = 0;
    while (count < one.length && at(one, count) === at(other, count)) count += 1;
    return count;
  };
  return common((text, index) => text[index]) + common((text, index) => text.at(-1 - index));
}

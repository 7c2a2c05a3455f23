/** A word of a command as a shell takes it: `my data` is `'my data'`. */
export const quoteWord = (word: string): string =>
  /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

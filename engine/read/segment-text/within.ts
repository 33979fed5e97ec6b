// The words that contain a text are searched together, as one word. Its name has a mark in front that
// no query word and no term begins with: control characters before terms are those of
// engine/text/stop-term.ts and engine/text/spelling.ts.
const MARK = '\u0003'

/** Returns the name of all words that contain a text. */
export const wordsWith = (text: string): string => MARK + text

/** Returns the text that `wordsWith` named, or null for the name of a single word. */
export const textWithin = (name: string): string | null =>
  name.startsWith(MARK) ? name.slice(MARK.length) : null

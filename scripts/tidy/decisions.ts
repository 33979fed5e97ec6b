// Finds code that decides by the text of a message. Codes and typed members decide: a text is for
// people, and changes. Files in `decisions.table.ts` may, because a library leaves no other way.
import { DECIDE_BY_TEXT } from './decisions.table.ts'

const NAMES = '(?:message|cause|stderr)'

const DECISIONS: readonly RegExp[] = [
  new RegExp(`\\b${NAMES}\\??\\.(?:includes|startsWith|endsWith|match|search|indexOf)\\(`, 'g'),
  new RegExp(`\\.(?:test|exec)\\((?:[^()\\n]*[^\\w'])?${NAMES}\\b`, 'g'),
  /(?<!typeof )\bmessage\s*[!=]==\s*(?:[A-Z]|'[^'])/g,
]

/** Returns the offsets of such decisions. */
export const decisionsByText = (text: string): readonly number[] =>
  DECISIONS.flatMap((pattern) => [...text.matchAll(pattern)].map(({ index }) => index))

/** Returns what is wrong with a decision in the file, or null if the table has a reason for it. */
export const decisionProblem = (file: string): string | null =>
  Object.hasOwn(DECIDE_BY_TEXT, file) ? null : 'a code or a typed member decides, not a message'

/** Returns the files of the table that exist and decide by no text any more. */
export const unusedReasons = (texts: ReadonlyMap<string, string>): readonly string[] =>
  Object.keys(DECIDE_BY_TEXT).filter((file) => {
    const text = texts.get(file)
    return text !== undefined && decisionsByText(text).length === 0
  })

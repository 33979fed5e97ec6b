// Hints for words and signs of SQL and of other engines, where a filter is faulty.
import { wordAt } from './characters.ts'

/** Signs, longer ones first: what is written there → what a filter has instead. */
const SIGNS: readonly (readonly [sign: string, instead: string])[] = [
  ['&&', 'AND'],
  ['||', 'OR'],
  ['==', '='],
  ['<>', '!='],
  ['=~', 'CONTAINS'],
]

/** Words in lower case. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ...['and', 'or', 'not', 'in', 'to', 'exists', 'contains'].map(
    (word) => [word, word.toUpperCase()] as const,
  ),
  ['between', 'TO'],
  ['like', 'CONTAINS'],
  ['ilike', 'CONTAINS'],
])

/** Words of which the next one is a part. */
const PHRASES: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/^is\s+not\s+null\b/i, 'IS NOT NULL'],
  [/^is\s+not\s+empty\b/i, 'IS NOT EMPTY'],
  [/^is\s+null\b/i, 'IS NULL'],
  [/^is\s+empty\b/i, 'IS EMPTY'],
  [/^not\s+null\b/i, 'IS NOT NULL'],
  [/^not\s+in\b/i, 'NOT IN'],
  [/^not\s+exists\b/i, 'NOT EXISTS'],
  [/^starts\s+with\b/i, 'STARTS WITH'],
]

/** Returns ` Write … instead of ….` for a habit at `at`, or ''. */
export function habitHint(text: string, at: number): string {
  const rest = text.slice(at, at + 32)
  const sign = SIGNS.find(([written]) => rest.startsWith(written))
  if (sign !== undefined) return hint(sign[0], sign[1])
  for (const [pattern, instead] of PHRASES) {
    const written = pattern.exec(rest)?.[0]
    if (written !== undefined && written !== instead) return hint(written, instead)
  }
  const word = wordAt(text, at)
  const instead = WORDS.get(word.toLowerCase())
  return instead === undefined || instead === word ? '' : hint(word, instead)
}

const hint = (written: string, instead: string): string =>
  ` Write \`${instead}\` instead of \`${written}\`.`

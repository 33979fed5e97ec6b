// Hints for words and signs of SQL and of other engines, where a filter is faulty.
import { wordAt } from './characters.ts'

/** Signs, longer ones first: what is written there → what a filter has instead. */
const SIGNS: readonly (readonly [sign: string, instead: string])[] = [
  ['===', '='],
  ['!==', '!='],
  ['! =', '!='],
  ['&&', 'AND'],
  ['||', 'OR'],
  ['==', '='],
  ['<>', '!='],
  ['=~', 'CONTAINS'],
  ['=!', '!='],
  ['&', 'AND'],
  ['|', 'OR'],
  ['≠', '!='],
  ['≥', '>='],
  ['≤', '<='],
  ['＝', '='],
  ['＞', '>'],
  ['＜', '<'],
]

/** Quotation marks of texts, each with that of filters. */
const MARKS: ReadonlyMap<string, string> = new Map([
  ...[...'“”„«»＂″'].map((mark) => [mark, '"'] as const),
  ...[...'‘’‚‹›＇´`'].map((mark) => [mark, "'"] as const),
])

/** Words in lower case. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ...['and', 'or', 'not', 'in', 'to', 'exists', 'contains'].map(
    (word) => [word, word.toUpperCase()] as const,
  ),
  ['between', 'TO'],
  ['like', 'CONTAINS'],
  ['ilike', 'CONTAINS'],
  ['rlike', 'CONTAINS'],
  ['regexp', 'CONTAINS'],
  ['matches', 'CONTAINS'],
  ['endswith', 'CONTAINS'],
  ['startswith', 'STARTS WITH'],
  ['eq', '='],
  ['ne', '!='],
  ['neq', '!='],
  ['gt', '>'],
  ['gte', '>='],
  ['ge', '>='],
  ['lt', '<'],
  ['lte', '<='],
  ['le', '<='],
  ...['_geoRadius', '_geoBoundingBox', '_geoPolygon'].map(
    (form) => [form.slice(1).toLowerCase(), form] as const,
  ),
])

/** Words of which the next one is a part. */
const PHRASES: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/^is\s+not\s+null\b/i, 'IS NOT NULL'],
  [/^is\s+not\s+empty\b/i, 'IS NOT EMPTY'],
  [/^is\s+null\b/i, 'IS NULL'],
  [/^is\s+empty\b/i, 'IS EMPTY'],
  [/^is\s+missing\b/i, 'NOT EXISTS'],
  [/^does\s+not\s+exist\b/i, 'NOT EXISTS'],
  [/^is\s+not(?=\s+\S)/i, '!='],
  [/^is(?=\s+(?!not\b)\S)/i, '='],
  [/^not\s+=/i, '!='],
  [/^not\s+null\b/i, 'IS NOT NULL'],
  [/^not\s+in\b/i, 'NOT IN'],
  [/^not\s+exists\b/i, 'NOT EXISTS'],
  [/^not\s+like\b/i, 'NOT CONTAINS'],
  [/^starts\s+with\b/i, 'STARTS WITH'],
  [/^ends\s+with\b/i, 'CONTAINS'],
  [/^!(?=\s*[\p{L}("'])/u, 'NOT'],
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

/** Returns a hint for a quotation mark of texts at `at`, or ''. */
export function markHint(text: string, at: number): string {
  const instead = MARKS.get(text[at] ?? '')
  return instead === undefined ? '' : hint(text[at]!, instead)
}

/** Ranges of SQL and of other engines, behind their field. */
const RANGES: readonly RegExp[] = [
  /^between\s+(\S+)\s+and\s+(\S+)/i,
  /^(?::\s*)?\[\s*([^\s\]]+)\s+to\s+([^\s\]]+)\s*\]/i,
  /^([^\s:.]+)\s*\.\.\s*([^\s:.]+)/,
  /^([^\s:[]+)\s+to\s+(\S+)/i,
]

/** Returns a hint for a range at `at`, or ''. */
export function rangeHint(text: string, at: number): string {
  const rest = text.slice(at, at + EXCERPT_UNITS)
  for (const pattern of RANGES) {
    const [written, low, high] = pattern.exec(rest) ?? []
    const instead = `${low} TO ${high}`
    if (written !== undefined && written !== instead) return hint(written, instead)
  }
  return ''
}

/** Returns a hint for text at `at`, behind a whole filter. */
export function restHint(text: string, at: number): string {
  const sign = /^([,;])\s*[\p{L}_"'(]/u.exec(text.slice(at, at + EXCERPT_UNITS))?.[1]
  if (sign !== undefined) return hint(sign, 'AND')
  return habitHint(text, at) || ' You probably forgot an `OR` or an `AND` rule.'
}

const EXCERPT_UNITS = 200

const hint = (written: string, instead: string): string =>
  ` Write \`${instead}\` instead of \`${written}\`.`

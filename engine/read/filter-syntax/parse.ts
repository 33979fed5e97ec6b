// Parses filters by recursive descent:
//
//   or = and { "OR" and }
//   and = not { "AND" not }
//   not = "NOT" not | operand
//   operand = "(" or ")" | geo form | condition | vectors form | "_foreign(" value "," or ")"
//           | value "[" or "]"
//
// Every function starts at the reader's position and leaves it after the text it read. Recursion is
// bounded by GRAMMAR_LEVELS_MAX; chains of AND and OR are loops.
import type { Ceilings } from './ceilings.ts'
import { shown, skipBlanks, wordAt } from './characters.ts'
import { habitHint, markHint, rangeHint, restHint } from './habits.ts'
import { GRAMMAR_LEVELS_MAX } from './limits.ts'
import { condition } from './parse-condition.ts'
import { GEO_FORMS } from './parse-geo.ts'
import { vectors } from './parse-vectors.ts'
import { fault, isAtEnd, keywordFault, type Reader, skip, take, takeWord, value } from './reader.ts'
import { combine, type FilterTree, negate, type Token } from './tree.ts'
import { type FilterWording, quoted } from './wording.ts'

const OPERATIONS =
  '`=`, `!=`, `>=`, `>`, `<=`, `<`, `IN`, `NOT IN`, `TO`, `EXISTS`, `NOT EXISTS`, `IS NULL`, ' +
  '`IS NOT NULL`, `IS EMPTY`, `IS NOT EMPTY`, `CONTAINS`, `NOT CONTAINS`, `STARTS WITH`, ' +
  '`NOT STARTS WITH`, `_geoRadius`, `_geoBoundingBox` or `_geoPolygon`'

/** Returns the tree of one expression that is not blank. @throws EngineFault */
export function parseExpression(
  text: string,
  wording: FilterWording,
  ceilings: Ceilings,
): FilterTree {
  const reader: Reader = { text, wording, ceilings, path: '', at: 0 }
  const tree = or(reader, 0)
  if (skipBlanks(text, reader.at) === text.length) return tree
  const rest = quoted(text.slice(reader.at))
  const hint = restHint(text, skipBlanks(text, reader.at))
  throw fault(
    reader,
    `Found unexpected characters at the end of the filter: ${rest}.${hint}`,
    reader.at,
  )
}

const or = (reader: Reader, level: number): FilterTree => chain(reader, 'or', and, level)
const and = (reader: Reader, level: number): FilterTree => chain(reader, 'and', not, level)

function chain(
  reader: Reader,
  kind: 'and' | 'or',
  operand: (reader: Reader, level: number) => FilterTree,
  level: number,
): FilterTree {
  const word = kind.toUpperCase()
  const operands: FilterTree[] = []
  for (;;) {
    operands.push(operand(reader, level + 1))
    const end = reader.at
    skip(reader)
    if (!takeWord(reader, word)) {
      reader.at = end
      return combine(kind, operands)!
    }
    skip(reader)
  }
}

function not(reader: Reader, level: number): FilterTree {
  refuseDepth(reader, level)
  const start = reader.at
  skip(reader)
  if (takeWord(reader, 'NOT')) {
    skip(reader)
    return negate(not(reader, level + 1))
  }
  reader.at = start
  return operand(reader, level + 1)
}

function operand(reader: Reader, level: number): FilterTree {
  refuseDepth(reader, level)
  skip(reader)
  const start = reader.at
  if (take(reader, '(')) return parenthesis(reader, start, level)
  const geo = GEO_FORMS.get(wordAt(reader.text, start))
  if (geo !== undefined) return counted(geo(reader), reader)
  const word = value(reader)
  if (word === null) throw keywordFault(reader) ?? missingOperation(reader, start)
  const field = inElement(reader, word)
  // Vectors belong to documents.
  const special = (spared: Reader): FilterTree | null =>
    spared.path === '' ? vectors(spared, start, word) : null
  const tree = condition(reader, field, special) ?? foreign(reader, word, level)
  if (tree !== null) return counted(tree, reader)
  const inner = elements(reader, field, level)
  if (inner === null) throw missingOperation(reader, start)
  return inner
}

/** Returns a name with the path of the elements that it belongs to in front. */
const inElement = ({ path }: Reader, name: Token): Token =>
  path === '' ? name : { ...name, text: `${path}.${name.text}` }

/** Parses the rest of `path[condition]`, or returns null without reading. */
function elements(reader: Reader, path: Token, level: number): FilterTree | null {
  const start = reader.at
  if (rangeHint(reader.text, start) !== '' || !take(reader, '[')) return null
  const form = `\`${shown(path.text.slice(path.text.lastIndexOf('.') + 1))}[attribute = value]\``
  const expected =
    `Expected a condition on the attributes of one element after \`[\`: ${form}. ` +
    'Names in it begin below the path, and conditions are joined by `AND`, `OR` and `NOT`.'
  if (NO_CONDITION.test(reader.text.slice(reader.at, reader.at + INDEX_UNITS))) {
    throw fault(reader, expected, start)
  }
  const outer = reader.path
  reader.path = path.text
  const condition = or(reader, level + 1)
  reader.path = outer
  skip(reader)
  if (!take(reader, ']')) {
    const rest = isAtEnd(reader) ? 'nothing' : quoted(reader.text.slice(reader.at))
    const sentence =
      `Expected \`]\` after the condition on one element, or \`AND\` or \`OR\` and another one, ` +
      `but instead found ${rest}.`
    throw fault(reader, sentence, reader.at)
  }
  skip(reader)
  return { kind: 'elements', path, condition }
}

/** Brackets as in other languages: of an index, of all elements, or empty. */
const NO_CONDITION = /^\s*(?:\d*|\*)\s*\]/
const INDEX_UNITS = 32

function counted(tree: FilterTree, { ceilings }: Reader): FilterTree {
  ceilings.count(tree)
  return tree
}

function parenthesis(reader: Reader, start: number, level: number): FilterTree {
  const tree = or(reader, level + 1)
  skip(reader)
  if (take(reader, ')')) return tree
  const expression = quoted(reader.text.slice(start))
  const sentence = `Expression ${expression} is missing the following closing delimiter: \`)\`.`
  throw fault(reader, sentence, start)
}

const FOREIGN_FORM = 'The `_foreign` filter must be in the form: `_foreign(field, condition)`.'

/** Parses `_foreign(field, condition)`; the reader is after the name. */
function foreign(reader: Reader, keyword: Token, level: number): FilterTree | null {
  const isForm = keyword.text === '_foreign' && reader.at === keyword.to && take(reader, '(')
  if (!isForm) return null
  const field = value(reader)
  if (field === null || !take(reader, ',')) throw fault(reader, FOREIGN_FORM, reader.at)
  const outer = reader.path
  reader.path = ''
  const tree = or(reader, level + 1)
  reader.path = outer
  skip(reader)
  if (!take(reader, ')')) throw fault(reader, FOREIGN_FORM, reader.at)
  const whole = { from: keyword.from, to: reader.at }
  return { kind: 'foreign', whole, field: inElement(reader, field), condition: tree }
}

function refuseDepth(reader: Reader, level: number): void {
  if (level <= GRAMMAR_LEVELS_MAX) return
  const sentence =
    'The filter exceeded the maximum depth limit. ' +
    'Try rewriting the filter so that it contains fewer nested conditions.'
  throw fault(reader, sentence, reader.at)
}

function missingOperation(reader: Reader, start: number): Error {
  reader.at = start
  const rest = reader.text.slice(start)
  const found = isAtEnd(reader) ? 'but instead got nothing' : `at ${quoted(rest)}`
  const { text } = reader
  const hint = markHint(text, start) || habitHint(text, start) || hintAfterField(reader)
  return fault(reader, `Was expecting an operation ${OPERATIONS} ${found}.${hint}`, start)
}

function hintAfterField(reader: Reader): string {
  const { text } = reader
  if (value(reader) === null) return ''
  const range = rangeHint(text, reader.at)
  if (range !== '') return range
  // In some engines a sign joins a field and its value: `color:red`.
  if (text[reader.at] === ':') return ' Write `=` instead of `:`.'
  return habitHint(text, reader.at)
}

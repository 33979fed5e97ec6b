// Parses the part of a condition after its field: comparisons, lists, states, ranges, texts.
import { wordAt } from './characters.ts'
import { ListedValues } from './listed-values.ts'
import {
  fault,
  isAtEnd,
  type Reader,
  requireValue,
  skip,
  take,
  takeWord,
  tokenOf,
  value,
} from './reader.ts'
import { type CompareOperator, type FilterTree, negate, type Token } from './tree.ts'
import { quoted } from './wording.ts'

/** Longer ones first, because `>` is a prefix of `>=`. */
const COMPARISONS: readonly CompareOperator[] = ['>=', '<=', '!=', '=', '>', '<']

/**
 * Returns the condition on `field`, or null without reading. `special` parses forms that begin with
 * a special name; it is tried after comparisons, lists and IS, and before EXISTS. @throws
 * EngineFault
 */
export function condition(
  reader: Reader,
  field: Token,
  special: (reader: Reader) => FilterTree | null,
): FilterTree | null {
  const start = reader.at
  return (
    comparison(reader, field) ??
    list(reader, field, start) ??
    state(reader, field, start) ??
    special(reader) ??
    existence(reader, field, start) ??
    range(reader, field, start) ??
    text(reader, field, start)
  )
}

function comparison(reader: Reader, field: Token): FilterTree | null {
  const operator = COMPARISONS.find((sign) => reader.text.startsWith(sign, reader.at))
  if (operator === undefined) return null
  reader.at += operator.length
  return { kind: 'compare', field, operator, value: requireValue(reader) }
}

/** Reads NOT before one of the words that follow a field. */
function takeNot(reader: Reader): boolean {
  if (!takeWord(reader, 'NOT')) return false
  skip(reader)
  return true
}

const back = (reader: Reader, start: number): null => {
  reader.at = start
  return null
}

const signed = (tree: FilterTree, isNegated: boolean): FilterTree =>
  isNegated ? negate(tree) : tree

function list(reader: Reader, field: Token, start: number): FilterTree | null {
  const isNegated = takeNot(reader)
  if (!takeWord(reader, 'IN')) return back(reader, start)
  skip(reader)
  if (!take(reader, '[')) throw fault(reader, 'Expected `[` after `IN` keyword.', reader.at)
  const values = new ListedValues()
  for (;;) {
    const element = value(reader)
    if (element === null) break
    values.add(element)
    reader.ceilings.noteRead()
    if (!take(reader, ',')) break
  }
  skip(reader)
  if (take(reader, ']')) return signed({ kind: 'in', field, values }, isNegated)
  if (isAtEnd(reader)) {
    const sentence = 'Expected matching `]` after the list of field names given to `IN[`'
    throw fault(reader, sentence, reader.at)
  }
  const rest = quoted(reader.text.slice(reader.at))
  const expected = 'Expected only comma-separated field names inside `IN[..]`'
  const sentence = `${expected} but instead found ${rest}.`
  throw fault(reader, sentence, reader.at)
}

function state(reader: Reader, field: Token, start: number): FilterTree | null {
  if (!takeWord(reader, 'IS')) return null
  skip(reader)
  const isNegated = takeNot(reader)
  if (takeWord(reader, 'NULL')) return signed({ kind: 'null', field }, isNegated)
  if (takeWord(reader, 'EMPTY')) return signed({ kind: 'empty', field }, isNegated)
  return back(reader, start)
}

function existence(reader: Reader, field: Token, start: number): FilterTree | null {
  const isNegated = takeNot(reader)
  if (takeWord(reader, 'EXISTS')) return signed({ kind: 'exists', field }, isNegated)
  return back(reader, start)
}

function range(reader: Reader, field: Token, start: number): FilterTree | null {
  const low = value(reader)
  if (low === null || !takeWord(reader, 'TO')) return back(reader, start)
  const high = value(reader)
  return high === null ? back(reader, start) : { kind: 'between', field, low, high }
}

function text(reader: Reader, field: Token, start: number): FilterTree | null {
  const isNegated = takeNot(reader)
  const from = reader.at
  const kind = takeTextOperator(reader)
  if (kind === null) return back(reader, start)
  const keyword = tokenOf(reader, from, reader.at)
  return signed({ kind, field, keyword, value: requireValue(reader) }, isNegated)
}

function takeTextOperator(reader: Reader): 'contains' | 'startsWith' | null {
  if (takeWord(reader, 'CONTAINS')) return 'contains'
  const { at } = reader
  if (!takeWord(reader, 'STARTS')) return null
  if (reader.text[reader.at] === ' ' && wordAt(reader.text, reader.at + 1) === 'WITH') {
    reader.at += ' WITH'.length
    return 'startsWith'
  }
  reader.at = at
  return null
}

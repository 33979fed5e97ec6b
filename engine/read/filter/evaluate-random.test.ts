// Random filters over random documents, compared with an evaluator that tests one document at a
// time, follows the definition of each operator literally and runs from left to right.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compareText,
  type ExactNumber,
  isExactNumber,
  wholeNumber,
} from '../../../format/bytes/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import { EngineFault } from '../../model/index.ts'
import type { FilterableAttribute } from '../../settings/values/index.ts'
import { filterWording } from '../filter-syntax/wording.ts'
import { evaluateFilter } from './evaluate.ts'
import { parseFilter } from './input.ts'
import { type Json, type JsonObject, memoryContext, normalise } from './test-filter.ts'

type Leaf =
  | {
      readonly kind: 'compare'
      readonly field: string
      readonly operator: string
      readonly value: string
    }
  | {
      readonly kind: 'between'
      readonly field: string
      readonly low: string
      readonly high: string
    }
  | { readonly kind: 'in'; readonly field: string; readonly values: readonly string[] }
  | { readonly kind: 'EXISTS' | 'IS NULL' | 'IS EMPTY'; readonly field: string }
  | { readonly kind: 'CONTAINS' | 'STARTS WITH'; readonly field: string; readonly value: string }
type Expression =
  | Leaf
  | { readonly kind: 'and' | 'or'; readonly sides: readonly [Expression, Expression] }
  | { readonly kind: 'not'; readonly inner: Expression }

const FIELDS = ['f', 'g', 'g.h', 'eq', 'cmp', 'never']
const RULES: readonly FilterableAttribute[] = [
  { attributePatterns: ['eq'], features: features(true, false) },
  { attributePatterns: ['cmp'], features: features(false, true) },
  'f',
  'g',
  'never',
]

function features(equality: boolean, comparison: boolean) {
  return { facetSearch: false, filter: { equality, comparison } }
}

const numbers = [-1.5, -1, 0, 1, 2, 10, 1e3, 2 ** 53, 2n ** 53n + 1n, -(2n ** 63n) + 1n]
const texts = ['', 'a', 'A', ' b ', 'ab', '1', '10', 'é', 'e\u0301', '🍓', '\uffee', 'true']
const scalar: fc.Arbitrary<Json> = fc.constantFrom(...numbers, ...texts, true, false, null)
const value: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom('h', 'i'), scalar, { maxKeys: 2 }) },
  {
    weight: 1,
    arbitrary: fc.array(fc.dictionary(fc.constantFrom('h', 'i'), scalar, { maxKeys: 2 }), {
      maxLength: 2,
    }),
  },
)
const documents: fc.Arbitrary<JsonObject[]> = fc.array(
  fc.dictionary(fc.constantFrom('f', 'g', 'eq', 'cmp', 'g.h'), value, { maxKeys: 4 }),
  { maxLength: 8 },
)
const literal = fc.constantFrom(
  ...texts,
  ...numbers.map(String),
  '+1',
  '1.0',
  '.5',
  'NaN',
  '0x1',
  'TRUE',
)
const field = fc.constantFrom(...FIELDS)

const leaf: fc.Arbitrary<Leaf> = fc.oneof(
  fc.record({
    kind: fc.constant('compare' as const),
    field,
    operator: fc.constantFrom('=', '!=', '<', '<=', '>', '>='),
    value: literal,
  }),
  fc.record({ kind: fc.constant('between' as const), field, low: literal, high: literal }),
  fc.record({
    kind: fc.constant('in' as const),
    field,
    values: fc.array(literal, { maxLength: 4 }),
  }),
  fc.record({ kind: fc.constantFrom('EXISTS' as const, 'IS NULL', 'IS EMPTY'), field }),
  fc.record({ kind: fc.constantFrom('CONTAINS' as const, 'STARTS WITH'), field, value: literal }),
)
const { expression } = fc.letrec<{ expression: Expression }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'medium', maxDepth: 5 },
    leaf,
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      sides: fc.tuple(tie('expression'), tie('expression')),
    }),
    fc.record({ kind: fc.constant('not' as const), inner: tie('expression') }),
  ),
}))

const quote = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`

function print(tree: Expression): string {
  switch (tree.kind) {
    case 'and':
    case 'or':
      return `(${print(tree.sides[0])}) ${tree.kind.toUpperCase()} (${print(tree.sides[1])})`
    case 'not':
      return `NOT (${print(tree.inner)})`
    case 'compare':
      return `${tree.field} ${tree.operator} ${quote(tree.value)}`
    case 'between':
      return `${tree.field} ${quote(tree.low)} TO ${quote(tree.high)}`
    case 'in':
      return `${tree.field} IN [${tree.values.map(quote).join(',')}]`
    case 'CONTAINS':
    case 'STARTS WITH':
      return `${tree.field} ${tree.kind} ${quote(tree.value)}`
    default:
      return `${tree.field} ${tree.kind}`
  }
}

type Found = { readonly value: Json; readonly isInArray: boolean }

/** All values of a document under a dotted name, including objects and lists. */
function valuesAt(json: Json, path: string, isInArray = false): Found[] {
  if (Array.isArray(json)) return json.flatMap((item) => valuesAt(item as Json, path, true))
  if (json === null || typeof json !== 'object') return []
  return Object.entries(json as JsonObject).flatMap(([key, inner]) => {
    if (key === path) return spread(inner, isInArray && false)
    return path.startsWith(`${key}.`) ? valuesAt(inner, path.slice(key.length + 1)) : []
  })
}

const spread = (json: Json, isInArray: boolean): Found[] => [
  { value: json, isInArray },
  ...(Array.isArray(json) ? json.flatMap((item) => spread(item as Json, true)) : []),
]

/** Fractions are doubles, digits alone are exact. */
const numberOf = (text: string): ExactNumber =>
  /[.]/.test(text) ? Number(text) : wholeNumber(text)

const isNumeric = (text: string): boolean => /^[+-]?(\d+\.?\d*|\.\d+)$/.test(text)

function textsOf(found: readonly Found[]): string[] {
  return found.flatMap(({ value: json }) => {
    if (typeof json === 'boolean') return [String(json)]
    return typeof json === 'string' && json !== '' ? [normalise(json)] : []
  })
}
const numbersOf = (found: readonly Found[]): ExactNumber[] =>
  found.flatMap(({ value: json }) => (isExactNumber(json) ? [json] : []))

/** Numbers, and texts that are numbers. */
const countedOf = (found: readonly Found[]): ExactNumber[] => [
  ...numbersOf(found),
  ...textsOf(found).filter(isNumeric).map(numberOf),
]

function equals(found: readonly Found[], text: string): boolean {
  const same = textsOf(found).includes(normalise(text))
  return same || (isNumeric(text) && numbersOf(found).includes(numberOf(text)))
}

function orders(operator: string, difference: number): boolean {
  if (difference === 0) return operator.endsWith('=')
  return operator.startsWith('<') ? difference < 0 : difference > 0
}

function matches(tree: Leaf, document: JsonObject): boolean {
  const found = valuesAt(document, tree.field)
  switch (tree.kind) {
    case 'compare': {
      if (tree.operator === '=') return equals(found, tree.value)
      if (tree.operator === '!=') return !equals(found, tree.value)
      const bound = normalise(tree.value)
      if (isNumeric(tree.value)) {
        const number = numberOf(tree.value)
        return countedOf(found).some((n) =>
          orders(tree.operator, n < number ? -1 : Number(n > number)),
        )
      }
      const isLike = (text: string) => !/^[0-9]/.test(bound) || /^[0-9]/.test(text)
      return textsOf(found).some(
        (text) => isLike(text) && orders(tree.operator, compareText(text, bound)),
      )
    }
    case 'between': {
      const [low, high] = [normalise(tree.low), normalise(tree.high)]
      const isInside = (text: string) => compareText(low, text) <= 0 && compareText(text, high) <= 0
      if (!isNumeric(tree.low) || !isNumeric(tree.high)) return textsOf(found).some(isInside)
      const [least, most] = [numberOf(tree.low), numberOf(tree.high)]
      return countedOf(found).some((n) => least <= n && n <= most)
    }
    case 'in':
      return tree.values.some((text) => equals(found, text))
    case 'EXISTS':
      return found.length > 0
    case 'IS NULL':
      return found.some((one) => one.value === null && !one.isInArray)
    case 'IS EMPTY':
      return found.some((one) => !one.isInArray && isEmpty(one.value))
    case 'CONTAINS':
      return textsOf(found).some((text) => text.includes(normalise(tree.value)))
    case 'STARTS WITH':
      if (normalise(tree.value) === '') return found.length > 0
      return textsOf(found).some((text) => text.startsWith(normalise(tree.value)))
  }
}

const isEmpty = (json: Json): boolean =>
  json === '' || (typeof json === 'object' && json !== null && Object.keys(json).length === 0)

class Refused extends Error {}

function refuseOperator(tree: Leaf): void {
  const isEquality =
    (tree.kind === 'compare' && /^!?=$/.test(tree.operator)) ||
    (tree.kind === 'in' && tree.values.length > 0)
  const isComparison = (tree.kind === 'compare' && !isEquality) || tree.kind === 'between'
  if (tree.field === 'cmp' && isEquality) throw new Refused()
  if (tree.field === 'eq' && isComparison) throw new Refused()
}

/** The positions of the matching documents. @throws Refused */
function naive(tree: Expression, all: readonly JsonObject[], isRuled = true): ReadonlySet<number> {
  const places = [...all.keys()]
  switch (tree.kind) {
    case 'and': {
      const first = naive(tree.sides[0], all, isRuled)
      if (first.size === 0) return first
      const second = naive(tree.sides[1], all, isRuled)
      return new Set(places.filter((at) => first.has(at) && second.has(at)))
    }
    case 'or': {
      const [first, second] = [
        naive(tree.sides[0], all, isRuled),
        naive(tree.sides[1], all, isRuled),
      ]
      return new Set(places.filter((at) => first.has(at) || second.has(at)))
    }
    case 'not': {
      const inner = naive(tree.inner, all, isRuled)
      return new Set(places.filter((at) => !inner.has(at)))
    }
    default: {
      if (isRuled) refuseOperator(tree)
      const isKnown = all.some((document) => valuesAt(document, tree.field).length > 0)
      return new Set(places.filter((at) => isKnown && matches(tree, all[at]!)))
    }
  }
}

const outcome = (run: () => Iterable<number>): string => {
  try {
    return [...run()].sort((a, b) => a - b).join(' ')
  } catch (error) {
    if (error instanceof Refused) return 'refused'
    if (error instanceof EngineFault && error.message.includes('is not allowed')) return 'refused'
    throw error
  }
}

describe('random filters over random documents', () => {
  const input = {
    wording: filterWording('search', 'parsing', asIndexUid('x')),
    features: { containsFilter: true, foreignKeys: true, multimodal: true, network: true },
    takesForeign: true,
  }

  test('match the same documents as testing each one, and have the same faults', () => {
    fc.assert(
      fc.property(documents, expression, (all, tree) => {
        const text = print(tree)
        const parsed = parseFilter(text, input)!
        const context = memoryContext(all, RULES)
        const mine = outcome(() => evaluateFilter(parsed, context).toArray())
        expect(mine, text).toBe(outcome(() => naive(tree, all)))
      }),
      { numRuns: 2000 },
    )
  })

  test('arrays mean AND of OR', () => {
    fc.assert(
      fc.property(
        documents,
        fc.array(fc.array(leaf, { maxLength: 3 }), { maxLength: 3 }),
        (all, rows) => {
          const parsed = parseFilter(
            rows.map((row) => row.map(print)),
            input,
          )
          const context = memoryContext(all, ['f', 'g', 'eq', 'cmp', 'never'])
          const mine = parsed === null ? context.universe : evaluateFilter(parsed, context)
          const known = (one: Leaf) =>
            all.some((document) => valuesAt(document, one.field).length > 0)
          const expected = [...all.keys()].filter((at) =>
            rows.every(
              (row) => row.length === 0 || row.some((one) => known(one) && matches(one, all[at]!)),
            ),
          )
          expect([...mine.toArray()]).toEqual(expected)
        },
      ),
      { numRuns: 500 },
    )
  })

  test('many conditions together match what each matches alone', () => {
    const some = fc.oneof(
      { weight: 6, arbitrary: leaf },
      { weight: 1, arbitrary: expression },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('not' as const), inner: leaf }),
      },
    )
    const wide = fc.tuple(
      fc.constantFrom(' AND ', ' OR '),
      fc.array(some, { minLength: 4, maxLength: 14 }),
    )
    fc.assert(
      fc.property(documents, wide, wide, fc.boolean(), (all, inner, outer, isNegated) => {
        const group = inner[1].map((one) => `(${print(one)})`).join(inner[0])
        const parts = [...outer[1].map((one) => `(${print(one)})`)]
        parts.splice(parts.length >> 1, 0, `${isNegated ? 'NOT ' : ''}(${group})`)
        const text = parts.join(outer[0])
        const nest = (joint: string, trees: readonly Expression[]): Expression =>
          trees.reduce((left, right) => ({
            kind: joint === ' AND ' ? 'and' : 'or',
            sides: [left, right],
          }))
        const middle = nest(inner[0], inner[1])
        const whole: Expression[] = [...outer[1]]
        const placed: Expression = isNegated ? { kind: 'not', inner: middle } : middle
        whole.splice(whole.length >> 1, 0, placed)
        const context = memoryContext(all, ['f', 'g', 'eq', 'cmp', 'never'])
        const mine = outcome(() => evaluateFilter(parseFilter(text, input)!, context).toArray())
        expect(mine, text).toBe(outcome(() => naive(nest(outer[0], whole), all, false)))
      }),
      { numRuns: 2000 },
    )
  })
})

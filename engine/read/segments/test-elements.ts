// For tests: random documents with arrays of objects, random conditions on one element, and a model
// that tests one document at a time by the definition.
import fc from 'fast-check'
import { asIndexUid } from '../../../format/ids.ts'
import { applyPatch, defaultSettings } from '../../settings/index.ts'
import { columnsLayer } from '../../store/layers/index.ts'
import { normalizeFacet } from '../../text/index.ts'
import { deletionOf, importOf, type Json, SmallIndex } from '../../write/indexer/test-support.ts'
import { evaluateFilter, parseFilter } from '../filter/index.ts'
import { compileRules, filterWording } from '../filter-syntax/index.ts'
import { geoAreas } from '../geo/index.ts'
import { ColumnFilters } from './column-filters.ts'

export type JsonObject = { readonly [key: string]: Json }

export type Condition =
  | { readonly kind: 'test'; readonly field: string; readonly test: string }
  | { readonly kind: 'AND' | 'OR'; readonly sides: readonly [Condition, Condition] }
  | { readonly kind: 'NOT'; readonly of: Condition }
  | { readonly kind: 'element'; readonly path: string; readonly of: Condition }

/** The tests of a field: its text in a filter, and whether values of a document pass. */
const TESTS: { readonly [test: string]: (values: Values) => boolean } = {
  '= 1': ({ all }) => all.includes(1),
  '= b': ({ all }) => all.includes('b'),
  '!= 2': ({ all }) => !all.includes(2),
  '> 1': ({ all }) => all.some((value) => typeof value === 'number' && value > 1),
  '1 TO 2': ({ all }) => all.some((value) => value === 1 || value === 2),
  'IN [2, a]': ({ all }) => all.includes(2) || all.includes('a'),
  'NOT IN [1, b]': ({ all }) => !all.includes(1) && !all.includes('b'),
  EXISTS: ({ exists }) => exists,
  'NOT EXISTS': ({ exists }) => !exists,
  'IS NULL': ({ isNull }) => isNull,
  'IS NOT NULL': ({ isNull }) => !isNull,
  'IS EMPTY': ({ isEmpty }) => isEmpty,
  'STARTS WITH a': ({ all }) => all.some((value) => String(value).startsWith('a')),
}

type Values = {
  readonly all: readonly Json[]
  readonly exists: boolean
  readonly isNull: boolean
  readonly isEmpty: boolean
}

/** Names of members on each level; those of objects are `a` and `b`. */
const FIELDS = ['x', 'y', 'a.x', 'b.y', 'a.b.x'] as const
const PATHS = ['a', 'b', 'a.b', 'b.a'] as const
export const ATTRIBUTES = ['a', 'b', 'x', 'y']

const often = <T>(most: readonly T[], others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...most) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  )

const scalar = often<Json>([1, 2, 'a', 'b'], [3, '', null])
const value: fc.Arbitrary<Json> = fc.oneof(
  { weight: 5, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
)

const objectOf = (depth: number): fc.Arbitrary<JsonObject> => {
  const members = { x: value, y: value }
  if (depth === 0) return fc.record(members, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>
  const inner: fc.Arbitrary<Json> = objectOf(depth - 1)
  const nested: fc.Arbitrary<Json> = fc.oneof(
    { weight: 6, arbitrary: fc.array(inner, { minLength: 1, maxLength: 3 }) },
    { weight: 2, arbitrary: inner },
    { weight: 1, arbitrary: fc.array(fc.oneof(inner, scalar, fc.array(inner, { maxLength: 2 }))) },
    { weight: 1, arbitrary: scalar },
  )
  const all = { ...members, a: nested, b: nested }
  return fc.record(all, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>
}

export const anyObject = objectOf(2)

const anyTest: fc.Arbitrary<Condition> = fc.record({
  kind: fc.constant('test' as const),
  field: often<string>(['x', 'y'], FIELDS),
  test: often(['= 1', '= b', '!= 2', 'IN [2, a]', 'NOT IN [1, b]'], Object.keys(TESTS)),
})

const pairOf = (side: fc.Arbitrary<Condition>): fc.Arbitrary<Condition> =>
  fc.record({
    kind: often<'AND' | 'OR'>(['AND'], ['OR']),
    sides: fc.tuple(side, side),
  })

const elementOf = (of: fc.Arbitrary<Condition>): fc.Arbitrary<Condition> =>
  fc.record({
    kind: fc.constant('element' as const),
    path: often<string>(['a', 'b'], PATHS),
    of: fc.oneof({ weight: 4, arbitrary: pairOf(of) }, { weight: 1, arbitrary: of }),
  })

/** `levels`: objects below, most conditions on which find something. */
const conditionOf = (levels: number): fc.Arbitrary<Condition> => {
  if (levels === 0) return anyTest
  const inner = conditionOf(levels - 1)
  const element = elementOf(inner)
  return fc.oneof(
    { weight: 4, arbitrary: element },
    { weight: 2, arbitrary: anyTest },
    { weight: 1, arbitrary: element.map((of): Condition => ({ kind: 'NOT', of })) },
    { weight: 1, arbitrary: pairOf(fc.oneof(element, anyTest)) },
  )
}

export const anyCondition = conditionOf(2)

export function textOf(condition: Condition): string {
  switch (condition.kind) {
    case 'test':
      return `${condition.field} ${condition.test}`
    case 'NOT':
      return `NOT (${textOf(condition.of)})`
    case 'element':
      return `${condition.path}[${textOf(condition.of)}]`
    default:
      return condition.sides.map((side) => `(${textOf(side)})`).join(` ${condition.kind} `)
  }
}

/**
 * `isKnown`: whether a document ever had a field of that name: else even `!=` matches nothing.
 * `path` is in front of the names of an element, with a dot, and '' for a document.
 */
export function isConditionMet(
  condition: Condition,
  object: JsonObject,
  isKnown: (name: string) => boolean,
  path = '',
): boolean {
  const same = (one: Condition): boolean => isConditionMet(one, object, isKnown, path)
  switch (condition.kind) {
    case 'test': {
      const { field, test } = condition
      if (test.startsWith('!=') && !isKnown(path + field)) return false
      return TESTS[test]!(valuesAt(object, field.split('.')))
    }
    case 'AND':
      return condition.sides.every(same)
    case 'OR':
      return condition.sides.some(same)
    case 'NOT':
      return !same(condition.of)
    case 'element': {
      const below = `${path}${condition.path}.`
      return objectsAt(object, condition.path.split('.')).some(
        (element) =>
          Object.keys(element).length > 0 && isConditionMet(condition.of, element, isKnown, below),
      )
    }
  }
}

/** Returns the names of all fields of an object, those of its elements included. */
export function namesIn(object: JsonObject, path = ''): readonly string[] {
  return Object.entries(object).flatMap(([name, value]) => [
    path + name,
    ...objectsIn(value).flatMap((one) => namesIn(one, `${path}${name}.`)),
  ])
}

function objectsAt(object: JsonObject, [key, ...rest]: readonly string[]): JsonObject[] {
  const found = key !== undefined && key in object ? objectsIn(object[key]!) : []
  return rest.length === 0 ? found : found.flatMap((one) => objectsAt(one, rest))
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

function objectsIn(value: Json): JsonObject[] {
  if (value === null || typeof value !== 'object') return []
  return isList(value) ? value.flatMap(objectsIn) : [value]
}

function valuesAt(object: JsonObject, path: readonly string[]): Values {
  const key = path.at(-1)!
  const parents = path.length === 1 ? [object] : objectsAt(object, path.slice(0, -1))
  const given = parents.filter((one) => key in one).map((one) => one[key]!)
  const isEmptyValue = (one: Json): boolean =>
    one === '' ||
    (one !== null && typeof one === 'object' && Object.keys(one as object).length === 0)
  return {
    all: given.flatMap(scalarsIn),
    exists: given.length > 0,
    isNull: given.some((one) => one === null),
    isEmpty: given.some(isEmptyValue),
  }
}

const scalarsIn = (value: Json): Json[] => (isList(value) ? value.flatMap(scalarsIn) : [value])

/** A change of an index: documents by their numbers, or null for a deletion. */
export type Batch = readonly (readonly [id: number, object: JsonObject | null])[]

export const anyBatches: fc.Arbitrary<readonly Batch[]> = fc.array(
  fc.array(fc.tuple(fc.nat(9), fc.option<JsonObject>(anyObject, { freq: 6 })), {
    minLength: 1,
    maxLength: 8,
  }),
  { minLength: 1, maxLength: 4 },
)

/** An index and the model of its documents. */
export class ElementsIndex {
  readonly index = new SmallIndex(
    applyPatch(defaultSettings(), { filterableAttributes: ATTRIBUTES }).settings,
  )
  readonly model = new Map<number, JsonObject>()

  async run(batch: Batch): Promise<void> {
    const operations = batch.map(([id, object]) => {
      if (object === null) {
        this.model.delete(id)
        return deletionOf('ids', [String(id)])
      }
      this.model.set(id, object)
      return importOf([{ id, ...object }], { primaryKey: 'id' })
    })
    await this.index.run(operations)
  }

  /** Returns the numbers of the documents that a filter finds, ascending. */
  found(filter: string): number[] {
    const { view, state } = this.index
    const uid = asIndexUid('movies')
    const wording = filterWording('search', 'parsing', uid)
    const features = { containsFilter: true, foreignKeys: true, multimodal: true, network: true }
    const tree = parseFilter(filter, { wording, features, takesForeign: false })!
    const set = evaluateFilter(tree, {
      universe: view.live(),
      fieldId: (name) => state.fieldIds.get(name) ?? null,
      names: state.fields,
      rules: compileRules(ATTRIBUTES),
      normalise: normalizeFacet,
      columns: new ColumnFilters(view.layer(columnsLayer), () => {
        throw new Error('there are no circles')
      }),
      wording,
      vectors: null,
      shards: null,
      foreign: null,
      geojson: null,
      areas: geoAreas,
      known: null,
      checkpoint: () => undefined,
    })
    const ids = [...set.toArray()].map((id) => Buffer.from(view.externalId(id)!).toString())
    return ids.map(Number).sort((a, b) => a - b)
  }

  /** Returns the numbers that the definition gives. */
  expected(condition: Condition): number[] {
    const isKnown = (name: string): boolean => this.index.state.fieldIds.has(name)
    const numbers = [...this.model].filter(([, object]) =>
      isConditionMet(condition, object, isKnown),
    )
    return numbers.map(([id]) => id).sort((a, b) => a - b)
  }
}

// Batches of imports and deletions, one after another, compared with a plain map of documents:
// stored documents, their ids, counts, search results; and that bytes depend on nothing else.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scopeOf } from '../../read/segment-text/index.ts'
import { applyPatch, defaultSettings } from '../../settings/index.ts'
import { segmentPath } from '../../store/catalog/index.ts'
import { columnsLayer } from '../../store/layers/index.ts'
import { TAKE_OVER } from '../tiers/index.ts'
import type { DocumentOperation } from './protocol.ts'
import { type Document, deletionOf, importOf, type Json, SmallIndex } from './test-support.ts'

const WORDS = ['amber', 'birch', 'cedar', 'delta']
const { settings: SETTINGS } = applyPatch(defaultSettings(), {
  searchableAttributes: ['title', 'nested.name', 'tags'],
  filterableAttributes: ['year', 'tags', 'nested'],
})

const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }).map((all) => all.join(' '))
const nested = fc.record({ name: text, size: fc.nat(3) }, { requiredKeys: [] })
const document: fc.Arbitrary<Document> = fc.record(
  {
    id: fc.nat(11).map((n) => `d${n}`),
    title: text,
    year: fc.option(fc.integer({ min: 1999, max: 2002 }), { nil: null }),
    tags: fc.array(fc.constantFrom(...WORDS), { maxLength: 2 }),
    nested: fc.oneof(nested, fc.array(nested, { maxLength: 2 })),
    other: fc.nat(2),
  },
  { requiredKeys: ['id'] },
)
const ids = fc.array(
  fc.nat(13).map((n) => `d${n}`),
  { maxLength: 4 },
)
type Step =
  | {
      readonly kind: 'import'
      readonly method: 'replace' | 'update'
      readonly skipCreation: boolean
      readonly documents: readonly Document[]
    }
  | { readonly kind: 'unsound'; readonly documents: readonly Document[] }
  | { readonly kind: 'delete'; readonly ids: readonly string[] }
  | { readonly kind: 'filter'; readonly year: number }
const documents = fc.array(document, { minLength: 1, maxLength: 6 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('import' as const),
      method: fc.constantFrom<'replace' | 'update'>('replace', 'update'),
      skipCreation: fc.boolean(),
      documents,
    }),
  },
  fc.record({ kind: fc.constant('unsound' as const), documents }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), ids }) },
  fc.record({ kind: fc.constant('filter' as const), year: fc.integer({ min: 1999, max: 2002 }) }),
)
const chunkBytes = fc.constantFrom(1, 200, 1 << 20)
/** What batches may take over: nothing, or all small segments. */
const takeOver = fc.constantFrom(0, 1 << 15)
const batches = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 4 })

function operationOf(one: Step): DocumentOperation {
  switch (one.kind) {
    case 'import':
      return importOf(one.documents, { method: one.method, skipCreation: one.skipCreation })
    case 'unsound':
      return importOf([...one.documents, { id: 'no/id' }, ...one.documents])
    case 'delete':
      return deletionOf('ids', one.ids)
    case 'filter':
      return deletionOf('filter', `year = ${one.year}`)
  }
}

/** The expected documents, by external id. */
class Model {
  readonly documents = new Map<string, Document>()
  readonly ids = new Map<string, number>()

  /** Runs a batch; returns the number of documents that each step counts, null for a fault. */
  run(steps: readonly Step[]): (number | null)[] {
    const before = new Map(this.documents)
    const used = new Set([...before.keys()].map((id) => this.ids.get(id)!))
    const met = new Set<string>()
    const meet = (id: string): void => {
      if (met.has(id)) return
      met.add(id)
      if (before.has(id)) return
      let free = 0
      while (used.has(free)) free++
      used.add(free)
      this.ids.set(id, free)
    }
    return steps.map((one) => {
      switch (one.kind) {
        case 'unsound':
          return null
        case 'import':
          for (const each of one.documents) {
            meet(String(each['id']))
            this.#import(each, one)
          }
          return new Set(one.documents.map(({ id }) => id)).size
        default: {
          const gone =
            one.kind === 'delete'
              ? one.ids
              : [...before].filter(([, { year }]) => year === one.year).map(([id]) => id)
          for (const id of inIdOrder(gone, one.kind === 'filter' ? this.ids : null)) {
            meet(id)
            this.documents.delete(id)
          }
          return new Set(gone.filter((id) => before.has(id))).size
        }
      }
    })
  }

  #import(each: Document, { method, skipCreation }: Step & { kind: 'import' }): void {
    const id = String(each['id'])
    const old = this.documents.get(id)
    if (old === undefined && skipCreation) return
    this.documents.set(id, method === 'update' ? { ...old, ...each } : each)
  }
}

const inIdOrder = (ids: readonly string[], by: ReadonlyMap<string, number> | null) =>
  by === null ? ids : [...ids].sort((a, b) => by.get(a)! - by.get(b)!)

/** Returns the scalars below `path` of a value; arrays are transparent. */
function scalarsAt(value: Json | undefined, path: readonly string[]): Json[] {
  if (value === undefined) return []
  if (Array.isArray(value)) return value.flatMap((one: Json) => scalarsAt(one, path))
  if (typeof value !== 'object' || value === null) return path.length === 0 ? [value] : []
  const [first, ...rest] = path
  return first === undefined ? [] : scalarsAt((value as Document)[first], rest)
}

function checkFound(index: SmallIndex, model: Model): void {
  const { view, state } = index
  const holders = (path: string, test: (value: Json) => boolean): number[] =>
    [...model.documents]
      .filter(([, one]) => scalarsAt(one, path.split('.')).some(test))
      .map(([id]) => model.ids.get(id)!)
      .sort((a, b) => a - b)
  for (const path of ['title', 'nested.name', 'tags']) {
    for (const word of WORDS) {
      const field = state.fieldIds.get(path)
      const known = view.textIndex.word(word)
      const docs =
        known === null || field === undefined ? [] : view.textIndex.docs(known, scopeOf([field]))
      expect([...(Array.isArray(docs) ? docs : docs.toArray())], `${word} in ${path}`).toEqual(
        holders(path, (value) => typeof value === 'string' && value.split(' ').includes(word)),
      )
    }
  }
  for (const [path, value] of [
    ['year', 2001],
    ['nested.size', 1],
  ] as const) {
    const field = state.fieldIds.get(path)
    const found = view.layer(columnsLayer).flatMap(({ reader, dead }) => {
      const column = field === undefined ? null : reader.field(field)
      const ordinal = column === null ? -1 : column.findNumber(value)
      return ordinal < 0 ? [] : [...column!.numberPosting(ordinal).andNot(dead).toArray()]
    })
    expect(
      found.sort((a, b) => a - b),
      path,
    ).toEqual(holders(path, (one) => one === value))
  }
}

function checkCounts({ state }: SmallIndex, { documents: all }: Model): void {
  for (const [field, name] of state.fields.entries()) {
    const count = [...all.values()].filter((one) => name in one).length
    expect(state.fieldCounts[field], name).toBe(count)
  }
}

/** Returns the bytes of every segment, in the order of their numbers. */
const bytesOf = ({ fs, state }: SmallIndex): Uint8Array[] =>
  [...state.segments.values()].map(({ segment, layer, bytes, location }) =>
    location.kind === 'inline' ? location.frame : fs.map(segmentPath(segment, layer), bytes),
  )

async function indexOf(
  all: readonly (readonly Step[])[],
  chunkBytesMax?: number,
  takeOverBytesMax = 0,
) {
  const index = new SmallIndex(SETTINGS)
  index.takeOverBytesMax = takeOverBytesMax
  for (const steps of all) await index.run(steps.map(operationOf), chunkBytesMax)
  return index
}

describe('batches of documents', () => {
  it('apply their operations in order', { timeout: 240_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(batches, chunkBytes, takeOver, async (all, chunkBytesMax, most) => {
        const index = new SmallIndex(SETTINGS)
        index.takeOverBytesMax = most
        const model = new Model()
        for (const steps of all) {
          const before = new Map(model.documents)
          const counts = model.run(steps)
          const result = await index.run(steps.map(operationOf), chunkBytesMax)
          expect(result.outcomes.map((one) => (one.fault === null ? one.documents : null))).toEqual(
            counts,
          )
          const isSame = (id: string) => {
            const [old, now] = [before.get(id)!, model.documents.get(id)!]
            const names = [...new Set([...Object.keys(old), ...Object.keys(now)])]
            return names.every((name) => JSON.stringify(old[name]) === JSON.stringify(now[name]))
          }
          const kept = [...before.keys()].filter((id) => model.documents.has(id))
          const added = [...model.documents.keys()].filter((id) => !before.has(id)).length
          const updated = kept.filter((id) => !isSame(id)).length
          const deleted = before.size - kept.length
          expect(result).toMatchObject({ added, updated, deleted })
          const expected = [...model.documents].map(
            ([id, one]) => [model.ids.get(id)!, one] as const,
          )
          expect(index.documents()).toEqual(new Map(expected))
          checkFound(index, model)
          checkCounts(index, model)
        }
        await index.merge()
        checkFound(index, model)
        expect(index.documents().size).toBe(model.documents.size)
      }),
      { numRuns: 40 },
    )
  })

  it('are the same when rebuilt under the same settings', async () => {
    await fc.assert(
      fc.asyncProperty(batches, async (all) => {
        const index = await indexOf(all)
        const model = new Model()
        for (const steps of all) model.run(steps)
        const other = applyPatch(SETTINGS, { searchableAttributes: ['title'] }).settings
        await index.rebuild(other)
        await index.rebuild(SETTINGS)
        checkFound(index, model)
      }),
      { numRuns: 30 },
    )
  })
})

describe('bytes', () => {
  it('are a function of the batches', async () => {
    await fc.assert(
      fc.asyncProperty(batches, chunkBytes, takeOver, async (all, chunkBytesMax, most) => {
        const build = () => indexOf(all, chunkBytesMax, most)
        const [one, two] = [await build(), await build()]
        expect(bytesOf(one)).toEqual(bytesOf(two))
      }),
      { numRuns: 30 },
    )
  })

  it('of small batches that take over segments are those of one batch', async () => {
    await fc.assert(
      fc.asyncProperty(documents, async (drawn) => {
        const stepOf = (all: readonly Document[]): Step[] => [
          { kind: 'import', method: 'replace', skipCreation: false, documents: all },
        ]
        const whole = await indexOf([stepOf(drawn)])
        const small = await indexOf(
          drawn.map((one) => stepOf([one])),
          1 << 20,
          1 << 15,
        )
        const layers = [...small.state.segments.values()].map(({ layer }) => layer)
        expect(layers.length).toBeLessThanOrEqual(new Set(layers).size * TAKE_OVER.countMin)
        expect(small.documents()).toEqual(whole.documents())
        await small.merge()
        await whole.merge()
        if (new Set(drawn.map(({ id }) => id)).size < drawn.length) return
        expect(bytesOf(small).toSorted(Buffer.compare)).toEqual(
          bytesOf(whole).toSorted(Buffer.compare),
        )
      }),
      { numRuns: 50 },
    )
  })

  it('of a batch cut into several segments hold the same documents', async () => {
    await fc.assert(
      fc.asyncProperty(documents, fc.constantFrom(1, 150, 400), async (drawn, chunkBytesMax) => {
        const steps: Step[] = [
          { kind: 'import', method: 'replace', skipCreation: false, documents: drawn },
        ]
        const [whole, cut] = [await indexOf([steps]), await indexOf([steps], chunkBytesMax)]
        const layers = (index: SmallIndex) =>
          new Set([...index.state.segments.values()].map(({ layer }) => layer)).size
        expect(whole.state.segments.size).toBe(layers(whole))
        await cut.merge()
        expect(bytesOf(cut)).toEqual(bytesOf(whole))
        expect(cut.state.fields).toEqual(whole.state.fields)
      }),
      { numRuns: 50 },
    )
  })
})

// Documents in the order of their external ids, over segments with replaced documents.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { compareExternalIds, compareExternalTexts, ExternalOrder } from './external-order.ts'
import type { OpenView } from './open-view.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)

/** The expected order: numbers by value, then texts by bytes. */
function byHand(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => /^(0|[1-9]\d{0,14})$/.test(text))
  if (left !== right) return left ? -1 : 1
  return left ? Number(a) - Number(b) : a < b ? -1 : a > b ? 1 : 0
}

const externalId = fc.oneof(
  fc.integer({ min: 0, max: 3000 }).map(String),
  fc.constantFrom('007', '-1', '999999999999999', '1000000000000000', '9007199254740993'),
  fc.integer({ min: 0, max: 3000 }).map((n) => `prefix-${n}`),
  fc.uuid(),
)

/** Segments of a view: ids that a later segment replaces are dead in the earlier one. */
function viewOf(documents: readonly (readonly [id: number, externalId: string])[]): OpenView {
  const half = documents.length >> 1
  const replaced = documents.slice(0, 3).map(([id]) => id)
  const segment = (all: readonly (readonly [number, string])[], dead: readonly number[]) => {
    const known = new Map(all)
    const set = IdSet.of(all.map(([id]) => id))
    const reader = {
      idSet: () => set,
      externalId: (id: number) => bytes(known.get(id)!),
    }
    return { reader, dead: IdSet.of(dead), known }
  }
  const old = documents.slice(0, half).map(([id, own]) => {
    return [id, replaced.includes(id) ? 'old' : own] as const
  })
  const segments = [
    segment(old, replaced),
    segment([...documents.slice(half), ...documents.slice(0, 3)], []),
  ]
  const ids = new Map(documents)
  return {
    layer: () => segments,
    externalId: (id: number) => bytes(ids.get(id)!),
  } as unknown as OpenView
}

test('external ids have one order', () => {
  fc.assert(
    fc.property(externalId, externalId, (a, b) => {
      const order = compareExternalIds(bytes(a), bytes(b))
      expect(Math.sign(order)).toBe(Math.sign(byHand(a, b)))
      expect(Math.sign(compareExternalTexts(a, b))).toBe(Math.sign(order))
    }),
  )
})

test('the first of few and of many documents are in this order', () => {
  const documents = fc.uniqueArray(externalId, { minLength: 8, maxLength: 700 })
  fc.assert(
    fc.property(documents, fc.nat(40), fc.nat(3), (externalIds, count, apart) => {
      // Sparse ids are looked up one by one.
      const all = externalIds.map((one, i) => [i * 7 ** apart, one] as const)
      const found = new ExternalOrder(viewOf(all)).first(IdSet.of(all.map(([id]) => id)), count)
      const wanted = all.toSorted(([, a], [, b]) => byHand(a, b)).slice(0, count)
      expect([...found]).toEqual(wanted.map(([id]) => id))
    }),
    { numRuns: 60 },
  )
})

// The documents of a filter are found again while nothing changes on which they depend.
import { expect, it } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { boostedDocuments } from './filter-cache.ts'

it('a filter runs once for a view, its live documents, the shards and the key', () => {
  let runs = 0
  const find = (): IdSet => IdSet.of([runs++])
  let live = IdSet.range(0, 5)
  const viewOf = () => ({ view: { live: () => live }, shards: null as readonly string[] | null })
  const view = viewOf()
  const found = boostedDocuments(view, 'a', find)
  expect(boostedDocuments(view, 'a', find)).toBe(found)
  expect(boostedDocuments(view, 'b', find)).not.toBe(found)
  expect(boostedDocuments(viewOf(), 'a', find)).not.toBe(found)
  expect(runs).toBe(3)
  // The same view serves searches with other shards.
  for (const shards of [[], ['one'], ['one', 'two'], ['one,two']]) {
    view.shards = shards
    boostedDocuments(view, 'a', find)
  }
  expect(runs).toBe(7)
  view.shards = null
  expect(boostedDocuments(view, 'a', find)).toBe(found)
  live = IdSet.range(0, 4)
  const later = boostedDocuments(view, 'a', find)
  expect(later).not.toBe(found)
  expect(boostedDocuments(view, 'a', find)).toBe(later)
  expect(runs).toBe(8)
})

it('a filter that is refused is refused again', () => {
  const view = { view: { live: () => IdSet.empty }, shards: null }
  const refuse = (): IdSet => {
    throw new Error('refused')
  }
  expect(() => boostedDocuments(view, 'a', refuse)).toThrow('refused')
  expect(() => boostedDocuments(view, 'a', refuse)).toThrow('refused')
  expect(boostedDocuments(view, 'a', () => IdSet.of([1])).toArray()).toEqual(Uint32Array.of(1))
})

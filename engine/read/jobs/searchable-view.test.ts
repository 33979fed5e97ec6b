// Views prepared for searching: the next view reuses what has not changed, and expired documents
// are not found.
import { describe, expect, it } from 'vitest'
import { applyPatch, defaultSettings, type SettingsPatch } from '../../settings/index.ts'
import { type Document, importOf, SmallIndex } from '../../write/indexer/test-support.ts'
import { SegmentCache } from '../segments/index.ts'
import { SearchableView } from './searchable-view.ts'

const indexOf = (patch: SettingsPatch): SmallIndex =>
  new SmallIndex(applyPatch(defaultSettings(), patch).settings)
const add = (index: SmallIndex, documents: readonly Document[]) =>
  index.run([importOf(documents, { primaryKey: 'id' })])
const viewOf = (index: SmallIndex, earlier: SearchableView | null, now?: () => number) =>
  new SearchableView(index.ref, new SegmentCache(index.fs, 1 << 20), earlier, now)

describe('the next view of an index', () => {
  it('has the compiled settings of the one before until settings or fields change', async () => {
    const index = indexOf({})
    await add(index, [{ id: 1, a: 1 }])
    const first = viewOf(index, null)
    expect(viewOf(index, null).search).not.toBe(first.search)
    await add(index, [{ id: 2, a: 2 }])
    const second = viewOf(index, first)
    expect([second.search, second.keys, second.settings, second.filterRules]).toEqual([
      first.search,
      first.keys,
      first.settings,
      first.filterRules,
    ])
    expect(second.search).toBe(first.search)
    expect(second.view.live().size).toBe(2)
    await add(index, [{ id: 3, b: 1 }])
    const third = viewOf(index, second)
    expect(third.search).not.toBe(second.search)
    expect([second.fieldId('b'), third.fieldId('b')]).toEqual([null, 2])
    expect(third.keys.map((key) => Buffer.from(key).toString())).toEqual(['"id"', '"a"', '"b"'])
    await index.rebuild(applyPatch(defaultSettings(), { stopWords: ['x'] }).settings)
    expect(viewOf(index, third).settings.stopWords).toEqual(['x'])
  })
})

it('documents are not found after their time', async () => {
  const index = indexOf({ expiresAtAttribute: 'until' })
  await add(index, [{ id: 1, until: 1000 }, { id: 2 }])
  const liveAt = (seconds: number) => viewOf(index, null, () => seconds * 1000).view.live().size
  expect([liveAt(999), liveAt(1001)]).toEqual([2, 1])
})

it('columns, vectors and the order of ids are made once', async () => {
  const index = indexOf({ embedders: { e: { source: 'userProvided', dimensions: 2 } } })
  await add(index, [{ id: 1, _vectors: { e: [1, 0] } }])
  const view = viewOf(index, null)
  view.prepare()
  expect(view.vectors('e')).toBe(view.vectors('e'))
  expect([view.vectors('e').dimensions, view.vectors('f').dimensions]).toEqual([2, null])
  expect(view.columns).toBe(view.columns)
  expect(view.externalOrder).toBe(view.externalOrder)
})

it('columns find the documents within circles', async () => {
  const index = indexOf({ filterableAttributes: ['_geo'] })
  await add(index, [
    { id: 1, _geo: { lat: 10, lng: 20 } },
    { id: 2, _geo: { lat: 11, lng: 20 } },
    { id: 3 },
  ])
  const view = viewOf(index, null)
  // A degree of latitude is about 111 km.
  const found = (metres: number) =>
    view.columns.geoCircles([{ latitude: 10, longitude: 20, metres }], () => undefined).size
  expect([found(1000), found(150_000)]).toEqual([1, 2])
})

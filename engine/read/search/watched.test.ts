// Answers over many documents ask after each 256 of them whether the client still waits.
import { beforeAll, expect, it } from 'vitest'
import { Canceled, FEATURES, type Features } from '../../model/index.ts'
import { applyPatch, defaultSettings } from '../../settings/index.ts'
import { importOf, SmallIndex } from '../../write/indexer/test-support.ts'
import { SearchableView, SearchControl } from '../jobs/index.ts'
import { SegmentCache } from '../segments/index.ts'
import { runDigest } from './run-digest.ts'
import { runDocuments } from './run-documents.ts'
import { runExport } from './run-export.ts'

const NO_FEATURES = Object.fromEntries(FEATURES.map((name) => [name, false])) as Features
const PAGE = { offset: 0, fields: null, retrieveVectors: false, ids: null, filter: null }

let view: SearchableView
beforeAll(async () => {
  const { settings } = applyPatch(defaultSettings(), { sortableAttributes: ['id'] })
  const index = new SmallIndex(settings)
  const documents = Array.from({ length: 512 }, (_, id) => ({ id }))
  await index.run([importOf(documents, { primaryKey: 'id' })])
  view = new SearchableView(index.ref, new SegmentCache(index.fs, 1 << 20), null)
})

type Work = (count: number, watch: () => boolean) => unknown
const controlOf = (watch: () => boolean) => new SearchControl(Number.POSITIVE_INFINITY, watch)

const WORKS: readonly (readonly [string, Work])[] = [
  [
    'a digest',
    (documentsMax, watch) =>
      runDigest(view, { names: [], next: null, after: -1, documentsMax }, controlOf(watch)),
  ],
  [
    'an export',
    (count, watch) => {
      const chunk = { filter: null, after: 511 - count, bytesMax: 1 << 20, fragments: null }
      return runExport(view, chunk, NO_FEATURES, controlOf(watch))
    },
  ],
  [
    'a list',
    (limit, watch) => runDocuments(view, { ...PAGE, limit, sort: null }, NO_FEATURES, watch, null),
  ],
]

it.each(WORKS)('%s is watched', (name, work) => {
  const calls = (count: number): number => {
    let asked = 0
    work(count, () => ++asked < 0)
    return asked
  }
  // The filter is watched too.
  const before = calls(0)
  // An export counts from the first document of the index.
  const counts = name === 'an export' ? [0, 1, 256, 257, 512] : [0, 255, 256, 511, 512]
  const expected = name === 'an export' ? [0, 1, 1, 2, 2] : [0, 0, 1, 1, 2]
  expect(counts.map((count) => calls(count) - before)).toEqual(expected)
  let left = before
  expect(() => work(512, () => left-- <= 0)).toThrow(Canceled)
})

it('a sorted list is watched while its documents are ordered', () => {
  const calls = (sort: readonly string[] | null): number => {
    let asked = 0
    runDocuments(view, { ...PAGE, limit: 1, sort }, NO_FEATURES, () => ++asked < 0, null)
    return asked
  }
  expect(calls(['id:asc'])).toBeGreaterThan(calls(null))
})

// The cost of a new layer: a file and a line in each list of the registry. The engine and the
// tools, which name the layer nowhere else, build, commit, merge, rebuild, reopen, check and
// describe it.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { OpenView, SegmentCache } from '../engine/read/segments/index.ts'
import { readDatabase, type SegmentState } from '../engine/store/catalog/index.ts'
import { RealFileSystem } from '../engine/store/storage/index.ts'
import { viewRef } from '../engine/store/views/index.ts'
import {
  addDocuments,
  enqueue,
  openTestEngine,
  type TestEngine,
} from '../engine/testing/test-engine.ts'
import { dropLayer } from '../engine/testing/test-old-segments.ts'
import { asIndexUid } from '../format/ids.ts'
import { checkDatabase, checkText } from './check/index.ts'
import { databaseSize } from './database/index.ts'
import {
  manifestState,
  segmentLayout,
  segmentProperties,
  segmentPropertiesText,
} from './inspect/index.ts'
import { type Samples, samplesLayer } from './test-layer.ts'

vi.mock(import('../engine/store/layers/registry.ts'), async (original) => {
  const { PROFILES, LAYERS } = await original()
  const profiles = [...PROFILES]
  const layers = [...LAYERS]
  // The layer imports the same modules, so it is loaded after them.
  void import('./test-layer.ts').then((toy) => {
    profiles.push(toy.samplesProfile)
    layers.push(toy.samplesLayer)
  })
  return { PROFILES: profiles, LAYERS: layers }
})

const root = mkdtempSync(join(tmpdir(), 'svc-layer-'))
const open = (): Promise<TestEngine> =>
  openTestEngine(new RealFileSystem(root), { restMs: 600_000 })

let engine: TestEngine
beforeAll(async () => {
  engine = await open()
})
afterAll(async () => {
  await engine.close()
  rmSync(root, { recursive: true })
})

const indexNow = () => {
  const { state } = readDatabase(new RealFileSystem(root))
  return { index: [...state.indexes.values()][0]!, sequence: state.sequence }
}
const segmentsNow = (): SegmentState[] =>
  [...indexNow().index.segments.values()].filter(({ layer }) => layer === samplesLayer.name)

/** Returns the live copies, as a search would find them: external id → numbers. */
function samplesNow(): Readonly<Record<string, readonly number[]>> {
  const { index, sequence } = indexNow()
  const view = new OpenView(
    viewRef(index, sequence),
    new SegmentCache(new RealFileSystem(root), 1 << 16),
  )
  const found: Record<string, readonly number[]> = {}
  for (const { reader, dead } of view.layer(samplesLayer)) {
    const samples: Samples = reader
    for (const [id, numbers] of samples) {
      if (!dead.has(id)) found[Buffer.from(view.externalId(id)!).toString()] = numbers
    }
  }
  return found
}

const settings = (patch: { readonly [setting: string]: unknown }) =>
  ({ kind: 'settingsUpdate', patch, isDeletion: false, allowIndexCreation: true }) as const

const checked = () =>
  checkDatabase(root, {
    lock: false,
    release: '1.50.0',
    openProgress: () => ({ at: () => undefined, end: () => undefined }),
  })

describe('a new layer', () => {
  it('is built from documents, some of which lack the field', async () => {
    const films = [
      { id: 1, title: 'a', sample: [1, 2] },
      { id: 2, title: 'b' },
      { id: 3, title: 'c', sample: [5] },
      { id: 4, title: 'd' },
    ]
    await addDocuments(engine, 'films', films)
    await engine.idle()
    expect(samplesNow()).toEqual({ 1: [1, 2], 3: [5] })
    expect(segmentsNow()).toMatchObject([{ layer: 'samples', documents: 2 }])
  })

  it('gets a new copy of a document only when its own field changes', async () => {
    const [before] = segmentsNow()
    await addDocuments(engine, 'films', [{ id: 1, title: 'A' }], { method: 'update' })
    await engine.idle()
    expect(segmentsNow()).toEqual([before])
    await addDocuments(engine, 'films', [{ id: 1, sample: [7] }], { method: 'update' })
    await engine.idle()
    expect(samplesNow()).toEqual({ 1: [7], 3: [5] })
    expect(segmentsNow().map(({ dead }) => dead.size)).toEqual([1, 0])
  })

  it('is the only one that is rebuilt when its settings change', async () => {
    const others = () =>
      [...indexNow().index.segments.values()].filter(({ layer }) => layer !== samplesLayer.name)
    const before = others()
    await enqueue(engine, 'films', settings({ searchCutoffMs: 10 }))
    await engine.idle()
    expect(samplesNow()).toEqual({ 1: [70], 3: [50] })
    expect(others()).toEqual(before)
    const [rebuilt] = segmentsNow()
    await enqueue(engine, 'films', settings({ stopWords: ['a'] }))
    await engine.idle()
    expect(segmentsNow()).toEqual([rebuilt])
  })

  it('is merged without dead documents', async () => {
    await addDocuments(engine, 'films', [{ id: 5, sample: [6, 7] }])
    await enqueue(engine, 'films', { kind: 'documentDeletion', by: 'ids', ids: ['3'] })
    await engine.idle()
    expect(segmentsNow()).toHaveLength(2)
    await engine.allMerged()
    expect(segmentsNow()).toMatchObject([{ documents: 2 }])
    expect(samplesNow()).toEqual({ 1: [70], 5: [60, 70] })
  })

  it('becomes a separate file when it is large, and survives a restart', async () => {
    const sample = Array.from({ length: 10_000 }, (_, i) => i)
    await addDocuments(engine, 'films', [{ id: 6, sample }])
    await engine.idle()
    expect(readdirSync(join(root, 'segments')).some((name) => name.endsWith('.samples'))).toBe(true)
    const before = samplesNow()
    expect(before[6]).toHaveLength(10_000)
    await engine.close()
    engine = await open()
    expect(samplesNow()).toEqual(before)
    const { internalDatabaseSizes } = engine.documents.indexStats(asIndexUid('films'))
    expect(internalDatabaseSizes).toHaveProperty('samples')
  })

  it('is checked', () => {
    const result = checked()
    expect(checkText(result)).toContain('The database is sound.')
    expect(result.indexes[0]!.segments.map(({ what }) => what)).toContain('samples')
  })

  it('is described', () => {
    const { segment, documents } = segmentsNow().find(({ location }) => location.kind === 'file')!
    const described = segmentProperties({ db: root, segment })
    expect(described.properties).toMatchObject({ documents, content: { layer: 'samples' } })
    expect(segmentPropertiesText(described)).toMatch(/numbers +10,000 in 78/)
    const { kind, problems, tables } = segmentLayout({ db: root, segment })
    expect({ kind, problems }).toEqual({ kind: 'SMPL', problems: [] })
    expect(tables[0]!.title).toBe('PAIR: numbers')
    expect(manifestState(root).indexes[0]!.layers.map(({ layer }) => layer)).toContain('samples')
    expect(JSON.stringify(databaseSize(root))).toContain('"sampled numbers"')
  })

  it('is reported missing if a document with its field has no copy in it', async () => {
    await engine.close()
    await dropLayer(new RealFileSystem(root), samplesLayer.name)
    const words = 'have a sampled field and are not in the samples layer'
    expect(checkText(checked())).toContain(words)
    engine = await open()
  })
})

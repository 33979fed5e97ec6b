// Index threads from the main thread's side: the real program gives the same bytes as work in
// place, failures keep their class, bodies reach their files; and small crashing programs, in place
// of the real one, cost a job only a second attempt.

import { getEventListeners } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { bundleInto } from '../../../fixtures/bundle.ts'
import { documentsOfBody } from '../../../format/bodies/index.ts'
import { asIndexNo, asIndexUid, asSegmentNo } from '../../../format/ids.ts'
import { type BodyFormat, Canceled, EngineFault, StorageError } from '../../model/index.ts'
import { defaultSettings, encodeSettings } from '../../settings/index.ts'
import { segmentPath } from '../../store/catalog/index.ts'
import { RealFileSystem } from '../../store/storage/index.ts'
import type { ViewRef } from '../../store/views/index.ts'
import { bodyPath, type Indexing, IndexPool } from './index.ts'
import type { IndexPoolOptions } from './pool.ts'
import type { DocumentsResult } from './protocol.ts'
import { type Document, importOf, NO_HOOKS, SmallIndex } from './test-support.ts'

/** One thread shows how files are written without native packages. */
const hasNatives = process.env['SVC_NATIVES'] !== 'off'
const folder = mkdtempSync(join(tmpdir(), 'svc-index-'))
const program = join(folder, 'index-worker.mjs')
beforeAll(() => void bundleInto(folder, 'engine/write/indexer/worker.ts', 'index-worker.mjs'))
const pools: Indexing[] = []
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close()
})
afterAll(() => rmSync(folder, { recursive: true }))

let databases = 0
function newRoot(): string {
  const root = join(folder, `data-${databases++}`)
  const fs = RealFileSystem.create(root)
  for (const name of ['segments', 'tasks', 'tasks/bodies']) fs.makeDirectory(name)
  return root
}

function open(root: string, options: Partial<IndexPoolOptions> = {}) {
  const reports: string[] = []
  const pool = new IndexPool({
    file: pathToFileURL(program),
    root,
    nextSegment: 1,
    buildingThreads: 1,
    memoryBytesMax: 1 << 30,
    heapMegabytes: null,
    report: (message) => reports.push(message),
    ...options,
  })
  pools.push(pool)
  return { pool, reports }
}

const VIEW: ViewRef = {
  index: asIndexNo(1),
  uid: asIndexUid('movies'),
  sequence: 1,
  primaryKey: null,
  fields: [],
  settings: encodeSettings(defaultSettings()),
  segments: [],
}
const documents = (count: number): Document[] =>
  Array.from({ length: count }, (_, i) => ({ id: i, text: `word${i % 97} and number ${i * 31}` }))
const requestOf = (all: readonly Document[], view = VIEW) =>
  ({ kind: 'documents', view, operations: [importOf(all)], chunkBytesMax: 20_000 }) as const

const bytesOf = (root: string, { segments }: DocumentsResult): Buffer[] =>
  segments.map(({ segment, layer, location }) => {
    if (location.kind === 'inline') return Buffer.from(location.frame)
    return readFileSync(join(root, segmentPath(segment, layer)))
  })

describe('an index thread', () => {
  it('gives the same bytes as work in place, with each size of heap', async () => {
    const results = []
    for (const heapMegabytes of [null, 64]) {
      const root = newRoot()
      const { pool, reports } = open(root, { heapMegabytes })
      pool.start()
      const result = await pool.run(requestOf(documents(2000)), NO_HOOKS)
      results.push({ result, bytes: bytesOf(root, result) })
      expect(reports).toEqual([])
      expect(pool.takeSegment()).toBe(result.segments.at(-1)!.segment + 1)
    }
    const inPlace = new SmallIndex(defaultSettings())
    const { fs } = inPlace
    const result = await inPlace.indexing.run(requestOf(documents(2000)), NO_HOOKS)
    const bytes = result.segments.map(({ segment, layer, bytes: length, location }) =>
      location.kind === 'inline' ? location.frame : fs.map(segmentPath(segment, layer), length),
    )
    expect(result.segments.some(({ location }) => location.kind === 'file')).toBe(true)
    expect(result.segments.length).toBeGreaterThan(6)
    for (const other of results) {
      expect(other.result).toEqual(result)
      expect(other.bytes.map((one, i) => one.equals(bytes[i]!))).toEqual(bytes.map(() => true))
    }
  })

  it('reports its progress, and is busy until the end', async () => {
    const { pool } = open(newRoot())
    const seen: (readonly [number, number])[] = []
    const progress = (done: number, total: number) => {
      expect(pool.isBusy).toBe(true)
      seen.push([done, total])
    }
    expect(pool.isBusy).toBe(false)
    // A job reports no progress in its first moments: the jobs grow until one lasts longer.
    for (let count = 1000; seen.length === 0 && count < 1e6; count *= 4)
      await pool.run(requestOf(documents(count)), { signal: null, progress })
    expect(seen.length).toBeGreaterThan(0)
    for (const [done, total] of seen) expect(done).toBeLessThanOrEqual(total)
    expect(pool.isBusy).toBe(false)
  })

  it('rethrows the original failure', async () => {
    const { pool, reports } = open(newRoot())
    const geo = encodeSettings({ ...defaultSettings(), filterableAttributes: ['_geo'] })
    const wrong = requestOf([{ id: 1, _geo: 'nowhere' }], { ...VIEW, settings: geo })
    const fault = await pool.run(wrong, NO_HOOKS).catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(EngineFault)
    expect(fault).toMatchObject({ code: 'invalid_document_geo_field' })
    expect(pool.isBusy).toBe(false)
    const lost = {
      segment: asSegmentNo(77),
      layer: 'documents',
      documents: 1,
      idMin: 0,
      idMax: 0,
      bytes: 100,
      location: { kind: 'file', checksum: 0 },
      generation: 0,
      dead: null,
    } as const
    const missing = requestOf(documents(1), { ...VIEW, segments: [lost] })
    const failure = await pool.run(missing, NO_HOOKS).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(StorageError)
    expect(failure).toMatchObject({ code: 'missing', path: 'segments/000077.docs' })
    expect(reports).toEqual([])
    expect((await pool.run(requestOf(documents(3)), NO_HOOKS)).added).toBe(3)
  })

  it('cancels a job and can run the next one', async () => {
    const { pool } = open(newRoot())
    const signal = AbortSignal.abort()
    const run = pool.run(requestOf(documents(10)), { ...NO_HOOKS, signal })
    await expect(run).rejects.toBeInstanceOf(Canceled)
    const later = new AbortController()
    const progress = (): void => later.abort()
    const long = pool.run(requestOf(documents(20_000)), { signal: later.signal, progress })
    await expect(long).rejects.toBeInstanceOf(Canceled)
    expect((await pool.run(requestOf(documents(10)), NO_HOOKS)).added).toBe(10)
  })
})

describe.runIf(hasNatives)('a batch that several threads build', () => {
  it('gives the same bytes and numbers as one thread', async () => {
    const alone = newRoot()
    const { pool: single } = open(alone)
    const root = newRoot()
    const { pool, reports } = open(root, { buildingThreads: 3 })
    // Other threads get no work before they run: the first round may be done by one thread.
    for (let round = 0; round < 3; round++) {
      const request = requestOf(documents(2000 + round))
      const [expected, result] = [
        await single.run(request, NO_HOOKS),
        await pool.run(request, NO_HOOKS),
      ]
      expect(result).toEqual(expected)
      const expectedBytes = bytesOf(alone, expected)
      expect(bytesOf(root, result).map((one, i) => one.equals(expectedBytes[i]!))).toEqual(
        expectedBytes.map(() => true),
      )
    }
    expect(reports).toEqual([])
  })

  it('fails as one thread does, and leaves no file behind', async () => {
    const { pool } = open(newRoot(), { buildingThreads: 3 })
    const root = join(folder, `data-${databases - 1}`)
    const geo = encodeSettings({ ...defaultSettings(), filterableAttributes: ['_geo'] })
    const withFault = [...documents(3000), { id: 99_999, _geo: 'nowhere' }]
    const wrong = requestOf(withFault, { ...VIEW, settings: geo })
    for (let round = 0; round < 4; round++) {
      const fault = await pool.run(wrong, NO_HOOKS).catch((error: unknown) => error)
      expect(fault).toMatchObject({ code: 'invalid_document_geo_field' })
      expect(readdirSync(join(root, 'segments'))).toEqual([])
    }
    expect((await pool.run(requestOf(documents(3)), NO_HOOKS)).added).toBe(3)
  })

  it('is canceled in all of them', async () => {
    const { pool } = open(newRoot(), { buildingThreads: 3 })
    const root = join(folder, `data-${databases - 1}`)
    for (let round = 0; round < 3; round++) {
      const later = new AbortController()
      const progress = (done: number): void => {
        if (done > 0) later.abort()
      }
      const run = pool.run(requestOf(documents(20_000)), { signal: later.signal, progress })
      await expect(run).rejects.toBeInstanceOf(Canceled)
      expect(readdirSync(join(root, 'segments'))).toEqual([])
    }
    expect((await pool.run(requestOf(documents(10)), NO_HOOKS)).added).toBe(10)
  })
})

const NDJSON: BodyFormat = { kind: 'ndjson' }
/** In place there is a file system too, so both variants run the same tests. */
const bothWays = (): readonly (readonly [
  string,
  Indexing,
  (path: string) => Uint8Array | null,
])[] => {
  const root = newRoot()
  const real = new RealFileSystem(root)
  const { fs, indexing } = new SmallIndex(defaultSettings())
  const read = (system: Pick<typeof fs, 'exists' | 'map' | 'size'>) => (path: string) =>
    system.exists(path) ? system.map(path, system.size(path)) : null
  return [
    ['a thread', open(root).pool, read(real)],
    ['in place', indexing, read(fs)],
  ]
}

describe('bodies', () => {
  it('reach their files in order, with back pressure', async () => {
    const lines = documents(30_000).map((one) => `${JSON.stringify(one)}\n`)
    const text = Buffer.from(lines.join(''))
    const files: Buffer[] = []
    for (const [name, indexing, read] of bothWays()) {
      const transfer = indexing.body(5, NDJSON)
      for (let at = 0; at < text.length; at += 50_000) {
        await transfer.write(text.subarray(at, at + 50_000))
      }
      const taken = await transfer.finish()
      expect(taken, name).toEqual({ documents: 30_000, bytes: text.length })
      files.push(Buffer.from(read(bodyPath(5))!))
    }
    expect(Buffer.from(documentsOfBody(files[0]!)).equals(text)).toBe(true)
    expect(files[0]!.equals(files[1]!)).toBe(true)
  })

  it('that are malformed are refused, and leave no file', async () => {
    for (const [name, indexing, read] of bothWays()) {
      const transfer = indexing.body(6, NDJSON)
      const run = async () => {
        await transfer.write(Buffer.from('{"id":1}\n{"id":'))
        return await transfer.finish()
      }
      const fault = await run().catch((error: unknown) => error)
      expect(fault, name).toBeInstanceOf(EngineFault)
      expect(fault).toMatchObject({ code: 'malformed_payload' })
      expect(read(bodyPath(6)), name).toBeNull()
    }
  })

  it('that are aborted leave no file', async () => {
    for (const [name, indexing, read] of bothWays()) {
      const transfer = indexing.body(7, NDJSON)
      await transfer.write(Buffer.from('{"id":1}\n'))
      transfer.abort()
      // The next message is processed after it.
      const next = indexing.body(8, NDJSON)
      await next.write(Buffer.from('{"id":2}'))
      expect((await next.finish()).documents).toBe(1)
      expect(read(bodyPath(7)), name).toBeNull()
      expect(read(bodyPath(8)), name).not.toBeNull()
    }
  })
})

/** A program that crashes at its first message on the first `deaths` threads of each name. */
const dyingProgram = (deaths: number): string => `
import { appendFileSync, readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
const log = workerData.root + '/started-' + workerData.thread
appendFileSync(log, 'x')
const thread = readFileSync(log).length
parentPort.on('message', ({ kind, job }) => {
  if (thread <= ${deaths}) process.exit(9)
  if (kind === 'merge') parentPort.postMessage({ kind: 'merge-done', job, segment: null })
})
`

it('two merges run at the same time if the memory and the processors suffice', () => {
  const mergesMax = (memoryBytesMax: number) => open(newRoot(), { memoryBytesMax }).pool.mergesMax
  const most = Math.min(2, availableParallelism())
  expect([1 << 20, 1 << 30, 1 << 31].map((bytes) => mergesMax(bytes >>> 0))).toEqual([
    1,
    most,
    most,
  ])
  expect(mergesMax(2 ** 30 - 1)).toBe(1)
})

/** A program that answers with the data of its thread, and notes messages without an answer. */
const REPORTING = `
import { appendFileSync } from 'node:fs'
import { parentPort, resourceLimits, workerData } from 'node:worker_threads'
const { root, thread, builders, niceness, memoryBytesMax } = workerData
const note = (text) => appendFileSync(root + '/notes', text + ' ')
note('started-' + thread)
parentPort.on('message', (message) => {
  const { kind, job } = message
  const young = resourceLimits.maxYoungGenerationSizeMb
  const facts = { thread, builders, niceness, memoryBytesMax, young, message }
  const post = (reply) => parentPort.postMessage({ job, ...reply })
  if (kind === 'documents') {
    post({ kind: 'progress', done: 1, total: 2 })
    post({ kind: 'embedding', end: 'the end' })
  }
  if (kind === 'documents' || kind === 'rebuild') post({ kind: kind + '-done', result: facts })
  else if (kind === 'merge') post({ kind: 'merge-done', segment: { documents: 1, facts } })
  else if (kind === 'body-end') post({ kind: 'body-done', documents: facts, bytes: 1 })
  else note(kind)
})
`

describe.runIf(hasNatives)('the pool', () => {
  const documentsJob = requestOf([])
  const rebuildJob = { ...documentsJob, kind: 'rebuild', layers: [], settings: '' } as const
  const mergeJob = { kind: 'merge', view: VIEW, layer: 'text', segments: [] } as const
  function reporting() {
    const root = mkdtempSync(join(folder, 'reporting-'))
    const file = join(root, 'program.mjs')
    writeFileSync(file, REPORTING)
    const notes = (): string => readFileSync(join(root, 'notes'), 'utf8')
    const options = { buildingThreads: 3, memoryBytesMax: 2 ** 30 }
    return { ...open(root, { file: pathToFileURL(file), ...options }), notes }
  }
  const ofThread = (thread: number, builders: number, niceness: number) => {
    return { thread, builders, niceness, memoryBytesMax: 2 ** 30, young: 12 }
  }

  it('gives each job to the thread of its kind', async () => {
    const { pool } = reporting()
    const run = async (job: Parameters<typeof pool.run>[0], isBeside = false): Promise<unknown> =>
      pool.run(job, { ...NO_HOOKS, isBeside })
    expect(await run(documentsJob)).toMatchObject(ofThread(0, 2, 10))
    expect(await run(rebuildJob)).toMatchObject(ofThread(0, 2, 10))
    expect(await run(documentsJob, true)).toMatchObject(ofThread(3, 0, 5))
    const merges = await Promise.all([run(mergeJob), run(mergeJob)])
    expect(merges).toMatchObject([{ facts: ofThread(1, 0, 19) }, { facts: ofThread(4, 0, 19) }])
    expect(await run(mergeJob)).toMatchObject({ facts: ofThread(1, 0, 19) })
    const body = await pool.body(4, NDJSON).finish()
    expect(body.documents).toMatchObject(ofThread(2, 0, 5))
  })

  it('passes on progress and requests of vectors, and forgets the signal at the end', async () => {
    const { pool } = reporting()
    const seen: unknown[] = []
    const { signal } = new AbortController()
    const embedding = {
      modesOfThread: { ignoresTemplates: true },
      serve: (end: unknown) => seen.push(end),
    } as never
    const progress = (done: number, total: number) => seen.push([done, total])
    const running = pool.run(documentsJob, { signal, progress, embedding })
    expect([pool.isBusy, getEventListeners(signal, 'abort').length]).toEqual([true, 1])
    expect(await running).toMatchObject({ message: { embedding: { ignoresTemplates: true } } })
    expect(seen).toEqual([[1, 2], 'the end'])
    expect([pool.isBusy, getEventListeners(signal, 'abort').length]).toEqual([false, 0])
  })

  it('starts the thread of small batches before the first one, and sends all what to forget', async () => {
    const { pool, notes } = reporting()
    pool.expectSmall()
    await expect.poll(notes).toBe('started-3 ')
    await pool.run(mergeJob, NO_HOOKS)
    pool.forget([])
    await pool.run(mergeJob, NO_HOOKS)
    expect(notes()).not.toContain('forget')
    pool.forget([asSegmentNo(7)])
    await pool.run(mergeJob, NO_HOOKS)
    expect(notes()).toContain('forget')
  })

  it('sends an aborted body to its end, and answers later ones', async () => {
    const { pool, notes } = reporting()
    const first = pool.body(1, NDJSON)
    await first.write(Buffer.from('{}'))
    first.abort()
    await pool.body(2, NDJSON).finish()
    expect(notes()).toBe('started-2 body body-chunk body-abort body ')
  })
})

describe.runIf(hasNatives)('a thread that dies', () => {
  const merge = {
    kind: 'merge',
    view: VIEW,
    layer: 'text',
    segments: [asSegmentNo(1)],
  } as const
  const dying = (deaths: number) => {
    const root = mkdtempSync(join(folder, 'dying-'))
    const file = join(root, 'program.mjs')
    writeFileSync(file, dyingProgram(deaths))
    return open(root, { file: pathToFileURL(file) })
  }

  it('once costs the job nothing', async () => {
    const { pool, reports } = dying(1)
    expect(await pool.run(merge, NO_HOOKS)).toBeNull()
    expect(reports).toEqual(['The thread index-merge ended and is started again.'])
    expect(await pool.run(merge, NO_HOOKS)).toBeNull()
    expect(reports).toHaveLength(1)
  })

  it('has one of two merges that run at the same time', async () => {
    const { pool, reports } = dying(1)
    const both = [pool.run(merge, NO_HOOKS), pool.run(merge, NO_HOOKS)]
    expect(await Promise.all(both)).toEqual([null, null])
    const names = ['index-merge', 'index-merge-2']
    const restarts = names.map((name) => `The thread ${name} ended and is started again.`)
    expect(reports.toSorted()).toEqual(restarts)
    expect(await pool.run(merge, NO_HOOKS)).toBeNull()
  })

  it('twice fails the job, and only that one', async () => {
    const { pool, reports } = dying(2)
    await expect(pool.run(merge, NO_HOOKS)).rejects.toThrow('ended with code 9')
    expect(reports).toHaveLength(2)
    expect(await pool.run(merge, NO_HOOKS)).toBeNull()
  })

  it('fails the body it was receiving', async () => {
    const { pool } = dying(1)
    const transfer = pool.body(1, NDJSON)
    await expect(transfer.finish()).rejects.toThrow('ended with code 9')
    await expect(transfer.write(Buffer.from('{}'))).rejects.toThrow('ended with code 9')
    transfer.abort()
  })

  it('at the end of the engine fails running jobs', async () => {
    const { pool, reports } = dying(0)
    const run = pool.run({ ...merge, kind: 'rebuild' } as never, NO_HOOKS)
    const end = expect(run).rejects.toThrow('the engine closes')
    await pool.close()
    await end
    expect(reports).toEqual([])
  })
})

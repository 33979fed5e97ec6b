// A thread whose cache is much smaller than its answers: blocks of documents are overwritten after
// each job, and never while a job or an answer needs them.
import { expect, it, vi } from 'vitest'
import { KiB, MiB } from '../../../format/bytes/index.ts'
import { BlockCache } from '../../../format/documents/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import { FEATURES, type Features } from '../../model/index.ts'
import { FakeDisk, type FileSystem } from '../../store/storage/index.ts'
import type { ViewRef } from '../../store/views/index.ts'
import { addDocuments, openTestEngine, PLAIN_SEARCH } from '../../testing/test-engine.ts'
import type { AnyJob, SearchReply } from '../jobs/protocol.ts'
import { WorkerCore } from '../pool/worker-core.ts'

const features = Object.fromEntries(FEATURES.map((name) => [name, false])) as Features
const DOCUMENTS = 400
const WORDS = ['harbour', 'mountain', 'quiet', 'song', 'light', 'winter', 'paper', 'stone']

/** A view of documents that fill some fifty blocks, and its disk. */
async function opened(): Promise<{ readonly fs: FileSystem; readonly view: ViewRef }> {
  const handled = vi.spyOn(WorkerCore.prototype, 'handle')
  const fs = new FakeDisk().mount()
  const engine = await openTestEngine(fs)
  const documents = Array.from({ length: DOCUMENTS }, (_, id) => {
    const words = Array.from({ length: 150 }, (_, i) => WORDS[(id * 31 + i * i) % WORDS.length])
    return { id, title: `${WORDS[id % 8]} ${id}`, text: `${words.join(' ')} ${id}` }
  })
  await addDocuments(engine, 'a', documents)
  await engine.idle()
  await engine.queries.search(asIndexUid('a'), PLAIN_SEARCH, {
    features,
    requestUid: '',
    queryUid: null,
    signal: null,
  } as unknown as Parameters<typeof engine.queries.search>[2])
  const views = handled.mock.calls.flatMap(([m]) => (m.kind === 'view' ? [m.view] : []))
  handled.mockRestore()
  return { fs, view: views.at(-1)! }
}

/** Runs jobs one after another on one thread; returns the bytes of each answer. */
function answers(
  fs: FileSystem,
  view: ViewRef,
  blockBytesMax: number,
  jobs: readonly AnyJob[],
  loadedBytesMax = MiB,
): readonly Uint8Array[] {
  const replies: SearchReply[] = []
  const core = new WorkerCore({
    fs,
    blockBytesMax,
    loadedBytesMax,
    isCanceled: () => false,
    send: (reply) => replies.push(reply),
    dropped: () => undefined,
  })
  core.handle({ kind: 'view', view, isAhead: false })
  for (const job of jobs) core.handle(job)
  return replies.map((reply) => {
    if (reply.kind !== 'answer') throw new Error(JSON.stringify(reply))
    return reply.bytes
  })
}

/** Without the members that differ between two runs. */
const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString()
    .replace(/"processingTimeMs":\d+/, '')

it('answers are those of a thread that overwrites nothing, and stay as they are', async () => {
  const { fs, view } = await opened()
  const common = { features, view: { index: view.index, sequence: view.sequence } }
  const search = (job: number, request: object): AnyJob =>
    ({
      kind: 'search',
      job,
      ...common,
      requestUid: 'u',
      queryUid: null,
      sentAt: 0,
      request: { ...PLAIN_SEARCH, ...request },
    }) as AnyJob
  const page = (job: number, offset: number): AnyJob =>
    ({
      kind: 'documents',
      job,
      ...common,
      request: {
        offset,
        limit: 90,
        fields: null,
        retrieveVectors: false,
        ids: null,
        filter: null,
        sort: null,
      },
    }) as AnyJob
  const jobs = Array.from({ length: 24 }, (_, i) => {
    const q = `${WORDS[i % 8]} ${WORDS[(i * 3 + 1) % 8]}`
    const request = { q, limit: 70, attributesToHighlight: ['*'], attributesToCrop: ['text'] }
    return i % 3 === 0 ? page(i + 1, (i * 13) % DOCUMENTS) : search(i + 1, request)
  })
  const room = vi.spyOn(BlockCache.prototype, 'room')
  const small = answers(fs, view, 160 * KiB, jobs)
  const memory = room.mock.results.map(({ value }) => (value as Uint8Array).buffer)
  room.mockRestore()
  expect(memory.length).toBeGreaterThan(500)
  expect(new Set(memory).size).toBeLessThan(memory.length / 4)
  const large = answers(fs, view, 4 * MiB, jobs)
  expect(small.map(textOf)).toEqual(large.map(textOf))
  // The files of this disk cannot be mapped: all segments are opened again after each job.
  const mapFrame = vi.spyOn(fs, 'mapFrame')
  const reopened = answers(fs, view, 4 * MiB, jobs, 0)
  expect(mapFrame.mock.calls.length).toBeGreaterThan(jobs.length / 2)
  mapFrame.mockRestore()
  expect(reopened.map(textOf)).toEqual(large.map(textOf))
})

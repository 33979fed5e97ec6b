// The messages of an index thread, without the thread: its replies, what it does with bodies that
// fail, and which files of its jobs a power failure leaves.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { asSegmentNo } from '../../../format/ids.ts'
import { StorageError } from '../../model/index.ts'
import { SegmentCache } from '../../read/segments/index.ts'
import { applyPatch, defaultSettings } from '../../settings/index.ts'
import { BODIES, SEGMENTS, segmentPath } from '../../store/catalog/index.ts'
import { FakeDisk, LOADED_BYTES_MAX } from '../../store/storage/index.ts'
import { bodyPath } from './jobs.ts'
import { jobOf } from './pool.ts'
import { type IndexMessage, type IndexReply, rendersDocuments } from './protocol.ts'
import type { NewSegment } from './segment-sink.ts'
import { type Document, importOf, newFileSystem, SmallIndex } from './test-support.ts'
import { IndexCore, type IndexCoreOptions } from './worker-core.ts'

const SETTINGS = applyPatch(defaultSettings(), { filterableAttributes: ['id', '_geo'] }).settings
const NDJSON = { kind: 'ndjson' } as const

/** Milliseconds that pass between two looks at the clock. */
let stepMs = 0
beforeEach(() => {
  let now = 0
  stepMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (now += stepMs))
})
afterEach(() => void vi.restoreAllMocks())

/** Small documents with much text, so that segments are files. */
const documents = (count: number, from = 0): Document[] =>
  Array.from({ length: count }, (_, i) => ({
    id: from + i,
    text: Array.from({ length: 20 }, (_, n) => `w${(i * 7919 + n * n * 31) % 4001}`).join(' '),
  }))

function coreWith(options: Partial<IndexCoreOptions> = {}) {
  const index = new SmallIndex(SETTINGS)
  const replies: IndexReply[] = []
  const dropped = vi.fn<IndexCoreOptions['dropped']>()
  let segment = 1000
  const core = new IndexCore({
    fs: index.fs,
    takeSegments: (count) => asSegmentNo((segment += count) - count),
    canceledJob: () => 0,
    memoryBytesMax: Number.POSITIVE_INFINITY,
    send: (reply) => void replies.push(reply),
    dropped,
    builders: () => null,
    templates: () => null,
    embedderFor: () => expect.unreachable(),
    ...options,
  })
  /** Returns the replies to messages. */
  const ask = (...messages: readonly IndexMessage[]): readonly IndexReply[] => {
    for (const message of messages) core.handle(message)
    return replies.splice(0)
  }
  const job = (all: readonly Document[], number = 7): IndexMessage => ({
    kind: 'documents',
    job: number,
    view: index.ref,
    operations: [importOf(all)],
    chunkBytesMax: 1 << 20,
  })
  const mergeOf = (layer: 'documents' | 'text' = 'documents'): IndexMessage => {
    const all = [...index.state.segments.values()].filter((one) => one.layer === layer)
    const segments = all.map(({ segment: number }) => number)
    return { kind: 'merge', job: 8, view: index.ref, layer, segments }
  }
  return { index, fs: index.fs, ask, job, mergeOf, dropped }
}

const chunkOf = (job: number, text: string): IndexMessage => ({
  kind: 'body-chunk',
  job,
  bytes: Buffer.from(text),
})

describe('a body', () => {
  it('is acknowledged chunk by chunk, and at its end', () => {
    const { fs, ask } = coreWith()
    expect(ask({ kind: 'body', job: 3, file: 5, format: NDJSON })).toEqual([])
    expect(ask(chunkOf(3, '{"id":1}\n{"id"'), chunkOf(3, ':2}'))).toEqual([
      { kind: 'body-taken', job: 3, bytes: 14 },
      { kind: 'body-taken', job: 3, bytes: 3 },
    ])
    expect(ask({ kind: 'body-end', job: 3 })).toEqual([
      { kind: 'body-done', job: 3, documents: 2, bytes: 17 },
    ])
    expect(fs.exists(bodyPath(5))).toBe(true)
    // It is over: later messages of the same job mean nothing.
    expect(ask(chunkOf(3, '{}'), { kind: 'body-end', job: 3 })).toEqual([])
    ask({ kind: 'body-abort', job: 3 })
    expect(fs.exists(bodyPath(5))).toBe(true)
  })

  it('that is refused has one reply, and no file', () => {
    const { fs, ask } = coreWith()
    const replies = ask(
      { kind: 'body', job: 3, file: 5, format: NDJSON },
      chunkOf(3, '{"id":1}\nno JSON\n'),
      chunkOf(3, '{"id":2}\n'),
      { kind: 'body-end', job: 3 },
    )
    expect(replies).toMatchObject([
      { kind: 'failed', job: 3, error: { code: 'malformed_payload' } },
    ])
    expect(fs.list(BODIES)).toEqual([])
  })

  it('that is aborted has no reply, and no file; others go on', () => {
    const { fs, ask } = coreWith()
    for (const job of [3, 4]) ask({ kind: 'body', job, file: job, format: NDJSON })
    expect(ask({ kind: 'body-abort', job: 3 }, { kind: 'body-abort', job: 9 })).toEqual([])
    expect(ask(chunkOf(4, '{"id":1}'), { kind: 'body-end', job: 4 })).toHaveLength(2)
    expect(fs.list(BODIES)).toEqual(['000004.body'])
  })

  it('whose file cannot be removed is given up all the same', () => {
    const disk = new FakeDisk()
    const fs = newFileSystem(disk)
    const { ask } = coreWith({ fs })
    ask({ kind: 'body', job: 3, file: 5, format: NDJSON }, chunkOf(3, '{"id":1}\n'))
    const remove = vi.spyOn(fs, 'remove').mockImplementation(() => {
      throw new StorageError('io', 'x', 'no')
    })
    expect(ask({ kind: 'body-abort', job: 3 })).toEqual([])
    ask({ kind: 'body', job: 4, file: 6, format: NDJSON }, chunkOf(4, '{"id":1}\n'))
    remove.mockImplementation(() => {
      throw new TypeError('ours')
    })
    expect(ask({ kind: 'body-abort', job: 4 })).toMatchObject([{ kind: 'failed', job: 4 }])
  })
})

describe('a job', () => {
  it('has one last reply: done, failed or canceled', async () => {
    const { ask, index, job, mergeOf } = coreWith()
    expect(ask(job(documents(3)))).toMatchObject([
      { kind: 'documents-done', job: 7, result: { added: 3 } },
    ])
    await index.run([importOf(documents(3))])
    expect(ask(mergeOf())).toMatchObject([
      { kind: 'merge-done', job: 8, segment: { documents: 3, segment: expect.any(Number) } },
    ])
    expect(ask(job([{ id: 1, _geo: 'nowhere' }]))).toMatchObject([
      { kind: 'failed', job: 7, error: { code: 'invalid_document_geo_field' } },
    ])
    const canceled = coreWith({ canceledJob: () => 7 })
    expect(canceled.ask(canceled.job(documents(3)))).toEqual([{ kind: 'canceled', job: 7 }])
    expect(canceled.ask(canceled.job(documents(3), 6))).toMatchObject([
      { kind: 'documents-done', job: 6 },
    ])
  })

  it('reports its progress at most ten times a second, and not in its first moments', () => {
    const { ask, job } = coreWith()
    expect(ask(job(documents(600)))).toHaveLength(1)
    stepMs = 50
    const began = performance.now()
    const replies = ask(job(documents(600)))
    const tookMs = performance.now() - began
    const last = replies.at(-1)
    const shown = replies.slice(0, -1).map((reply) => {
      if (reply.kind !== 'progress') return expect.unreachable()
      expect([reply.job, reply.done <= 600, [1, 600].includes(reply.total)]).toEqual([
        7,
        true,
        true,
      ])
      return reply.done
    })
    expect(last?.kind).toBe('documents-done')
    expect(shown.length).toBeGreaterThan(2)
    expect(shown).toEqual(shown.toSorted((a, b) => a - b))
    expect(shown.length).toBeLessThanOrEqual(tookMs / 100)
  })

  it('is built by other threads unless it is a merge', async () => {
    const builders = vi.fn(() => null)
    const { ask, index, job, mergeOf } = coreWith({ builders })
    await index.run([importOf(documents(3))])
    ask(mergeOf())
    expect(builders).not.toHaveBeenCalled()
    ask(job(documents(3)))
    expect(builders).toHaveBeenCalledTimes(1)
    const { ref: view, state } = index
    const layers = ['text'] as const
    ask({ kind: 'rebuild', job: 9, view, settings: state.settings, layers, chunkBytesMax: 100 })
    expect(builders).toHaveBeenCalledTimes(2)
  })

  it('unmaps files at its end, a merge all of them', async () => {
    const { ask, index, job, mergeOf, dropped } = coreWith()
    await index.run([importOf(documents(3))])
    const dropLoaded = vi.spyOn(SegmentCache.prototype, 'dropLoaded')
    ask(job(documents(3)))
    expect(dropLoaded).toHaveBeenLastCalledWith(LOADED_BYTES_MAX)
    ask(mergeOf())
    expect(dropLoaded).toHaveBeenLastCalledWith(0)
    const drop = vi.spyOn(SegmentCache.prototype, 'drop')
    const calls = dropped.mock.calls.length
    const segments = [5, 6].map(asSegmentNo)
    expect(ask({ kind: 'forget', segments })).toEqual([])
    expect(drop).toHaveBeenLastCalledWith(segments)
    expect(dropped.mock.calls.length).toBe(calls + 1)
  })
})

describe('the message of a job', () => {
  it('says how the job calls embedders, if it may', () => {
    const request = { kind: 'documents', operations: [] } as never
    expect(jobOf(request, 5, undefined)).toEqual({ kind: 'documents', operations: [], job: 5 })
    const modesOfThread = { ignoresTemplates: true }
    expect(jobOf(request, 5, { modesOfThread } as never)).toMatchObject({
      job: 5,
      embedding: modesOfThread,
    })
  })

  it.each([
    [{ kind: 'documents' }, false],
    [{ kind: 'documents', findsFragments: true }, true],
    [{ kind: 'documents', findsFragments: false }, false],
    [{ kind: 'documents', embedding: {} }, true],
    [{ kind: 'rebuild' }, false],
    [{ kind: 'rebuild', embedding: {} }, true],
    [{ kind: 'rebuild', findsFragments: true }, false],
    [{ kind: 'merge', embedding: {} }, false],
    [{ kind: 'body' }, false],
  ])('%j renders documents: %j', (message, renders) => {
    expect(rendersDocuments(message as never)).toBe(renders)
    const templates = vi.fn(() => null)
    const { ask, index } = coreWith({ templates })
    const { ref: view, state } = index
    const rest = { job: 1, view, settings: state.settings, operations: [], layers: [] }
    ask({ segments: [], layer: 'text', file: 1, format: NDJSON, ...rest, ...message } as never)
    expect(templates).toHaveBeenCalledTimes(renders ? 1 : 0)
  })
})

describe('when the power fails after a job', () => {
  const isFile = ({ location }: NewSegment): boolean => location.kind === 'file'
  const JOBS: { readonly [name: string]: (index: SmallIndex) => Promise<unknown> } = {
    batch: (index) => index.run([importOf(documents(300))]),
    rebuild: async (index) => {
      await index.run([importOf(documents(300))])
      await index.rebuild(defaultSettings())
    },
    merge: async (index) => {
      for (let i = 0; i < 2; i++) await index.run([importOf(documents(300, i * 300))])
      await index.merge()
    },
    'batch that takes over segments': async (index) => {
      index.takeOverBytesMax = 1 << 30
      let replaced = 0
      for (let i = 0; i < 6; i++) {
        const result = await index.run([importOf(documents(100, i * 100))])
        replaced += result.replaced.length
      }
      expect(replaced).toBeGreaterThan(5)
    },
  }

  it.each(Object.keys(JOBS))('the segments of a %s are there', async (name) => {
    for (let seed = 1; seed < 4; seed++) {
      const disk = new FakeDisk()
      const fs = newFileSystem(disk)
      for (const folder of ['', SEGMENTS]) fs.syncDirectory(folder)
      const index = new SmallIndex(SETTINGS, fs)
      await JOBS[name]!(index)
      const files = [...index.state.segments.values()].filter(isFile)
      expect(files.length).toBeGreaterThan(0)
      const contents = files.map(({ segment, layer, bytes }) =>
        Buffer.from(fs.map(segmentPath(segment, layer), bytes)),
      )
      disk.crash(seed)
      const again = disk.mount()
      for (const [i, { segment, layer, bytes }] of files.entries()) {
        const path = segmentPath(segment, layer)
        expect(again.exists(path), path).toBe(true)
        expect(contents[i]!.equals(again.map(path, bytes)), path).toBe(true)
      }
    }
  })

  it('the file of a body is there', () => {
    for (let seed = 1; seed < 4; seed++) {
      const disk = new FakeDisk()
      const fs = newFileSystem(disk)
      for (const folder of ['', 'tasks', BODIES]) fs.syncDirectory(folder)
      const { ask } = coreWith({ fs })
      ask({ kind: 'body', job: 3, file: 5, format: NDJSON }, chunkOf(3, '{"id":1}'), {
        kind: 'body-end',
        job: 3,
      })
      const size = fs.size(bodyPath(5))
      disk.crash(seed)
      expect(disk.mount().size(bodyPath(5))).toBe(size)
    }
  })
})

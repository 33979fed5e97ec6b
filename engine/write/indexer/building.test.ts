// The chunks of a job: which segments other threads build, which failure is reported, what is left
// of a failed job, and its progress; and a building thread, without the thread.
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { MessageChannel, Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { KiB, MiB } from '../../../format/bytes/index.ts'
import { encodeRecord } from '../../../format/documents/index.ts'
import { asSegmentNo } from '../../../format/ids.ts'
import { Canceled } from '../../model/index.ts'
import { defaultSettings, encodeSettings } from '../../settings/index.ts'
import { SEGMENTS } from '../../store/catalog/index.ts'
import { FieldNames, layerBits } from '../../store/layers/index.ts'
import {
  type Builders,
  type BuildTask,
  type CollectedTasks,
  serveBuilds,
  startBuilders,
} from './builders.ts'
import { Building } from './building.ts'
import { type Chunk, ChunkBuilder } from './chunk.ts'
import { newFileSystem } from './test-support.ts'

const utf8 = (text: string): Uint8Array => Buffer.from(text)
const INTO = layerBits(['documents', 'text', 'columns'])
const NONE: CollectedTasks = { built: new Map(), failures: new Map() }

/** Returns a chunk of documents whose records have `bytes` bytes together, or a little more. */
function chunkOf(count: number, bytes: number): Chunk {
  const chunk = new ChunkBuilder()
  for (let id = 0; id < count; id++) {
    const text = Array.from({ length: Math.ceil(bytes / count / 5) }, (_, i) => {
      return String((id * 7919 + i * i * 31) % 10_000).padStart(4, '0')
    })
    chunk.add(id, INTO, utf8(`${id}`), encodeRecord([[0, utf8(`"${text.join(' ')}"`)]]))
  }
  return chunk.take()
}

function buildingWith(builders: Partial<Builders> | null, total = 1) {
  const fs = newFileSystem()
  const progress = vi.fn((_done: number, _total: number): void => undefined)
  let segment = 1
  const building = new Building(
    {
      job: 9,
      settings: defaultSettings(),
      names: new FieldNames(['title']),
      total,
      chunkBytesMax: MiB,
    },
    {
      fs,
      takeSegments: (count) => asSegmentNo((segment += count) - count),
      progress,
      builders:
        builders === null
          ? null
          : {
              count: 3,
              offer: () => false,
              documentsRead: () => 0,
              collect: () => NONE,
              ...builders,
            },
      memoryBytesMax: 48 * MiB,
    },
  )
  return { building, fs, progress }
}

describe('a chunk', () => {
  it('is handed over from 16 KiB on, to as many threads as the memory allows', () => {
    const offer = vi.fn((_task: BuildTask, _threads: number) => false)
    const { building } = buildingWith({ offer })
    building.build(chunkOf(1, 16 * KiB - 200))
    expect(offer).not.toHaveBeenCalled()
    building.build(chunkOf(1, 16 * KiB))
    expect(
      offer.mock.calls.map(([{ number, job, plan, names }, threads]) => {
        return [number, job, plan.layer, plan.segment, names, threads]
      }),
    ).toEqual([
      [3, 9, 'text', 5, ['title'], 2],
      [4, 9, 'columns', 6, ['title'], 2],
      [5, 9, 'documents', 4, ['title'], 2],
    ])
  })

  it('has all its segments in the end, in the order of their numbers', () => {
    const own = buildingWith(null)
    own.building.build(chunkOf(3, 64 * KiB))
    const expected = own.building.finish()
    expect(expected.map(({ segment }) => segment)).toEqual([1, 2, 3])
    // Another thread builds the text, and finds nothing for the columns.
    const offer = ({ plan }: BuildTask): boolean => plan.layer !== 'documents'
    const built = new Map([
      [0, expected[1]!],
      [1, null],
    ])
    const { building } = buildingWith({ offer, collect: () => ({ ...NONE, built }) })
    building.build(chunkOf(3, 64 * KiB))
    expect(building.finish()).toEqual(expected.slice(0, 2))
  })
})

describe('a job that fails', () => {
  const failures = new Map([
    [5, new Error('later')],
    [3, new Error('first')],
  ])
  const elsewhere = { collect: () => ({ ...NONE, failures }) }

  it('reports the first failure, wherever it occurred', () => {
    expect(() => buildingWith(elsewhere).building.finish()).toThrow('first')
    expect(buildingWith(elsewhere).building.abandon(new Error('here'))).toBe(failures.get(3))
    const { building } = buildingWith({})
    const here = new Error('here')
    expect(building.abandon(here)).toBe(here)
    const canceled = new Canceled()
    expect(buildingWith(elsewhere).building.abandon(canceled)).toBe(canceled)
  })

  it('reports its own failure if it is the first one', () => {
    const { building, progress } = buildingWith(elsewhere)
    progress
      .mockImplementationOnce(() => undefined)
      .mockImplementationOnce(() => {
        throw new Error('own')
      })
    expect(() => building.build(chunkOf(1, 100))).toThrow('own')
    expect(building.abandon(new Error('other'))).toMatchObject({ message: 'own' })
  })

  it('leaves no file', () => {
    const { building, fs } = buildingWith(null)
    building.build(chunkOf(20, 200 * KiB))
    expect(fs.list(SEGMENTS).length).toBeGreaterThan(0)
    building.abandon(new Error('here'))
    expect(fs.list(SEGMENTS)).toEqual([])
  })
})

it('a document counts half when it is read, and half when its layers are built', () => {
  let elsewhere = 0
  const { building, progress } = buildingWith({ documentsRead: () => elsewhere }, 600)
  const last = () => progress.mock.lastCall
  building.progress(600)
  expect(last()).toEqual([300, 600])
  // Without vectors: an eighth for that layer. Other layers count after 256 documents.
  building.build(chunkOf(600, 6000))
  expect(last()).toEqual([300 + 600 / 8 + (3 * 512) / 8, 600])
  elsewhere = 88
  building.progress(0)
  expect(last()).toEqual([567 + 11, 600])
  elsewhere = 8000
  building.progress(0)
  expect(last()).toEqual([600, 600])
})

describe('a building thread', () => {
  const STATES = { read: 0, own: 2 }
  const FREE = 1

  function thread(canceledJob = 0) {
    const { port1, port2 } = new MessageChannel()
    onTestFinished(() => port1.close())
    const states = new Int32Array(new SharedArrayBuffer(16))
    const fs = newFileSystem()
    const start = () =>
      serveBuilds(
        { port: port2, states: states.buffer as SharedArrayBuffer, slot: 1 },
        { fs, canceledJob: () => canceledJob },
      )
    const ask = async (changes: Partial<BuildTask> = {}) => {
      const plan = { layer: 'documents', segment: asSegmentNo(4) } as const
      const settings = encodeSettings(defaultSettings())
      const chunk = chunkOf(600, 6000)
      port1.postMessage({ number: 6, job: 9, plan, chunk, settings, names: ['title'], ...changes })
      const [reply] = (await once(port1, 'message')) as [unknown]
      return reply
    }
    return { states, start, ask }
  }

  it('is free when it has started, and builds what it gets', async () => {
    const { states, start, ask } = thread()
    start()
    expect([...states]).toEqual([0, 0, FREE, 0])
    Atomics.store(states, STATES.own, 2)
    expect(await ask()).toMatchObject({
      kind: 'built',
      number: 6,
      segment: { segment: 4, layer: 'documents', documents: 600 },
    })
    await expect.poll(() => states[STATES.own]).toBe(FREE)
    expect(states[STATES.read]).toBe(512)
  })

  it('has a task already when it starts late', async () => {
    const { states, start, ask } = thread()
    Atomics.store(states, STATES.own, 2)
    start()
    expect(states[STATES.own]).toBe(2)
    await ask()
    await expect.poll(() => states[STATES.own]).toBe(FREE)
  })

  it('stops for a canceled job, and reports other failures', async () => {
    const canceled = thread(9)
    canceled.start()
    expect(await canceled.ask()).toEqual({ kind: 'canceled', number: 6 })
    const { start, ask } = thread(8)
    start()
    expect(await ask({ settings: 'no settings' })).toMatchObject({ kind: 'failed', number: 6 })
  })
})

it('building threads do not keep their process alive', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-building-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'program.mjs')
  writeFileSync(
    file,
    `import { workerData } from 'node:worker_threads'
    workerData.builder.port.on('message', () => undefined)`,
  )
  const unref = vi.spyOn(Worker.prototype, 'unref')
  const shared = new SharedArrayBuffer(8)
  const data = { root: folder, niceness: 0, shared, thread: 0 }
  const threads = startBuilders(2, pathToFileURL(file), data)
  const { contexts } = unref.mock
  unref.mockRestore()
  expect([threads.count, new Set(contexts).size]).toEqual([2, 2])
  threads.end()
})

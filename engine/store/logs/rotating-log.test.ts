// The log that is rewritten: reading back, taking over, and that neither loses or duplicates a
// record.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FIRST_SEED } from '../../../fixtures/first-seed.ts'
import { InvariantError } from '../../../format/errors.ts'
import { StorageError } from '../../model/index.ts'
import { PowerOff } from '../storage/fake-failures.ts'
import { FakeDisk, type FileSystem, RealFileSystem, randomOf } from '../storage/index.ts'
import { logFiles } from './file-names.ts'
import type { LogEntry } from './record-reader.ts'
import { RotatingLog } from './rotating-log.ts'

const OPTIONS = { folder: 'tasks', name: 'tasks', kind: 'TASK', drawLogSalt: () => 0xabcdef }
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const open = (fs: FileSystem): Promise<RotatingLog> => {
  fs.makeDirectory('tasks')
  fs.syncDirectory('')
  return RotatingLog.open(fs, OPTIONS)
}

async function entriesOf(log: RotatingLog, from = 0, to = Number.MAX_SAFE_INTEGER) {
  const entries: LogEntry[] = []
  for await (const portion of log.scan(from, to)) entries.push(...portion)
  return entries
}

const textsOf = async (log: RotatingLog): Promise<string[]> =>
  (await entriesOf(log)).map((entry) => textOf(entry.payload))

const systems: readonly [string, () => { fs: FileSystem; done: () => void }][] = [
  ['on the fake disk', () => ({ fs: new FakeDisk().mount(), done: () => undefined })],
  [
    'on the real one',
    () => {
      const root = mkdtempSync(join(tmpdir(), 'svc-rotating-'))
      return { fs: new RealFileSystem(root), done: () => rmSync(root, { recursive: true }) }
    },
  ],
]

describe.each(systems)('a rotating log %s', (_name, make) => {
  it('returns each record by its offset and all in order', async () => {
    const { fs, done } = make()
    const log = await open(fs)
    expect(await entriesOf(log)).toEqual([])
    const texts = ['a', '', 'b'.repeat(5000), 'c'.repeat(200_000), 'd']
    for (let i = 0; i < 200; i++) texts.push(`${i}`.repeat(i * 4))
    const offsets = await Promise.all(texts.map((text, i) => log.append(1 + i, bytesOf(text))))
    for (let i = 0; i < texts.length; i++) {
      const entry = await log.read(offsets[i]!)
      expect([entry.offset, entry.type, textOf(entry.payload)]).toEqual([
        offsets[i],
        1 + i,
        texts[i],
      ])
    }
    const all = await entriesOf(log)
    expect(all.map((entry) => entry.offset)).toEqual(offsets)
    const some = await entriesOf(log, offsets[3], offsets[7])
    expect(some.map((entry) => entry.type)).toEqual([4, 5, 6, 7])
    await log.close()
    const again = await open(fs)
    for (let round = 0; round < 2; round++) expect(await textsOf(again)).toEqual(texts)
    await again.append(1, bytesOf('e'))
    expect(await textsOf(again)).toEqual([...texts, 'e'])
    await expect(again.read(again.bytes)).rejects.toThrow(InvariantError)
    await again.close()
    done()
  })

  it('scans what was appended between opening and scanning', async () => {
    const { fs, done } = make()
    const log = await open(fs)
    await log.append(1, bytesOf('a'))
    await log.close()
    const again = await open(fs)
    await again.append(1, bytesOf('b'))
    const third = await again.append(1, bytesOf('c'))
    expect((await entriesOf(again, 0, third)).map((entry) => textOf(entry.payload))).toEqual([
      'a',
      'b',
    ])
    expect(await textsOf(again)).toEqual(['a', 'b', 'c'])
    await again.close()
    done()
  })

  it('is replaced by its successor in one step', async () => {
    const { fs, done } = make()
    const log = await open(fs)
    const old = await log.append(1, bytesOf('old'))
    await log.append(1, bytesOf('dropped'))
    const reading = log.read(old)
    const successor = await log.rotate()
    await expect(log.rotate()).rejects.toThrow(InvariantError)
    await log.append(1, bytesOf('late'))
    const offsets = []
    for (const text of ['old', 'late', 'x'.repeat(600_000), 'y']) {
      offsets.push(await successor.append(2, bytesOf(text)))
    }
    await successor.takeOver()
    expect(textOf((await reading).payload)).toBe('old')
    expect(textOf((await log.read(offsets[1]!)).payload)).toBe('late')
    expect((await log.read(offsets[2]!)).payload).toHaveLength(600_000)
    await log.append(2, bytesOf('new'))
    expect(fs.list('tasks')).toEqual(['tasks-000002.log'])
    expect((await textsOf(log)).map((text) => text.slice(0, 4))).toEqual([
      'old',
      'late',
      'xxxx',
      'y',
      'new',
    ])
    const unwanted = await log.rotate()
    await unwanted.append(1, bytesOf('z'))
    await unwanted.abandon()
    await unwanted.abandon()
    expect(fs.list('tasks')).toEqual(['tasks-000002.log'])
    await log.close()
    const again = await open(fs)
    expect(await textsOf(again)).toHaveLength(5)
    await again.close()
    done()
  })
})

describe('a rotating log', () => {
  it('is in the file with the largest number', async () => {
    const fs = new FakeDisk().mount()
    const log = await open(fs)
    const names = ['tasks-000012.log', 'tasks-12.log', 'other-000001.log', 'tasks-000013.log.new']
    for (const name of names) fs.open(`tasks/${name}`, 'create').close()
    expect(logFiles(fs, 'tasks', 'tasks')).toEqual([
      { number: 1, path: 'tasks/tasks-000001.log' },
      { number: 12, path: 'tasks/tasks-000012.log' },
    ])
    await log.close()
  })

  it('lets a scan that has begun end in the old file', async () => {
    const fs = new FakeDisk().mount()
    const log = await open(fs)
    for (let i = 0; i < 20; i++) await log.append(1, new Uint8Array(10_000).fill(i))
    await log.close()
    const again = await open(fs)
    await entriesOf(again)
    const seen: number[] = []
    for await (const portion of again.scan(0, Number.MAX_SAFE_INTEGER)) {
      for (const entry of portion) seen.push(entry.payload[0]!)
      if (seen.length < 20 && fs.list('tasks')[0] === 'tasks-000001.log') {
        const successor = await again.rotate()
        await successor.append(1, bytesOf('only'))
        await successor.takeOver()
      }
    }
    expect(seen).toEqual(Array.from({ length: 20 }, (_, i) => i))
    expect(await textsOf(again)).toEqual(['only'])
    await again.close()
    expect(fs.openFiles).toBe(0)
  })

  it('reports damage with the file name, also of one record', async () => {
    const fs = new FakeDisk().mount()
    const log = await open(fs)
    const offset = await log.append(1, bytesOf('a record'))
    await log.append(1, bytesOf('another'))
    const file = fs.open('tasks/tasks-000001.log', 'write')
    file.write(offset + 26, bytesOf('!'))
    const refusal = { code: 'corrupt', path: 'tasks/tasks-000001.log' }
    await expect(log.read(offset)).rejects.toMatchObject(refusal)
    await expect(entriesOf(log)).rejects.toMatchObject(refusal)
    file.write(offset + 8, Uint8Array.of(255, 255, 255, 255))
    await expect(log.read(offset)).rejects.toMatchObject(refusal)
    await log.close()
    await expect(open(fs)).rejects.toMatchObject(refusal)
  })

  it('ignores foreign files, and removes left-over ones', async () => {
    const fs = new FakeDisk().mount()
    await (await open(fs)).close()
    fs.makeDirectory('tasks/bodies')
    const leftOver = [
      'tasks-000002.log.new',
      'tasks-1.log',
      'other-000009.log',
      'tasks-000003.log.x',
    ]
    for (const name of leftOver) fs.open(`tasks/${name}`, 'create').close()
    await (await open(fs)).close()
    expect(fs.list('tasks')).toEqual([
      'bodies',
      'other-000009.log',
      'tasks-000001.log',
      'tasks-000003.log.x',
      'tasks-1.log',
    ])
  })

  it('has a second name, which outlives the file’s own', async () => {
    const fs = new FakeDisk().mount()
    const log = await open(fs)
    await log.append(1, bytesOf('a'))
    expect([log.link('second'), log.path]).toEqual(Array(2).fill('tasks/tasks-000001.log'))
    expect([log.activeLog.usable, log.activeLog.isInPlace()]).toEqual([true, true])
    await log.append(1, bytesOf('b'))
    expect(fs.size('second')).toBe(fs.size(log.path))
    expect(log.bytes).toBe(32 + 2 * 32)
    await log.room()
    await rewrite(log)
    expect([fs.exists('second'), log.path]).toEqual([true, 'tasks/tasks-000002.log'])
    fs.link = () => false
    expect(log.link('third')).toBeNull()
    await log.close()
  })

  it.each([
    ['is neither synced nor written if it is as it was closed', [], true, 0],
    ['is synced otherwise', [], false, 3],
    ['is synced beside an older file', ['tasks-000002.log'], true, 4],
  ])('%s', async (_name, newer, isAsClosed, steps) => {
    const disk = new FakeDisk()
    const fs = disk.mount()
    const log = await open(fs)
    await log.append(1, bytesOf('a'))
    await log.close()
    for (const name of newer) fs.link('tasks/tasks-000001.log', `tasks/${name}`)
    const before = disk.steps
    const again = await RotatingLog.open(fs, { ...OPTIONS, isAsClosed })
    expect(disk.steps - before).toBe(steps)
    expect([await textsOf(again), fs.list('tasks').length]).toEqual([['a'], 1])
    await again.close()
  })

  it('returns thousands of records that opening has read, each once', async () => {
    const fs = new FakeDisk().mount()
    const log = await open(fs)
    const texts = Array.from({ length: 2100 }, (_, i) => `${i}`)
    await Promise.all(texts.map((text) => log.append(1, bytesOf(text))))
    await log.close()
    const again = await open(fs)
    await again.append(1, bytesOf('last'))
    for (let round = 0; round < 2; round++) {
      expect(await textsOf(again)).toEqual([...texts, 'last'])
    }
  })

  it('names the file that became shorter, and the damaged record', async () => {
    const fs = new FakeDisk().mount()
    const log = await open(fs)
    const path = 'tasks/tasks-000001.log'
    const first = await log.append(1, bytesOf('a'))
    const second = await log.append(1, bytesOf('b'.repeat(5000)))
    const file = fs.open(path, 'write')
    file.truncate(second + 10)
    await expect(log.read(second)).rejects.toMatchObject({
      code: 'short_file',
      path,
      message: expect.stringMatching(/^`tasks\/tasks-000001\.log` ends before \d+$/),
    })
    // A length behind the end of the log.
    file.write(first + 8, Uint8Array.of(255, 255, 0, 0))
    await expect(log.read(first)).rejects.toMatchObject({ path })
    file.close()
  })

  it('begins another successor after one that could not be created or removed', async () => {
    const disk = new FakeDisk()
    const fs = disk.mount()
    const log = await open(fs)
    disk.fail({ on: 'open', errno: 'EMFILE' })
    await expect(log.rotate()).rejects.toMatchObject({ code: 'too_many_open_files' })
    const successor = await log.rotate()
    disk.fail({ on: 'remove', errno: 'EIO' })
    await successor.abandon()
    expect(fs.list('tasks')).toHaveLength(2)
    await expect(successor.append(1, bytesOf('late'))).rejects.toThrow(InvariantError)
    await expect(successor.takeOver()).rejects.toThrow(InvariantError)
    await rewrite(log)
    expect(fs.list('tasks')).toEqual(['tasks-000002.log'])
    expect(fs.openFiles).toBe(2)
  })

  it('removes an old file at the next start if it cannot be removed when it is replaced', async () => {
    const disk = new FakeDisk()
    const fs = disk.mount()
    const log = await open(fs)
    await log.append(1, bytesOf('a'))
    disk.fail({ on: 'remove', errno: 'EIO' })
    await rewrite(log)
    await log.append(1, bytesOf('b'))
    await log.close()
    expect(fs.list('tasks')).toEqual(['tasks-000001.log', 'tasks-000002.log'])
    const again = await open(fs)
    expect([await textsOf(again), fs.list('tasks')]).toEqual([['a', 'b'], ['tasks-000002.log']])
  })

  it('stays with the old file when taking over fails', async () => {
    const faults = [
      { on: 'rename', times: 1 },
      { on: 'sync-folder', times: 1 },
      { on: 'open', times: 1 },
      { on: 'sync-folder', times: 3 },
      { on: 'sync', times: 1 },
    ] as const
    for (const fault of faults) {
      for (let seed = 0; seed < 20; seed++) {
        const disk = new FakeDisk(seed)
        const log = await open(disk.mount())
        await log.append(1, bytesOf('a'))
        const successor = await log.rotate()
        await successor.append(1, bytesOf('a, rewritten'))
        disk.fail({ ...fault, errno: 'EIO' })
        await expect(successor.takeOver()).rejects.toMatchObject({ code: 'io' })
        const refused = fault.times === 3
        const append = log.append(1, bytesOf('b'))
        if (refused) await expect(append).rejects.toMatchObject({ code: 'io' })
        else await append
        await successor.abandon()
        await log.append(1, bytesOf('c'))
        disk.crash(seed)
        const again = await open(disk.mount())
        expect(await textsOf(again)).toEqual(refused ? ['a', 'c'] : ['a', 'b', 'c'])
      }
    }
  })

  it('loses nothing acknowledged when the power fails at any step', async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + 200; seed++) await life(seed)
  }, 60_000)
})

async function life(seed: number): Promise<void> {
  const random = randomOf(seed)
  const disk = new FakeDisk(seed)
  disk.mount().makeDirectory('tasks')
  disk.mount().syncDirectory('')
  const acknowledged: string[] = []
  for (let process = 0; process < 5; process++) {
    disk.powerOffAfter(random.below(40))
    try {
      const log = await RotatingLog.open(disk.mount(), OPTIONS)
      const texts = await textsOf(log)
      expect(new Set(texts).size, `seed ${seed}`).toBe(texts.length)
      const order = texts.filter((text) => acknowledged.includes(text))
      expect(order, `seed ${seed}`).toEqual(acknowledged)
      if (random.below(4) === 0) disk.fail({ on: 'sync-folder', errno: 'EIO', times: 2 })
      if (random.below(4) === 0) disk.fail({ on: 'sync', errno: 'EIO', after: random.below(9) })
      for (let turn = 0; turn < 4; turn++) {
        await appendOne(log, `${seed}.${process}.${turn}`, acknowledged)
        if (random.below(2) === 0) await rewrite(log)
      }
    } catch (error) {
      if (!(error instanceof PowerOff)) throw error
    }
    if (random.below(3) === 0) disk.kill()
    else disk.crash(random.below(1 << 30))
  }
}

async function appendOne(log: RotatingLog, text: string, acknowledged: string[]): Promise<void> {
  try {
    await log.append(1, bytesOf(text))
    acknowledged.push(text)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
  }
}

async function rewrite(log: RotatingLog): Promise<void> {
  try {
    const successor = await log.rotate()
    try {
      for (const entry of await entriesOf(log)) await successor.append(entry.type, entry.payload)
      await successor.takeOver()
    } finally {
      await successor.abandon()
    }
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
  }
}

// The log writer: group commit, all kinds of failures, and crashes at every step. Rules:
// append-log.ts, log-file.ts

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FIRST_SEED } from '../../../fixtures/first-seed.ts'
import { logRecordBytes } from '../../../format/log/index.ts'
import { StorageError } from '../../model/index.ts'
import { PowerOff } from '../storage/fake-failures.ts'
import { FakeDisk, type FileSystem, RealFileSystem, randomOf, readFile } from '../storage/index.ts'
import { LOG_FILE_BYTES_MAX, LOG_GROUP_BYTES_MAX, LOG_QUEUE_BYTES_MAX } from '../storage/limits.ts'
import { AppendLog } from './append-log.ts'
import { createLog, openLog } from './open-log.ts'

const PATH = 'x.log'
const HEADER = { kind: 'TASK', number: 1, salt: 0x1234567 }
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const newLog = (fs: FileSystem, first: readonly string[] = []): Promise<AppendLog> =>
  createLog(
    fs,
    PATH,
    HEADER,
    first.map((text) => ({ type: 1, payload: bytesOf(text) })),
  )

function reopened(fs: FileSystem): { texts: string[]; log: AppendLog; tail: string } {
  const texts: string[] = []
  const { log, contents } = openLog(fs, PATH, 'TASK', (record) =>
    texts.push(textOf(record.payload)),
  )
  return { texts, log, tail: contents.tail }
}

const codeOf = (error: unknown): string => (error instanceof StorageError ? error.code : 'other')

/** Resolves to `ok` or to the code of the error. */
const settle = (append: Promise<unknown>): Promise<string> => append.then(() => 'ok', codeOf)

const systems: readonly [string, () => { fs: FileSystem; done: () => void }][] = [
  ['on the fake disk', () => ({ fs: new FakeDisk().mount(), done: () => undefined })],
  [
    'on the real one',
    () => {
      const root = mkdtempSync(join(tmpdir(), 'svc-log-'))
      return { fs: new RealFileSystem(root), done: () => rmSync(root, { recursive: true }) }
    },
  ],
]

describe.each(systems)('a log %s', (_name, make) => {
  it('holds the appended records in order, also after closing and opening', async () => {
    const { fs, done } = make()
    const log = await newLog(fs, ['zero'])
    const places = await Promise.all(['one', 'two', ''].map((text) => log.append(7, bytesOf(text))))
    expect(places.map((place) => place.bytes)).toEqual([32, 32, 24])
    expect(places[0]!.offset).toBe(64)
    await log.append(8, bytesOf('x'.repeat(10_000)))
    await log.close()
    expect(log.isInPlace()).toBe(true)
    const again = reopened(fs)
    expect(again.texts).toEqual(['zero', 'one', 'two', '', 'x'.repeat(10_000)])
    expect(again.tail).toBe('clean')
    await again.log.append(1, bytesOf('more'))
    await again.log.close()
    expect(reopened(fs).texts.at(-1)).toBe('more')
    expect(fs.list('')).toEqual([PATH])
    done()
  })

  it('acknowledges no record in a file that has lost its name', async () => {
    const { fs, done } = make()
    const log = await newLog(fs)
    expect(await settle(log.append(1, bytesOf('before')))).toBe('ok')
    fs.rename(PATH, 'elsewhere')
    expect(log.isInPlace()).toBe(false)
    expect(await settle(log.append(1, bytesOf('lost')))).toBe('missing')
    expect(log.usable).toBe(false)
    // Another file of that name, longer than the log. It is not ours, so the log must not truncate
    // it.
    const foreign = fs.open(PATH, 'create')
    foreign.write(0, new Uint8Array(300_000).fill(7))
    foreign.sync()
    foreign.close()
    expect(log.isInPlace()).toBe(false)
    expect(await settle(log.recover())).toBe('missing')
    expect(await settle(log.append(1, bytesOf('lost')))).toBe('missing')
    expect(Buffer.compare(readFile(fs, PATH, 1e6), new Uint8Array(300_000).fill(7))).toBe(0)
    // The original file returns.
    fs.remove(PATH)
    fs.rename('elsewhere', PATH)
    expect(await settle(log.append(1, bytesOf('after')))).toBe('ok')
    expect([log.isInPlace(), log.usable]).toEqual([true, true])
    await log.close()
    expect(reopened(fs).texts).toEqual(['before', 'after'])
    done()
  })

  it('cuts off a torn end and continues', async () => {
    const { fs, done } = make()
    const log = await newLog(fs)
    await log.append(1, bytesOf('kept'))
    const end = log.bytes
    await log.append(1, bytesOf('torn'))
    const file = fs.open(PATH, 'write')
    file.write(log.bytes - 8, bytesOf('garbage'))
    file.close()
    const again = reopened(fs)
    expect([again.texts, again.tail, again.log.bytes]).toEqual([['kept'], 'torn', end])
    expect(fs.size(PATH)).toBe(end)
    await again.log.append(1, bytesOf('next'))
    await again.log.close()
    expect(reopened(fs).texts).toEqual(['kept', 'next'])
    done()
  })

  it('is refused with its name if durable bytes are damaged', async () => {
    const { fs, done } = make()
    const log = await newLog(fs, ['first'])
    await log.append(1, bytesOf('second'))
    await log.close()
    const file = fs.open(PATH, 'write')
    file.write(60, bytesOf('!'))
    file.close()
    expect(() => reopened(fs)).toThrow(/`x.log` is damaged: TASK log @32/)
    expect(() => openLog(fs, PATH, 'MANI', () => undefined)).toThrow(StorageError)
    done()
  })
})

describe('group commit', () => {
  it('writes all waiting records with one sync', async () => {
    const disk = new FakeDisk()
    const log = await newLog(disk.mount())
    await log.append(1, bytesOf('warm'))
    let release: () => void = () => undefined
    let writes = 0
    disk.gate = () => {
      writes++
      return new Promise((resolve) => {
        release = resolve
      })
    }
    const first = log.append(1, bytesOf('first'))
    await new Promise((resolve) => setImmediate(resolve))
    const others = Array.from({ length: 500 }, (_, i) => log.append(1, bytesOf(`other ${i}`)))
    expect(writes).toBe(1)
    release()
    await first
    await new Promise((resolve) => setImmediate(resolve))
    expect(writes).toBe(2)
    release()
    await Promise.all(others)
    expect(writes).toBe(2)
    expect(log.queuedBytes).toBe(0)
  })

  it('limits groups by bytes, and writes a larger record alone', async () => {
    const disk = new FakeDisk()
    const log = await newLog(disk.mount())
    let writes = 0
    disk.gate = async () => {
      writes++
    }
    const third = new Uint8Array(LOG_GROUP_BYTES_MAX / 3)
    const huge = new Uint8Array(LOG_GROUP_BYTES_MAX + 10)
    await Promise.all([third, third, third, huge, third].map((bytes) => log.append(1, bytes)))
    expect(writes).toBe(4)
    expect(log.records).toBe(5)
  })

  it.each([
    [0, 1],
    [8, 2],
  ])('takes a group of %i bytes beyond the limit in %i writes', async (more, expected) => {
    const disk = new FakeDisk()
    const log = await newLog(disk.mount())
    let writes = 0
    disk.gate = async () => {
      writes++
    }
    const half = LOG_GROUP_BYTES_MAX / 2 - logRecordBytes(0)
    const appends = [half, half + more].map((bytes) => log.append(1, new Uint8Array(bytes)))
    await Promise.all(appends)
    expect(writes).toBe(expected)
  })

  it('fills the queue to its limit, and refuses the next record', async () => {
    const disk = new FakeDisk()
    const log = await newLog(disk.mount())
    disk.fail({ on: 'write', errno: 'EIO' })
    const quarter = new Uint8Array(LOG_QUEUE_BYTES_MAX / 4 - logRecordBytes(0))
    const all = [quarter, quarter, quarter, quarter].map((bytes) => settle(log.append(1, bytes)))
    expect(log.queuedBytes).toBe(LOG_QUEUE_BYTES_MAX)
    await expect(log.append(1, new Uint8Array(0))).rejects.toThrow('wait to be written already')
    expect(await Promise.all(all)).toEqual(['io', 'io', 'io', 'io'])
  })

  it.each([
    [1, true],
    [2, false],
  ])('has room while half of it is used: with %i more after a group, %j', async (more, isRoom) => {
    const disk = new FakeDisk()
    const log = await newLog(disk.mount())
    let release: () => void = () => undefined
    const blocked = new Promise<void>((resolve) => {
      release = resolve
    })
    let writes = 0
    disk.gate = () => (++writes === 1 ? Promise.resolve() : blocked)
    const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
      let settled = false
      void promise.then(() => {
        settled = true
      })
      for (let turn = 0; turn < 3; turn++) await Promise.resolve()
      return settled
    }
    const first = log.append(1, new Uint8Array(0))
    const half = log.append(1, new Uint8Array(LOG_QUEUE_BYTES_MAX / 2 - 2 * logRecordBytes(0)))
    expect(log.queuedBytes).toBe(LOG_QUEUE_BYTES_MAX / 2)
    expect(await isSettled(log.room())).toBe(true)
    const last = Array.from({ length: more }, () => log.append(1, new Uint8Array(0)))
    const room = log.room()
    expect(await isSettled(room)).toBe(false)
    await first
    // The first group left exactly half, or a record more; the second is being written.
    expect(log.queuedBytes).toBe(LOG_QUEUE_BYTES_MAX / 2 + (more - 1) * logRecordBytes(0))
    expect(await isSettled(room)).toBe(isRoom)
    release()
    await Promise.all([half, room, ...last])
  })

  it('refuses a record that would make the file too long', async () => {
    const file = new FakeDisk().mount().open(PATH, 'create')
    const end = LOG_FILE_BYTES_MAX - logRecordBytes(0)
    const position = { header: HEADER, records: 1, end, size: end, lastBlock: new Uint8Array(0) }
    const log = new AppendLog(new FakeDisk().mount(), file, position)
    await expect(log.append(1, new Uint8Array(8))).rejects.toThrow('it has become too long')
    void settle(log.append(1, new Uint8Array(0)))
    expect(log.queuedBytes).toBe(logRecordBytes(0))
  })

  it('does not let memory grow without bound', async () => {
    const disk = new FakeDisk()
    const log = await newLog(disk.mount())
    const large = new Uint8Array(LOG_QUEUE_BYTES_MAX / 4)
    const appends = Array.from({ length: 5 }, () => settle(log.append(1, large)))
    let room = false
    const waiting = log.room().then(() => {
      room = true
    })
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(await Promise.all(appends)).toEqual(['ok', 'ok', 'ok', 'io', 'io'])
    await waiting
    expect(room).toBe(true)
    expect(await settle(log.append(1, large))).toBe('ok')
  })
})

describe('failures', () => {
  const failing = async () => {
    const disk = new FakeDisk(3)
    const fs = disk.mount()
    const log = await newLog(fs)
    await log.append(1, bytesOf('before'))
    return { disk, fs, log }
  }

  it('of space refuse the records, and end when there is space again', async () => {
    const { disk, fs, log } = await failing()
    disk.capacity = disk.usedBytes + 1000
    const much = bytesOf('y'.repeat(100_000))
    expect(await settle(log.append(1, much))).toBe('no_space')
    expect([log.usable, fs.size(PATH), log.bytes]).toEqual([true, log.bytes, log.bytes])
    expect(await settle(log.append(1, bytesOf('small')))).toBe('ok')
    disk.capacity = Number.POSITIVE_INFINITY
    expect(await settle(log.append(1, much))).toBe('ok')
    await log.close()
    expect(reopened(fs).texts.map((text) => text.length)).toEqual([6, 5, 100_000])
  })

  it('to allocate room refuse no record', async () => {
    const { disk, fs, log } = await failing()
    const much = bytesOf('y'.repeat(100_000))
    disk.capacity = disk.usedBytes + 80_000
    expect(await settle(log.append(1, much))).toBe('ok')
    expect(fs.size(PATH)).toBe(log.bytes)
  })

  it('of other kinds refuse the record when room is allocated', async () => {
    const disk = new FakeDisk()
    const log = await newLog(disk.mount())
    disk.fail({ on: 'write', errno: 'EIO' })
    expect(await settle(log.append(1, bytesOf('a')))).toBe('io')
    disk.fail({ on: 'write', errno: 'ENOSPC' })
    disk.fail({ on: 'open', errno: 'EMFILE' })
    expect(await settle(log.append(1, bytesOf('b')))).toBe('no_space')
    expect(log.usable).toBe(false)
  })

  it('in the middle of a write leave nothing behind', async () => {
    for (const part of [0, 1, 20, 31, 40]) {
      const { disk, fs, log } = await failing()
      disk.fail({ on: 'write', errno: 'EIO', part })
      const appends = ['a', 'b'].map((text) => settle(log.append(1, bytesOf(text))))
      expect(await Promise.all(appends)).toEqual(['io', 'io'])
      expect(log.usable).toBe(true)
      expect(await settle(log.append(1, bytesOf('c')))).toBe('ok')
      disk.kill()
      expect(reopened(disk.mount()).texts).toEqual(['before', 'c'])
      expect(fs.openFiles).toBe(1)
    }
  })

  it('of a sync are not hidden by a second sync', async () => {
    for (let seed = 0; seed < 200; seed++) {
      const disk = new FakeDisk(seed)
      const log = await newLog(disk.mount())
      await log.append(1, bytesOf('before'))
      disk.fail({ on: 'sync', errno: 'EIO' })
      expect(await settle(log.append(1, bytesOf('failed')))).toBe('io')
      expect(await settle(log.append(1, bytesOf('after')))).toBe('ok')
      disk.crash(seed)
      const again = reopened(disk.mount())
      expect([again.texts, again.tail]).toEqual([['before', 'after'], 'clean'])
    }
  })

  it('of a sync that ruin the sector at the end are repaired from memory', async () => {
    for (let seed = 0; seed < 100; seed++) {
      const disk = new FakeDisk(seed)
      const log = await newLog(disk.mount())
      for (const text of ['a', 'b', 'c'.repeat(5000), 'd']) await log.append(1, bytesOf(text))
      disk.fail({ on: 'sync', errno: 'EIO', ruins: true })
      expect(await settle(log.append(1, bytesOf('failed')))).toBe('io')
      disk.crash(seed)
      expect(reopened(disk.mount()).texts.map((text) => text[0])).toEqual(['a', 'b', 'c', 'd'])
    }
  })

  it('that persist keep the log unusable until they end', async () => {
    const { disk, log } = await failing()
    disk.fail({ on: 'sync', errno: 'EIO', times: 4 })
    expect(await settle(log.append(1, bytesOf('a')))).toBe('io')
    expect(log.usable).toBe(false)
    expect(await settle(log.append(1, bytesOf('b')))).toBe('io')
    expect(await settle(log.recover())).toBe('io')
    expect(log.usable).toBe(false)
    expect(await settle(log.append(1, bytesOf('c')))).toBe('ok')
    expect(log.usable).toBe(true)
    await log.recover()
    disk.crash(5)
    expect(reopened(disk.mount()).texts).toEqual(['before', 'c'])
  })

  it('keep the log unusable while the disk returns other bytes than were written', async () => {
    const disk = new FakeDisk()
    const fs = disk.mount()
    let lies = (_: Uint8Array, got: number): number => got
    const open = fs.openAsync.bind(fs)
    fs.openAsync = async (path, mode) => {
      const file = await open(path, mode)
      const read = file.readAsync.bind(file)
      const readAsync = async (at: number, target: Uint8Array) =>
        lies(target, await read(at, target))
      return Object.assign(file, { readAsync })
    }
    const log = await newLog(fs)
    await log.append(1, bytesOf('before'))
    disk.fail({ on: 'write', errno: 'EIO' })
    lies = (target, got) => {
      target[got - 1]! ^= 1
      return got
    }
    expect(await settle(log.append(1, bytesOf('a')))).toBe('io')
    await expect(log.recover()).rejects.toMatchObject({
      code: 'io',
      message: '`x.log` does not hold what was written to it, at 0',
    })
    lies = (_, got) => got - 1
    expect(await settle(log.recover())).toBe('io')
    expect(log.usable).toBe(false)
    lies = (_, got) => got
    await log.recover()
    expect(await settle(log.append(1, bytesOf('b')))).toBe('ok')
    expect(reopened(fs).texts).toEqual(['before', 'b'])
  })

  it('to close the old file do not keep the log unusable', async () => {
    const { disk, log } = await failing()
    disk.fail({ on: 'write', errno: 'EIO' })
    disk.fail({ on: 'close', errno: 'EIO' })
    expect(await settle(log.append(1, bytesOf('a')))).toBe('io')
    expect(log.usable).toBe(true)
  })

  it('to open the file again keep the log unusable too', async () => {
    const { disk, log } = await failing()
    disk.fail({ on: 'write', errno: 'EIO' })
    disk.fail({ on: 'open', errno: 'EMFILE' })
    expect(await settle(log.append(1, bytesOf('a')))).toBe('io')
    expect(log.usable).toBe(false)
    await log.recover()
    expect(await settle(log.append(1, bytesOf('b')))).toBe('ok')
    disk.kill()
    expect(reopened(disk.mount()).texts).toEqual(['before', 'b'])
  })

  it('refuse the records that waited after them too', async () => {
    const { disk, log } = await failing()
    disk.fail({ on: 'write', errno: 'EIO' })
    let release: () => void = () => undefined
    disk.gate = () =>
      new Promise((resolve) => {
        release = resolve
      })
    const first = settle(log.append(1, bytesOf('a')))
    await new Promise((resolve) => setImmediate(resolve))
    disk.gate = () => Promise.resolve()
    release()
    const second = settle(log.append(1, new Uint8Array(LOG_GROUP_BYTES_MAX)))
    expect(await Promise.all([first, second])).toEqual(['io', 'io'])
    expect(log.queuedBytes).toBe(0)
  })

  it('when closing do not matter', async () => {
    const { disk, log } = await failing()
    disk.fail({ on: 'write', errno: 'ENOSPC' })
    await log.close()
    disk.kill()
    expect(reopened(disk.mount()).texts).toEqual(['before'])
  })

  it('of the file itself are detected: it is shorter than the written records', async () => {
    const { disk, fs, log } = await failing()
    fs.open(PATH, 'write').truncate(40)
    disk.fail({ on: 'write', errno: 'EIO' })
    expect(await settle(log.append(1, bytesOf('a')))).toBe('io')
    await expect(log.recover()).rejects.toThrow(/has lost bytes/)
  })
})

describe('crashes', () => {
  it('at every step lose no acknowledged record and leave no partial record', async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + 400; seed++) await life(seed)
  }, 60_000)

  it('while a log is created leave a complete log or no file', async () => {
    for (let seed = 0; seed < 200; seed++) {
      const disk = new FakeDisk(seed)
      disk.powerOffAfter(seed % 8)
      const made = await newLog(disk.mount(), ['a', 'b']).then(
        () => true,
        () => false,
      )
      disk.crash(seed)
      const fs = disk.mount()
      if (made) expect(fs.exists(PATH)).toBe(true)
      if (fs.exists(PATH)) expect(reopened(fs).texts).toEqual(['a', 'b'])
    }
  })
})

/**
 * Several processes one after another, each ended by a power failure or a kill, with failures in
 * between.
 */
async function life(seed: number): Promise<void> {
  const random = randomOf(seed)
  const disk = new FakeDisk(seed)
  const acknowledged: string[] = []
  let present: string[] = []
  await newLog(disk.mount())
  for (let process = 0; process < 5; process++) {
    if (random.below(4) === 0) disk.powerOffAfter(random.below(4))
    const start = started(disk)
    if (start === null) {
      disk.crash(random.below(1 << 30))
      continue
    }
    const { texts, log } = start
    expectHistory(seed, texts, present, acknowledged)
    present = texts
    if (random.below(3) === 0) disk.fail({ on: 'sync', errno: 'EIO', after: random.below(4) })
    if (random.below(4) === 0) {
      disk.fail({ on: 'write', errno: 'ENOSPC', after: random.below(4), part: random.below(99) })
    }
    disk.powerOffAfter(random.below(24))
    await work(log, random, `${seed}.${process}`, acknowledged)
    if (random.below(3) === 0) disk.kill()
    else disk.crash(random.below(1 << 30))
  }
  expectHistory(seed, reopened(disk.mount()).texts, present, acknowledged)
}

/** Null if the power failed while the log was being opened. */
function started(disk: FakeDisk): ReturnType<typeof reopened> | null {
  try {
    return reopened(disk.mount())
  } catch (error) {
    if (!(error instanceof PowerOff)) throw error
    return null
  }
}

async function work(
  log: AppendLog,
  random: ReturnType<typeof randomOf>,
  name: string,
  acknowledged: string[],
): Promise<void> {
  for (let turn = 0; turn < 6; turn++) {
    const appends = Array.from({ length: 1 + random.below(4) }, async (_, i) => {
      const text = `${name}.${turn}.${i} ${'#'.repeat(random.below(900))}`
      try {
        await log.append(1, bytesOf(text))
        acknowledged.push(text)
      } catch (error) {
        if (!(error instanceof StorageError || error instanceof PowerOff)) throw error
      }
    })
    await Promise.all(appends)
  }
  if (random.below(4) === 0) await log.close().catch(() => undefined)
}

/**
 * Expects that earlier records stay in order, that acknowledged records exist, and that all others
 * are complete.
 */
function expectHistory(
  seed: number,
  texts: readonly string[],
  before: readonly string[],
  acknowledged: readonly string[],
): void {
  const there = new Set(texts)
  const lost = acknowledged.filter((text) => !there.has(text))
  expect(lost, `seed ${seed}: acknowledged and lost`).toEqual([])
  expect(texts.slice(0, before.length), `seed ${seed}: what was there`).toEqual(before)
  expect(there.size, `seed ${seed}: each once`).toBe(texts.length)
  const order = texts.filter((text) => acknowledged.includes(text))
  expect(order, `seed ${seed}: in order`).toEqual(acknowledged)
}

describe('a log of many records', () => {
  it('reads back from the bytes of the file', async () => {
    const fs = new FakeDisk().mount()
    const log = await newLog(fs)
    await Promise.all(Array.from({ length: 300 }, (_, i) => log.append(1, bytesOf(`${i}`))))
    const room = readFile(fs, PATH, 1e7).length - log.bytes
    expect(room).toBeGreaterThan(60_000)
    expect(reopened(fs).texts).toHaveLength(300)
    await log.close()
    expect(fs.size(PATH)).toBe(log.bytes + 24)
  })
})

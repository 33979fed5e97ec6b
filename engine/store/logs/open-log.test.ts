// Opening and closing logs, and the limits of one: file, queue and records. Rules: open-log.ts,
// append-log.ts

import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { InvariantError } from '../../../format/errors.ts'
import { LOG_HEADER_BYTES, LOG_SEAL } from '../../../format/log/index.ts'
import { StorageError } from '../../model/index.ts'
import {
  FakeDisk,
  type FileSystem,
  LOG_FILE_BYTES_MAX,
  readFile,
  replaceFile,
} from '../storage/index.ts'
import { LOG_QUEUE_BYTES_MAX } from '../storage/limits.ts'
import { AppendLog } from './append-log.ts'
import { createLog, encodeLog, openLog, soundBytes } from './open-log.ts'

const PATH = 'x.log'
const HEADER = { kind: 'TASK', number: 1, salt: 0x1234567 }
const KiB = 1024
const MiB = 1024 * KiB
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

type Opened = ReturnType<typeof openLog> & { readonly texts: readonly string[] }

function opened(fs: FileSystem, options?: Parameters<typeof openLog>[4]): Opened {
  const texts: string[] = []
  const visit = ({ payload }: { payload: Uint8Array }) => void texts.push(textOf(payload))
  return { ...openLog(fs, PATH, 'TASK', visit, options), texts }
}

const records = ['a', 'b'].map((text) => ({ type: 1, payload: bytesOf(text) }))
const sound = encodeLog(HEADER, records)

/** A log of `a` and `b`, and bytes of an unfinished write behind them. */
async function tornLog(disk: FakeDisk): Promise<{ bytes: Uint8Array; end: number }> {
  const bytes = Uint8Array.from([...sound, ...bytesOf('unfinished')])
  await replaceFile(disk.mount(), PATH, bytes)
  return { bytes, end: sound.length }
}

describe('a log that is opened', () => {
  it('may be refused before anything is changed', async () => {
    const disk = new FakeDisk()
    const { bytes, end } = await tornLog(disk)
    const fs = disk.mount()
    const steps = disk.steps
    const refusal = new Error('refused')
    const accept = (contents: object): never => {
      expect(contents).toMatchObject({ records: 2, validBytes: end, tail: 'torn' })
      throw refusal
    }
    expect(() => opened(fs, { accept })).toThrow(refusal)
    expect(soundBytes(fs, PATH, 'TASK')).toEqual(sound)
    expect([readFile(fs, PATH, MiB), disk.steps, fs.openFiles]).toEqual([bytes, steps, 0])
  })

  it.each([
    ['is cut off and synced if its end is torn', true, {}, 3],
    ['is cut off even if it should be as it was closed', true, { isAsClosed: true }, 3],
    ['is synced if its end is sound', false, {}, 2],
    ['is not written if it is as it was closed', false, { isAsClosed: true }, 0],
  ])('%s', async (_name, isTorn, options, steps) => {
    const disk = new FakeDisk()
    const { end } = await tornLog(disk)
    if (!isTorn) opened(disk.mount()).log.closeWithoutSeal()
    const before = disk.steps
    const { log, texts } = opened(disk.mount(), options)
    expect([disk.steps - before, log.bytes, log.records]).toEqual([steps, end, 2])
    expect(texts).toEqual(['a', 'b'])
    await log.append(1, bytesOf('c'))
    disk.crash(1)
    expect(opened(disk.mount()).texts).toEqual(['a', 'b', 'c'])
  })

  it('is closed again if it cannot be synced', async () => {
    const disk = new FakeDisk()
    await tornLog(disk)
    const fs = disk.mount()
    disk.fail({ on: 'sync', errno: 'EIO' })
    expect(() => opened(fs)).toThrow(StorageError)
    expect(fs.openFiles).toBe(0)
  })

  it('is refused with its name if it is of another release or kind', async () => {
    const disk = new FakeDisk()
    await tornLog(disk)
    const fs = disk.mount()
    expect(() => soundBytes(fs, PATH, 'MANI')).toThrow(/^`x.log` is damaged: /)
    const file = fs.open(PATH, 'write')
    file.write(8, Uint8Array.of(2))
    file.close()
    expect(() => opened(fs)).toThrow(
      expect.objectContaining({
        code: 'version',
        path: PATH,
        message: expect.stringMatching(/^`x.log`: it was written by another release: /),
      }),
    )
  })

  it('is as it was after closing without a seal, and closes once', async () => {
    const disk = new FakeDisk()
    const fs = disk.mount()
    const log = await createLog(fs, PATH, HEADER, records)
    log.closeWithoutSeal()
    expect(readFile(fs, PATH, MiB)).toEqual(sound)
    expect([fs.openFiles, log.isInPlace(), log.records]).toEqual([0, true, 2])
    expect(() => log.closeWithoutSeal()).toThrow(InvariantError)
    expect(() => log.append(1, bytesOf('c'))).toThrow(InvariantError)
    const again = opened(fs).log
    void again.append(1, bytesOf('c'))
    expect(() => again.closeWithoutSeal()).toThrow(InvariantError)
    await again.close()
    expect(opened(fs).texts).toEqual(['a', 'b', 'c'])
  })
})

describe('a log', () => {
  it.each([
    ['64 KiB behind a short log', 0, 64 * KiB],
    ['64 KiB up to 256 KiB', 200 * KiB, 64 * KiB],
    ['a quarter of its length', 2 * MiB, 512 * KiB],
    ['1 MiB behind a long one', 5 * MiB, MiB],
  ])('has room: %s', async (_name, payloadBytes, room) => {
    const fs = new FakeDisk().mount()
    const log = await createLog(fs, PATH, HEADER, [])
    await log.append(1, new Uint8Array(payloadBytes))
    const found = fs.size(PATH) - log.bytes
    expect(fs.size(PATH) % 4096).toBe(0)
    // Rounded up to a block, and a quarter is of the log with its headers.
    expect(found - room).toBeGreaterThanOrEqual(0)
    expect(found - room).toBeLessThan(4096 + 64)
    const size = fs.size(PATH)
    await log.append(1, new Uint8Array(found - 24))
    expect(fs.size(PATH)).toBe(size)
    await log.append(1, new Uint8Array(0))
    expect(fs.size(PATH)).toBeGreaterThan(size)
  })

  it('writes what arrives in one turn of the event loop together', async () => {
    const disk = new FakeDisk()
    const log = await createLog(disk.mount(), PATH, HEADER, [])
    let writes = 0
    disk.gate = async () => void writes++
    const first = log.append(1, bytesOf('a'))
    for (let i = 0; i < 20; i++) await null
    await Promise.all([first, log.append(1, bytesOf('b'))])
    expect(writes).toBe(1)
  })

  it.each([0, 0x10000, -1, LOG_SEAL])('refuses type %s', async (type) => {
    const log = await createLog(new FakeDisk().mount(), PATH, HEADER, [])
    expect(() => log.append(type, bytesOf('a'))).toThrow(InvariantError)
    expect(log.queuedBytes).toBe(0)
    await log.append(0xffff, bytesOf('b'))
  })

  /** A log of this length that never writes. */
  function stoppedLog(bytes: number): AppendLog {
    const disk = new FakeDisk()
    const fs = disk.mount()
    fs.open(PATH, 'create').close()
    disk.gate = () => new Promise(() => undefined)
    const position = { header: HEADER, records: 0, end: bytes, size: bytes }
    return new AppendLog(fs, fs.open(PATH, 'log'), { ...position, lastBlock: new Uint8Array(0) })
  }

  it.each([
    ['ends at the most bytes of a file', LOG_FILE_BYTES_MAX - 63, [8, 8], 1],
    ['ends before a record that is too long', LOG_FILE_BYTES_MAX - 63, [40], 0],
    ['lets as many bytes wait as the queue holds', 0, Array(4).fill(16 * MiB - 24), 4],
    ['lets no more bytes wait', 0, [...Array(3).fill(16 * MiB - 24), 16 * MiB - 23], 3],
    ['lets one record wait that is longer than the queue', 0, [LOG_QUEUE_BYTES_MAX, 0], 1],
  ])('%s', async (_name, bytes, payloads, accepted) => {
    const log = stoppedLog(bytes)
    const refused: string[] = []
    for (const length of payloads as readonly number[]) {
      log.append(1, new Uint8Array(length)).catch((error: Error) => refused.push(error.message))
    }
    await Promise.resolve()
    const expected = bytes > 0 ? /`x.log`: it has become too long/ : /\d+ bytes wait to be written/
    expect(refused).toHaveLength(payloads.length - accepted)
    for (const words of refused) expect(words).toMatch(expected)
  })

  it('has room for callers that can wait while at most half of its queue is used', async () => {
    const log = stoppedLog(0)
    const hasRoom = () => Promise.race([log.room().then(() => true), nextTurn(false)])
    expect(await hasRoom()).toBe(true)
    void log.append(1, new Uint8Array(LOG_QUEUE_BYTES_MAX / 2 - 24))
    expect(await hasRoom()).toBe(true)
    void log.append(1, new Uint8Array(0))
    expect(await hasRoom()).toBe(false)
  })

  it('begins with records at the places of its header and their lengths', async () => {
    const fs = new FakeDisk().mount()
    const records = [3, 0, 9].map((length) => ({ type: 2, payload: new Uint8Array(length) }))
    await createLog(fs, PATH, HEADER, records)
    const seen: unknown[] = []
    const { contents } = openLog(fs, PATH, 'TASK', (record) =>
      seen.push([record.offset, record.sequence, record.group, record.type]),
    )
    expect(seen).toEqual([
      [LOG_HEADER_BYTES, 0, 0, 2],
      [LOG_HEADER_BYTES + 32, 1, 0, 2],
      [LOG_HEADER_BYTES + 56, 2, 0, 2],
    ])
    expect(contents).toMatchObject({ header: HEADER, records: 3, lastGroup: LOG_HEADER_BYTES })
  })
})

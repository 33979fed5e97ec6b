// Large bodies: the thread reads the same values as the main thread; a failure of the thread ends
// one request; callers alternate.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { FEATURES, type Features } from '../../engine/model/index.ts'
import { bundleInto } from '../../fixtures/bundle.ts'
import { asIndexUid } from '../../format/ids.ts'
import { ApiError } from '../errors/index.ts'
import type { BodySource } from '../http/messages/index.ts'
import { QUICK_BRACKETS_MAX } from '../parse/schema/limits.ts'
import type { Encoding } from '../unpack/index.ts'
import type { BodyReaderOptions } from './body-reader.ts'
import { type BodyName, BodyReader } from './index.ts'
import { Lanes } from './lanes.ts'
import {
  INLINE_BYTES_MAX,
  LANE_BYTES_MAX,
  LANE_MAX,
  PIECE_WEIGHT,
  SMALL_BYTES_MAX,
  WAITING_MAX,
} from './limits.ts'
import { Assembly, piecesOf, transferOf } from './pieces.ts'
import { readNow } from './readers.table.ts'

const utf8 = new TextEncoder()
const folder = mkdtempSync(join(tmpdir(), 'svc-bodies-'))
let file: URL
beforeAll(() => {
  file = pathToFileURL(bundleInto(folder, 'server/bodies-worker.ts', 'bodies.mjs'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const open: BodyReader[] = []
afterEach(async () => {
  for (const reader of open.splice(0)) await reader.close()
})

const reports: string[] = []
function readerOf(options: Partial<BodyReaderOptions> = {}): BodyReader {
  const report = (message: string): void => void reports.push(message)
  const reader = new BodyReader({ file, report, ...options })
  open.push(reader)
  return reader
}

const sent = (value: unknown, caller = 'Bearer a', signal = new AbortController().signal) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const source: BodySource = {
    json: () => Promise.resolve({ bytes: utf8.encode(text), packing: null, hold: () => undefined }),
    header: (name) => (name === 'authorization' ? caller : undefined),
    signal,
  }
  return source
}
const refusal = async (reading: Promise<unknown>): Promise<ApiError> => {
  const error = await reading.then(
    () => new Error('nothing was refused'),
    (failure: unknown) => failure,
  )
  if (error instanceof ApiError) return error
  throw error
}

const many = <T>(count: number, of: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => of(i))

const features = Object.fromEntries(FEATURES.map((name) => [name, true])) as Features
const target = { indexUid: asIndexUid('a'), features }

describe('a body', () => {
  /** One thread reads all of them. */
  let shared: BodyReader
  beforeAll(() => {
    const report = (message: string): void => void reports.push(message)
    shared = new BodyReader({ file, report, idleMs: 600_000 })
    return () => shared.close()
  })

  const synonyms = Object.fromEntries(many(8000, (i) => [`word${i}`, [`w${i}`, `other ${i}`]]))
  const vector = many(4096, (i) => 1 / (i + 3))
  const LARGE = [
    ['deletedIds', many(30_000, (i) => (i % 2 === 0 ? i : `id-${i}`))],
    ['deletedIds', `[1.0,1e3,{"1":2,"a":0},${many(20_000, String).join()}]`],
    ['deletionFilter', { filter: `id IN [${many(20_000, String).join()}]` }, target],
    [
      'settingsChange',
      { synonyms, stopWords: many(8000, (i) => `stop${i}`) },
      { ...target, setting: null },
    ],
    ['search', { filter: `id IN [${many(20_000, String).join()}]` }],
    ['search', { filter: many(15_000, (i) => [`id = ${i}`]) }],
    ['multiSearch', { queries: many(6, (i) => ({ indexUid: `a${i}`, vector })) }],
    ['documentsFetch', { ids: many(20_000, (i) => (i % 3 === 0 ? i : `i${i}`)) }],
    ['documentsFetch', `{"ids":[1.0,${many(20_000, String).join()}]}`],
    [
      'edition',
      `{"function":"x","context":{"a":1.0,"b":[${many(20_000, String).join()}]}}`,
      target,
    ],
    ['render', { template: { kind: 'inlineFragment', inline: many(10_000, (i) => ({ i })) } }],
  ] as const
  test.each(LARGE)('of %s is the same from the thread', async (...row) => {
    const [name, value, detail] = row as readonly [BodyName, unknown, unknown?]
    const details = (detail === undefined ? [] : [detail]) as []
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    expect(text.length).toBeGreaterThan(INLINE_BYTES_MAX)
    const read = await shared.read(sent(text), name, ...details)
    expect(isDeepStrictEqual(read, readNow(name, utf8.encode(text), details))).toBe(true)
    expect(shared.threads).toBe(1)
  })

  test.each([
    ['deletedIds', many(30_000, String), []],
    ['deletionFilter', { filter: many(15_000, (i) => `id = ${i}`) }, [target]],
    ['settingsChange', { synonyms }, [{ ...target, setting: null }]],
  ] as const)('%s reaches the main thread as bytes, in one piece', (name, value, detail) => {
    const read = readNow(name, utf8.encode(JSON.stringify(value)), detail as never)
    const pieces = [...piecesOf(read)]
    expect(pieces.length).toBe(1)
    expect(transferOf(pieces[0]!).map(({ byteLength }) => byteLength)).toEqual([
      'json' in read ? read.json.length : read.length,
    ])
  })

  test.each([
    ['deletionFilter', { filter: `id = 1 ANDD ${'x'.repeat(INLINE_BYTES_MAX)}` }, target],
    [
      'settingsChange',
      { chat: { description: 'x'.repeat(INLINE_BYTES_MAX) } },
      {
        indexUid: asIndexUid('a'),
        features: { ...features, chatCompletions: false },
        setting: null,
      },
    ],
    ['edition', { function: `x x ${'x'.repeat(INLINE_BYTES_MAX)}` }, target],
  ] as const)('of %s is checked by the thread', async (name, value, detail) => {
    const text = JSON.stringify(value)
    const failureOf = async (reading: () => unknown): Promise<unknown> => {
      try {
        return await reading()
      } catch (error) {
        return error
      }
    }
    const elsewhere = await failureOf(() => shared.read(sent(text), name, detail as never))
    const here = await failureOf(() => readNow(name, utf8.encode(text), [detail] as never))
    expect(here).toBeInstanceOf(Error)
    expect(elsewhere).toEqual(here)
    expect(shared.threads).toBe(1)
  })

  test('of a setting is read with the name of the setting', async () => {
    const words = many(20_000, (i) => `word${i}`).sort()
    const setting = { ...target, setting: 'stopWords' } as const
    const { json } = await shared.read(sent(words), 'settingsChange', setting)
    expect(JSON.parse(Buffer.from(json).toString())).toEqual({ stopWords: words })
  })

  test('that is small starts no thread', async () => {
    const reader = readerOf()
    expect(await reader.read(sent({ q: 'x' }), 'search')).toMatchObject({ q: 'x' })
    expect(reader.threads).toBe(0)
  })

  test.each([
    [SMALL_BYTES_MAX, 0],
    [SMALL_BYTES_MAX + 1, 1],
  ])('that has many lists in %i bytes starts %i threads', async (bytes, threads) => {
    const reader = readerOf()
    const lists = Array(QUICK_BRACKETS_MAX).fill('[]').join()
    await reader.read(sent(`{"filter":[${lists}]}`.padEnd(bytes)), 'search')
    expect(reader.threads).toBe(threads)
  })

  test.each([
    [
      'of another shape',
      { limit: 'x', q: 'y'.repeat(INLINE_BYTES_MAX) },
      'invalid_search_limit',
      400,
    ],
    ['that is not JSON', `{"q":"${'y'.repeat(INLINE_BYTES_MAX)}",}`, 'malformed_payload', 400],
    ['of too many values', `{"filter":[${'[],'.repeat(300_000)}[]]}`, 'payload_too_large', 413],
    ['of many more', `{"filter":[${'{},'.repeat(1_000_000)}{}]}`, 'payload_too_large', 413],
  ])('%s is refused with the same message', async (_, value, code, status) => {
    const error = await refusal(shared.read(sent(value), 'search'))
    expect(error).toMatchObject({ code, status })
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    expect(() => readNow('search', utf8.encode(text), [])).toThrow(error.message)
    expect(await shared.read(sent({ q: 'z'.repeat(INLINE_BYTES_MAX) }), 'search')).toBeTruthy()
    expect(shared.threads).toBe(1)
  })
})

const PACK = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync } as const

/** A compressed body; `hold` reserves the memory for its decompressed bytes. */
const sentPacked = (
  value: unknown,
  encoding: Encoding,
  hold: (bytes: number) => Promise<void> | undefined = () => undefined,
  bytesMax = 10_000_000,
): BodySource => {
  const bytes = PACK[encoding](JSON.stringify(value))
  const body = { bytes, packing: { encoding, bytesMax }, hold }
  return { ...sent(''), json: () => Promise.resolve(body) }
}

describe('a compressed body', () => {
  const small = { q: 'x'.repeat(100) }
  const large = { filter: many(12_000, (i) => [`id = ${i}`]) }
  const blank = { q: ' '.repeat(1_200_000) }

  test.each(['gzip', 'deflate', 'br'] as const)('with %s is read', async (encoding) => {
    const reader = readerOf()
    expect((await reader.read(sentPacked(small, encoding), 'search')).q).toBe(small.q)
    expect(reader.threads).toBe(encoding === 'br' ? 1 : 0)
    for (const value of [large, { q: ' '.repeat(900_000) }]) {
      const held: number[] = []
      const hold = (bytes: number): undefined => void held.push(bytes)
      const read = await reader.read(sentPacked(value, encoding, hold), 'search')
      const plain = utf8.encode(JSON.stringify(value))
      expect(isDeepStrictEqual(read, readNow('search', plain, []))).toBe(true)
      expect(held).toEqual([plain.length])
      expect(reader.threads).toBe(1)
    }
  })

  test.each([
    [SMALL_BYTES_MAX, 0],
    [SMALL_BYTES_MAX + 1, 1],
  ])('of %i bytes starts %i threads', async (size, threads) => {
    const reader = readerOf()
    // Stored, not compressed: the frame around the text has always the same size.
    const stored = (bytes: number): Buffer => gzipSync('{}'.padEnd(bytes), { level: 0 })
    const frame = stored(SMALL_BYTES_MAX - 100).length - (SMALL_BYTES_MAX - 100)
    const bytes = stored(size - frame)
    expect(bytes.length).toBe(size)
    const packing = { encoding: 'gzip', bytesMax: 10_000_000 } as const
    const body = { bytes, packing, hold: () => undefined }
    await reader.read({ ...sent(''), json: () => Promise.resolve(body) }, 'search')
    expect(reader.threads).toBe(threads)
  })

  test('that decompresses to little is read inline, to more in the thread', async () => {
    const reader = readerOf()
    const packed = sentPacked({ q: ' '.repeat(INLINE_BYTES_MAX) }, 'gzip')
    expect((await packed.json()).bytes.length).toBeLessThan(1000)
    await reader.read(packed, 'search')
    expect(reader.threads).toBe(1)
  })

  test.each([
    ['than its size allows', 10_000_000, 'decompresses to more than 250 times its size'],
    ['than is allowed', 500_000, 'JSON payload has exceeded limit (500000 bytes)'],
  ])('that decompresses to more %s is refused', async (_, bytesMax, words) => {
    const reader = readerOf()
    for (const encoding of ['gzip', 'deflate', 'br'] as const) {
      const bomb = sentPacked(blank, encoding, () => undefined, bytesMax)
      const error = await refusal(reader.read(bomb, 'search'))
      expect(error).toMatchObject({ code: 'payload_too_large', status: 413 })
      expect(error.message).toContain(words)
    }
  })

  test('without a reply yet about its memory is refused when the server stops', async () => {
    const ends: [resolve: () => void, reject: (error: Error) => void][] = []
    const hold = (): Promise<void> =>
      new Promise((resolve, reject) => void ends.push([resolve, reject]))
    for (const at of [0, 1] as const) {
      const reader = readerOf()
      const refused = refusal(reader.read(sentPacked(large, 'gzip', hold), 'search'))
      await vi.waitFor(() => expect(ends.length).toBe(at + 1), 30_000)
      await reader.close()
      expect((await refused).code).toBe('too_many_request_bodies')
      // Then the reply changes nothing.
      ends[at]![at](new Error('no room'))
      await new Promise((resolve) => setImmediate(resolve))
    }
  })

  test('that is corrupt is refused, inline and in the thread', async () => {
    const reader = readerOf()
    for (const value of [small, { q: many(20_000, (i) => i * 7919).join() }]) {
      const whole = await sentPacked(value, 'gzip').json()
      const cut = { ...whole, bytes: whole.bytes.slice(0, -9) }
      const source = { ...sent(''), json: () => Promise.resolve(cut) }
      const error = await refusal(reader.read(source, 'search'))
      expect(error).toMatchObject({ code: 'bad_request', status: 400 })
      expect(error.message).toContain('corrupt gzip stream does not have a matching checksum')
    }
    expect(reader.threads).toBe(1)
  })

  test('without memory for it is refused, and the next one is read', async () => {
    const reader = readerOf()
    const full = (): Promise<void> =>
      Promise.reject(new ApiError('too_many_request_bodies', 'no room'))
    const [refused, next] = await Promise.all([
      refusal(reader.read(sentPacked(large, 'gzip', full), 'search')),
      reader.read(sentPacked(large, 'gzip'), 'search'),
    ])
    expect(refused.code).toBe('too_many_request_bodies')
    expect(next.filter).toBeTruthy()
    expect(reader.threads).toBe(1)
  })
})

describe('a reader without a thread', () => {
  test('reads each body inline, of any size', async () => {
    const reader = readerOf({ file: null })
    const large = { filter: many(20_000, (i) => [`id = ${i}`]) }
    for (const source of [sent(large), sentPacked(large, 'gzip'), sentPacked(large, 'br')]) {
      const read = await reader.read(source, 'search')
      const here = readNow('search', utf8.encode(JSON.stringify(large)), [])
      expect(isDeepStrictEqual(read, here)).toBe(true)
    }
    expect(reader.threads).toBe(0)
    await reader.close()
  })
})

describe('the thread', () => {
  const lists = { filter: many(150_000, (i) => [`id = ${i}`]) }
  const small = { q: 'x'.repeat(INLINE_BYTES_MAX) }

  test('that runs out of heap fails one request, and is not reported', async () => {
    reports.length = 0
    const reader = readerOf({ heapMegabytes: 12 })
    const [full, next] = await Promise.all([
      refusal(reader.read(sent(lists), 'search')),
      reader.read(sent(small), 'search'),
    ])
    expect(full).toMatchObject({ code: 'payload_too_large', status: 413 })
    expect(next.q).toBe(small.q)
    expect(reader.threads).toBe(2)
    expect(reports).toEqual([])
  })

  test('that cannot start fails only its request', async () => {
    const reader = readerOf({ file: new URL('nothing.mjs', file) })
    for (let times = 0; times < 2; times++) {
      await expect(reader.read(sent(small), 'search')).rejects.toThrow('a thread ended')
    }
    expect(reports).toContain('the thread that reads bodies ended unexpectedly')
    expect((await reader.read(sent({ q: 'x' }), 'search')).q).toBe('x')
  })

  test('is ended when a body takes too long', async () => {
    reports.length = 0
    const reader = readerOf({ readingMsMax: 0 })
    await expect(reader.read(sent(lists), 'search')).rejects.toThrow('took too long')
    expect(reports).toEqual(['the thread that reads bodies was ended'])
  })

  test('ends when it is idle, and starts again', async () => {
    const reader = readerOf({ idleMs: 0 })
    await reader.read(sent(small), 'search')
    await new Promise((resolve) => setTimeout(resolve, 50))
    await reader.read(sent(small), 'search')
    expect(reader.threads).toBe(2)
  })

  test('does not read for a client that has disconnected', async () => {
    const reader = readerOf()
    const gone = new AbortController()
    const first = reader.read(sent(small), 'search')
    const second = reader.read(sent(small, 'Bearer a', gone.signal), 'search')
    gone.abort()
    await first
    expect(await refusal(second)).toMatchObject({ code: 'bad_request' })
  })

  test('lets no request wait when the server stops', async () => {
    const reader = readerOf()
    const readings = many(5, () => reader.read(sent(small), 'search').catch((error) => error.code))
    await Promise.resolve()
    await Promise.resolve()
    await reader.close()
    for (const outcome of await Promise.all(readings)) {
      expect(outcome).toBe('too_many_request_bodies')
    }
  })

  test('starts for no request after the server has stopped', async () => {
    const reader = readerOf()
    await reader.close()
    const { code } = await refusal(reader.read(sent(small), 'search'))
    expect([code, reader.threads]).toEqual(['too_many_request_bodies', 0])
  })

  test('is shared fairly between callers', async () => {
    const reader = readerOf()
    const order: string[] = []
    const read = async (caller: string): Promise<void> => {
      await reader.read(sent(small, caller), 'search')
      order.push(caller)
    }
    await Promise.all([...many(6, () => read('many')), read('one')])
    expect(order.indexOf('one')).toBeLessThan(3)
  })

  test('has a bounded queue', async () => {
    const reader = readerOf()
    const outcomes = await Promise.all(
      many(LANE_MAX + 10, () =>
        reader.read(sent(small), 'search').then(
          () => 200,
          (error: ApiError) => error.status,
        ),
      ),
    )
    const refused = outcomes.filter((status) => status === 503).length
    expect(refused).toBeGreaterThan(0)
    expect(refused).toBeLessThanOrEqual(10)
  })
})

describe('lanes', () => {
  const item = (name: string, bytes = 1) => ({ name, bytes })
  test('alternate', () => {
    const lanes = new Lanes<{ name: string; bytes: number }>()
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) lanes.add(name[0]!, item(name))
    const taken = many(7, () => lanes.take()?.name)
    expect(taken).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined])
    expect(lanes.count).toBe(0)
  })

  test('are limited individually and in total', () => {
    const lanes = new Lanes<{ name: string; bytes: number }>()
    expect(lanes.add('a', item('', 2 * LANE_BYTES_MAX + 1))).toBe(true)
    expect(lanes.add('a', item(''))).toBe(false)
    expect(lanes.add('b', item(''))).toBe(false)
    expect(lanes.take()).toBeDefined()
    expect(lanes.add('a', item('', LANE_BYTES_MAX))).toBe(true)
    expect(lanes.add('a', item(''))).toBe(false)
    expect(lanes.add('b', item('', LANE_BYTES_MAX))).toBe(true)
    expect(lanes.add('c', item(''))).toBe(false)
  })

  test('are full with exactly as many bytes as fit', () => {
    const lanes = new Lanes<{ name: string; bytes: number }>()
    const half = item('', LANE_BYTES_MAX / 2)
    const added = ['a', 'a', 'b', 'b'].map((caller) => lanes.add(caller, half))
    expect(added).toEqual([true, true, true, true])
    expect(['a', 'c'].map((caller) => lanes.add(caller, item('')))).toEqual([false, false])
  })

  test('hold a limited number of bodies, individually and in total', () => {
    const lanes = new Lanes<{ name: string; bytes: number }>()
    const added = (caller: string): number => {
      let count = 0
      while (lanes.add(caller, item(''))) count++
      return count
    }
    expect([added('a'), added('b'), added('c')]).toEqual([
      LANE_MAX,
      LANE_MAX,
      WAITING_MAX - 2 * LANE_MAX,
    ])
    lanes.take()
    expect([added('b'), added('a')]).toEqual([0, 1])
  })
})

describe('pieces', () => {
  const together = (value: unknown): unknown => {
    const assembly = new Assembly()
    for (const piece of piecesOf(value)) assembly.add(structuredClone(piece))
    return assembly.value
  }
  test('of any value rebuild the value', () => {
    const heavy = fc.array(fc.jsonValue({ maxDepth: 3 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(heavy, fc.integer({ min: 0, max: PIECE_WEIGHT / 4 }), (values, length) => {
        const long = new Array(length).fill(values)
        const value = { a: long, b: [long, { c: long }], ['__proto__']: long }
        expect(isDeepStrictEqual(together(value), value)).toBe(true)
      }),
      { numRuns: 10 },
    )
  })

  test('are light', () => {
    const value = {
      list: many(100_000, String),
      map: Object.fromEntries(many(50_000, (i) => [i, [i]])),
    }
    const pieces = [...piecesOf(value)]
    expect(pieces.length).toBeGreaterThan(20)
    for (const piece of pieces) expect(JSON.stringify(piece).length).toBeLessThan(40 * PIECE_WEIGHT)
  })

  test('transfer lists of numbers, and bytes that stand alone', () => {
    const alone = new Uint8Array(10_000).fill(7)
    const part = alone.slice().subarray(1)
    const value = {
      v: many(65, (i) => i / 2),
      short: many(64, (i) => i),
      mixed: [1, 'a'],
      alone,
      part,
    }
    const pieces = [...piecesOf(value)]
    const numbers = pieces.flat().filter((step) => step.kind === 'numbers')
    expect(numbers).toEqual([{ kind: 'numbers', values: Float64Array.from(value.v) }])
    expect(pieces.flatMap((piece) => transferOf(piece))).toEqual([
      numbers[0]!.values.buffer,
      alone.buffer,
    ])
    expect(together(value)).toEqual(value)
    // Eight numbers weigh as much as another value.
    const vectors = many(100, () => many(PIECE_WEIGHT, (i) => i))
    expect([...piecesOf(vectors)]).toHaveLength(13)
    expect(together(vectors)).toEqual(vectors)
  })

  test.each([null, undefined, 1, 'x', [], {}, new Uint8Array(3)])('%s is one piece', (value) => {
    expect([...piecesOf(value)]).toHaveLength(1)
    expect(together(value)).toEqual(value)
  })
})

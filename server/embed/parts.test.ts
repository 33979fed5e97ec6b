// The parts of the embedded engine one by one: arguments, documents as bodies, callers that wait,
// options, errors.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { StorageError } from '../../engine/index.ts'
import { KiB } from '../../format/bytes/index.ts'
import { ApiError } from '../errors/index.ts'
import { messageOf, pathOf, queryOf, readArguments, signalOf } from './arguments.ts'
import { answerOf, type Body } from './calls.ts'
import { bodyOf, bodyOfBytes } from './documents.ts'
import { notWritable, SvcSearchError, toPublic } from './errors.ts'
import { checkOptions, completed } from './options.ts'
import { TaskWaiters } from './task-waiters.ts'
import type { Bytes, Documents } from './types.ts'
import { workersIn } from './workers.ts'

async function piecesOf({ bytes }: Body): Promise<readonly Uint8Array[]> {
  const pieces: Uint8Array[] = []
  for await (const piece of bytes) pieces.push(piece)
  return pieces
}

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'fine',
    (error: unknown) => (error instanceof SvcSearchError ? error.code : error),
  )

describe('arguments', () => {
  test('that throw are refused with the words that were thrown', () => {
    expect(readArguments(() => 7)).toBe(7)
    const own = new SvcSearchError('timeout', 'late')
    const thrown = [new Error('an error'), 'a text', 3, null]
    const words = ['an error', 'a text', 'a value of the type number was thrown']
    expect(thrown.slice(0, 3).map(messageOf)).toEqual(words)
    for (const error of [...thrown, own]) {
      const read = () =>
        readArguments(() => {
          throw error
        })
      const wanted = new SvcSearchError(
        'invalid_options',
        `the arguments cannot be read: ${messageOf(error)}`,
        { cause: error },
      )
      expect(read).toThrow(error === own ? own : wanted)
    }
  })

  test('are parts of a path, a query string and a signal', () => {
    expect(pathOf('a', 'b/c')).toEqual(['a', 'b/c'])
    for (const part of [1, null, undefined]) {
      expect(() => pathOf('a', part)).toThrow(
        new SvcSearchError('invalid_options', 'the uid of an index has to be a string'),
      )
    }
    expect(queryOf({ a: [1, 'x y'], b: undefined, c: null, 'd&': false })).toBe(
      'a=1%2Cx%20y&c=null&d%26=false',
    )
    const { signal } = new AbortController()
    expect([signalOf({ signal }), signalOf({})]).toEqual([signal, undefined])
    for (const other of [null, {}, 'x']) {
      expect(() => signalOf({ signal: other as never })).toThrow(
        new SvcSearchError('invalid_options', '`signal` has to be an AbortSignal'),
      )
    }
  })
})

describe('documents', () => {
  async function* later<T>(values: readonly T[]): AsyncGenerator<T> {
    for (const value of values) yield await Promise.resolve(value)
  }

  test('become one line each, from lists, sets and generators', async () => {
    const document = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }))
    await fc.assert(
      fc.asyncProperty(fc.array(document, { maxLength: 6 }), fc.nat(2), async (list, way) => {
        const source = [list, new Set(list), later(list)][way] as Documents
        const text = Buffer.concat(await piecesOf(bodyOf(source))).toString()
        expect(
          text
            .split('\n')
            .slice(0, -1)
            .map((line) => JSON.parse(line) as unknown),
        ).toEqual(JSON.parse(JSON.stringify(list)))
        expect(text === '' || text.endsWith('\n')).toBe(true)
      }),
      { numRuns: 25 },
    )
  })

  test('are sent in pieces, which end with a document', async () => {
    const list = Array.from({ length: 500 }, (_, id) => ({ id, text: 'é'.repeat(1000) }))
    const pieces = await piecesOf(bodyOf(list))
    expect(pieces.length).toBeGreaterThan(3)
    for (const piece of pieces) {
      expect(piece.at(-1)).toBe('\n'.charCodeAt(0))
      expect(piece.length).toBeLessThan(3 * 64 * KiB)
    }
    const lines = Buffer.concat(pieces).toString().trimEnd().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([...list.keys()])
  })

  test('make a piece once they have its length', async () => {
    // A line is the object with a line end.
    const line = (units: number) => ({ t: 'x'.repeat(units - '{"t":""}\n'.length) })
    const lengths = async (...units: readonly number[]) =>
      (await piecesOf(bodyOf(units.map(line)))).map(({ length }) => length)
    const most = 64 * KiB
    expect(await lengths(most, 20)).toEqual([most, 20])
    expect(await lengths(most - 1, 20)).toEqual([most + 19])
    expect(await lengths(most - 20, 20)).toEqual([most])
  })

  test('whose iterable throws are refused with its words; refusals pass', async () => {
    async function* failing(error: unknown): AsyncGenerator<object> {
      yield { id: 1 }
      throw error
    }
    const read = (error: unknown) => piecesOf(bodyOf(failing(error)))
    const words = 'the documents cannot be read: gone'
    await expect(read(new Error('gone'))).rejects.toThrow(
      new SvcSearchError('malformed_payload', words, { cause: new Error('gone') }),
    )
    const own = new SvcSearchError('timeout', 'late')
    await expect(read(own)).rejects.toBe(own)
  })

  const circle: { self?: object } = {}
  circle.self = circle
  test.each<[string, unknown]>([
    ['a number', 3],
    ['nothing', null],
    ['a single object', { id: 1 }],
    ['a list of texts', ['a']],
    ['a list of lists', [[{ id: 1 }]]],
    ['null in a list', [null]],
    ['a circle', [circle]],
    ['a bigint', [{ id: 1n }]],
    ['an object without JSON', [{ toJSON: () => undefined }]],
    ['an object that becomes a list', [{ toJSON: () => [1] }]],
  ])('are refused: %s', async (_, source) => {
    const work = (async () => piecesOf(bodyOf(source as Documents)))()
    expect(await codeOf(work)).toBe('malformed_payload')
  })

  test('as text keep their bytes, whichever way they come', async () => {
    const text = '{"id":1,"t":"é"}\n{"id":2}\n'
    const bytes = Buffer.from(text)
    const halves = [bytes.subarray(0, 12), bytes.subarray(12)]
    const sources: readonly Bytes[] = [text, new Uint8Array(bytes), halves, later(halves)]
    for (const source of [...sources, ['{"id":1,"t":"é"}\n', '{"id":2}\n'] as never]) {
      const body = bodyOfBytes(source, 'ndjson')
      expect(body.contentType).toBe('application/x-ndjson')
      expect(Buffer.concat(await piecesOf(body)).toString()).toBe(text)
    }
    expect(bodyOfBytes('', 'csv').contentType).toBe('text/csv')
    expect(() => bodyOfBytes('', 'xml' as never)).toThrow('one of `json`, `ndjson`, `csv`')
    expect(() => bodyOfBytes('', 'toString' as never)).toThrow('one of `json`, `ndjson`, `csv`')
    for (const source of [3, null, {}, [3], [{}]] as never[]) {
      expect(await codeOf(piecesOf(bodyOfBytes(source, 'json')))).toBe('malformed_payload')
    }
  })
})

describe('callers that wait', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  test('are resolved with their own task, all of them', async () => {
    const waiters = new TaskWaiters()
    const [one, same, other] = [7, 7, 8].map((uid) => waiters.wait(uid, null, null))
    let isResolved = false
    void other!.finished.then(() => {
      isResolved = true
    })
    waiters.finished([6, 7])
    await Promise.all([one!.finished, same!.finished])
    expect(isResolved).toBe(false)
    for (const wait of [one, same, other]) wait!.end()
    waiters.finished([8])
    await Promise.resolve()
    expect(isResolved).toBe(false)
  })

  test('are rejected after their time, by their signal, and at the end', async () => {
    vi.useFakeTimers()
    const waiters = new TaskWaiters()
    const late = waiters.wait(1, 50, null)
    vi.advanceTimersByTime(49)
    const controller = new AbortController()
    const aborted = waiters.wait(1, 50, controller.signal)
    controller.abort()
    expect(await codeOf(aborted.finished)).toBe('timeout')
    vi.advanceTimersByTime(1)
    await expect(late.finished).rejects.toThrow('task 1 has not finished after 50 ms')
    expect(await codeOf(waiters.wait(1, null, AbortSignal.abort()).finished)).toBe('timeout')
    const last = waiters.wait(2, null, null)
    waiters.close()
    expect(await codeOf(last.finished)).toBe('engine_closed')
  })

  test('leave neither timers nor listeners behind', () => {
    vi.useFakeTimers()
    const { signal } = new AbortController()
    const remove = vi.spyOn(signal, 'removeEventListener')
    const wait = new TaskWaiters().wait(1, 1000, signal)
    expect(vi.getTimerCount()).toBe(1)
    wait.end()
    expect(vi.getTimerCount()).toBe(0)
    expect(remove).toHaveBeenCalledTimes(1)
  })
})

describe('options', () => {
  test('are accepted in their ranges, and refused by name outside', () => {
    const ranges = { searchThreads: 1024, indexingThreads: 1024, searchTimeoutMs: 2 ** 31 - 1 }
    for (const [name, most] of Object.entries(ranges)) {
      for (const value of [1, most, undefined]) checkOptions({ path: 'x', [name]: value })
      for (const value of [0, most + 1, 1.5, '1', null, Number.NaN]) {
        expect(() => checkOptions({ path: 'x', [name]: value }), name).toThrow(
          `option \`${name}\` has to be an integer from 1 to ${most}`,
        )
      }
    }
    for (const path of ['', 'a\0b', 3, null]) {
      expect(() => checkOptions({ path })).toThrow('option `path` has to be a path')
    }
    expect(() => checkOptions({ path: 'x', onWarning: 'no' })).toThrow('has to be a function')
    expect(() => checkOptions({ path: 'x', toString: 1 })).toThrow('unknown option `toString`')
  })

  test('are completed with defaults, and handed on where they are set', () => {
    const warnings: unknown[] = []
    const onWarning = (...all: unknown[]): unknown => warnings.push(all)
    const set = completed(
      {
        path: 'some/films',
        searchThreads: 3,
        indexingThreads: 2,
        indexingMemoryBytes: 2 ** 25,
        searchTimeoutMs: 5,
        upgrade: true,
        dumpFolder: 'd',
        snapshotFolder: '/s',
        onWarning,
      },
      '1.2.3',
      null,
    )
    expect(set).toMatchObject({
      path: resolve('some/films'),
      version: '1.2.3',
      upgrade: true,
      searchThreads: 3,
      searchesAtOnce: 12,
      searchDropAfterMs: 5,
      indexingThreads: 2,
      indexingMemoryMax: 2 ** 25,
      dumps: { folder: resolve('d') },
      snapshots: { folder: '/s', name: 'films' },
    })
    set.note?.('a')
    set.report('b', 'cause')
    expect(warnings).toEqual([['a'], ['b', 'cause']])
    const usual = completed({ path: 'x' }, '1.2.3', null)
    expect(usual).toMatchObject({ upgrade: false, searchDropAfterMs: 60_000 })
    expect(usual.indexingThreads).toBeLessThanOrEqual(Math.max(1, usual.searchThreads))
    // As many threads as cores: the last one is in reserve. With fewer, a core is free for it.
    const fewer = completed({ path: 'x', searchThreads: usual.searchThreads - 1 }, '1.2.3', null)
    expect([usual, fewer].map((one) => one.keepsSearchReserve)).toEqual([true, false])
    expect(usual.indexingMemoryMax).toBeLessThanOrEqual(2 ** 31)
  })
})

describe('options of the machine', () => {
  test('depend on its cores and its memory', () => {
    const cores = availableParallelism()
    expect(completed({ path: 'x' }, '1.2.3', null)).toMatchObject({
      searchThreads: cores,
      searchesAtOnce: 4 * cores,
      searchQueueMax: 1000,
      indexingThreads: Math.max(1, Math.floor(cores / 2)),
      indexingMemoryMax: Math.min(Math.floor(totalmem() / 4), 2 * 1024 ** 3),
      batchTasksMax: Number.POSITIVE_INFINITY,
      batchBytesMax: Math.min(Math.floor(totalmem() / 2), 10 * 1024 ** 3),
      snapshots: { folder: resolve('snapshots'), name: 'x', compact: true },
      dumps: { folder: resolve('dumps') },
    })
  })

  test('describe errors of dumps, and report to the process without a function', () => {
    const { dumps, note, report } = completed({ path: 'x' }, '1.2.3', null)
    expect(dumps?.describe('index_not_found')).toEqual({
      type: 'invalid_request',
      link: expect.stringMatching(/#index_not_found$/),
    })
    const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    const cause = new Error('why')
    note?.('a')
    report('b', cause)
    report('c', 'text')
    const type = 'SvcSearchWarning'
    const calls = emit.mock.calls.map((call) => [...call] as unknown[])
    emit.mockRestore()
    expect(calls).toEqual([
      ['a', { type }],
      ['b', { type, detail: cause.stack }],
      ['c', { type }],
    ])
  })

  test('exclude each other, and need a path and an object', () => {
    expect(() => checkOptions({ path: 'x', upgrade: true, readOnly: true })).toThrow(
      'option `upgrade` needs a database that may be written to',
    )
    checkOptions({ path: 'x', upgrade: true, readOnly: false })
    expect(() => checkOptions({ upgrade: true })).toThrow('option `path` is missing')
    for (const given of [null, undefined, 'x']) {
      expect(() => checkOptions(given)).toThrow('options have to be an object')
    }
    for (const value of [0, 'true', null]) {
      expect(() => checkOptions({ path: 'x', readOnly: value })).toThrow(
        'option `readOnly` has to be true or false',
      )
    }
    const least = 16 * 1024 ** 2
    checkOptions({ path: 'x', indexingMemoryBytes: least })
    expect(() => checkOptions({ path: 'x', indexingMemoryBytes: least - 1 })).toThrow(
      `has to be an integer from ${least} to ${Number.MAX_SAFE_INTEGER}`,
    )
  })
})

describe('answers and failures', () => {
  test('are values that share nothing with the engine', () => {
    const body = { list: [1] }
    const answer = answerOf({ status: 200, body })
    expect(answer).toEqual(body)
    expect(answer).not.toBe(body)
    const parts = ['{"a":', '"é"}'].map((text) => Buffer.from(text))
    expect(answerOf({ status: 200, parts })).toEqual({ a: 'é' })
    expect(answerOf({ status: 200, body: Buffer.from('[1]') })).toEqual([1])
    expect(answerOf({ status: 200, body: 'plain', contentType: 'text/plain' })).toBe('plain')
    expect(answerOf({ status: 204 })).toBeNull()
    const contentType = 'application/json; charset=utf-8'
    expect(answerOf({ status: 200, body: '[1]', contentType })).toEqual([1])
    expect(answerOf({ status: 399, body: { a: 1 } })).toEqual({ a: 1 })
    expect(() => answerOf({ status: 400, body: { a: 1 } })).toThrow(
      new SvcSearchError('internal', '{"a":1}', { type: 'internal' }),
    )
  })

  test('of a database say who else uses it, or that it may not be written to', () => {
    const locked = new StorageError('locked', '/x', 'another process uses it')
    expect(toPublic(locked)).toMatchObject({
      code: 'database_locked',
      message: 'another process uses it',
      type: 'system',
      link: null,
      cause: locked,
    })
    const refused = new StorageError('permission', '/x', 'no permission')
    expect(notWritable(refused)).toMatchObject({
      code: 'database_not_writable',
      message:
        'no permission: let this user write to the folder, or pass `readOnly: true` to search only',
      type: 'system',
      cause: refused,
    })
    expect(toPublic(refused).code).not.toBe('database_locked')
    const usual = new SvcSearchError('timeout', 'late')
    expect([usual.type, usual.link, 'cause' in usual]).toEqual(['invalid_request', null, false])
  })

  test('a stream without an end is ended and refused', () => {
    let isEnded = false
    const pieces = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<never>(() => undefined),
        return: async () => {
          isEnded = true
          return { done: true, value: undefined } as const
        },
      }),
    }
    expect(() => answerOf({ status: 200, pieces })).toThrow('only available over HTTP')
    expect(isEnded).toBe(true)
  })

  test('keep their code, type and link; a defect reveals nothing', () => {
    const refused = toPublic(new ApiError('index_not_found', 'Index `a` not found.'))
    expect(refused).toMatchObject({
      name: 'SvcSearchError',
      code: 'index_not_found',
      type: 'invalid_request',
      link: expect.stringMatching(/#index_not_found$/),
    })
    expect(toPublic(refused)).toBe(refused)
    const defect = new TypeError('secret of the inside')
    const shown = toPublic(defect)
    expect([shown.code, shown.type, shown.cause]).toEqual(['internal', 'internal', defect])
    expect(shown.message).not.toContain('secret')
  })
})

describe('the files of workers', () => {
  const NAMES = ['archive', 'bodies', 'index', 'models', 'search', 'template']

  test('are found in a folder by its URL or path; a missing one is named with advice', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc workers é-'))
    try {
      for (const name of NAMES) writeFileSync(join(folder, `${name}.js`), '')
      const url = pathToFileURL(folder)
      const wanted = NAMES.map((name) => `${url.href}/${name}.js`)
      for (const place of [folder, `${folder}/`, url, url.href, `${url.href}/`]) {
        const { engine, bodies } = workersIn(place)
        const found = [...Object.values(engine), bodies].map((file) => (file as URL).href)
        expect(found.sort()).toEqual(wanted)
      }
      for (const name of NAMES) {
        rmSync(join(folder, `${name}.js`))
        expect(() => workersIn(folder)).toThrow(
          expect.objectContaining({
            code: 'workers_missing',
            message: expect.stringMatching(
              new RegExp(`${name}\\.js.*serverExternalPackages.*external.*workersUrl`),
            ),
          }),
        )
        writeFileSync(join(folder, `${name}.js`), '')
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test.each([['https://example.org/workers/'], [new URL('data:,')], [''], [1], [null], [{}]])(
    'are not looked for at %s',
    (workersUrl) => {
      expect(() => checkOptions({ path: 'x', workersUrl })).toThrow(
        'option `workersUrl` has to be a file URL or a path',
      )
    },
  )
})

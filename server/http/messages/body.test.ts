// Bodies as a request passes them on: with an end that is known early, with chunks that take time,
// and with refusals while a chunk is in progress.
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { ApiError } from '../../errors/index.ts'
import { pourBody, readJson, type Terms } from './body.ts'
import { BodyAccount, BodyShare } from './body-account.ts'
import { TIMEOUTS } from './limits.ts'
import { Watch } from './watch.ts'

const INCOMPLETE = 'The provided payload is incomplete and cannot be parsed'

/** A request whose chunks have arrived, and its end unless `isOpen`. */
function requestOf(chunks: readonly string[], isOpen = false, more: object = {}) {
  const request = new Readable({ read: () => undefined })
  for (const chunk of chunks) request.push(Buffer.from(chunk))
  if (!isOpen) request.push(null)
  return Object.assign(request, { headers: {}, httpVersionMajor: 1, aborted: false, ...more })
}

function termsOf(bytesMax = 100) {
  const done: string[] = []
  const terms: Terms = {
    bytesMax,
    isLong: false,
    share: new BodyShare(new BodyAccount(2 ** 24, 1000)),
    watch: new Watch(1000),
    timeouts: TIMEOUTS,
    begin: () => void done.push('begin'),
  }
  return { terms, done }
}

const asRequest = (request: Readable): IncomingMessage => request as unknown as IncomingMessage
const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test.each([[['a']], [['a', 'b', 'c']], [[]]])(
  'chunks %j are passed on one by one, also if their end is known',
  async (chunks) => {
    const { terms, done } = termsOf()
    const sink = {
      write: async (chunk: Uint8Array) => {
        done.push(`${Buffer.from(chunk)} begins`)
        await later()
        done.push(`${Buffer.from(chunk)} ends`)
      },
    }
    let isRead = false
    void pourBody(asRequest(requestOf(chunks)), terms, sink).then(() => {
      isRead = true
    })
    for (let turn = 0; turn < 100 && !isRead; turn++) await later()
    expect(isRead).toBe(true)
    expect(done).toEqual([
      'begin',
      ...chunks.flatMap((chunk) => [`${chunk} begins`, `${chunk} ends`]),
    ])
  },
)

test('a whole body is joined, and refused above its limit', async () => {
  const read = async (chunks: readonly string[]) => {
    const { bytes, packing } = await readJson(asRequest(requestOf(chunks)), termsOf(4).terms)
    return [Buffer.from(bytes).toString(), packing]
  }
  expect(await read(['ab', 'cd'])).toEqual(['abcd', null])
  expect(await read([])).toEqual(['', null])
  await expect(read(['ab', 'cd', 'e'])).rejects.toMatchObject({ code: 'payload_too_large' })
})

test('a failure is reported once the chunk in progress has ended', async () => {
  const { terms, done } = termsOf()
  const request = requestOf(['a'], true)
  let finish: () => void = () => undefined
  const written = new Promise<void>((resolve) => {
    finish = resolve
  })
  const poured = pourBody(asRequest(request), terms, { write: () => written }).catch(
    (error: unknown) => {
      done.push('failed')
      return error
    },
  )
  await later()
  request.destroy(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))
  await later()
  expect(done).toEqual(['begin'])
  finish()
  expect(await poured).toMatchObject({ code: 'bad_request', message: INCOMPLETE })
})

test('another error of a connection is passed on as it is', async () => {
  const request = requestOf([], true)
  const ours = new TypeError('ours')
  const poured = pourBody(asRequest(request), termsOf().terms, { write: async () => undefined })
  await later()
  request.destroy(ours)
  await expect(poured).rejects.toBe(ours)
})

test('the error of a sink comes after that of the body, and ends no body early', async () => {
  const { terms, done } = termsOf(3)
  const refusal = new ApiError('bad_request', 'refused')
  const sink = {
    write: (chunk: Uint8Array) => {
      done.push(Buffer.from(chunk).toString())
      return Promise.reject(refusal)
    },
  }
  await expect(pourBody(asRequest(requestOf(['a', 'b', 'c'])), terms, sink)).rejects.toBe(refusal)
  expect(done).toEqual(['begin', 'a'])
  await expect(pourBody(asRequest(requestOf(['a', 'b', 'cd'])), terms, sink)).rejects.toMatchObject(
    { code: 'payload_too_large' },
  )
})

test('a connection that was closed before is not read', async () => {
  const { terms, done } = termsOf()
  const request = requestOf(['a'])
  request.destroy()
  await expect(
    pourBody(asRequest(request), terms, { write: async () => undefined }),
  ).rejects.toMatchObject({ code: 'bad_request', message: INCOMPLETE })
  expect(done).toEqual([])
})

test.each([
  [1, true, null],
  [2, false, null],
  [2, true, INCOMPLETE],
])(
  'in HTTP/%i, aborted %s, an ended body is whole or not',
  async (httpVersionMajor, aborted, words) => {
    const request = requestOf(['a'], false, { httpVersionMajor, aborted })
    const poured = pourBody(asRequest(request), termsOf().terms, { write: async () => undefined })
    if (words === null) await poured
    else await expect(poured).rejects.toMatchObject({ code: 'bad_request', message: words })
  },
)

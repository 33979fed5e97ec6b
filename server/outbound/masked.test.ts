// Answers that repeat secrets of their requests: refusals, data, streams, failures.
import { afterEach, describe, expect, test } from 'vitest'
import { type StoreRequest, TransportFault } from '../../engine/backup.ts'
import { OutgoingFault } from '../../engine/index.ts'
import { type LoopbackAnswer, startLoopback } from '../testing/test-loopback.ts'
import { caller, modelCaller, providerCaller, streamingCaller } from './index.ts'
import { MASKED_LINE_BYTES_MAX, REFUSAL_BYTES_MAX } from './limits.ts'

const KEY = 'sk-SECRET-123456'
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

async function serve(answer: LoopbackAnswer): Promise<string> {
  const { url, stop } = await startLoopback(answer)
  stops.push(stop)
  return url
}

const CALLERS = {
  'short calls': caller('any'),
  'calls that follow redirects': caller('any', true),
  'calls of tools': caller('any', false, undefined, false),
  'calls of providers': providerCaller('any'),
}

describe.each(Object.entries(CALLERS))('%s', (name, send) => {
  const call = async (url: string, more: object = {}) => {
    const times = { timeoutMs: 5000, totalMs: 5000 }
    const headers = { authorization: `Bearer ${KEY}` }
    const answer = await send({
      method: 'POST',
      url,
      headers,
      body: Buffer.from('{}'),
      signal: null,
      ...times,
      ...more,
    })
    return { status: answer.status, text: Buffer.from(answer.body.slice()).toString() }
  }

  test.each([301, 400, 401, 404, 429, 500, 503])('a refusal with status %i', async (status) => {
    const url = await serve((request, response) => {
      response.writeHead(status).end(`wrong: ${request.headers.authorization} ${request.url}`)
    })
    for (const more of [{}, { isShared: true, take: () => true, answerBytesMax: 1e6 }]) {
      expect(await call(`${url}/x?api_key=QUERY-KEY`, more)).toEqual({
        status,
        text: 'wrong: Bearer XXX... /x?api_key=XXX...',
      })
    }
  })

  test('a refusal is cut', async () => {
    const url = await serve((_, response) => {
      response.writeHead(400).end('x'.repeat(2 * REFUSAL_BYTES_MAX))
    })
    expect((await call(url)).text).toHaveLength(REFUSAL_BYTES_MAX)
  })

  test('data stay; those of providers are masked in the texts of JSON', async () => {
    const data = { embedding: [0.1], name: KEY }
    const masks = name === 'calls of providers'
    const url = await serve((request, response) => {
      response.end(request.url === '/json' ? JSON.stringify(data) : `not JSON: ${KEY}`)
    })
    const shown = JSON.stringify(masks ? { ...data, name: 'XXX...' } : data)
    expect((await call(`${url}/json`)).text).toBe(shown)
    expect((await call(`${url}/text`)).text).toBe(`not JSON: ${masks ? 'XXX...' : KEY}`)
  })

  test('a message about the address', async () => {
    const url = 'ftp://user:PASS-WORD@h/?key=QUERY-KEY'
    const message = 'bad uri: `ftp://XXX...@h/?key=XXX...` is not an http or https URL'
    await expect(call(url)).rejects.toMatchObject({ kind: 'address', message })
    if (name !== 'calls of providers') return
    const elsewhere = await serve((_, response) => {
      response.writeHead(307, { location: `x:${KEY}` }).end()
    })
    await expect(call(elsewhere)).rejects.toThrow('bad uri: `x:XXX...` is not')
  })

  test('a header that cannot be sent is a fault that does not quote it', async () => {
    const url = await serve((_, response) => void response.end())
    const error = await call(url, { headers: { authorization: `Bearer ${KEY}\n` } }).catch((e) => e)
    expect(error).toBeInstanceOf(OutgoingFault)
    expect(error).toMatchObject({ kind: 'header', isTimeout: false })
    expect(error.message).toContain(
      'the header `authorization` cannot be sent: its value ends with',
    )
    expect(error.message).not.toContain('SECRET')
    await expect(call(url, { headers: { 'a b': 'x' } })).rejects.toMatchObject({ kind: 'header' })
  })
})

describe('a stream', () => {
  const ask = async (url: string, more: Partial<StoreRequest> = {}) => {
    const answer = await streamingCaller('any')({
      method: 'POST',
      url,
      headers: { authorization: `Bearer ${KEY}` },
      body: null,
      signal: new AbortController().signal,
      ...more,
    })
    const chunks: Buffer[] = []
    for await (const chunk of answer.body) chunks.push(Buffer.from(chunk))
    return Buffer.concat(chunks).toString()
  }

  test('is masked wherever it is cut, and each line is sent on at once', async () => {
    const text = `data: {"a":"${KEY} \\u0073k-SECRET-123456 é"}\n\ndata: ${KEY}\r\rend ${KEY}`
    const expected = 'data: {"a":"XXX... XXX... é"}\n\ndata: XXX...\r\rend XXX...'
    const bytes = Buffer.from(text)
    const url = await serve(async (request, response) => {
      const at = Number(request.url!.slice(1))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(bytes.subarray(0, at))
      await new Promise((resolve) => setTimeout(resolve, 2))
      response.end(bytes.subarray(at))
    })
    for (let at = 1; at < bytes.length; at += 3) expect(await ask(`${url}/${at}`)).toBe(expected)
    let answered = (): void => undefined
    const live = await serve(async (_, response) => {
      response.write('data: one\n\n')
      await new Promise<void>((resolve) => (answered = resolve))
      response.end('two')
    })
    const { body } = await modelCaller('any')({
      method: 'POST',
      url: live,
      headers: { 'api-key': KEY },
      body: null,
      signal: new AbortController().signal,
    })
    const iterator = body[Symbol.asyncIterator]()
    expect(Buffer.from((await iterator.next()).value!).toString()).toBe('data: one\n\n')
    answered()
    expect(Buffer.from((await iterator.next()).value!).toString()).toBe('two')
    expect((await iterator.next()).done).toBe(true)
  })

  test('of a refusal is masked, with secrets that the request does not show', async () => {
    const url = await serve((request, response) => {
      response.writeHead(request.method === 'GET' ? 403 : 200)
      response.end(`<Error>SIGNER-KEY ${request.url!.slice(1)} AB12CD</Error>`)
    })
    for (const method of ['GET', 'POST'] as const) {
      expect(
        await ask(`${url}/?X-Amz-Signature=0123abcd&prefix=folder`, {
          method,
          secrets: ['SIGNER-KEY', 'AB12CD'],
        }),
      ).toBe('<Error>XXX... ?X-Amz-Signature=XXX...&prefix=folder XXX...</Error>')
    }
  })

  test('of an object stays as it is', async () => {
    const url = await serve((_, response) => void response.end(KEY))
    expect(await ask(url, { method: 'GET' })).toBe(KEY)
  })

  test('without line ends is sent on in parts, bytes that are not UTF-8 as they are', async () => {
    const bytes = Buffer.alloc(MASKED_LINE_BYTES_MAX * 3, 0xff)
    const url = await serve((_, response) => void response.end(bytes))
    const { body } = await streamingCaller('any')({
      method: 'PUT',
      url,
      headers: { authorization: KEY },
      body: null,
      signal: new AbortController().signal,
    })
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    expect(chunks.length).toBeGreaterThan(1)
    expect(bytes.equals(Buffer.concat(chunks))).toBe(true)
  })

  test('that breaks is masked up to there', async () => {
    const url = await serve((_, response) => {
      response.write(`begin ${KEY}`, () => setTimeout(() => response.destroy(), 20))
    })
    const answer = await streamingCaller('any')({
      method: 'POST',
      url,
      headers: { authorization: `Bearer ${KEY}` },
      body: null,
      signal: new AbortController().signal,
    })
    let text = ''
    const read = async () => {
      for await (const chunk of answer.body) text += Buffer.from(chunk).toString()
    }
    await expect(read()).rejects.toBeInstanceOf(TransportFault)
    expect(text).toBe('begin XXX...')
  })

  test('is not begun with a header that cannot be sent', async () => {
    const url = await serve((_, response) => void response.end())
    const asked = ask(url, { headers: { 'api-key': `${KEY}\r\n` } })
    const error = await asked.catch((e: unknown) => e)
    expect(error).toBeInstanceOf(TransportFault)
    expect((error as TransportFault).mayRetry).toBe(false)
    expect((error as Error).message).not.toContain('SECRET')
  })
})

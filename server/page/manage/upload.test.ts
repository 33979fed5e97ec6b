// The request that uploads a file: its headers, and its outcomes.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { setKey } from '../parts/server.ts'
import { openPages } from './test-site.ts'
import { sendFile } from './upload.ts'

openPages()
afterEach(() => setKey('', false))

describe('a file that is sent', () => {
  class Request {
    static last: Request
    readonly done: unknown[] = []
    readonly upload: { onprogress?: (event: { loaded: number }) => void } = {}
    status = 202
    responseText = '{"taskUid":5}'
    onload = (): void => undefined
    onerror = (): void => undefined
    onabort = (): void => undefined
    constructor() {
      Request.last = this
    }
    open = (...words: readonly string[]): void => void this.done.push(words)
    setRequestHeader = (...words: readonly string[]): void => void this.done.push(words)
    send = (file: File): void => void this.done.push(file.name)
    abort = (): void => this.onabort()
  }
  const send = (change: object = {}) => {
    vi.stubGlobal('XMLHttpRequest', Request)
    const control = new AbortController()
    const sentBytes: number[] = []
    const upload = {
      index: 'a b',
      file: new File(['x'], 'x.csv.gz'),
      primaryKey: '',
      isUpdate: false,
      csvDelimiter: ';',
      ...change,
    }
    const type = { type: 'text/csv', isGzip: true } as const
    const sent = sendFile(upload, type, (bytes) => sentBytes.push(bytes), control.signal)
    return { sent, sentBytes, control, request: Request.last }
  }

  it('has its type, its packing and the key', async () => {
    setKey('k', false)
    const { sent, request, sentBytes } = send()
    request.upload.onprogress!({ loaded: 3 })
    request.onload()
    expect([await sent, sentBytes]).toEqual([5, [3]])
    expect(request.done).toEqual([
      ['POST', './indexes/a%20b/documents?csvDelimiter=%3B'],
      ['content-type', 'text/csv'],
      ['content-encoding', 'gzip'],
      ['authorization', 'Bearer k'],
      'x.csv.gz',
    ])
    setKey('', false)
    const other = send({ isUpdate: true, primaryKey: 'id', csvDelimiter: '' }).request
    expect(other.done[0]).toEqual(['PUT', './indexes/a%20b/documents?primaryKey=id'])
    expect(other.done).toHaveLength(4)
  })

  it('is refused by the server, lost on its way, or canceled', async () => {
    const { sent, request } = send()
    Object.assign(request, { status: 200, responseText: '{"message":"no","code":"c"}' })
    request.onload()
    await expect(sent).rejects.toMatchObject({ message: 'no', status: 200, code: 'c' })
    const lost = send()
    lost.request.onerror()
    await expect(lost.sent).rejects.toMatchObject({
      message: 'The upload was interrupted. Is the server running?',
      status: 0,
      code: 'unreachable',
    })
    const canceled = send()
    canceled.control.abort()
    await expect(canceled.sent).rejects.toMatchObject({ name: 'AbortError' })
  })
})

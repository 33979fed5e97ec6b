// Reads one answer of HTTP/1.1 (RFC 9112) from the bytes of a connection, as strictly as the
// standard allows: a server that sends anything else may be hostile, and a lenient reader might
// take the end of one answer for the beginning of the next.
import { ANSWER_HEAD_BYTES_MAX, INTERIM_ANSWERS_MAX } from './limits.ts'

/** The answer does not follow the standard; the connection cannot be used any longer. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer'
}

/** The members of an answer's head that calls use. */
export type AnswerHead = {
  readonly status: number
  readonly location: string | null
  readonly retryAfter: string | null
  /** Seconds that the server keeps an idle connection, or null if it does not say so. */
  readonly idleSeconds: number | null
  /** False if the server closes the connection after the answer. */
  readonly keepsAlive: boolean
}

type Framing =
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'untilClose' }

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/
const HEADER = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/
const LENGTH = /^\d{1,15}$/
const CHUNK_SIZE = /^([0-9A-Fa-f]{1,12})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/
const IDLE_SECONDS = /(?:^|[,\t ])timeout=(\d{1,9})(?:$|[,\t ])/i
const CLOSE = /(?:^|[,\t ])close(?:$|[,\t ])/i
const HEAD_END = Buffer.from('\r\n\r\n')
const LINE_END = Buffer.from('\r\n')
const SWITCHING_PROTOCOLS = 101
const NO_CONTENT = 204
const NOT_MODIFIED = 304
const NOTHING = Buffer.alloc(0)

export class AnswerParser {
  readonly #onBody: (chunk: Uint8Array) => void
  /** Bytes of the head, or of a line between chunks, that has not arrived completely. */
  #pending: Buffer = NOTHING
  #state: 'head' | 'length' | 'chunkSize' | 'chunk' | 'chunkEnd' | 'trailer' | 'close' | 'end' =
    'head'
  #head: AnswerHead | null = null
  /** Bytes left of the body, or of the chunk. */
  #left = 0
  #interim = 0
  #trailerBytes = 0

  /** `onBody` receives views of the bytes passed to `read`. */
  constructor(onBody: (chunk: Uint8Array) => void) {
    this.#onBody = onBody
  }

  /** The head of the final answer, or null before it has arrived. */
  get head(): AnswerHead | null {
    return this.#head
  }

  get isComplete(): boolean {
    return this.#state === 'end'
  }

  /** True if nothing of the answer has arrived. */
  get isUnbegun(): boolean {
    return this.#state === 'head' && this.#pending.length === 0 && this.#interim === 0
  }

  /** @throws BadAnswer, also for bytes after the end of the answer */
  read(chunk: Buffer): void {
    let rest = chunk
    while (rest.length > 0) {
      if (this.#state === 'end') throw new BadAnswer('bytes after the answer')
      rest = this.#step(rest)
    }
  }

  /** The server has closed the connection. @throws BadAnswer if the answer is incomplete */
  close(): void {
    if (this.#state === 'close') this.#state = 'end'
    if (this.#state !== 'end') throw new BadAnswer('ECONNRESET')
  }

  /** Returns the bytes that are left. */
  #step(bytes: Buffer): Buffer {
    switch (this.#state) {
      case 'head': {
        const head = this.#until(HEAD_END, bytes)
        if (head === null) return NOTHING
        this.#begin(head.text)
        return head.rest
      }
      case 'length':
      case 'chunk': {
        const count = Math.min(this.#left, bytes.length)
        this.#onBody(bytes.subarray(0, count))
        this.#left -= count
        if (this.#left === 0) this.#state = this.#state === 'chunk' ? 'chunkEnd' : 'end'
        return bytes.subarray(count)
      }
      case 'close':
        this.#onBody(bytes)
        return NOTHING
      default: {
        const line = this.#until(LINE_END, bytes)
        if (line === null) return NOTHING
        this.#line(line.text)
        return line.rest
      }
    }
  }

  /** Returns the text before `end` and the bytes after it; null if it has not arrived. */
  #until(end: Buffer, bytes: Buffer): { readonly text: string; readonly rest: Buffer } | null {
    const all = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes])
    const at = all.indexOf(end)
    if ((at < 0 ? all.length : at) > ANSWER_HEAD_BYTES_MAX) throw new BadAnswer('head too long')
    this.#pending = at < 0 ? Buffer.from(all) : NOTHING
    if (at < 0) return null
    return { text: all.toString('latin1', 0, at), rest: all.subarray(at + end.length) }
  }

  #begin(text: string): void {
    const { head, framing } = readHead(text)
    if (head.status < 200) {
      if (head.status === SWITCHING_PROTOCOLS) throw new BadAnswer('another protocol')
      if (++this.#interim > INTERIM_ANSWERS_MAX) throw new BadAnswer('too many interim answers')
      return
    }
    this.#head = head
    if (framing.kind === 'chunked') this.#state = 'chunkSize'
    else if (framing.kind === 'untilClose') this.#state = 'close'
    else {
      this.#left = framing.bytes
      this.#state = framing.bytes === 0 ? 'end' : 'length'
    }
  }

  /** A line of a chunked body. */
  #line(text: string): void {
    if (this.#state === 'chunkEnd') {
      if (text !== '') throw new BadAnswer('a chunk that does not end')
      this.#state = 'chunkSize'
    } else if (this.#state === 'chunkSize') {
      const [, size] = CHUNK_SIZE.exec(text) ?? []
      if (size === undefined) throw new BadAnswer('a chunk without a size')
      this.#left = Number.parseInt(size, 16)
      this.#state = this.#left === 0 ? 'trailer' : 'chunk'
    } else if (text === '') this.#state = 'end'
    else {
      this.#trailerBytes += text.length
      const isTrailer = HEADER.test(text) && this.#trailerBytes <= ANSWER_HEAD_BYTES_MAX
      if (!isTrailer) throw new BadAnswer('a trailer that is not a header')
    }
  }
}

/** @throws BadAnswer */
function readHead(text: string): { readonly head: AnswerHead; readonly framing: Framing } {
  const [first = '', ...lines] = text.split('\r\n')
  const [, minor, code] = STATUS_LINE.exec(first) ?? []
  if (code === undefined) throw new BadAnswer('no status')
  const status = Number(code)
  let length: string | null = null
  let coding: string | null = null
  let connection = ''
  let keepAlive = ''
  let location: string | null = null
  let retryAfter: string | null = null
  for (const line of lines) {
    const [, name, given] = HEADER.exec(line) ?? []
    if (name === undefined) throw new BadAnswer('a line that is not a header')
    const value = given!.trimEnd()
    switch (name.toLowerCase()) {
      case 'content-length':
        if (length !== null || !LENGTH.test(value)) throw new BadAnswer('content-length')
        length = value
        break
      case 'transfer-encoding':
        if (coding !== null) throw new BadAnswer('transfer-encoding')
        coding = value
        break
      case 'connection':
        connection = `${connection},${value}`
        break
      case 'keep-alive':
        keepAlive = value
        break
      case 'location':
        location ??= value
        break
      case 'retry-after':
        retryAfter ??= value
    }
  }
  const framing = framingOf(status, length, coding, minor === '1')
  const [, seconds] = IDLE_SECONDS.exec(keepAlive) ?? []
  const idleSeconds = seconds === undefined ? null : Number(seconds)
  const keepsAlive = minor === '1' && framing.kind !== 'untilClose' && !CLOSE.test(connection)
  return { head: { status, location, retryAfter, idleSeconds, keepsAlive }, framing }
}

/** @throws BadAnswer */
function framingOf(
  status: number,
  length: string | null,
  coding: string | null,
  mayChunk: boolean,
): Framing {
  // Two lengths of one body: another reader on the way may have used the other one.
  const isChunked = coding?.toLowerCase() === 'chunked'
  if (coding !== null && (!isChunked || !mayChunk || length !== null)) {
    throw new BadAnswer('transfer-encoding')
  }
  if (status < 200 || status === NO_CONTENT || status === NOT_MODIFIED) {
    return { kind: 'length', bytes: 0 }
  }
  if (isChunked) return { kind: 'chunked' }
  return length === null ? { kind: 'untilClose' } : { kind: 'length', bytes: Number(length) }
}

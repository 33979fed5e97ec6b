// The code of the thread that reads bodies, in this thread: its replies to each message.
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { Assembly } from './pieces.ts'
import type { ReadMessage, ReadReply } from './protocol.ts'
import { ThreadCore } from './thread-core.ts'

const bytesOf = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))

/** A core, and the replies that it has sent since they were last taken. */
function core() {
  let replies: ReadReply[] = []
  let transferred: ArrayBuffer[] = []
  const thread = new ThreadCore((reply, transfer = []) => {
    replies.push(reply)
    transferred = transfer
  })
  const send = (message: ReadMessage): readonly ReadReply[] => {
    thread.handle(message)
    const sent = replies
    replies = []
    return sent
  }
  return { send, transferred: () => transferred }
}

type Read = Extract<ReadMessage, { kind: 'read' }>
const read = (value: unknown, more: Partial<Read> = {}): Read => ({
  ...{ kind: 'read', name: 'render', detail: [], body: bytesOf(value), packing: null },
  ...more,
})
const template = (inline: unknown) => ({ template: { kind: 'inlineFragment', inline } })
const MORE = { kind: 'more' } as const
/** More than any value here has. */
const PIECES_MAX = 1000

/** Requests pieces until the last one, and returns their number and the value. */
function remaining(
  send: (message: ReadMessage) => readonly ReadReply[],
  first: readonly ReadReply[],
) {
  const assembly = new Assembly()
  let count = 0
  for (let [reply] = first; ; [reply] = send(MORE)) {
    if (reply?.kind !== 'piece') throw new Error(`a piece is expected, not ${reply?.kind}`)
    if (count > PIECES_MAX) throw new Error('the pieces do not end')
    assembly.add(reply.piece)
    count++
    if (reply.isLast) return { count, value: assembly.value }
  }
}

describe('the thread', () => {
  it('sends a light value at once, and a heavy one piece by piece', () => {
    const { send } = core()
    const small = template({ a: 1 })
    const first = send(read(small))
    expect(remaining(send, first)).toMatchObject({ count: 1, value: small })
    const large = template(Array.from({ length: 50_000 }, (_, i) => [i]))
    const { count, value } = remaining(send, send(read(large)))
    expect(count).toBeGreaterThan(10)
    expect(value).toMatchObject(large)
    // Nothing of it is left for the next body.
    expect(remaining(send, send(read(small)))).toMatchObject({ count: 1, value: small })
  })

  it('passes on bytes without a copy', () => {
    const { send, transferred } = core()
    const ids = Array.from({ length: 5000 }, (_, i) => `id-${i}`)
    const { value } = remaining(send, send(read(ids, { name: 'deletedIds' })))
    const { json } = value as { readonly json: Uint8Array }
    expect(Buffer.compare(json, bytesOf(ids))).toBe(0)
    expect(transferred()).toHaveLength(1)
    expect(transferred()[0]).toBe(json.buffer)
  })

  it('reads a compressed body when there is memory for it', () => {
    const { send } = core()
    const many = template(Array.from({ length: 20_000 }, (_, i) => [i]))
    const plain = bytesOf(many)
    const packing = { encoding: 'gzip', bytesMax: 1_000_000 } as const
    const packed = read(null, { body: gzipSync(plain), packing })
    expect(send(packed)).toEqual([{ kind: 'unpacked', bytes: plain.length }])
    const { count, value } = remaining(send, send(MORE))
    expect(count).toBeGreaterThan(1)
    expect(value).toMatchObject(many)
    // A dropped one is not read in place of a later one.
    expect(send(packed)).toEqual([{ kind: 'unpacked', bytes: plain.length }])
    expect(send({ kind: 'drop' })).toEqual([])
    const large = template(Array.from({ length: 5000 }, (_, i) => [i]))
    expect(remaining(send, send(read(large))).value).toMatchObject(large)
  })

  it('answers a faulty body with its fault, and goes on', () => {
    const { send } = core()
    const faulty = bytesOf({ a: 1 })
    const message =
      'Json deserialize error: invalid type: map, expected a sequence at line 1 column 0'
    expect(send(read(null, { name: 'deletedIds', body: faulty }))).toEqual([
      { kind: 'refused', code: 'bad_request', message, status: 400 },
    ])
    const packing = { encoding: 'gzip', bytesMax: 10 } as const
    const [refused] = send(read(null, { body: gzipSync(bytesOf(template('xxxxx'))), packing }))
    expect(refused).toMatchObject({ kind: 'refused', code: 'payload_too_large', status: 413 })
    const [failed] = send(read(null, { name: 'unknown' as never }))
    expect(failed).toMatchObject({ kind: 'failed', error: { family: 'ours', code: 'internal' } })
    expect(remaining(send, send(read(template(1)))).value).toMatchObject(template(1))
  })
})

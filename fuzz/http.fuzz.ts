// Fuzzes the processing of a request before its handler: target, types, encodings, authorisation,
// lines that Node's parser refused, and compressed bodies. The first byte selects one, the
// remaining bytes are its input.
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { assert } from '../format/errors.ts'
import { ApiError } from '../server/errors/index.ts'
import { masterKeyOnly } from '../server/http/authorise.ts'
import { route } from '../server/http/index.ts'
import { encodingFor } from '../server/http/messages/accept-encoding.ts'
import { documentType, requireJson } from '../server/http/messages/content-type.ts'
import { preflight } from '../server/http/messages/cors.ts'
import { statusOf } from '../server/http/refused.ts'
import { Router } from '../server/http/router.ts'
import { readTarget } from '../server/http/target.ts'
import { readRegistration } from '../server/launch/replication.ts'
import { checkWebhookHeaders } from '../server/parse/index.ts'
import { isDecodingError } from '../server/unpack/index.ts'
import type { FuzzTarget } from './target.ts'

const guarded = route(
  'GET',
  '/indexes/:uid/documents/:id',
  { permits: 'documents.get', body: 'none', query: null },
  () => ({ status: 200 }),
)
const router = new Router([guarded])
const authorise = masterKeyOnly('a-master-key-of-tests')

type Part = { readonly seed: string; readonly run: (bytes: Uint8Array, text: string) => void }

const unpacked = (unpack: (bytes: Uint8Array, limits: object) => Uint8Array): Part['run'] => {
  return (bytes) => {
    try {
      unpack(bytes, { maxOutputLength: 1 << 20 })
    } catch (error) {
      // The server limits the length of the output elsewhere; every other failure has a message.
      const isLong = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      assert(isLong || isDecodingError(error), 'a failure of unpacking has words')
    }
  }
}

const PARTS: readonly Part[] = [
  {
    seed: '/indexes/%68//documents/1%2F2/?fields=a&x#y',
    run: (_, text) => {
      const { parts, query } = readTarget(text)
      assert(text.includes(query), 'a query is part of its target')
      if (parts === null) return
      assert(!parts.includes(''), 'no part is empty')
      const match = router.match(parts)
      if (match !== null) assert(Object.keys(match.params).length === 2, 'parameters have values')
    },
  },
  { seed: 'application/json; charset=utf-8', run: (_, text) => requireJson(text) },
  { seed: 'text/csv;header="a;b"', run: (_, text) => void documentType(text) },
  { seed: 'gzip;q=0.5, br, *;q=0', run: (_, text) => void encodingFor(text) },
  { seed: 'Bearer a-master-key-of-tests', run: (_, text) => void authorise(guarded, text) },
  {
    seed: '4294967295',
    run: (_, text) => {
      const { uid } = readRegistration({ header: (name) => (name === 'taskid' ? text : 'TRUE') })
      assert(uid !== null && uid >= 0 && uid <= 0xffffffff, 'a uid is a u32')
    },
  },
  { seed: 'x-one: a\tb', run: (_, text) => checkWebhookHeaders({ [text]: text }) },
  { seed: 'PATCH', run: (_, text) => void preflight(text, text) },
  {
    seed: 'patch /indexes/a/documents/1 HTTP/1.1\r\n\r\n',
    run: (bytes) => {
      const fault = Object.assign(new Error('x'), {
        code: 'HPE_INVALID_METHOD',
        rawPacket: bytes,
        bytesParsed: bytes[0] ?? 0,
      })
      assert([400, 404, 405].includes(statusOf(fault, router)), 'it has one of three answers')
    },
  },
  { seed: '\u001f\u008b\b\u0000', run: unpacked(gunzipSync) },
  { seed: 'x\u009c', run: unpacked(inflateSync) },
  { seed: '\u000b\u0002\u0080{}\u0003', run: unpacked(brotliDecompressSync) },
]

export const target: FuzzTarget = {
  name: 'http',
  seeds: () =>
    PARTS.map(({ seed }, which) => new Uint8Array([which, ...Buffer.from(seed, 'latin1')])),
  run: (input) => {
    const bytes = input.subarray(1)
    const part = PARTS[(input[0] ?? 0) % PARTS.length]!
    part.run(bytes, Buffer.from(bytes).toString('latin1'))
  },
  allows: (error) => error instanceof ApiError,
  inputBytesMax: 2048,
}

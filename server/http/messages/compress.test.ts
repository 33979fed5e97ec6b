// Answers in parts, compressed or not: the client receives the parts in order.
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { route } from '../declare.ts'
import { testServer } from '../test-http.ts'
import { compress, compressParts } from './compress.ts'

const UNPACK = { br: brotliDecompressSync, gzip: gunzipSync, deflate: inflateSync } as const

test.each(['br', 'gzip', 'deflate'] as const)(
  '%s compresses parts like a single body',
  async (encoding) => {
    const parts = fc.array(fc.uint8Array({ maxLength: 100_000 }), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(parts, async (given) => {
        const whole = Buffer.concat(given)
        const packed = await compressParts(given, whole.length, encoding)
        expect(UNPACK[encoding](Buffer.concat(packed)).equals(whole)).toBe(true)
        expect(UNPACK[encoding](await compress(whole, encoding)).equals(whole)).toBe(true)
      }),
      { numRuns: 20 },
    )
  },
)

test('an answer in parts has its length, compressed or not', async () => {
  const parts = ['{"a":"', 'x'.repeat(500_000), '"}'].map((text) => Buffer.from(text))
  const answering = route('GET', '/parts', { permits: null, body: 'none', query: null }, () => ({
    status: 200,
    parts,
  }))
  const server = await testServer([answering])
  try {
    for (const encoding of ['identity', 'gzip', 'br', 'deflate']) {
      const headers = { 'accept-encoding': encoding }
      const answer = await fetch(`${server.url}/parts`, { headers })
      const packed = encoding === 'identity' ? null : encoding
      expect(answer.headers.get('content-encoding')).toBe(packed)
      expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(0)
      expect(await answer.text()).toBe(Buffer.concat(parts).toString())
    }
  } finally {
    await server.stop()
  }
})

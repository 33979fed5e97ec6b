// Digests of one instance and of all: when they are settled, and how others are asked.
import { expect, test } from 'vitest'
import { type Network, NO_NETWORK, OutgoingFault } from '../../../engine/index.ts'
import { ApiError } from '../../errors/index.ts'
import { allDigests, type DigestParts, ownDigest, readDigest } from './digests.ts'
import { ANSWER_BYTES_MAX, REQUEST_MS } from './limits.ts'

const { signal } = new AbortController()
const SHARD = { shard: 's1', next: null, documents: 1, bytes: 2, digest: 'd' }
const INDEXES = [{ uid: 'films', settings: 'x', shards: [SHARD] }]

/** `idle`: whether tasks wait or run before and after the documents are read. */
function engineOf(...idle: readonly boolean[]) {
  let looks = 0
  const asked: unknown[] = []
  const engine = {
    topology: { serving: { ...NO_NETWORK, version: 'v7' } },
    replication: {
      get isIdle() {
        return idle[looks++] ?? true
      },
      digests: async (...of: unknown[]) => {
        asked.push(of)
        return INDEXES
      },
    },
  }
  return { engine: engine as unknown as DigestParts['engine'], asked }
}

test('an instance is settled if no task ran from the beginning to the end', async () => {
  const isSettled = async (...idle: readonly boolean[]) =>
    (await ownDigest(engineOf(...idle).engine, null, signal)).isSettled
  expect(await isSettled(true, true)).toBe(true)
  expect(await isSettled(false, true)).toBe(false)
  expect(await isSettled(true, false)).toBe(false)
})

test('an instance reads its documents unless they are not wanted', async () => {
  const { engine, asked } = engineOf()
  expect(await ownDigest(engine, ['s9'], signal)).toEqual({
    version: 'v7',
    isSettled: true,
    indexes: INDEXES,
  })
  await ownDigest(engine, null, signal, false)
  expect(asked).toEqual([
    [['s9'], signal, true],
    [null, signal, false],
  ])
})

const remote = (name: string) => ({
  url: `http://${name}`,
  searchApiKey: 'search',
  writeApiKey: `key of ${name}`,
})
const NETWORK: Network = {
  ...NO_NETWORK,
  self: 'a',
  remotes: new Map(['a', 'b', 'c', 'd'].map((name) => [name, remote(name)])),
}

function partsWith(answer: (host: string) => unknown) {
  const { engine, asked } = engineOf()
  const sent: object[] = []
  const send = async (request: { readonly url: string }) => {
    sent.push(request)
    const body = answer(new URL(request.url).host)
    return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(body)) }
  }
  const parts = { engine, send, times: { connectMs: 11, requestMs: 12 } }
  return { parts: parts as unknown as DigestParts, sent, asked }
}

test('others are asked at the same time; one that fails does not hide the rest', async () => {
  const digest = { version: 'v8', isSettled: false, indexes: INDEXES }
  const { parts, sent, asked } = partsWith((host) => {
    if (host === 'c') throw new OutgoingFault('unreachable', 'down')
    return host === 'd' ? { ...digest, indexes: 1 } : digest
  })
  const all = await allDigests(parts, NETWORK, ['s1', 's,2'], signal)
  expect([...all.keys()]).toEqual(['a', 'b', 'c', 'd'])
  expect([all.get('a'), all.get('b')]).toEqual([
    { version: 'v7', isSettled: true, indexes: INDEXES },
    digest,
  ])
  const codes = ['c', 'd'].map((name) => (all.get(name) as ApiError).code)
  expect(codes).toEqual(['remote_could_not_send_request', 'remote_bad_response'])
  expect(asked).toEqual([[['s1', 's,2'], signal, true]])
  expect(sent).toHaveLength(3)
  expect(sent[0]).toMatchObject({
    method: 'GET',
    url: `http://b/network/digests?shards=${encodeURIComponent('ss1,ss%2C2')}`,
    headers: { authorization: 'Bearer key of b' },
    body: null,
  })
})

test('all shards are asked for without a list', async () => {
  const { parts, sent } = partsWith(() => ({ version: '', isSettled: true, indexes: [] }))
  await allDigests(parts, { ...NETWORK, self: null }, null, signal)
  expect(sent).toHaveLength(4)
  expect(sent[0]).toMatchObject({
    url: 'http://a/network/digests',
    connectMs: 11,
    totalMs: REQUEST_MS,
    answerBytesMax: ANSWER_BYTES_MAX,
    signal,
  })
})

test('an error other than that of a call ends the comparison', async () => {
  const { parts } = partsWith(() => {
    throw new RangeError('ours')
  })
  await expect(allDigests(parts, NETWORK, null, signal)).rejects.toThrow('ours')
})

test.each([
  'x',
  '{}',
  '{"version":"v","isSettled":1,"indexes":[]}',
  '{"version":"v","isSettled":true,"indexes":[{"uid":"a","settings":"","shards":[{}]}]}',
])('the answer %s is refused', (text) => {
  expect(() => readDigest(Buffer.from(text))).toThrow(ApiError)
})

// Object stores of several vendors: one from the npm registry, which tests of snapshots use as well,
// a strict one in two styles, and `moto` where Python has it. Each accepts the requests of publishers,
// followers and snapshots, and its refusals are reported.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AwsV4Signer } from 'aws4fetch'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  bodyOf,
  findSnapshot,
  heads,
  restoreSnapshot,
  retain,
  StoreTurns,
} from '../../engine/backup/objstore/index.ts'
import { FakeDisk } from '../../engine/store/storage/index.ts'
import type { StoreOptions } from '../../engine/task-kinds/kind/options.ts'
import {
  addDocuments,
  documentsWithVectors,
  openTestEngine,
} from '../../engine/testing/test-engine.ts'
import { KiB } from '../../format/bytes/index.ts'
import { streamingCaller } from '../outbound/index.ts'
import {
  bucketOf,
  caughtUp,
  large,
  openReader,
  openWriter,
  storeOf,
  WAIT_MS,
} from './test-followers.ts'
import { BUCKET, hasMoto, STORE_KEY, type StoreKind } from './test-object-store.ts'
import { StrictStore } from './test-strict-store.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const STRICT = ['hyperscale', 'appliance'] as const
const withMoto = hasMoto()

const takesEverything = async (kind: StoreKind): Promise<void> => {
  const { options } = await storeOf(kind)
  // Small parts, so that a segment is sent in several. moto does not accept them; to the store from
  // the registry, snapshots are sent in parts.
  const isWhole = kind === 'moto' || kind === 's3rver'
  const parts: StoreOptions = isWhole ? options : { ...options, partBytes: 64 * KiB }
  const writer = await openWriter(new FakeDisk(1), parts)
  const own = new FakeDisk(2)
  await addDocuments(writer, 'a', large(0, 30))
  await addDocuments(writer, 'b', [{ id: 'x', text: 'quiet song' }])
  await writer.allMerged()
  const follower = await openReader(own.mount(), parts)
  onTestFinished(() => follower.close())
  await caughtUp(writer, follower)
  await addDocuments(writer, 'a', large(3, 5))
  await writer.allMerged()
  await caughtUp(writer, follower)
  const shown = await documentsWithVectors(writer, 'a')
  await writer.close()

  const { place } = options
  const bucket = await bucketOf(parts)
  const turns = new StoreTurns()
  const leased = await turns.leases.snapshots(bucket, place)
  expect(leased.size).toBe(1)
  await retain(bucket, place, { kind: 'published', count: 1, leased, turns })
  expect((await heads.names(bucket, place, 'published')).length).toBeLessThanOrEqual(2)
  const found = await findSnapshot(bucket, place, null)
  const disk = new FakeDisk(3)
  await restoreSnapshot(bucket, place, found!, disk.mount(), { progress: () => undefined })
  const restored = await openTestEngine(disk.mount())
  onTestFinished(() => restored.close())
  expect(await documentsWithVectors(restored, 'a')).toEqual(shown)
}

describe('publishing, following, retention and restoring', () => {
  it.each(['s3rver', ...STRICT] as const)('work with a store of the kind %s', takesEverything)

  it.skipIf(!withMoto)('work with moto (skipped where Python does not have it)', () =>
    takesEverything('moto'),
  )
})

describe.each(STRICT)('a strict store (%s)', (style) => {
  it('returns long lists in pages, and accepts names in any script', async () => {
    const { options } = await storeOf(style)
    const bucket = await bucketOf(options)
    const names = ['a&b<c>', "it's (new)*", 'ünïcode', 'plus+and space', '100%', '~x', 'y', 'z']
    const keys = names.map((name) => `p/${name}`)
    for (const key of keys) await bucket.put(key, bodyOf(Buffer.from(key)))
    await bucket.put('q/other', bodyOf(Buffer.from('other')))
    const listed = await bucket.list('p/')
    expect(listed.map(({ key }) => key).sort()).toEqual([...keys].sort())
    expect(listed.every(({ key, bytes }) => bytes === Buffer.from(key).length)).toBe(true)
    for (const key of keys) {
      const chunks: Uint8Array[] = []
      for await (const chunk of bucket.get(key)) chunks.push(chunk)
      expect(Buffer.concat(chunks).toString()).toBe(key)
      await bucket.delete(key)
    }
    expect(await bucket.list('p/')).toEqual([])
    expect(await bucket.size(keys[0]!)).toBe(null)
    await bucket.delete(keys[0]!)
  })

  it.each([
    ['another secret key', { secretKey: 'another' }, /SignatureDoesNotMatch/],
    ['another access key', { accessKey: 'another' }, /InvalidAccessKeyId/],
  ])('refuses %s, and the message says so without the key', async (_, keys, refusal) => {
    const { options } = await storeOf(style)
    const credentials = { ...options.credentials, ...keys } as StoreOptions['credentials']
    const bucket = await bucketOf({ ...options, credentials })
    const refused = await bucket.list('').catch((error: Error) => error.message)
    expect(refused).toMatch(refusal)
    expect(refused).not.toContain('another')
  })

  it('refuses an old signature and one of another region', async () => {
    const { options } = await storeOf(style)
    const late = await bucketOf({ ...options, now: () => Date.now() - 3_600_000 })
    await expect(late.list('')).rejects.toThrow(/AccessDenied/)
    const far = await bucketOf({ ...options, region: 'eu-west-3' })
    await expect(far.list('')).rejects.toThrow(/AuthorizationQueryParametersError/)
  })

  it('reports what is wrong with an upload, and keeps nothing of it', async () => {
    const { options } = await storeOf(style)
    const bucket = await bucketOf(options)
    const id = await bucket.begin('whole')
    const etag = await bucket.part('whole', id, 1, bodyOf(Buffer.from('one')))
    await expect(bucket.complete('whole', id, [etag, '"wrong"'], 6)).rejects.toThrow(/InvalidPart/)
    expect(await bucket.size('whole')).toBe(null)
    expect(await bucket.openUploads('who')).toEqual([{ key: 'whole', uploadId: id }])
    await bucket.complete('whole', id, [etag], 3)
    expect(await bucket.size('whole')).toBe(3)
    await expect(bucket.part('whole', id, 2, bodyOf(Buffer.from('two')))).rejects.toThrow(
      /NoSuchUpload/,
    )
  })
})

it('a strict store answers `Expect: 100-continue`, and writes on conditions', async () => {
  const inner = new StrictStore({
    style: 'hyperscale',
    bucket: BUCKET,
    accessKey: STORE_KEY,
    secretKey: STORE_KEY,
    region: 'us-east-1',
  })
  const server = inner.server().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const put = async (body: string, headers: object): Promise<number | undefined> => {
    const signer = new AwsV4Signer({
      method: 'PUT',
      url: `http://127.0.0.1:${port}/${BUCKET}/key?X-Amz-Expires=60`,
      accessKeyId: STORE_KEY,
      secretAccessKey: STORE_KEY,
      service: 's3',
      region: 'us-east-1',
      signQuery: true,
    })
    const length = { 'content-length': body.length }
    const sent = request((await signer.sign()).url, {
      method: 'PUT',
      agent: false,
      headers: { ...headers, ...length },
    })
    if ('expect' in headers) {
      sent.flushHeaders()
      await once(sent, 'continue')
    }
    sent.end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.resume()
    return answer.statusCode
  }
  expect(await put('first', { 'if-none-match': '*', expect: '100-continue' })).toBe(200)
  expect(inner.continued).toBe(1)
  expect(await put('second', { 'if-none-match': '*' })).toBe(412)
  expect(await put('third', { 'if-match': '"other"' })).toBe(412)
  expect(inner.objects.get('key')?.bytes.toString()).toBe('first')
  expect(await put('fourth', { 'if-match': `"${inner.objects.get('key')?.etag}"` })).toBe(200)
})

it('retries with a store that is slow, silent or failing', { timeout: WAIT_MS }, async () => {
  const { store, options } = await storeOf('appliance')
  const transport = streamingCaller('any', 500)
  const patient = await bucketOf({ ...options, transport, retryMsMax: 20_000 })
  await patient.put('k', bodyOf(Buffer.from('some bytes')))
  const restarted = store.restart(100)
  expect(await patient.size('k')).toBe(10)
  await restarted
  let hangs = 1
  store.trouble = () => (hangs-- > 0 ? { kind: 'hang' } : null)
  expect((await patient.list('')).length).toBe(1)
})

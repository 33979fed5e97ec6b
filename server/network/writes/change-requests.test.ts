// Whom the leader sends a task to, and what a remote gets of a change of the network.
import { expect, test } from 'vitest'
import { type Engine, type Network, NO_NETWORK, type SentTask } from '../../../engine/index.ts'
import { changeContent } from '../../../engine/network/records/change.ts'
import { asTaskUid } from '../../../format/ids.ts'
import { findRemote, isOnlyCopy, listsIn, networkBefore, requestTo } from './change-requests.ts'

const remote = (name: string) => ({ url: `http://${name}`, searchApiKey: null, writeApiKey: null })

const networkOf = (
  names: readonly string[],
  shards: { readonly [shard: string]: readonly string[] } = {},
): Network => ({
  ...NO_NETWORK,
  self: 'a',
  leader: 'a',
  remotes: new Map(names.map((name) => [name, remote(name)])),
  shards: new Map(Object.entries(shards).map(([name, remotes]) => [name, { remotes }])),
})

function changeTask(before: Network, after: Network, more: object = {}): SentTask {
  const change = changeContent({
    before,
    after,
    absent: ['x,y'],
    renewed: ['é'],
    renewedShards: new Map([['é', ['s 1']]]),
    bringing: ['c'],
    isDirty: false,
    isReturning: false,
  })
  const content = { kind: 'networkTopologyChange', change }
  const task = { uid: 9, indexUid: null, content, customMetadata: null, version: 'v9' }
  return { ...task, documents: null, hasEnded: false, isVoid: false, ...more } as never
}

const engineOf = (networkOfNextTask: Network, change: object | null = null): Engine =>
  ({
    network: { get: () => networkOfNextTask },
    topology: { networkOfNextTask, change },
  }) as never

const WRITE = { content: { kind: 'indexDeletion' } } as unknown as SentTask

test('writes go to members, and to those that leave while the change runs', () => {
  const [before, after] = [networkOf(['a', 'b', 'c']), networkOf(['a', 'b'])]
  expect(findRemote(engineOf(after), 'b', WRITE)).toEqual(remote('b'))
  expect(findRemote(engineOf(after), 'c', WRITE)).toBeNull()
  expect(findRemote(engineOf(after, { before, after }), 'c', WRITE)).toEqual(remote('c'))
  expect(findRemote(engineOf(after), 'c', changeTask(before, after))).toEqual(remote('c'))
})

test('a remote learns of a change that runs by the change alone, not by earlier tasks', () => {
  const [before, after] = [networkOf(['a', 'b', 'c']), networkOf(['a', 'b'])]
  const known = (uid: number, change: object | null = { before, after, uid: 9 }) =>
    networkBefore(engineOf(after, change), { ...WRITE, uid: asTaskUid(uid) })
  expect([known(8), known(9), known(10), known(8, null)]).toEqual([before, after, after, after])
})

test('an instance that does not lead any more sends nothing', () => {
  const network = networkOf(['a', 'b'])
  expect(findRemote(engineOf({ ...network, leader: 'b' }), 'b', WRITE)).toBeNull()
  expect(findRemote(engineOf({ ...network, self: null }), 'b', WRITE)).toBeNull()
})

test('only a change that removes the single owner of a shard is the only copy', () => {
  const alone = networkOf(['a', 'b'], { s1: ['a'], s2: ['b'] })
  const shared = networkOf(['a', 'b'], { s1: ['a'], s2: ['a', 'b'] })
  const after = networkOf(['a'], { s1: ['a'], s2: ['a'] })
  expect(isOnlyCopy(changeTask(alone, after), 'b')).toBe(true)
  expect(isOnlyCopy(changeTask(shared, after), 'b')).toBe(false)
  expect(isOnlyCopy(changeTask(alone, alone), 'b')).toBe(false)
  expect(isOnlyCopy(WRITE, 'b')).toBe(false)
})

test('a remote gets a running change, later its result, and nothing of one that failed', () => {
  const [before, after] = [networkOf(['a', 'b']), networkOf(['a', 'b', 'c'])]
  const running = requestTo(after, 'b', changeTask(before, after), false)!
  expect(`${running.method} ${running.path}`).toBe('PATCH /network')
  expect(JSON.parse(Buffer.from(running.body as Uint8Array).toString())).toMatchObject({
    self: 'b',
    leader: 'a',
    previousRemotes: { a: remote('a'), b: remote('b') },
  })
  const ended = requestTo(after, 'b', changeTask(before, after, { hasEnded: true }), true)!
  expect([ended.path, ended.isNews]).toEqual(['/network/control', true])
  expect(JSON.parse(Buffer.from(ended.body as Uint8Array).toString())).toMatchObject({
    origin: { remoteName: 'a', taskUid: 9, networkVersion: 'v9' },
    message: { type: 'networkForRemote', remote: 'b' },
  })
  expect(requestTo(after, 'b', changeTask(before, after, { isVoid: true }), true)).toBeNull()
})

test('an instance that leaves is not described as a member', () => {
  const [before, after] = [networkOf(['a', 'b']), networkOf(['a'])]
  const { body } = requestTo(after, 'b', changeTask(before, after), false)!
  const sent = JSON.parse(Buffer.from(body as Uint8Array).toString())
  expect([sent.self, sent.previousRemotes]).toEqual([null, undefined])
})

test('the lists of a change survive their headers', () => {
  const network = networkOf(['a', 'b'])
  const { headers } = requestTo(network, 'b', changeTask(network, network), true)!
  expect(listsIn({ header: (name) => headers[name] as string | undefined })).toEqual({
    absent: ['x,y'],
    bringing: ['c'],
    renewed: ['é'],
    renewedShards: new Map([['é', ['s 1']]]),
    isLacking: true,
  })
  expect(listsIn({ header: () => undefined })).toEqual({
    ...{ absent: [], bringing: [], renewed: [], renewedShards: new Map(), isLacking: false },
  })
  for (const damaged of ['%', '%5B%5D', '{"a":1}']) {
    const header = (name: string) => (name.endsWith('renewed-shards') ? damaged : undefined)
    expect(() => listsIn({ header }), damaged).toThrow('Invalid value for header')
  }
})

// Requests that register tasks of other instances: who may send them, and to which remotes tasks go.
import { describe, expect, it, test } from 'vitest'
import { type Engine, type Network, NO_NETWORK } from '../../../engine/index.ts'
import { asTaskUid } from '../../../format/ids.ts'
import { importHeaders, originHeaders } from '../calls/index.ts'
import { findRemote } from './change-requests.ts'
import { senderHeaders } from './membership.ts'
import { registrationReader } from './registration.ts'

const LEADER = '5eed0000-0000-4000-8000-00000000000a'
const MEMBER = '5eed0000-0000-4000-8000-00000000000b'
const VERSION = '01980000-0000-7000-8000-000000000001'
const ORIGIN = { remoteName: 'a', taskUid: asTaskUid(7), networkVersion: VERSION }

const remote = (name: string) => ({
  url: `http://${name}`,
  searchApiKey: null,
  writeApiKey: null,
})
const networkOf = (...names: readonly string[]): Network => ({
  ...NO_NETWORK,
  self: 'b',
  leader: 'a',
  leaderId: LEADER,
  term: 1,
  version: VERSION,
  remotes: new Map(names.map((name) => [name, remote(name)])),
})

type Change = { readonly before: Network; readonly after: Network }

describe('a task of another instance', () => {
  const read = (
    headers: { readonly [name: string]: string },
    { isOpen = false, change = null }: { isOpen?: boolean; change?: Change | null } = {},
  ) => {
    const network = networkOf('a', 'b')
    const engine = { network: { get: () => network }, topology: { change } } as unknown as Engine
    const lower = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    )
    const context = { header: (name: string) => lower[name.toLowerCase()] }
    const otherwise = () => ({ uid: null, isDry: true })
    try {
      return registrationReader(engine, isOpen, otherwise as never)(context as never)
    } catch (error) {
      return (error as { readonly code: string }).code
    }
  }
  const from = (id: string, term = 1) => senderHeaders({ id, term } as never)
  const source = {
    remoteName: 'c',
    indexName: 'films',
    documentCount: 1,
    indexCount: 2,
    totalDocuments: 1,
    key: '5',
  }

  it('comes from the leader alone', () => {
    const network = { kind: 'origin', origin: ORIGIN }
    const copy = { ...originHeaders(ORIGIN), ...from(LEADER) }
    expect(read(copy)).toEqual({ uid: null, isDry: false, network, isRepeated: false })
    expect(read({ ...copy, 'svc-proxy-repeated': 'true' })).toMatchObject({ isRepeated: true })
    expect(read({ ...originHeaders(ORIGIN), ...from(MEMBER) })).toBe('network_leader_mismatch')
    expect(read(originHeaders(ORIGIN))).toBe('network_leader_mismatch')
    expect(read(originHeaders(ORIGIN), { isOpen: true })).toMatchObject({ network })
    expect(read({})).toEqual({ uid: null, isDry: true })
  })

  it('may be a part of a change from any member', () => {
    const part = { ...importHeaders(source as never, ORIGIN), ...from(MEMBER) }
    expect(read(part)).toMatchObject({ network: { kind: 'import', change: ORIGIN } })
  })

  it('names a leader that this network, or the one of a running change, knows', () => {
    const foreign = { ...originHeaders({ ...ORIGIN, remoteName: 'x' }), ...from(LEADER) }
    expect(read(foreign)).toBe('invalid_api_key')
    expect(read(foreign, { isOpen: true })).toMatchObject({ isDry: false })
    for (const change of [
      { before: networkOf('x'), after: networkOf('a') },
      { before: networkOf('a'), after: networkOf('x') },
    ]) {
      expect(read(foreign, { change })).toMatchObject({ isDry: false })
    }
  })
})

test('tasks are sent to remotes of the present network and of the one that is accepted next', () => {
  const found = (next: Network, present: Network): string | null => {
    const engine = {
      topology: { networkOfNextTask: next, change: null },
      network: { get: () => present },
    } as unknown as Engine
    const task = { content: { kind: 'indexCreation', primaryKey: null } }
    return findRemote(engine, 'c', task as never)?.url ?? null
  }
  const led = (...names: readonly string[]) => ({ ...networkOf(...names), self: 'a' })
  expect(found(led('a', 'c'), led('a'))).toBe('http://c')
  expect(found(led('a'), led('a', 'c'))).toBe('http://c')
  expect(found(led('a'), led('a'))).toBeNull()
  expect(found({ ...led('a', 'c'), self: 'b' }, led('a', 'c'))).toBeNull()
})

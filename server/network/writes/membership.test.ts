// Which requests members alone may send, and which senders an instance follows.
import { describe, expect, test } from 'vitest'
import { EngineFault, type Network, NO_NETWORK } from '../../../engine/index.ts'
import type { RouteRequest } from '../../http/messages/index.ts'
import { checkSender, isMember, senderHeaders, withMembership } from './membership.ts'

const LEADER = '5eed0000-0000-4000-8000-00000000000a'
const OTHER = '5eed0000-0000-4000-8000-00000000000b'

const context = (headers: { readonly [name: string]: string }) => ({
  header: (name: string) => headers[name],
})
const caller = (...actions: readonly string[]): RouteRequest['caller'] => ({
  visible: null,
  mayCreateIndex: false,
  may: (action) => actions.includes(action),
  filterOf: null,
  isValid: () => true,
})
const isMemberKey = (key: string): boolean => key === 'member'

describe('headers about tasks of other instances', () => {
  const route = {
    method: 'POST',
    path: '/',
    permits: 'documents.add',
    body: 'none',
    query: null,
    handle: () => ({ status: 202 }),
  } as const
  const [guarded] = withMembership([route], isMemberKey)
  const answer = async (
    headers: { readonly [name: string]: string },
    ...actions: readonly string[]
  ) => {
    const request = { ...context(headers), caller: caller('documents.add', ...actions) }
    try {
      return (await guarded!.handle(request as never)).status
    } catch (error) {
      return (error as { readonly code: string }).code
    }
  }
  const NAMES = [
    'origin-remote',
    'origin-taskuid',
    'origin-network-version',
    'import-remote',
    'import-index',
    'import-docs',
    'import-index-count',
    'import-task-key',
    'import-total-index-docs',
  ].flatMap((name) => [`x-svc-proxy-${name}`, `svc-proxy-${name}`])

  test.each([
    ...NAMES,
    'svc-proxy-repeated',
    'svc-proxy-absent',
    'svc-proxy-renewed',
    'svc-proxy-renewed-shards',
    'svc-proxy-lacking',
  ])('%s needs the right to change the network', async (name) => {
    expect(await answer({ [name]: '1' })).toBe('invalid_api_key')
    expect(await answer({ [name]: '' })).toBe('invalid_api_key')
    expect(await answer({ [name]: '1' }, 'network.update')).toBe(202)
    expect(await answer({ [name]: '1', 'svc-proxy-member-key': 'member' })).toBe(202)
    expect(await answer({ [name]: '1', 'svc-proxy-member-key': 'other' })).toBe('invalid_api_key')
  })

  test('other requests pass, of another protocol none', async () => {
    expect(await answer({})).toBe(202)
    expect(await answer({ 'svc-proxy-search': 'true' })).toBe(202)
    expect(await answer({ 'svc-proxy-protocol': '1' }, 'network.update')).toBe(
      'network_protocol_mismatch',
    )
  })
})

test('another instance learns from the status that a time limit was reached', async () => {
  const detail = { kind: 'timeUp' } as const
  const handle = () =>
    Promise.reject(new EngineFault('invalid_document_filter', 'It took longer than 9 ms.', detail))
  const [route] = withMembership([{ handle } as never], isMemberKey)
  const answer = (headers: { readonly [name: string]: string }) =>
    Promise.resolve(route!.handle(context(headers) as never)).catch((error: unknown) => error)
  expect(await answer({ 'svc-proxy-search': 'true' })).toMatchObject({ status: 408 })
  expect(await answer({})).toMatchObject({ name: 'EngineFault' })
})

test('a member has the right itself, or a second key that has it', () => {
  expect(isMember(caller('network.update'), context({}), isMemberKey)).toBe(true)
  expect(isMember(caller('search'), context({}), isMemberKey)).toBe(false)
  const member = context({ 'svc-proxy-member-key': 'member' })
  expect(isMember(caller('search'), member, isMemberKey)).toBe(true)
})

describe('a sender', () => {
  const network: Network = { ...NO_NETWORK, self: 'b', leader: 'a', leaderId: LEADER, term: 3 }
  const leading: Network = { ...network, self: 'a' }
  const free: Network = { ...NO_NETWORK, term: 3 }
  const accepted = (
    id: string,
    term: number,
    role: Parameters<typeof checkSender>[1],
    known = network,
  ): boolean => {
    try {
      checkSender(context(senderHeaders({ id, term })), role, known, false)
      return true
    } catch (error) {
      expect(error).toMatchObject({ code: 'network_leader_mismatch', status: 412 })
      return false
    }
  }

  test.each([
    ['the leader sends tasks', LEADER, 3, 'leader', network, true],
    ['another instance sends tasks', OTHER, 3, 'leader', network, false],
    ['a former leader sends tasks', OTHER, 2, 'leader', network, false],
    ['the leader of an earlier term sends tasks', LEADER, 2, 'leader', network, false],
    ['a later leader sends tasks', OTHER, 4, 'leader', network, true],
    ['a later leader sends tasks to a leader', OTHER, 4, 'leader', leading, false],
    ['a copy of the leader sends it tasks', OTHER, 3, 'leader', leading, false],
    ['a later leader takes over', OTHER, 4, 'newLeader', network, true],
    ['a later leader takes over from the leader', OTHER, 4, 'newLeader', leading, true],
    ['another instance takes over in the same term', OTHER, 3, 'newLeader', network, false],
    ['an earlier leader takes over', OTHER, 2, 'newLeader', network, false],
    ['the leader changes the network', LEADER, 3, 'newLeader', network, true],
    ['a member sends documents', OTHER, 3, 'member', network, true],
    ['a member of an earlier term sends documents', OTHER, 2, 'member', network, false],
    ['an instance that has left is added again', OTHER, 3, 'newLeader', free, true],
  ] as const)('%s', (_, id, term, role, known, expected) => {
    expect(accepted(id, term, role, known)).toBe(expected)
  })

  test('names itself, unless keys are not required', () => {
    for (const headers of [{}, { 'svc-proxy-sender': 'a;3' }, { 'svc-proxy-sender': LEADER }]) {
      const check = (isOpen: boolean) => () =>
        checkSender(context(headers), 'leader', network, isOpen)
      expect(check(false)).toThrow('does not name its identity')
      expect(check(true)).not.toThrow()
    }
  })
})

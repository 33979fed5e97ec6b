// Messages about a change, and its status on the leader, from instances that the test plays.
import { expect, test } from 'vitest'
import { NO_NETWORK, OutgoingFault, type TopologyChange } from '../../../engine/index.ts'
import { ChangeCalls } from './change-calls.ts'

const VERSION = '01980000-0000-7000-8000-000000000001'
const remote = (name: string) => ({
  url: `http://${name}`,
  searchApiKey: null,
  writeApiKey: `key of ${name}`,
})
const networkOf = (...names: readonly string[]) => ({
  ...NO_NETWORK,
  remotes: new Map(names.map((name) => [name, remote(name)])),
})
const changeOf = (before: readonly string[], after: readonly string[]): TopologyChange =>
  ({
    before: networkOf(...before),
    after: networkOf(...after),
    origin: { remoteName: 'a', taskUid: 7, networkVersion: VERSION },
  }) as unknown as TopologyChange

const { signal } = new AbortController()

function callsTo(answer: () => { readonly status: number; readonly body: unknown }) {
  const sent: unknown[] = []
  const send = (request: { method: string; url: string; headers: object }) => {
    const { authorization } = request.headers as { readonly authorization?: string }
    sent.push(`${request.method} ${request.url} ${authorization}`)
    const { status, body } = answer()
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return Promise.resolve({ status, headers: {}, body: Buffer.from(text) })
  }
  const calls = new ChangeCalls({ send: send as never, times: { connectMs: 1, requestMs: 1 } })
  return { calls, sent }
}

test('a message arrives, or its error is returned', async () => {
  const change = changeOf(['a', 'b'], ['a', 'b'])
  const send = (answer: () => { status: number; body: unknown }) =>
    callsTo(answer).calls.sendMessage(change, remote('b'), { type: 'x' }, signal)
  expect(await send(() => ({ status: 200, body: {} }))).toBeNull()
  const refusal = { message: 'no', code: 'bad_request', type: 'x', link: '' }
  expect(await send(() => ({ status: 400, body: refusal }))).toMatchObject({
    code: 'remote_bad_request',
  })
  const down = () => {
    throw new OutgoingFault('unreachable', 'down')
  }
  expect(await send(down)).toMatchObject({ code: 'remote_could_not_send_request' })
  const broken = send(() => {
    throw new RangeError('ours')
  })
  await expect(broken).rejects.toThrow('ours')
})

test('calls end after five seconds, so that an instance without power delays no other', async () => {
  const limitOf = async (requestMs: number) => {
    const limits: unknown[] = []
    const send = (request: { timeoutMs: number; totalMs: number; connectMs: number }) => {
      limits.push([request.connectMs, request.timeoutMs, request.totalMs])
      return Promise.resolve({ status: 200, headers: {}, body: Buffer.from('{}') })
    }
    const calls = new ChangeCalls({ send: send as never, times: { connectMs: 3, requestMs } })
    const change = changeOf(['a', 'b'], ['a', 'b'])
    await calls.sendMessage(change, remote('b'), { type: 'x' }, signal)
    await calls.statusOnLeader(change, signal)
    return limits
  }
  expect(await limitOf(30_000)).toEqual([
    [3, 5000, 5000],
    [3, 5000, 5000],
  ])
  expect(await limitOf(4999)).toEqual([
    [3, 4999, 4999],
    [3, 4999, 4999],
  ])
})

test('the status is that of the same change on the leader', async () => {
  const statusOf = async (body: unknown, change = changeOf(['a'], ['b']), status = 200) => {
    const { calls, sent } = callsTo(() => ({ status, body }))
    return [await calls.statusOnLeader(change, signal), sent]
  }
  const task = { status: 'failed', network: { network_version: VERSION } }
  const asked = ['GET http://a/tasks/7 Bearer key of a']
  expect(await statusOf(task)).toEqual(['failed', asked])
  expect(await statusOf(task, changeOf([], ['a']))).toEqual(['failed', asked])
  expect(await statusOf(task, changeOf(['b'], ['c']))).toEqual([null, []])
  expect(await statusOf({ ...task, network: { network_version: 'other' } })).toEqual([null, asked])
  expect(await statusOf({ ...task, status: 3 })).toEqual([null, asked])
  expect(await statusOf({ status: 'failed' })).toEqual([null, asked])
  expect(await statusOf(null)).toEqual([null, asked])
  expect(await statusOf('no JSON')).toEqual([null, asked])
  expect(await statusOf({}, changeOf(['a'], ['a']), 500)).toEqual([null, asked])
})

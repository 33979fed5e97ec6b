// The check after a start: is this instance the one that its network names?
import { expect, test } from 'vitest'
import { type Engine, type Network, NO_NETWORK, OutgoingFault } from '../../../engine/index.ts'
import { SelfCheck } from './self-check.ts'

type Origin = Engine['identity']['origin']
/** The process that answers at the address of this instance; `late` answers by the abort alone. */
type Found = 'self' | 'other' | 'none' | 'late'

function scene(origin: Origin, answers: Found[], self: string | null = 'a') {
  const calls: string[] = []
  const reports: string[] = []
  const remote = { url: 'http://a', searchApiKey: null, writeApiKey: null }
  let network: Network = {
    ...NO_NETWORK,
    self,
    leader: 'a',
    remotes: new Map([['a', remote]]),
  }
  let isSuspended = false
  const identity = {
    id: 'me',
    process: 'p',
    origin,
    confirm: async () => {
      identity.origin = 'own'
      calls.push('confirm')
    },
    renew: async () => {
      identity.origin = 'own'
      calls.push('renew')
    },
  }
  const engine = {
    identity,
    network: { get: () => network },
    topology: {
      suspend: (reason: string | null) => {
        isSuspended = reason !== null
      },
      leave: async () => {
        calls.push('leave')
        network = { ...network, self: null, leader: null }
      },
    },
  } as unknown as Engine
  const check = new SelfCheck({
    engine,
    times: { connectMs: 10, requestMs: 10 },
    report: (message) => reports.push(message),
    send: async ({ signal }) => {
      const found = answers.length > 1 ? answers.shift()! : answers[0]!
      if (found === 'late') {
        await new Promise((resolve) => signal?.addEventListener('abort', resolve))
        throw signal?.reason
      }
      if (found === 'none') throw new OutgoingFault('unreachable', 'no answer')
      const process = found === 'self' ? 'p' : 'q'
      const description = {
        id: 'x',
        process,
        self: 'a',
        leader: 'a',
        leaderId: null,
        term: 1,
        hasDocuments: false,
      }
      return { status: 200, body: Buffer.from(JSON.stringify(description)) } as never
    },
  })
  const begun = new Promise<void>((resolve) => check.start(resolve))
  return { check, calls, reports, begun, isSuspended: () => isSuspended }
}

test.each([
  ['own', 'self', []],
  ['own', 'none', []],
  ['copied', 'self', ['confirm']],
  ['copied', 'other', ['leave', 'renew']],
] as const)('files are %s, %s answers: begins', async (origin, found, wanted) => {
  const { begun, calls, check, isSuspended } = scene(origin, [found])
  await begun
  expect([calls, check.problem, isSuspended()]).toEqual([wanted, null, false])
})

test('an instance outside of a network gets an identity of its own if it is a copy', async () => {
  for (const origin of ['own', 'copied'] as const) {
    const { begun, calls } = scene(origin, ['other'], null)
    await begun
    expect(calls).toEqual(origin === 'own' ? [] : ['renew'])
  }
})

test.each([
  ['own', 'other', 'Two instances are `a`'],
  ['copied', 'none', 'copied or moved'],
] as const)('files are %s, %s answers: waits', async (origin, found, words) => {
  const { check, reports, isSuspended, begun, calls } = scene(origin, [found, found, 'self'])
  let isBegun = false
  void begun.then(() => {
    isBegun = true
  })
  while (check.problem === null) await new Promise((resolve) => setTimeout(resolve, 1))
  expect([isBegun, isSuspended(), reports]).toEqual([false, true, [expect.stringContaining(words)]])
  // An operator changes the network here, or the other instance ends: the next check finds that.
  await check.confirm()
  if (found === 'none') await begun
  else {
    await check.confirm()
    await begun
  }
  expect([check.problem, isSuspended(), calls[0]]).toEqual([null, false, 'confirm'])
  expect(reports).toHaveLength(1)
})

test('ends during a check, without a report, and begins nothing', async () => {
  const { check, begun, reports, isSuspended } = scene('own', ['late'])
  let isBegun = false
  void begun.then(() => {
    isBegun = true
  })
  await new Promise((resolve) => setTimeout(resolve, 1))
  await check.stop()
  await new Promise((resolve) => setTimeout(resolve, 1))
  expect([isBegun, isSuspended(), reports]).toEqual([false, false, []])
})

test('ends while it waits', async () => {
  const { check } = scene('copied', ['none'])
  while (check.problem === null) await new Promise((resolve) => setTimeout(resolve, 1))
  await check.stop()
})

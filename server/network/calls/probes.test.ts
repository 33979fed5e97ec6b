// Probes of all instances at once: what they change, and whom they leave alone.
import { expect, test, vi } from 'vitest'
import { type Network, OutgoingFault, type Send } from '../../../engine/index.ts'
import { Availability } from './availability.ts'
import { Probes } from './probes.ts'

function made(dead: ReadonlySet<string>, now: () => number = () => 0) {
  const remotes = new Map(
    ['a', 'b', 'c', 'd'].map((name) => [name, { url: `http://${name}.test`, searchApiKey: null }]),
  )
  const called: string[] = []
  const send: Send = async ({ url }) => {
    const [, name = ''] = /^http:..(\w)/.exec(url)!
    called.push(name)
    if (dead.has(name)) throw new OutgoingFault('unreachable', 'no connection')
    return { status: 200, body: Buffer.from('{}') }
  }
  const availability = new Availability(now)
  const probes = new Probes({
    network: () => ({ self: 'a', remotes }) as unknown as Network,
    availability,
    send,
    times: { connectMs: 1000, requestMs: 1000 },
    report: (message, error) => expect.fail(`${message} ${String(error)}`),
  })
  const statuses = () => [...remotes.keys()].map((name) => availability.status(name)).join(' ')
  return { probes, availability, called, statuses }
}

test('an instance that does not answer is unavailable without a request of a client', async () => {
  const { probes, availability, called, statuses } = made(new Set(['c']))
  availability.set('d', 'unavailable')
  expect(statuses()).toBe('available available available unavailable')
  await Promise.all([probes.probeAll(), probes.probeAll()])
  expect(called).toEqual(['b', 'c'])
  expect(statuses()).toBe('available available unavailable unavailable')
})

test('an instance that answers again is available', async () => {
  const { probes, availability, statuses } = made(new Set())
  availability.failed('b')
  await probes.probeAll()
  expect(statuses()).toBe('available available available available')
})

test('a paused instance is probed when its probe is due, one probe at a time', async () => {
  let now = 0
  const dead = new Set(['b'])
  const { probes, availability, called } = made(dead, () => now)
  availability.failed('b')
  probes.probeDue()
  expect(called).toEqual([])
  now = 500
  probes.probeDue()
  probes.probeDue()
  await probes.stop()
  expect(called).toEqual(['b'])
  // Probes that are aborted say nothing about the instance.
  expect(availability.isDue('b')).toBe(true)
  expect(availability.status('b')).toBe('unavailable')
})

test('the pause of an instance grows with each probe that fails', async () => {
  let now = 0
  const { probes, availability, called } = made(new Set(['b']), () => now)
  availability.failed('b')
  now = 500
  await probes.probeAll()
  expect(called).toContain('b')
  expect(availability.isDue('b')).toBe(false)
  now = 1499
  expect(availability.isDue('b')).toBe(false)
  now = 1500
  expect(availability.isDue('b')).toBe(true)
})

test('probes begin by themselves until they are stopped', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  let now = 0
  const { probes, availability, called } = made(new Set(), () => now)
  availability.failed('b')
  probes.start()
  now = 500
  vi.advanceTimersByTime(500)
  expect(called).toEqual(['b'])
  await probes.stop()
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

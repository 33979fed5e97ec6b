// Probes of all instances at once: what they change, and whom they leave alone.
import { expect, test } from 'vitest'
import { type Network, OutgoingFault, type Send } from '../../../engine/index.ts'
import { Availability } from './availability.ts'
import { Probes } from './probes.ts'

function made(dead: ReadonlySet<string>) {
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
  const availability = new Availability(() => 0)
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

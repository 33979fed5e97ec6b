// Whether the data of a database make this instance a member of their network.
import { expect, it } from 'vitest'
import { checkMembership, type Network, NO_NETWORK } from './index.ts'

type Origin = Parameters<typeof checkMembership>[0]['identity']['origin']

/** Returns the calls that the check makes, and the network after it. */
async function checked(origin: Origin, network: Partial<Network>, canNote = true) {
  const calls: string[] = []
  let known: Network = { ...NO_NETWORK, ...network }
  await checkMembership({
    identity: {
      id: 'mine',
      origin,
      confirm: async () => {
        calls.push('confirm')
      },
    } as Parameters<typeof checkMembership>[0]['identity'],
    network: {
      get: () => known,
      update: async (change) => (known = change(known)),
    },
    leave: async () => {
      calls.push('leave')
    },
    note: canNote
      ? (message) => {
          calls.push(message.split(' of a network')[0]!)
        }
      : undefined,
  })
  const { leaderId, term } = known
  return { calls, leaderId, term }
}

const LEFT = 'The data of this database come from the instance `a`'

it.each<readonly [Origin, Partial<Network>, readonly string[]]>([
  ['own', {}, []],
  ['own', { self: 'a', leader: 'b', leaderId: 'theirs' }, []],
  ['own', { self: 'a', leader: 'a', leaderId: 'mine' }, []],
  ['own', { self: 'a', leader: 'a', leaderId: 'theirs' }, [LEFT, 'leave', 'confirm']],
  ['restored', { self: 'a', leader: 'b' }, [LEFT, 'leave', 'confirm']],
  ['restored', { self: 'a', leader: 'a', leaderId: 'mine' }, [LEFT, 'leave', 'confirm']],
  ['restored', {}, ['leave', 'confirm']],
] as const)('%s data with the network %j', async (origin, network, calls) => {
  expect(await checked(origin, network)).toEqual({
    calls,
    leaderId: network.leaderId ?? null,
    term: 0,
  })
})

it('a leader that was elected without an identity keeps the lead with its own', async () => {
  const elected = { calls: [], leaderId: 'mine', term: 1 }
  expect(await checked('own' as Origin, { self: 'a', leader: 'a' })).toEqual(elected)
})

it('needs no receiver of messages', async () => {
  expect((await checked('restored', { self: 'a' }, false)).calls).toEqual(['leave', 'confirm'])
})

// The order of fragments on a receiver, which has none, some or all of them.
import { expect, it } from 'vitest'
import { defaultSettings } from '../../settings/index.ts'
import { fragmentOrders } from './fragment-order.ts'
import type { Remote } from './remote.ts'
import { FRAGMENT, settingsWith } from './test-fragments.ts'

/** A receiver that answers so when it is asked for its embedders. */
const remoteWith = (there: unknown) => {
  const read: string[] = []
  const remote = {
    read: async (path: string) => {
      read.push(path)
      return there
    },
  }
  return { remote: remote as unknown as Remote, read }
}

const having = (...names: readonly string[]) => ({
  e: { indexingFragments: Object.fromEntries(names.map((name) => [name, FRAGMENT])) },
})

it.each<[string, unknown, boolean, boolean, readonly string[]]>([
  ['has no index', having('z'), false, true, ['a', 'b']],
  ['has the index without embedders', {}, true, true, ['a', 'b']],
  ['gets no settings', having('b'), true, false, ['b']],
  ['has some of them', having('b'), true, true, ['b', 'a']],
  ['has others', having('z', 'a'), true, true, ['z', 'a', 'b']],
  [
    'has an embedder of two sides',
    { e: { indexingEmbedder: having('b').e } },
    true,
    true,
    ['b', 'a'],
  ],
  ['answers nonsense', { e: 7 }, true, true, ['a', 'b']],
  ['answers null', null, true, true, ['a', 'b']],
  ['has fragments of another form', { e: { indexingFragments: 1 } }, true, true, ['a', 'b']],
])('a receiver that %s', async (_, there, exists, getsSettings, order) => {
  const { remote, read } = remoteWith(there)
  const receiver = { exists, getsSettings }
  const orders = await fragmentOrders(remote, '/indexes/i', settingsWith('b', 'a'), receiver)
  expect(orders).toEqual({ e: order })
  expect(read).toEqual(exists ? ['/indexes/i/settings/embedders'] : [])
})

it('is of no interest without fragments', async () => {
  const { remote, read } = remoteWith({})
  const receiver = { exists: true, getsSettings: true }
  expect(await fragmentOrders(remote, '/indexes/i', defaultSettings(), receiver)).toBeNull()
  expect(read).toEqual([])
})

// Instances that join: who does, and whether the indexes that they bring agree.
import { expect, test } from 'vitest'
import { type Network, NO_NETWORK } from '../../../engine/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import { checkJoiningIndexes, joining } from './joining-indexes.ts'

const networkOf = (leader: string | null, ...names: readonly string[]): Network => ({
  ...NO_NETWORK,
  self: 'a',
  leader,
  remotes: new Map(
    names.map((name) => [name, { url: `http://${name}`, searchApiKey: null, writeApiKey: null }]),
  ),
})

test('all others join when a network gets a leader, later only new ones', () => {
  const after = networkOf('a', 'a', 'b', 'c')
  expect(joining(networkOf(null, 'a', 'b'), after)).toEqual(['b', 'c'])
  expect(joining(networkOf('a', 'a', 'b'), after)).toEqual(['c'])
  expect(joining(after, networkOf('a', 'a'))).toEqual([])
})

test('instances that bring the same index must agree, unless the leader has it', () => {
  const check = (own: readonly string[], second: string): void =>
    checkJoiningIndexes(
      { topology: { indexUids: () => own } as never },
      new Map([
        [
          'b',
          new Map([
            [asIndexUid('films'), '1'],
            [asIndexUid('books'), '1'],
          ]),
        ],
        ['c', new Map([[asIndexUid('films'), second]])],
      ]),
    )
  expect(() => check([], '1')).not.toThrow()
  expect(() => check(['films'], '2')).not.toThrow()
  expect(() => check(['books'], '2')).toThrow(
    'Remotes `b` and `c` have an index `films` with different settings',
  )
})

// A topology change as its task stores it.
import { expect, it } from 'vitest'
import { CorruptionError } from '../../../format/errors.ts'
import { isResynced } from './change.ts'
import {
  areShardsSame,
  type ChangedNetworks,
  changeContent,
  NO_NETWORK,
  readChange,
} from './index.ts'

const remote = { url: 'http://a', searchApiKey: null, writeApiKey: 'w' }
const PLAIN: ChangedNetworks = {
  before: NO_NETWORK,
  after: {
    ...NO_NETWORK,
    self: 'a',
    leader: 'a',
    leaderId: 'i',
    term: 3,
    remotes: new Map([
      ['a', remote],
      ['b', remote],
    ]),
    shards: new Map([['s', { remotes: ['a', 'b'] }]]),
  },
  absent: [],
  renewed: [],
  renewedShards: new Map(),
  isDirty: false,
  isReturning: false,
  bringing: [],
}

it.each<readonly [Partial<ChangedNetworks>, object]>([
  [{}, {}],
  [{ absent: ['b'] }, { absent: ['b'] }],
  [{ renewed: ['b'] }, { renewed: ['b'] }],
  [{ renewedShards: new Map([['b', ['s']]]) }, { renewedShards: { b: ['s'] } }],
  [{ isDirty: true }, { dirty: true }],
  [{ isReturning: true }, { returning: true }],
  [{ bringing: ['b'] }, { bringing: ['b'] }],
])('with %j is stored with the members %j', (more, members) => {
  const change = { ...PLAIN, ...more }
  const content = JSON.parse(JSON.stringify(changeContent(change)))
  const { oldNetwork, newNetwork, ...rest } = content
  expect(rest).toEqual(members)
  expect(oldNetwork).toMatchObject({ self: null, remotes: {}, shards: {} })
  expect(newNetwork).toMatchObject({
    remotes: { b: remote },
    shards: { s: { remotes: ['a', 'b'] } },
  })
  expect(readChange(content)).toEqual(change)
})

it('is read with names in byte order, also one of a release without terms', () => {
  const content = JSON.parse(JSON.stringify(changeContent(PLAIN)))
  const { leaderId: _, term: __, ...older } = content.newNetwork
  const { after } = readChange({
    ...content,
    newNetwork: {
      ...older,
      remotes: { b: remote, a: remote },
      shards: { t: { remotes: [] }, s: { remotes: [] } },
    },
  })
  expect(after).toMatchObject({ leaderId: null, term: 0 })
  expect([[...after.remotes.keys()], [...after.shards.keys()]]).toEqual([
    ['a', 'b'],
    ['s', 't'],
  ])
  expect(() => readChange({ ...content, absent: [1] })).toThrow(CorruptionError)
})

it('gives a renewed remote all its shards again, or those that are listed', () => {
  const resynced = (renewed: readonly string[], listed: readonly (readonly [string, string[]])[]) =>
    isResynced({ renewed, renewedShards: new Map(listed) }, 'b', 's')
  expect(resynced([], [])).toBe(false)
  expect(resynced(['b'], [])).toBe(true)
  expect(resynced(['b'], [['b', ['s', 't']]])).toBe(true)
  expect(resynced(['b'], [['b', ['t']]])).toBe(false)
  expect(resynced(['a'], [['b', ['s']]])).toBe(false)
})

it('leaves documents in their shards if the names of shards are the same', () => {
  const named = (...names: readonly string[]) => ({
    shards: new Map(names.map((name) => [name, { remotes: [name] }])),
  })
  expect(areShardsSame(named('s', 't'), named('s', 't'))).toBe(true)
  expect(areShardsSame(named('s', 't'), named('s'))).toBe(false)
})

// Networks for the tests of this folder.
import type { Network } from '../records/index.ts'

/** Versions of networks, in order. */
export const V1 = '01980000-0000-7000-8000-000000000001'
export const V2 = '01980000-0000-7000-8000-000000000002'

const REMOTE = { url: 'http://x', searchApiKey: null, writeApiKey: null }

/** A network that is led by its member `a`, seen from it; each member has the only shard, `s`. */
export const ledByA = (...others: readonly string[]): Network => {
  const names = ['a', ...others]
  return {
    self: 'a',
    leader: 'a',
    leaderId: null,
    term: 1,
    remotes: new Map(names.map((name) => [name, REMOTE])),
    shards: new Map([['s', { remotes: names }]]),
    version: V1,
  }
}

// Which tasks a member of a network accepts, by their network version and their sender.
import { expect, it } from 'vitest'
import { asIndexUid, asTaskUid } from '../../../format/ids.ts'
import { EngineFault } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import type { TaskContent } from '../../task-kinds/index.ts'
import { openTestEngine } from '../../testing/test-engine.ts'
import type { Network } from '../records/index.ts'

const REMOTE = { url: 'http://x', searchApiKey: null, writeApiKey: null }
const OLDER = '01980000-0000-7000-8000-000000000001'
const PRESENT = '01980000-0000-7000-8000-000000000002'
const NEWER = '01980000-0000-7000-8000-000000000003'
/** The instance follows the leader `a`. */
const LED_BY_A: Network = {
  self: 'b',
  leader: 'a',
  leaderId: null,
  term: 1,
  remotes: new Map(['a', 'b', 'c'].map((name) => [name, REMOTE])),
  shards: new Map([['s', { remotes: ['a', 'b', 'c'] }]]),
  version: PRESENT,
}

it.each([
  ['a', OLDER, 'network_version_too_old'],
  ['a', PRESENT, 'none'],
  ['a', NEWER, 'none'],
  ['c', OLDER, 'network_leader_mismatch'],
  // An instance that knows this network, or a newer one, may lead in the meantime.
  ['c', PRESENT, 'none'],
  ['c', NEWER, 'none'],
] as const)('a copy of a task of %s under %s: %s', async (remoteName, networkVersion, code) => {
  const engine = await openTestEngine(new FakeDisk().mount())
  const origin = { remoteName, taskUid: asTaskUid(7), networkVersion }
  await engine.network.update(() => LED_BY_A)
  const content: TaskContent = { kind: 'indexCreation', primaryKey: null }
  const found = await engine.tasks
    .enqueue({
      indexUid: asIndexUid('books'),
      content,
      customMetadata: null,
      registration: { uid: null, isDry: false, network: { kind: 'origin', origin } },
    })
    .then(
      () => 'none',
      (error: unknown) => (error instanceof EngineFault ? error.code : error),
    )
  expect(found).toBe(code)
  await engine.close()
})

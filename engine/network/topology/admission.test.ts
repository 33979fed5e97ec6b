// Which tasks a member of a network accepts, by their network version and their sender.
import { describe, expect, it } from 'vitest'
import { asIndexUid, asTaskUid } from '../../../format/ids.ts'
import { EngineFault } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { type TaskContent, taskKinds } from '../../task-kinds/index.ts'
import { openTestEngine } from '../../testing/test-engine.ts'
import type { Network, StaleRemotes, TaskNetwork } from '../records/index.ts'
import { admission } from './admission.ts'
import type { LocalTopology } from './topology.ts'

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

describe('a task of a client', () => {
  const led = (more: Partial<Network> = {}): Network => ({ ...LED_BY_A, self: 'a', ...more })
  /** Returns the network part of the task, or the code of its refusal. */
  function admitted(
    network: Network,
    {
      kind = 'indexCreation',
      suspension = null,
      renewed = [],
      lacking = [],
      before = 0,
      change = null,
    }: {
      readonly kind?: string
      readonly suspension?: string | null
      readonly renewed?: readonly string[]
      readonly lacking?: readonly string[]
      /** Tasks of the lacking remotes that are older were dropped. */
      readonly before?: number
      readonly change?: { readonly uid: number } | null
    } = {},
  ): unknown {
    const topology = { networkOfNextTask: network, suspension, renewed, change } as never
    const stale = {
      isLacking: (name: string) => lacking.includes(name),
      all: () => new Map(lacking.map((name) => [name, { reason: 'backlog', before }])),
    } as unknown as StaleRemotes
    try {
      return admission(taskKinds, topology, stale)(kind, undefined)
    } catch (error) {
      if (error instanceof EngineFault) return error.code
      throw error
    }
  }

  it('is accepted by the leader alone, and sent to all others', () => {
    expect(admitted(led())).toEqual({ kind: 'leader', version: PRESENT, remotes: ['b', 'c'] })
    expect(admitted(LED_BY_A)).toBe('not_a_leader')
    expect(admitted(led(), { suspension: 'Wait.' })).toBe('not_a_leader')
  })

  it('belongs to no network without a leader, or if its kind concerns the instance', () => {
    expect(admitted(led({ leader: null }))).toBeNull()
    expect(admitted(LED_BY_A, { kind: 'taskDeletion', suspension: 'Wait.' })).toBeNull()
  })

  it('is not sent to a remote that lacks writes, unless a change sends it its shards', () => {
    const remotes = (renewed: readonly string[]) =>
      admitted(led(), { lacking: ['b'], renewed }) as { readonly remotes: readonly string[] }
    expect(remotes([]).remotes).toEqual(['c'])
    expect(remotes(['c']).remotes).toEqual(['c'])
    expect(remotes(['b']).remotes).toEqual(['b', 'c'])
  })

  it.each([
    [7, ['b', 'c']],
    [8, ['c']],
  ])('is not sent if tasks before %i were dropped, and the change is task 7', (before, remotes) => {
    const given = { lacking: ['b'], renewed: ['b'], before, change: { uid: 7 } }
    expect(admitted(led(), given)).toEqual({ kind: 'leader', version: PRESENT, remotes })
  })
})

describe('a task of another instance', () => {
  const origin = { remoteName: 'a', taskUid: asTaskUid(7), networkVersion: PRESENT }
  const source = {
    remoteName: 'a',
    indexName: null,
    documentCount: 0,
    indexCount: 0,
    totalDocuments: 0,
    key: null,
  }

  function admitted(network: TaskNetwork): unknown {
    const imports: unknown[] = []
    const topology = {
      networkOfNextTask: LED_BY_A,
      suspension: 'Wait.',
      renewed: [],
      admitImport: (one: unknown) => imports.push(one),
    } as unknown as LocalTopology
    const admit = admission(taskKinds, topology, { isLacking: () => false } as never)
    try {
      return [admit('indexCreation', { uid: null, isDry: false, network }), imports.length]
    } catch (error) {
      if (error instanceof EngineFault) return error.code
      throw error
    }
  }

  it.each<readonly [TaskNetwork, number]>([
    [{ kind: 'leader', version: OLDER, remotes: [] }, 0],
    [{ kind: 'origin', origin }, 0],
    [{ kind: 'import', source, change: origin }, 1],
    // Any instance may hand over documents.
    [{ kind: 'import', source, change: { ...origin, remoteName: 'c' } }, 1],
  ])('%j is accepted', (network, imports) => {
    expect(admitted(network)).toEqual([network, imports])
  })

  it('an import of an older change is refused before it is looked at', () => {
    const change = { ...origin, networkVersion: OLDER }
    expect(admitted({ kind: 'import', source, change })).toBe('network_version_too_old')
  })
})

// Batches that create, change, delete and compact indexes: what each commits, and its outcome.
import { describe, expect, it } from 'vitest'
import { asIndexNo, asIndexUid, asSegmentNo } from '../../../format/ids.ts'
import type { Change } from '../../../format/manifest/index.ts'
import { defaultSettings, encodeSettings } from '../../settings/index.ts'
import type { State } from '../../store/catalog/index.ts'
import type { BatchPlan, BatchResult } from '../../write/batching/index.ts'
import { batchTarget } from '../kind/index.ts'
import type { BatchRun, TaskEnvironment } from '../kind/task-kind.ts'
import { AT, applied, stateOf } from '../kind/test-states.ts'
import { indexCompaction } from './index-compaction.ts'
import { indexCreation } from './index-creation.ts'
import { indexDeletion } from './index-deletion.ts'
import { indexUpdate } from './index-update.ts'

const NOW = AT + 7
const FIRST = asIndexNo(1)

/** A state with indexes of these names; the first one has some documents. */
function filled(documents: number, primaryKey: string | null, ...uids: readonly string[]): State {
  const keyed =
    primaryKey === null ? [] : [{ kind: 'primary-key-set', index: FIRST, primaryKey } as const]
  const state = applied(stateOf(uids), keyed)
  if (documents === 0) return state
  const segment = asSegmentNo(1)
  const entry = { segment, layer: 'documents', documents, idMin: 0, idMax: 9, bytes: 5000 } as const
  const location = { kind: 'file', checksum: 1 } as const
  return applied(state, [{ kind: 'segment-added', index: FIRST, ...entry, location }])
}

type Given = {
  readonly mayCreate?: boolean
  readonly isImport?: boolean
  /** Receives the operations of jobs. */
  readonly jobs?: unknown[]
}

/** Returns the changes of the commit, or null without one, and how the task ended. */
async function ran(run: BatchRun, state: State, content: object, given: Given = {}) {
  const { mayCreate = false, isImport = false, jobs = [] } = given
  let changes: readonly Change[] | null = null
  let result: BatchResult | null = null
  const environment = {
    manifest: {
      state,
      takeIndex: () => asIndexNo(state.indexes.size + 1),
      commit: async (make: (state: State) => readonly Change[]) => {
        changes = make(state).slice(0, -1)
      },
    },
    queue: { network: { isImport: () => isImport } },
    merger: {
      touch: () => undefined,
      compact: async () => void jobs.push('compact'),
      offer: () => ({ offer: null, [Symbol.dispose]: () => undefined }),
    },
    views: { lease: () => null },
    indexing: {
      run: async ({ operations }: { readonly operations: readonly unknown[] }) => {
        jobs.push(...operations)
        return { deleted: 0, segments: [] }
      },
    },
    wallMs: () => 5000,
    onCommitted: () => undefined,
    now: () => NOW,
  } as unknown as TaskEnvironment
  const plan = {
    tasks: [{ uid: 3, hasEffect: true, content, role: 'indexDeletion' }],
    work: { indexUid: asIndexUid('a'), mayCreate },
  } as unknown as BatchPlan
  const control = {
    signal: new AbortController().signal,
    progress: () => undefined,
    seal: async (sealed: BatchResult) => {
      result = sealed
      return { view: { uid: 5 }, payload: new Uint8Array(1) }
    },
  } as unknown as Parameters<BatchRun>[2]
  const end = await run(environment, plan, control)
  const { outcomes, swapped } = end.kind === 'uncommitted' ? end.result : result!
  const { error, result: details } = outcomes[0]!
  return {
    changes: changes as readonly Change[] | null,
    code: error?.code ?? null,
    details,
    swapped: swapped ?? [],
  }
}

const touched = { kind: 'index-touched', index: FIRST, at: NOW }
const keySet = { kind: 'primary-key-set', index: FIRST, primaryKey: 'k' }
const renamed = { kind: 'index-renamed', index: FIRST, uid: 'b' }

describe('an update of an index', () => {
  it.each<[string, State, object, readonly object[] | null, string | null]>([
    ['sets the primary key', filled(0, null, 'a'), { primaryKey: 'k' }, [keySet, touched], null],
    [
      'without documents replaces it',
      filled(0, 'id', 'a'),
      { primaryKey: 'k' },
      [keySet, touched],
      null,
    ],
    ['keeps the key', filled(2, 'k', 'a'), { primaryKey: 'k' }, [keySet, touched], null],
    [
      'refuses another key beside documents',
      filled(2, 'id', 'a'),
      { primaryKey: 'k' },
      [],
      'index_primary_key_already_exists',
    ],
    [
      'refuses a key for documents without one',
      filled(2, null, 'a'),
      { primaryKey: 'k' },
      [],
      'index_primary_key_already_exists',
    ],
    ['renames', filled(2, 'id', 'a'), { newUid: 'b' }, [renamed, touched], null],
    [
      'renames although the key is refused',
      filled(2, 'id', 'a'),
      { newUid: 'b', primaryKey: 'k' },
      [renamed],
      'index_primary_key_already_exists',
    ],
    ['to the same name changes nothing', filled(2, 'id', 'a'), { newUid: 'a' }, [], null],
    ['of nothing changes nothing', filled(2, 'id', 'a'), {}, [], null],
    [
      'refuses a used name',
      filled(0, null, 'a', 'b'),
      { newUid: 'b' },
      null,
      'index_already_exists',
    ],
    ['needs the index', filled(0, null, 'c'), { primaryKey: 'k' }, null, 'index_not_found'],
  ])('%s', async (_, state, content, changes, code) => {
    const given = { kind: 'indexUpdate', primaryKey: null, newUid: null, ...content }
    const end = await ran(indexUpdate.runs['indexUpdate']!, state, given)
    expect([end.changes, end.code]).toEqual([changes, code])
    const isRenamed = changes?.some((change) => change === renamed) === true
    expect(end.swapped).toEqual(isRenamed ? [['a', 'b']] : [])
  })
})

describe('the creation of an index', () => {
  const run = indexCreation.runs['indexCreation']!
  const content = (primaryKey: string | null) => ({ kind: 'indexCreation', primaryKey })

  it('commits it, with its primary key', async () => {
    const created = { kind: 'index-created', index: 2, uid: 'a', primaryKey: null, at: NOW }
    const plain = await ran(run, stateOf(['c']), content(null))
    expect(plain).toMatchObject({ changes: [created], code: null })
    expect(plain.changes).toHaveLength(1)
    const { changes } = await ran(run, stateOf(['c']), content('k'))
    expect(changes).toMatchObject([created, { ...keySet, index: 2 }])
  })

  it('is refused for a known index, unless its documents came first', async () => {
    const known = await ran(run, stateOf(['a']), content('k'))
    expect([known.changes, known.code]).toEqual([null, 'index_already_exists'])
    const imported = await ran(run, stateOf(['a']), content('k'), { isImport: true })
    expect([imported.changes, imported.code]).toEqual([null, null])
  })
})

describe('the deletion of an index', () => {
  const run = indexDeletion.runs['indexDeletion']!
  const content = { kind: 'indexDeletion' }

  it('counts its documents', async () => {
    const { changes, details } = await ran(run, filled(2, 'id', 'a'), content)
    expect(changes).toEqual([{ kind: 'index-removed', index: 1 }])
    expect(details).toEqual({ deletedDocuments: 2 })
  })

  it('of an absent index succeeds only if the batch could have created it', async () => {
    const absent = await ran(run, stateOf(['c']), content)
    expect([absent.changes, absent.code]).toEqual([null, 'index_not_found'])
    const created = await ran(run, stateOf(['c']), content, { mayCreate: true })
    expect([created.changes, created.details]).toEqual([null, { deletedDocuments: 0 }])
  })
})

describe('a compaction', () => {
  const run = indexCompaction.runs['indexCompaction']!
  it.each([
    [filled(0, null, 'a'), '4 KiB'],
    [filled(2, null, 'a'), '8 KiB'],
  ])('shows sizes in whole pages %#', async (state, size) => {
    const { details, changes } = await ran(run, state, { kind: 'indexCompaction' })
    expect(details).toEqual({ preCompactionSize: size, postCompactionSize: size })
    expect(changes).toBeNull()
  })

  it('deletes what has expired before it merges', async () => {
    const settings = encodeSettings({ ...defaultSettings(), expiresAtAttribute: 'until' })
    const state = applied(filled(2, null, 'a'), [{ kind: 'settings-set', index: FIRST, settings }])
    const jobs: unknown[] = []
    await ran(run, state, { kind: 'indexCompaction' }, { jobs })
    expect(jobs).toEqual([{ kind: 'deletionOfExpired', at: 5000 }, 'compact'])
  })

  it('needs the index', async () => {
    const { code } = await ran(run, stateOf(['c']), { kind: 'indexCompaction' })
    expect(code).toBe('index_not_found')
  })
})

it('a batch works on the known index, or on a new one if it may create it', () => {
  const manifest = { state: filled(0, 'id', 'a'), takeIndex: () => asIndexNo(2) } as never
  const known = batchTarget(manifest, asIndexUid('a'), true)!
  expect([known.index, known.view.primaryKey, known.created(NOW)]).toEqual([1, 'id', []])
  expect(batchTarget(manifest, asIndexUid('b'), false)).toBeNull()
  const fresh = batchTarget(manifest, asIndexUid('b'), true)!
  expect([fresh.index, fresh.view.uid]).toEqual([2, 'b'])
  expect(fresh.created(NOW)).toMatchObject([{ kind: 'index-created', index: 2, at: NOW }])
})

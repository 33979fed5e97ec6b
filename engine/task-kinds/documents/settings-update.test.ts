// Batches of settings: what they commit, what they rebuild, and what a failure leaves.
import { describe, expect, it } from 'vitest'
import { asIndexNo, asIndexUid, asSegmentNo } from '../../../format/ids.ts'
import type { Change } from '../../../format/manifest/index.ts'
import { templatesInPlace } from '../../ai/template/index.ts'
import { EngineFault, StorageError } from '../../model/index.ts'
import {
  applyPatch,
  decodeSettings,
  defaultSettings,
  encodeSettings,
  type SettingsPatch,
} from '../../settings/index.ts'
import type { State } from '../../store/catalog/index.ts'
import type { BatchPlan, BatchResult } from '../../write/batching/index.ts'
import type { TaskEnvironment } from '../kind/task-kind.ts'
import { AT, applied, stateOf } from '../kind/test-states.ts'
import { runSettings } from './settings-update.ts'

const NOW = AT + 7
const INDEX = asIndexNo(1)
const textOf = (patch: SettingsPatch) =>
  encodeSettings(applyPatch(defaultSettings(), patch).settings)

const stored = textOf({ stopWords: ['a'], dictionary: ['b'] })
const known = applied(stateOf(['i']), [{ kind: 'settings-set', index: INDEX, settings: stored }])
const place = { idMin: 0, idMax: 9, bytes: 9, location: { kind: 'file', checksum: 1 } } as const
const added = { kind: 'segment-added', index: INDEX, documents: 2, ...place } as const
const filled = applied(known, [
  { kind: 'fields-added', index: INDEX, names: ['n'] },
  { ...added, segment: asSegmentNo(1), layer: 'documents' },
  { ...added, segment: asSegmentNo(2), layer: 'text' },
])
const BUILT = { ...added, segment: asSegmentNo(3), layer: 'text' } as const

type Task = {
  readonly patch?: SettingsPatch
  readonly isWhole?: true
  readonly isForNewIndex?: true
  readonly role?: string
}
type Given = {
  readonly work?: 'settings' | 'clearAndSettings' | 'clear'
  readonly mayCreate?: boolean
  /** A failure of building segments. */
  readonly failure?: Error
}

/** Returns commits without their ends, the settings that they set, jobs, and the outcome. */
async function ran(state: State, tasks: readonly Task[], given: Given = {}) {
  const { work = 'settings', mayCreate = false, failure } = given
  const commits: (readonly Change[])[] = []
  const jobs: unknown[] = []
  let result: BatchResult | null = null
  const environment = {
    fs: { remove: () => undefined },
    manifest: {
      state,
      takeIndex: () => asIndexNo(2),
      commit: async (make: (from: State) => readonly Change[]) => {
        commits.push(make(state).slice(0, -1))
      },
    },
    merger: { touch: () => undefined },
    views: { lease: () => ({ ref: 'view', [Symbol.dispose]: () => undefined }) },
    templates: templatesInPlace,
    providers: null,
    indexing: {
      run: async (job: unknown) => {
        jobs.push(job)
        if (failure !== undefined) throw failure
        const { kind: _, index: __, ...segment } = BUILT
        return { segments: [segment], fieldsAdded: [], fieldCounts: [], vectorCounts: null }
      },
    },
    chunkBytesMax: 99,
    onCommitted: () => undefined,
    now: () => NOW,
  } as unknown as TaskEnvironment
  const plan = {
    tasks: tasks.map(({ patch = {}, role = 'settings', ...more }, i) => ({
      uid: i,
      hasEffect: true,
      role,
      content: { kind: 'settingsUpdate', patch, ...more },
    })),
    work: { kind: work, indexUid: asIndexUid('i'), mayCreate },
  } as unknown as BatchPlan
  const control = {
    signal: new AbortController().signal,
    progress: () => undefined,
    seal: async (sealed: BatchResult) => {
      result = sealed
      return { view: { uid: 5 }, payload: new Uint8Array(1) }
    },
  }
  const end = await runSettings(environment, plan, control as never)
  const { outcomes } = end.kind === 'uncommitted' ? end.result : (result as BatchResult | null)!
  const set = commits.flat().find((change) => change.kind === 'settings-set')
  return {
    commits,
    jobs,
    settings: set === undefined ? null : decodeSettings(set.settings),
    errors: outcomes.map(({ error }) => error),
  }
}

const touched = { kind: 'index-touched', index: INDEX, at: NOW }
const settingsOf = (patch: SettingsPatch) => applyPatch(defaultSettings(), patch).settings

describe('changes of settings', () => {
  it.each<[string, readonly Task[], SettingsPatch]>([
    [
      'keep other settings',
      [{ patch: { synonyms: { x: ['y'] } } }],
      { stopWords: ['a'], dictionary: ['b'], synonyms: { x: ['y'] } },
    ],
    [
      'of another instance replace all of them',
      [{ patch: { synonyms: { x: ['y'] } }, isWhole: true }],
      { synonyms: { x: ['y'] } },
    ],
    [
      'are applied in order',
      [{ patch: { stopWords: ['c'], dictionary: null } }, { patch: { stopWords: ['d'] } }],
      { stopWords: ['d'] },
    ],
    [
      'are those of tasks about settings',
      [{ patch: { stopWords: ['c'] } }, { patch: { stopWords: ['d'] }, role: 'clear' }],
      { stopWords: ['c'], dictionary: ['b'] },
    ],
  ])('%s', async (_, tasks, patch) => {
    const { settings, commits, jobs, errors } = await ran(known, tasks)
    expect(settings).toEqual(settingsOf(patch))
    const set = { kind: 'settings-set', index: INDEX, settings: encodeSettings(settings!) }
    expect([commits, jobs]).toEqual([[[set, touched]], []])
    expect(errors).toEqual(tasks.map(() => null))
  })

  it('that change nothing only touch the index', async () => {
    const { commits, jobs } = await ran(filled, [{ patch: { stopWords: ['a'] } }])
    expect([commits, jobs]).toEqual([[[touched]], []])
  })

  it('of an instance that joins count for an index that it brings, not for one that exists', async () => {
    const brought = { patch: { stopWords: ['x'] }, isWhole: true, isForNewIndex: true } as const
    const ofLeader = { patch: { stopWords: ['y'] }, isWhole: true } as const
    const { commits, errors } = await ran(filled, [brought])
    expect([commits, errors]).toEqual([[[touched]], [null]])
    const created = async (...tasks: readonly Task[]) =>
      (await ran(stateOf([]), tasks, { mayCreate: true })).settings?.stopWords
    expect(await created(brought)).toEqual(['x'])
    expect(await created(ofLeader, brought)).toEqual(['y'])
    expect(await created(brought, { ...brought, patch: { stopWords: ['z'] } })).toEqual(['x'])
    expect(await created(brought, ofLeader)).toEqual(['y'])
  })

  it('replace the layers that they affect, if there are documents', async () => {
    const task = { patch: { stopWords: ['c'] } }
    const settings = textOf({ stopWords: ['c'], dictionary: ['b'] })
    const set = { kind: 'settings-set', index: INDEX, settings }
    const { commits, jobs } = await ran(filled, [task])
    expect(jobs).toEqual([
      { kind: 'rebuild', view: 'view', settings, layers: ['text'], chunkBytesMax: 99 },
    ])
    const removed = (segment: number) => ({ kind: 'segment-removed', index: INDEX, segment })
    expect(commits).toEqual([[set, removed(2), BUILT, touched]])
    const cleared = await ran(filled, [task], { work: 'clearAndSettings' })
    expect(cleared.commits).toEqual([[set, removed(1), removed(2), touched]])
    expect(cleared.jobs).toEqual([])
  })
})

describe('a failure', () => {
  const bad = { patch: { chat: { documentTemplate: '{{' } } }
  const fault = {
    code: 'invalid_chat_setting_document_template',
    message: expect.stringMatching(/^Index `i`: `\.chat\.documentTemplate`: Invalid document temp/),
  }
  const created = { kind: 'index-created', index: 2, uid: 'i', primaryKey: null, at: NOW }

  it('of settings creates the index that the batch may create, and fails all tasks', async () => {
    const { commits, errors } = await ran(stateOf([]), [{}, bad], { mayCreate: true })
    expect(commits).toEqual([[{ ...created, settings: encodeSettings(defaultSettings()) }]])
    expect(errors).toEqual([fault, fault])
  })

  it('of settings of a known index is passed on, as are those of the disk', async () => {
    await expect(ran(known, [bad], { mayCreate: true })).rejects.toMatchObject(fault)
    for (const failure of [
      new StorageError('no_space', 'x', 'full'),
      new EngineFault('invalid_document_id', 'wrong'),
    ]) {
      const change = ran(filled, [{ patch: { stopWords: ['c'] } }], { failure })
      await expect(change).rejects.toBe(failure)
    }
    const failure = new EngineFault('invalid_document_geo_field', 'wrong')
    const change = ran(filled, [{ patch: { stopWords: ['c'] } }], { failure })
    await expect(change).rejects.toMatchObject({ message: 'Index `i`: wrong' })
  })

  it('without an index fails the task', async () => {
    const { commits, errors } = await ran(stateOf(['j']), [{}])
    const message = 'Index `i` not found.'
    expect([commits, errors]).toEqual([[], [{ code: 'index_not_found', message }]])
  })
})

// The parts that batches share: targets, deletions of found documents, words of faults, and the
// kinds whose content is a set of tasks.
import { describe, expect, it, test } from 'vitest'
import { CorruptionError } from '../../../format/errors.ts'
import { asIndexNo, asIndexUid, asSegmentNo } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { Canceled, EngineFault, StorageError } from '../../model/index.ts'
import { defaultSettings, encodeSettings } from '../../settings/index.ts'
import { taskKinds } from '../index.ts'
import { hooksOf, indexExists, indexNotFound, withIndexName } from './commit.ts'
import { deleteExpired, deleteFound, expiredOf } from './delete-found.ts'
import { batchTarget, newTarget } from './target.ts'
import { contentOf, runningTasks } from './task-kind.ts'
import {
  finishedForms,
  formsOf,
  readDetails,
  readFromDump,
  recordOf,
  treatmentOf,
} from './test-forms.ts'
import { AT, applied, stateOf } from './test-states.ts'

const uid = asIndexUid('a')

test.each([
  ['invalid_document_geo_field', true],
  ['invalid_document_geojson_field', true],
  ['invalid_document_fields', true],
  ['internal', true],
  ['invalid_vector_dimensions', true],
  ['invalid_vectors_type', true],
  ['vector_embedding_error', true],
  ['max_fields_limit_exceeded', true],
  ['invalid_document_id', false],
  ['index_primary_key_no_candidate_found', false],
] as const)('the words of %s name the index: %s', (code, isNamed) => {
  const fault = new EngineFault(code, 'no')
  const named = withIndexName(uid, fault) as EngineFault
  expect([named.code, named.message]).toEqual([code, isNamed ? 'Index `a`: no' : 'no'])
  const other = new StorageError('io', 'x', 'no')
  expect(withIndexName(uid, other)).toBe(other)
})

test('faults of indexes', () => {
  expect(indexNotFound(uid)).toEqual({ code: 'index_not_found', message: 'Index `a` not found.' })
  expect(indexExists(uid)).toEqual({
    code: 'index_already_exists',
    message: 'Index `a` already exists.',
  })
})

test('hooks report one step, and carry what a job needs', () => {
  const steps: unknown[] = []
  const { signal } = new AbortController()
  const control = { signal, isBeside: true, progress: (step: unknown) => void steps.push(step) }
  const hooks = hooksOf(control as never, 'indexing')
  hooks.progress(3, 9)
  expect(steps).toEqual([[{ currentStep: 'indexing', finished: 3, total: 9 }]])
  expect([hooks.signal, hooks.isBeside, 'embedding' in hooks]).toEqual([signal, true, false])
  const session = {} as never
  expect(hooksOf(control as never, 'x', session)).toMatchObject({ embedding: session })
})

test('tasks without effect do not run, and the first task has the content', () => {
  const tasks = [1, 2, 3].map((n) => ({ content: { n }, hasEffect: n !== 2 }))
  const plan = { tasks } as never
  expect(runningTasks(plan)).toEqual([tasks[0], tasks[2]])
  expect(contentOf(plan)).toEqual({ n: 1 })
})

describe('a target', () => {
  const manifest = { state: stateOf(['a', 'b']), takeIndex: () => asIndexNo(7) } as never

  it('is the index of that name', () => {
    const known = batchTarget(manifest, asIndexUid('b'), false)!
    expect([known.index, known.view.uid, known.created(AT)]).toEqual([2, 'b', []])
    expect(known.settings).toEqual(defaultSettings())
  })

  it('is created by the edit of its batch, with default settings', () => {
    expect(batchTarget(manifest, asIndexUid('c'), false)).toBeNull()
    for (const made of [
      batchTarget(manifest, asIndexUid('c'), true)!,
      newTarget(manifest, asIndexUid('c')),
    ]) {
      const settings = encodeSettings(defaultSettings())
      expect(made.view).toMatchObject({
        index: 7,
        uid: 'c',
        primaryKey: null,
        fields: [],
        settings,
      })
      expect(made.settings).toEqual(defaultSettings())
      expect(made.created(AT)).toEqual([
        { kind: 'index-created', index: 7, uid: 'c', primaryKey: null, at: AT, settings },
      ])
    }
  })
})

describe('a deletion of found documents', () => {
  const segment = { segment: asSegmentNo(4), layer: 'documents', location: { kind: 'file' } }

  function world(deleted: number, settings = '{}') {
    const calls: string[] = []
    const jobs: { readonly [member: string]: unknown }[] = []
    const state = applied(stateOf(['a']), [{ kind: 'settings-set', index: asIndexNo(1), settings }])
    const parts = {
      fs: { remove: (path: string) => void calls.push(`remove ${path}`) },
      manifest: {
        state,
        commit: async (make: (from: typeof state) => readonly { readonly kind: string }[]) => {
          calls.push(
            make(state)
              .map(({ kind }) => kind)
              .join(),
          )
        },
      },
      merger: {
        offer: () => ({
          offer: { segments: [3], bytesMax: 5 },
          [Symbol.dispose]: () => calls.push('offer ends'),
        }),
        follow: (one: number) => one,
        touch: (index: number) => void calls.push(`touch ${index}`),
      },
      views: { lease: () => null },
      indexing: {
        run: async (job: { readonly [member: string]: unknown }) => {
          jobs.push(job)
          return {
            segments: [segment],
            replaced: [],
            tombstones: [],
            fieldsAdded: [],
            fieldCounts: [],
            vectorCounts: { vectors: 0, documents: 0 },
            primaryKey: null,
            deleted,
          }
        },
      },
      chunkBytesMax: 99,
      onCommitted: () => void calls.push('committed'),
      wallMs: () => 5000,
    }
    return { parts: parts as never, calls, jobs }
  }
  const operation = { kind: 'deletionOfExpired', at: 5000 } as const
  const hooks = { signal: null, progress: () => undefined }

  it('is one edit, with further changes', async () => {
    const { parts, calls, jobs } = world(3)
    const further = [{ kind: 'index-touched', index: asIndexNo(1), at: AT }] as const
    expect(await deleteFound(parts, uid, operation, hooks, () => further)).toBe(3)
    expect(calls).toEqual(['segment-added,index-touched', 'committed', 'touch 1', 'offer ends'])
    expect(jobs).toMatchObject([
      {
        kind: 'documents',
        operations: [operation],
        chunkBytesMax: 99,
        offer: { segments: [3] },
        view: { uid: 'a' },
      },
    ])
  })

  it('commits nothing if nothing is found', async () => {
    const { parts, calls } = world(0)
    expect(await deleteFound(parts, uid, operation, hooks)).toBe(0)
    expect(calls).toEqual([expect.stringMatching(/^remove segments\/.*4/), 'offer ends'])
  })

  it('needs the index, and for expired documents the setting', async () => {
    const plain = world(3)
    expect(await deleteFound(plain.parts, asIndexUid('b'), operation, hooks)).toBe(0)
    await deleteExpired(plain.parts, uid, hooks)
    await deleteExpired(plain.parts, asIndexUid('b'), hooks)
    expect(plain.jobs).toEqual([])
    const settings = encodeSettings({ ...defaultSettings(), expiresAtAttribute: 'until' })
    const expiring = world(3, settings)
    await deleteExpired(expiring.parts, uid, hooks)
    expect(expiring.jobs).toMatchObject([{ operations: [operation] }])
    expect(expiredOf({ expiresAtAttribute: null }, () => 1)).toEqual([])
  })

  it('is not taken up if its job is canceled', async () => {
    const { parts, calls } = world(3)
    const canceled = {
      ...(parts as object),
      indexing: { run: () => Promise.reject(new Canceled()) },
    }
    await expect(deleteFound(canceled as never, uid, operation, hooks)).rejects.toThrow(Canceled)
    expect(calls).toEqual(['offer ends'])
  })
})

describe.each([
  ['taskCancelation', 'canceledTasks', 'TaskCancelation', 'canceled_tasks'],
  ['taskDeletion', 'deletedTasks', 'TaskDeletion', 'deleted_tasks'],
] as const)('%s', (kind, count, detailsTag, snake) => {
  const targets = IdSet.of([1, 5, 70_000])
  const content = { kind, query: '?uids=1', targets }

  it('keeps its targets, and shows their number', () => {
    const { decoded, details, dumped } = formsOf(content)
    expect({ ...decoded, targets: null }).toEqual({ kind, query: '?uids=1', targets: null })
    expect((decoded as unknown as typeof content).targets.toArray()).toEqual(targets.toArray())
    expect(details).toEqual({ matchedTasks: 3, [count]: null, originalFilter: '?uids=1' })
    const [tag, members] = Object.entries(dumped as object)[0]!
    const again = readFromDump(kind, tag, members) as typeof content
    expect([again.kind, again.query, [...again.targets.toArray()]]).toEqual([
      kind,
      '?uids=1',
      [1, 5, 70_000],
    ])
    expect(treatmentOf(kind)).toMatch(/^queue \d, takes \w+ isGlobal$/)
    const frees = taskKinds.named(kind).freesSpace!
    expect([frees(content), frees({ ...content, targets: IdSet.empty } as never)]).toEqual([
      true,
      false,
    ])
    expect(taskKinds.named(kind).zeros).toEqual({ [count]: 0 })
  })

  it('is refused without targets or query', () => {
    const view = recordOf(content)
    expect(() => taskKinds.contentOf({ ...view, inline: null })).toThrow(CorruptionError)
    expect(() => taskKinds.contentOf({ ...view, content: null })).toThrow(CorruptionError)
  })

  it('has its details in a dump', () => {
    const details = { matchedTasks: 3, [count]: 2, originalFilter: '?' }
    const members = { matched_tasks: 3, [snake]: 2, original_filter: '?' }
    const forms = finishedForms(kind, details)
    expect(forms.details).toEqual({ [detailsTag]: members })
    expect(Object.values(forms.type as object)[0]).toMatchObject({ query: '?' })
    expect(readDetails(kind, detailsTag, members)).toEqual(details)
    expect(Object.values(finishedForms(kind, {}).type as object)[0]).toMatchObject({ query: '' })
  })
})

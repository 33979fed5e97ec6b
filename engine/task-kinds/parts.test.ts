// Parts of the task kinds: swaps compared with a model, the dispatch of batches, the commit and its
// failures, and the checksums that snapshots share.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SegmentEntry } from '../../format/manifest/index.ts'
import { Canceled, EngineFault, StorageError } from '../model/index.ts'
import { BatchProcessor } from '../runner/processor.ts'
import { apply, EMPTY_STATE, type State } from '../store/catalog/index.ts'
import type { BatchPlan } from '../write/batching/index.ts'
import { TaskKinds } from '../write/task-data/index.ts'
import { digestsOf } from './database/snapshot-upload.ts'
import { type IndexSwap, swapChanges } from './indexes/swaps.ts'
import { commitBatch } from './kind/commit.ts'
import type { TaskEnvironment, TaskKind } from './kind/task-kind.ts'
import { tally } from './test-toy-kind.ts'

const AT = 1_700_000_000_000_000

function applied(state: State, changes: Parameters<typeof apply>[1]['changes']): State {
  const edit = { sequence: state.sequence + 1, checkpoint: false, changes }
  return apply(state, edit, (claim) => {
    throw new Error(claim)
  })
}

/** A state with indexes of these names, numbered from 1. */
const stateOf = (uids: readonly string[]): State =>
  uids.reduce((state, uid, i) => {
    const index = i + 1
    const created = { index, uid, primaryKey: null, at: AT, settings: '{}' }
    return applied(state, [{ kind: 'index-created', ...created }])
  }, EMPTY_STATE)

describe('swaps', () => {
  const NAMES = ['a', 'b', 'c', 'd', 'e', 'f']
  const order = fc.shuffledSubarray(NAMES, { minLength: 4, maxLength: 6 })
  const existing = fc.subarray(NAMES, { minLength: 2 })
  const renames = fc.array(fc.boolean(), { minLength: 2, maxLength: 2 })

  it('exchange or replace names, all or none, as in a map', () => {
    const seen = { swapped: 0, refused: 0 }
    fc.assert(
      fc.property(existing, order, renames, (uids, names, flags) => {
        const swaps: readonly IndexSwap[] = flags.map((rename, i) => {
          return { indexes: [names[2 * i]!, names[2 * i + 1]!], rename }
        })
        const state = stateOf(uids)
        const model = new Map<string, number>(uids.map((uid, i) => [uid, i + 1]))
        const needed = swaps.flatMap(({ indexes: [a, b], rename }) => (rename ? [a] : [a, b]))
        const missing = needed.filter((uid) => !model.has(uid)).sort()
        const used = swaps.filter(({ indexes, rename }) => rename && model.has(indexes[1]))
        if (missing.length + used.length > 0) {
          seen.refused++
          const code = missing.length > 0 ? 'index_not_found' : 'index_already_exists'
          const named = missing.length > 0 ? missing : [used[0]!.indexes[1]]
          const run = (): unknown => swapChanges(state, swaps)
          expect(run).toThrow(expect.objectContaining({ code }))
          for (const uid of named) expect(run).toThrow(`\`${uid}\``)
          return
        }
        seen.swapped++
        for (const { indexes, rename } of swaps) {
          const [a, b] = indexes
          const [left, right] = [model.get(a)!, model.get(b)]
          model.set(b, left)
          if (rename) model.delete(a)
          else model.set(a, right!)
        }
        const { changes, swapped } = swapChanges(state, swaps)
        const after = applied(state, changes)
        expect([...after.byUid].sort()).toEqual([...model].sort())
        expect(swapped).toEqual(swaps.map(({ indexes }) => indexes))
      }),
      { numRuns: 150 },
    )
    expect(Math.min(seen.swapped, seen.refused)).toBeGreaterThan(10)
  })
})

const planOf = (kind: string): BatchPlan => ({
  uid: 0,
  startedAt: AT,
  strategy: '',
  tasks: [
    { uid: 4, indexUid: null, content: { kind }, role: 'alone', enqueuedAt: AT, hasEffect: true },
  ],
  work: { kind, indexUid: null, mayCreate: false },
})

describe('the dispatch of batches', () => {
  const processor = (run: TaskKind['runs'][string]): BatchProcessor => {
    const kinds = new TaskKinds<TaskKind>([{ ...tally, number: 0, runs: { tally: run } } as never])
    return new BatchProcessor({ kinds } as unknown as TaskEnvironment)
  }
  const control = {} as Parameters<BatchProcessor['run']>[1]

  it('turns a cancelation into an aborted batch, and passes on other errors', async () => {
    const canceled = processor(() => Promise.reject(new Canceled()))
    expect(await canceled.run(planOf('tally'), control)).toEqual({ kind: 'aborted' })
    const error = new StorageError('io', 'x', 'disk')
    const failing = processor(() => Promise.reject(error))
    await expect(failing.run(planOf('tally'), control)).rejects.toBe(error)
  })

  it('fails the tasks of a batch that no kind runs', async () => {
    const end = await processor(() => Promise.reject(new Error('not called'))).run(
      planOf('unknown'),
      control,
    )
    const error = { code: 'internal', message: 'Tasks of the kind `unknown` are not supported.' }
    const outcomes = [{ uid: 4, error, result: null }]
    expect(end).toEqual({ kind: 'uncommitted', result: { outcomes } })
  })

  it('refuses two kinds with the same batch', () => {
    const twice = [tally, { ...tally, name: 'other', number: 1 }].map((kind, number) => {
      return { ...kind, number }
    })
    const kinds = new TaskKinds<TaskKind>(twice as never)
    expect(() => new BatchProcessor({ kinds } as unknown as TaskEnvironment)).toThrow('one kind')
  })
})

describe('the commit of a batch', () => {
  const segment = { segment: 9, layer: 'documents', location: { kind: 'file', checksum: 1 } }
  const built = {
    segments: [segment as unknown as SegmentEntry],
    target: { index: 1, view: null, settings: null, created: () => [] } as never,
  }

  /** An environment whose manifest changes `moves` times before it takes an edit. */
  function environmentOf(moves: number, failure: Error | null = null) {
    const calls: string[] = []
    let state = stateOf(['a'])
    const environment = {
      fs: { remove: (path: string) => calls.push(`remove ${path.split('/')[0]}`) },
      manifest: {
        get state() {
          return state
        },
        commit: async (make: (state: State) => readonly { readonly kind: string }[]) => {
          if (failure !== null) throw failure
          if (moves > 0) state = applied(state, [{ kind: 'index-touched', index: 1, at: AT + 1 }])
          calls.push(
            make(state)
              .map(({ kind }) => kind)
              .join(),
          )
        },
      },
      merger: { touch: (index: number) => calls.push(`touch ${index}`) },
      onCommitted: () => calls.push('committed'),
    }
    return { environment: environment as unknown as TaskEnvironment, calls }
  }

  const controlOf = (aborts: boolean): Parameters<typeof commitBatch>[1] => {
    const controller = new AbortController()
    return {
      signal: controller.signal,
      progress: () => undefined,
      seal: async () => {
        if (aborts) controller.abort()
        return { uid: 5, payload: new Uint8Array(1) }
      },
    }
  }
  const result = { outcomes: [] }

  it.each([0, 1])('holds changes and outcomes in one edit, after %i other edits', async (moves) => {
    const { environment, calls } = environmentOf(moves)
    const states = new Set<State>()
    const end = await commitBatch(environment, controlOf(false), result, built, (state) => {
      states.add(state)
      return [{ kind: 'index-touched', index: 1, at: AT }]
    })
    expect(end).toMatchObject({ kind: 'committed', sealed: { uid: 5 } })
    expect(calls).toEqual(['index-touched,tasks-finished', 'committed', 'touch 1'])
    // Changes are computed again for a newer state.
    expect(states.size).toBe(1 + moves)
  })

  it.each([
    ['the batch is canceled', true, null, Canceled],
    ['the disk is full', false, new StorageError('no_space', 'x', 'full'), StorageError],
  ])('removes what was built if %s', async (_, aborts, failure, family) => {
    const { environment, calls } = environmentOf(0, failure)
    const commit = commitBatch(environment, controlOf(aborts), result, built, () => [])
    await expect(commit).rejects.toBeInstanceOf(family)
    expect(calls).toEqual(['remove segments'])
  })

  it('removes what was built if the changes cannot be computed', async () => {
    const { environment, calls } = environmentOf(0)
    const fault = new EngineFault('index_not_found', 'no')
    const commit = commitBatch(environment, controlOf(false), result, built, () => {
      throw fault
    })
    await expect(commit).rejects.toBe(fault)
    expect(calls).toEqual(['remove segments'])
  })
})

describe('checksums of a snapshot', () => {
  it('are computed once for files that never change, and forgotten with them', async () => {
    const file = (path: string, source = path) => ({ path, source, bytes: 1, level: 0 })
    const log = file('tasks/1.log', 'staging/tasks.log')
    const seen: string[][] = []
    const run = async ({ files }: { readonly files: readonly { readonly path: string }[] }) => {
      seen.push(files.map(({ path }) => path))
      return { digests: files.map(({ path }) => `${path}@${seen.length}`) }
    }
    const digests = new Map<string, string>()
    const upload = { archiver: { run } as never, digests }
    const { signal } = new AbortController()
    const body = file('tasks/bodies/000001.body', 'staging/0.body')
    const first = [file('segments/1'), log, body]
    expect(await digestsOf(upload, first, signal)).toEqual([
      'segments/1@1',
      'tasks/1.log@1',
      'tasks/bodies/000001.body@1',
    ])
    const second = [file('segments/2'), log, body]
    expect(await digestsOf(upload, second, signal)).toEqual([
      'segments/2@2',
      'tasks/1.log@2',
      'tasks/bodies/000001.body@1',
    ])
    expect(seen[1]).toEqual(['segments/2', 'tasks/1.log'])
    expect([...digests.keys()]).toEqual(['segments/2', 'tasks/bodies/000001.body'])
  })
})

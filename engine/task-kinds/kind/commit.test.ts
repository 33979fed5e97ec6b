// The commit of a batch, and its failures.

import { describe, expect, it } from 'vitest'
import { asIndexNo, asSegmentNo } from '../../../format/ids.ts'
import type { SegmentEntry } from '../../../format/manifest/index.ts'
import type { BatchView } from '../../../format/tasks/index.ts'
import { Canceled, EngineFault, StorageError } from '../../model/index.ts'
import type { State } from '../../store/catalog/index.ts'
import type { BatchResult } from '../../write/batching/index.ts'
import { commitBatch } from './commit.ts'
import type { TaskEnvironment } from './task-kind.ts'
import { AT, applied, stateOf } from './test-states.ts'

describe('the commit of a batch', () => {
  const segment = { segment: 9, layer: 'documents', location: { kind: 'file', checksum: 1 } }
  const built = {
    segments: [segment as unknown as SegmentEntry],
    target: { index: 1, view: null, settings: null, created: () => [] } as never,
  }

  /** An environment whose manifest changes `moves` times before it takes an edit. */
  function environmentOf(moves: number, failure: Error | null = null, from = stateOf(['a'])) {
    const calls: string[] = []
    let state = from
    const environment = {
      fs: { remove: (path: string) => calls.push(`remove ${path.split('/')[0]}`) },
      manifest: {
        get state() {
          return state
        },
        commit: async (make: (state: State) => readonly { readonly kind: string }[]) => {
          if (failure !== null) throw failure
          if (moves > 0)
            state = applied(state, [{ kind: 'index-touched', index: asIndexNo(1), at: AT + 1 }])
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
      isBeside: false,
      progress: () => undefined,
      countRequests: () => undefined,
      seal: async () => {
        if (aborts) controller.abort()
        return { view: { uid: 5 } as BatchView, payload: new Uint8Array(1) }
      },
    }
  }
  const result = { outcomes: [] }

  it.each([0, 1])('holds changes and outcomes in one edit, after %i other edits', async (moves) => {
    const { environment, calls } = environmentOf(moves)
    const states = new Set<State>()
    const end = await commitBatch(environment, controlOf(false), result, built, (state) => {
      states.add(state)
      return [{ kind: 'index-touched', index: asIndexNo(1), at: AT }]
    })
    expect(end).toMatchObject({ kind: 'committed', sealed: { view: { uid: 5 } } })
    expect(calls).toEqual(['index-touched,tasks-finished', 'committed', 'touch 1'])
    // Changes are computed again for a newer state.
    expect(states.size).toBe(1 + moves)
  })

  it('computes its changes once for a state, and seals the sizes that follow', async () => {
    const location = { kind: 'file', checksum: 1 } as const
    const entry = { documents: 1, idMin: 0, idMax: 0, bytes: 16_384, location } as const
    const added = {
      kind: 'segment-added',
      index: asIndexNo(1),
      layer: 'documents',
      ...entry,
    } as const
    const sealed: unknown[] = []
    const makes: unknown[] = []
    const seal = async ({ internalDatabaseSizes }: BatchResult) => {
      sealed.push(internalDatabaseSizes)
      return { view: { uid: 5 } as BatchView, payload: new Uint8Array(1) }
    }
    const state = applied(stateOf(['a']), [{ ...added, segment: asSegmentNo(1) }])
    for (const one of [built, null]) {
      const { environment } = environmentOf(0, null, state)
      await commitBatch(environment, { ...controlOf(false), seal }, result, one, (from) => {
        makes.push(from)
        return [{ ...added, segment: asSegmentNo(2) }]
      })
    }
    expect(makes).toEqual([state, state])
    expect(sealed).toEqual([expect.objectContaining({ documents: [32_768, 16_384] }), null])
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
    for (const one of [built, null]) {
      const commit = commitBatch(environment, controlOf(false), result, one, () => {
        throw fault
      })
      await expect(commit).rejects.toBe(fault)
    }
    expect(calls).toEqual(['remove segments'])
  })
})

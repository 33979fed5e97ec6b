// Batches of dynamic search rules and of swaps: their changes, applied to a state.
import { expect, it } from 'vitest'
import type { Change } from '../../../format/manifest/index.ts'
import { rulesOf } from '../../read/search-rules/index.ts'
import type { State } from '../../store/catalog/index.ts'
import type { BatchPlan, BatchResult } from '../../write/batching/index.ts'
import type { TaskEnvironment } from '../kind/task-kind.ts'
import { AT, applied, stateOf } from '../kind/test-states.ts'
import { indexSwap } from './index-swap.ts'
import { runRules } from './rule-batch.ts'

/** Runs a batch; returns the state after its commit, and its result. */
async function ran(
  run: typeof runRules,
  state: State,
  kind: string,
  contents: readonly object[],
): Promise<{ readonly after: State; readonly result: BatchResult }> {
  let after = state
  let result: BatchResult | null = null
  const environment = {
    manifest: {
      state,
      commit: async (make: (from: State) => readonly Change[]) => {
        after = applied(state, make(state).slice(0, -1))
      },
    },
    onCommitted: () => undefined,
  } as unknown as TaskEnvironment
  const tasks = contents.map((content, i) => ({
    uid: i,
    hasEffect: true,
    enqueuedAt: AT + i,
    content,
  }))
  const control = {
    signal: new AbortController().signal,
    seal: async (sealed: BatchResult) => {
      result = sealed
      return { view: { uid: 5 }, payload: new Uint8Array(1) }
    },
  }
  const plan = { tasks, work: { kind } } as unknown as BatchPlan
  const end = await run(environment, plan, control as never)
  expect(end.kind).toBe('committed')
  return { after, result: result! }
}

it('rules are changed in the order of their tasks, and removed together', async () => {
  const update = (uid: string, rule: object | null) => ({ kind: 'dsrUpdate', uid, rule })
  const { after, result } = await ran(runRules, stateOf([]), 'dsrUpdates', [
    update('a', { description: 'A' }),
    update('b', { description: 'B' }),
    update('a', { active: false }),
    update('c', { description: 'C' }),
    update('b', null),
  ])
  const shown = rulesOf(after).map(({ uid, description, active, lastUpdatedAt }) => [
    uid,
    description,
    active,
    lastUpdatedAt,
  ])
  expect(shown).toEqual([
    ['c', 'C', true, AT + 3],
    ['a', 'A', false, AT + 2],
  ])
  expect(result.outcomes.map(({ error }) => error)).toEqual(Array(5).fill(null))
  const cleared = await ran(runRules, after, 'dsrClear', [{ kind: 'dsrClear' }])
  expect(rulesOf(cleared.after)).toEqual([])
  expect(cleared.result.outcomes).toMatchObject([{ error: null, result: { deletedDocuments: 2 } }])
})

it('a swap exchanges names in one edit, and the result has the pairs', async () => {
  const swaps = [
    { indexes: ['a', 'b'], rename: false },
    { indexes: ['c', 'd'], rename: true },
  ]
  const run = indexSwap.runs['indexSwap']!
  const content = { kind: 'indexSwap', swaps }
  const { after, result } = await ran(run, stateOf(['a', 'b', 'c']), 'indexSwap', [content])
  expect([...after.indexes.values()].map(({ index, uid }) => [index, uid])).toEqual([
    [1, 'b'],
    [2, 'a'],
    [3, 'd'],
  ])
  expect(result.swapped).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ])
  expect(result.outcomes).toMatchObject([{ uid: 0, error: null }])
})

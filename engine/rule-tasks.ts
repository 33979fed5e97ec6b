// The tasks of a batch about search rules: how they end, and what the edit of the batch holds.
import type { Change } from '../format/manifest/index.ts'
import type { State } from './catalog/index.ts'
import { type RulePatch, ruleChanges, rulesOf, rulesRemoved } from './rules/index.ts'
import {
  allSucceeded,
  type BatchPlan,
  type BatchResult,
  rulesClearSucceeded,
} from './tasks/index.ts'

export const rulesResult = (plan: BatchPlan, state: State): BatchResult =>
  plan.work.kind === 'dsrClear'
    ? rulesClearSucceeded(plan, rulesOf(state).length)
    : allSucceeded(plan)

/** @throws EngineFault database_size_limit_reached */
export function rulesEdit(plan: BatchPlan, state: State, now: number): Change[] {
  if (plan.work.kind === 'dsrClear') return rulesRemoved(state)
  const updates = plan.tasks.flatMap(({ content }) =>
    content.kind === 'dsrUpdate'
      ? [{ uid: content.uid, rule: content.rule as RulePatch | null }]
      : [],
  )
  return [...ruleChanges(state, updates, now)]
}

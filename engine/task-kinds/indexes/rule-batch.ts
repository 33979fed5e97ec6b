// Runs batches that change dynamic search rules.
import type { Change } from '../../../format/manifest/index.ts'
import { type RulePatch, ruleChanges, rulesOf, rulesRemoved } from '../../read/pins/index.ts'
import type { State } from '../../store/catalog/index.ts'
import { allSucceeded, type BatchPlan, rulesClearSucceeded } from '../../write/batching/index.ts'
import type { TaskDetails } from '../../write/task-data/index.ts'
import { type BatchRun, commitBatch } from '../kind/index.ts'

export type RuleUpdateContent = {
  readonly kind: 'dsrUpdate'
  readonly uid: string
  /** Only the members that the client sent; null removes the rule. */
  readonly rule: TaskDetails | null
}

export const runRules: BatchRun = (environment, plan, control) => {
  const { manifest, now } = environment
  const isClear = plan.work.kind === 'dsrClear'
  const result = isClear
    ? rulesClearSucceeded(plan, rulesOf(manifest.state).length)
    : allSucceeded(plan)
  return commitBatch(environment, control, result, null, (state) =>
    isClear ? rulesRemoved(state) : updatesOf(plan, state, now()),
  )
}

/** @throws EngineFault database_size_limit_reached */
function updatesOf(plan: BatchPlan, state: State, now: number): readonly Change[] {
  const updates = plan.tasks.map(({ content }) => {
    const { uid, rule } = content as RuleUpdateContent
    return { uid, rule: rule as RulePatch | null }
  })
  return ruleChanges(state, updates, now)
}

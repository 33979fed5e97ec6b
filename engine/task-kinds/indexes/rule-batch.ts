// Runs batches that change dynamic search rules.
import type { Change } from '../../../format/manifest/index.ts'
import {
  type PendingRuleTask,
  type RulePatch,
  type RuleUpdate,
  ruleChanges,
  rulesOf,
  rulesRemoved,
} from '../../read/search-rules/index.ts'
import type { State } from '../../store/catalog/index.ts'
import { allSucceeded, type BatchPlan, rulesClearSucceeded } from '../../write/batching/index.ts'
import type { Micros, QueuedContent, TaskDetails } from '../../write/task-data/index.ts'
import type { TaskLists } from '../../write/task-lists/index.ts'
import { type BatchRun, commitBatch } from '../kind/index.ts'

export type RuleUpdateContent = {
  readonly kind: 'dsrUpdate'
  readonly uid: string
  /** Only the members that the client sent; null removes the rule. */
  readonly rule: TaskDetails | null
}

export const runRules: BatchRun = (environment, plan, control) => {
  const { manifest } = environment
  const isClear = plan.work.kind === 'dsrClear'
  const result = isClear
    ? rulesClearSucceeded(plan, rulesOf(manifest.state).length)
    : allSucceeded(plan)
  return commitBatch(environment, control, result, null, (state) =>
    isClear ? rulesRemoved(state) : updatesOf(plan, state),
  )
}

/** @throws EngineFault database_size_limit_reached */
const updatesOf = (plan: BatchPlan, state: State): readonly Change[] =>
  ruleChanges(
    state,
    plan.tasks.map(({ content, enqueuedAt }) => updateOf(content, enqueuedAt)),
  )

function updateOf(content: QueuedContent, enqueuedAt: Micros): RuleUpdate {
  const { uid, rule } = content as RuleUpdateContent
  return { uid, rule: rule as RulePatch | null, enqueuedAt }
}

/** Returns the waiting and running tasks about rules, ascending. @throws CorruptionError, StorageError */
export async function pendingRuleTasks(
  lists: Pick<TaskLists, 'unfinished'>,
): Promise<readonly PendingRuleTask[]> {
  const tasks = await lists.unfinished(['dsrUpdate', 'dsrClear'])
  return tasks.map(({ uid: taskUid, enqueuedAt, content }) => {
    const update = content.kind === 'dsrClear' ? null : updateOf(content, enqueuedAt)
    return { taskUid, update }
  })
}

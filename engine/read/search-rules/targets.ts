// Rules as they will be when all tasks that change them have run.
import type { TaskUid } from '../../../format/ids.ts'
import { patchedRule, type SearchRule } from './rule.ts'
import { byLastChange, type RuleUpdate } from './store.ts'

/** A task about rules that waits or runs. */
export type PendingRuleTask = {
  readonly taskUid: TaskUid
  /** Null if all rules are removed. */
  readonly update: RuleUpdate | null
}

/** A rule before and after the tasks that wait. */
export type RuleTarget = {
  readonly uid: string
  /** The stored rule, or null. */
  readonly current: SearchRule | null
  /** The rule after all tasks, or null. */
  readonly target: SearchRule | null
  /** The tasks that concern the rule, ascending. */
  readonly taskUids: readonly TaskUid[]
}

export type RuleTargets = {
  /**
   * All rules that are stored or that a task names, the last changed one first. A rule that tasks
   * create and remove again has neither a current nor a target state.
   */
  readonly rules: readonly RuleTarget[]
  /** All tasks, ascending. */
  readonly taskUids: readonly TaskUid[]
}

/** `tasks` are ascending. */
export function ruleTargets(
  stored: readonly SearchRule[],
  tasks: readonly PendingRuleTask[],
): RuleTargets {
  const targets = new Map(stored.map((rule) => [rule.uid, newTarget(rule.uid, rule)]))
  for (const { taskUid, update } of tasks) {
    if (update === null) {
      for (const rule of targets.values()) {
        rule.target = null
        rule.taskUids.push(taskUid)
      }
      continue
    }
    const { uid, rule: patch, enqueuedAt } = update
    const rule = targets.get(uid) ?? newTarget(uid, null)
    rule.target = patch === null ? null : patchedRule(rule.target, uid, patch, enqueuedAt)
    rule.taskUids.push(taskUid)
    targets.set(uid, rule)
  }
  const rules = [...targets.values()].sort((a, b) => byLastChange(momentOf(a), momentOf(b)))
  return { rules, taskUids: tasks.map(({ taskUid }) => taskUid) }
}

/** Rules without any state come last. */
const momentOf = ({
  uid,
  current,
  target,
}: RuleTarget): Pick<SearchRule, 'uid' | 'lastUpdatedAt'> =>
  target ?? current ?? { uid, lastUpdatedAt: 0 }

type Building = Omit<RuleTarget, 'target' | 'taskUids'> & {
  target: SearchRule | null
  readonly taskUids: TaskUid[]
}

const newTarget = (uid: string, rule: SearchRule | null): Building => ({
  uid,
  current: rule,
  target: rule,
  taskUids: [],
})

// Outcomes of whole batches, as the reference reports them: the details of absorbed tasks, and the
// task that carries a count.
import { assert } from '../../../format/errors.ts'
import type { TaskDetails, TaskError, TaskKinds } from '../task-data/index.ts'
import type { BatchPlan, BatchResult, BatchWork, PlannedTask, TaskOutcome } from './plan.ts'

/** All tasks with an effect succeeded, and `result` changes the details of each. */
export const allSucceeded = (plan: BatchPlan, result: TaskDetails | null = null): BatchResult => ({
  outcomes: running(plan).map(({ uid }) => ({ uid, error: null, result })),
})

/** All tasks failed with the same error, absorbed ones too. */
export const allFailed = (plan: BatchPlan, error: TaskError): BatchResult => ({
  outcomes: plan.tasks.map(({ uid }) => ({ uid, error, result: null })),
})

/**
 * A clear, alone or with settings, removed `documents`: the first clear of the batch reports them,
 * later ones report 0.
 */
export function clearSucceeded(plan: BatchPlan, documents: number): BatchResult {
  let left = documents
  const outcomes = running(plan).map(({ uid, role }): TaskOutcome => {
    if (role !== 'clear') return { uid, error: null, result: null }
    const deletedDocuments = left
    left = 0
    return { uid, error: null, result: { deletedDocuments } }
  })
  return { outcomes }
}

/** The same for search rules. */
export function rulesClearSucceeded(plan: BatchPlan, rules: number): BatchResult {
  const outcomes = running(plan).map(
    ({ uid }, i): TaskOutcome => ({
      uid,
      error: null,
      result: { deletedDocuments: i === 0 ? rules : 0 },
    }),
  )
  return { outcomes }
}

/** The index was deleted with `documents` documents. */
export const indexDeletionSucceeded = (plan: BatchPlan, documents: number): BatchResult =>
  allSucceeded(plan, { deletedDocuments: documents })

const running = (plan: BatchPlan): readonly PlannedTask[] =>
  plan.tasks.filter((task) => task.hasEffect)

/**
 * Returns the outcomes of all tasks of a batch, ascending by uid, from the outcomes of the tasks
 * that ran.
 */
export function completed(
  kinds: TaskKinds,
  plan: BatchPlan,
  result: BatchResult,
): readonly TaskOutcome[] {
  const given = new Map(result.outcomes.map((outcome) => [outcome.uid, outcome]))
  const isOfDocuments = plan.work.kind === 'documents'
  const hasImports = isOfDocuments && plan.tasks.some(({ role }) => role === 'import')
  return plan.tasks.map((task) => {
    const outcome = given.get(task.uid)
    assert(outcome !== undefined || !task.hasEffect, 'the processor says how each task ended')
    if (outcome === undefined) return absorbedOutcome(kinds, task, plan.work)
    if (outcome.error !== null || !hasImports) return outcome
    const kind = kinds.named(task.content.kind)
    if (kind.detailsAmongImports === undefined) return outcome
    return { ...outcome, result: kind.detailsAmongImports(task.content, outcome.result) }
  })
}

/**
 * Returns the outcome of an absorbed task. If the index was deleted, it reports that it did
 * nothing; after a clear it reports no result.
 */
function absorbedOutcome(
  kinds: TaskKinds,
  { uid, content }: PlannedTask,
  work: BatchWork,
): TaskOutcome {
  const kind = kinds.named(content.kind)
  const isDeleted = work.kind === 'indexDeletion'
  const result = isDeleted ? (kind.absorbedDetails?.(content) ?? null) : null
  return { uid, error: null, result }
}

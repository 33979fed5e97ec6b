// Runs batches: finds the task kind that does the work and calls it.

import { assert } from '../../format/errors.ts'
import { Canceled } from '../model/index.ts'
import { type BatchRun, type TaskEnvironment, uncommitted } from '../task-kinds/kind/index.ts'
import {
  allFailed,
  type BatchControl,
  type BatchEnd,
  type BatchPlan,
  type Processor,
} from '../write/batching/index.ts'

export class BatchProcessor implements Processor {
  readonly #environment: TaskEnvironment
  readonly #runs = new Map<string, BatchRun>()

  constructor(environment: TaskEnvironment) {
    this.#environment = environment
    for (const { runs } of environment.kinds.all) {
      for (const [work, run] of Object.entries(runs)) {
        assert(!this.#runs.has(work), 'one kind runs a batch')
        this.#runs.set(work, run)
      }
    }
  }

  async run(plan: BatchPlan, control: BatchControl): Promise<BatchEnd> {
    const run = this.#runs.get(plan.work.kind)
    if (run === undefined) {
      const message = `Tasks of the kind \`${plan.tasks[0]?.content.kind}\` are not supported.`
      return uncommitted(allFailed(plan, { code: 'internal', message }))
    }
    try {
      return await run(this.#environment, plan, control)
    } catch (error) {
      if (error instanceof Canceled) return { kind: 'aborted' }
      throw error
    }
  }
}

// The progress of the running batch, and the duration of each of its steps.
import type { BatchProgress, BatchProgressStep } from '../task-data/index.ts'

const PROCESSING_TASKS = 'processing tasks'
const WRITING_TASKS = 'writing tasks to disk'
const PHASES = [PROCESSING_TASKS, WRITING_TASKS]

type OpenStep = { readonly path: string; readonly since: number }

export class ProgressTracker {
  readonly #nowMs: () => number
  readonly #onChange: () => void
  readonly #trace = new Map<string, number>()
  #steps: readonly BatchProgressStep[] = []
  #open: OpenStep[] = []

  /**
   * `nowMs`: a clock in milliseconds that never goes back. `onChange` is called after every change.
   */
  constructor(nowMs: () => number, onChange: () => void) {
    this.#nowMs = nowMs
    this.#onChange = onChange
    this.phase(0)
  }

  /** Enters the first or second phase of the batch. */
  phase(finished: 0 | 1): void {
    this.#change([{ currentStep: PHASES[finished]!, finished, total: PHASES.length }])
  }

  /** Reports the steps inside the first phase, outermost first. */
  report(steps: readonly BatchProgressStep[]): void {
    this.#change([this.#steps[0]!, ...steps])
  }

  progress(): BatchProgress {
    return { steps: this.#steps, percentage: percentageOf(this.#steps) }
  }

  /**
   * Returns milliseconds by path of step, in the order in which steps ended; open steps end now.
   */
  trace(): { readonly [path: string]: number } {
    const now = this.#nowMs()
    const all = new Map(this.#trace)
    for (const { path, since } of this.#open.toReversed()) {
      all.set(path, (all.get(path) ?? 0) + now - since)
    }
    return Object.fromEntries(all)
  }

  #change(steps: readonly BatchProgressStep[]): void {
    const now = this.#nowMs()
    const paths = steps.map((_, i) => pathOf(steps, i))
    const firstChanged = this.#open.findIndex(({ path }, i) => path !== paths[i])
    const closed = firstChanged < 0 ? [] : this.#open.splice(firstChanged)
    for (const { path, since } of closed.reverse()) {
      this.#trace.set(path, (this.#trace.get(path) ?? 0) + now - since)
    }
    for (let i = this.#open.length; i < paths.length; i++) {
      this.#open.push({ path: paths[i]!, since: now })
    }
    this.#steps = steps
    this.#onChange()
  }
}

function pathOf(steps: readonly BatchProgressStep[], depth: number): string {
  const names = steps.slice(0, depth + 1).map(({ currentStep }) => currentStep)
  return names.join(' > ')
}

/** Returns the percentage of nested steps: each level divides one step of the level above. */
export function percentageOf(steps: readonly BatchProgressStep[]): number {
  let percentage = 0
  let share = 100
  for (const { finished, total } of steps) {
    if (total === 0) continue
    percentage += (share * finished) / total
    share /= total
  }
  return percentage
}

// The common budget of all templates of one request: time, characters of their texts, and size of
// the output. Time is processor time: on a busy machine a template is not refused because its
// thread had to wait for a processor.
import { TemplateFault } from './fault.ts'
import {
  RENDER_MEMORY_MAX,
  REQUEST_MS_MAX,
  TEMPLATE_LENGTH_MAX,
  TEXTS_LENGTH_MAX,
} from './limits.ts'
import { WorkClock } from './work-clock.ts'

export class Budget {
  readonly #clock: { readonly workedMs: () => number }
  #textLength = 0
  #used = 0

  constructor(clock: { readonly workedMs: () => number } = new WorkClock()) {
    this.#clock = clock
  }

  /** @throws TemplateFault */
  addText(length: number): void {
    this.#textLength += length
    if (length > TEMPLATE_LENGTH_MAX) {
      const words = `a template has at most ${TEMPLATE_LENGTH_MAX} characters, not ${length}\n`
      throw new TemplateFault('parsing', words)
    }
    if (this.#textLength <= TEXTS_LENGTH_MAX) return
    const words = `all templates of a request have at most ${TEXTS_LENGTH_MAX} characters\n`
    throw new TemplateFault('parsing', words)
  }

  /** `count`: characters or elements of output. @throws TemplateFault */
  use(count: number): void {
    if (!(count > 0)) return
    this.#used += count
    if (this.#used <= RENDER_MEMORY_MAX) return
    const words = `a request puts at most ${RENDER_MEMORY_MAX} characters and elements together\n`
    throw new TemplateFault('rendering', words)
  }

  /** @throws TemplateFault */
  checkTime(kind: TemplateFault['kind']): void {
    if (this.#clock.workedMs() <= REQUEST_MS_MAX) return
    const words = `the templates of a request take at most ${REQUEST_MS_MAX} ms\n`
    throw new TemplateFault(kind, words)
  }
}

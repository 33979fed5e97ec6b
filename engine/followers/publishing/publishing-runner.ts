// A runner of tasks with a publisher beside it: the results of tasks are published while they run.
import type { FollowStatus, Publication } from '../../model/index.ts'
import type { Runner } from '../../runner/index.ts'
import type { Views } from '../../store/views/index.ts'
import { Publisher, type PublisherParts } from './publisher.ts'

export class PublishingRunner implements Runner {
  readonly #runner: Runner
  readonly #publisher: Publisher

  constructor(runner: Runner, parts: Omit<PublisherParts, 'views'>) {
    this.#runner = runner
    this.#publisher = new Publisher({ ...parts, views: runner.views })
  }

  get views(): Views {
    return this.#runner.views
  }

  get follows(): FollowStatus | null {
    return this.#runner.follows
  }

  get publication(): Publication {
    return this.#publisher
  }

  start(): void {
    this.#runner.start()
    this.#publisher.start()
  }

  idle(): Promise<void> {
    return this.#runner.idle()
  }

  allMerged(): Promise<void> {
    return this.#runner.allMerged()
  }

  /** Publishes the result of the last batch as well. */
  async stop(): Promise<void> {
    await this.#runner.stop()
    await this.#publisher.stop()
  }

  cleaned(): Promise<void> {
    return this.#runner.cleaned()
  }
}

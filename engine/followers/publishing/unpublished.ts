// Keeps the requests of tasks until they are published: when another instance takes over, writes
// that it cannot have are saved (engine/followers/following/demote.ts).
import type { TaskUid } from '../../../format/ids.ts'
import { StorageError } from '../../model/index.ts'
import { UNPUBLISHED, UNPUBLISHED_LIST } from '../../store/catalog/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import type { BodyFiles, UnpublishedTasks } from '../../write/tasks/index.ts'

export class UnpublishedWrites implements BodyFiles, UnpublishedTasks {
  readonly #bodies: BodyFiles
  /** Bodies that are no longer needed, in the order of their removals. */
  #unneeded: number[] = []
  #publish: () => void = () => undefined
  from: TaskUid

  /** `from`: the smallest uid of a task that is not published. */
  constructor(bodies: BodyFiles, from: TaskUid) {
    this.#bodies = bodies
    this.from = from
  }

  /** Sets the function that publishes soon. */
  set onWanted(publish: () => void) {
    this.#publish = publish
  }

  readonly publish = (): void => this.#publish()

  list(): Promise<readonly number[]> {
    return this.#bodies.list()
  }

  /** Removes the body when the next state that begins from now on is published. */
  remove(file: number): Promise<void> {
    this.#unneeded.push(file)
    return Promise.resolve()
  }

  /** Returns a function to call when a state that begins now is published. */
  cut(): (nextTask: TaskUid) => Promise<void> {
    const count = this.#unneeded.length
    return async (nextTask) => {
      this.from = nextTask
      for (const file of this.#unneeded.splice(0, count)) await this.#remove(file)
    }
  }

  async #remove(file: number): Promise<void> {
    try {
      await this.#bodies.remove(file)
    } catch (error) {
      // An unused file does no harm, and the next start removes it.
      if (!(error instanceof StorageError)) throw error
    }
  }
}

/** Returns the lists of writes that were saved because another instance became the writer. */
export function unpublishedLists(fs: FileSystem): readonly string[] {
  if (!fs.exists(UNPUBLISHED)) return []
  return fs.list(UNPUBLISHED).map((term) => `${UNPUBLISHED}/${term}/${UNPUBLISHED_LIST}`)
}

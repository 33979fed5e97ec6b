// Bodies of tasks on an instance that shows them and never accepts new ones.
import type { EngineFault } from '../../model/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import { Bodies, type BodyReceiver } from '../../write/bodies/index.ts'
import type { Indexing } from '../../write/indexer/index.ts'

/** `refusal`: creates the error for a received body. */
export const readOnlyBodies = (
  fs: FileSystem,
  indexing: Indexing,
  refusal: () => EngineFault,
): Bodies => new ReadOnlyBodies(fs, indexing, refusal)

class ReadOnlyBodies extends Bodies {
  readonly #refusal: () => EngineFault

  constructor(fs: FileSystem, indexing: Indexing, refusal: () => EngineFault) {
    super(fs, indexing, () => 0)
    this.#refusal = refusal
  }

  override receive(): BodyReceiver {
    throw this.#refusal()
  }

  /** Bodies are removed together with the state that named them. */
  override remove(): Promise<void> {
    return Promise.resolve()
  }
}

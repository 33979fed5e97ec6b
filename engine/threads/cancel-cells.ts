// Canceled jobs, in memory that threads share: a busy thread reads no messages, but it can read
// this memory. A slot has one cell for each job that can be canceled at a time; a cell holds the
// number of a canceled job, 0 at first. A cell that holds a finished job is free.

export class CancelCells {
  /** The cells, slot by slot, then further words for the owner's use. */
  readonly words: Int32Array
  readonly #jobs: number

  /**
   * `jobs`: how many jobs of a slot can be canceled at a time. `ownerWords`: number of further
   * words.
   */
  constructor(slots: number, jobs: number, ownerWords: number) {
    this.#jobs = jobs
    this.words = new Int32Array(new SharedArrayBuffer(4 * (slots * jobs + ownerWords)))
  }

  /** Marks a job as canceled. `isPresent`: returns whether the slot still has a job. */
  set(slot: number, job: number, isPresent: (job: number) => boolean): void {
    for (let i = 0; i < this.#jobs; i++) {
      const cell = slot * this.#jobs + i
      const held = Atomics.load(this.words, cell)
      if (held !== job && isPresent(held)) continue
      Atomics.store(this.words, cell, job)
      return
    }
  }
}

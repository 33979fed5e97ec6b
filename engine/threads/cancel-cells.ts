// Jobs that are called off, in memory that threads share: a thread at work looks at no message, but
// it can look here. A slot has a cell for each of the jobs that it can have; a cell holds the
// number of a job to be given up, 0 at first. A cell that holds a job of the past is free.

export class CancelCells {
  /** The cells, slot by slot, then further words, which are the owner's. */
  readonly words: Int32Array
  readonly #jobs: number

  /** `jobs`: how many of a slot can be called off at a time. */
  constructor(slots: number, jobs: number, more: number) {
    this.#jobs = jobs
    this.words = new Int32Array(new SharedArrayBuffer(4 * (slots * jobs + more)))
  }

  /** `isPresent`: whether the slot still has a job. */
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

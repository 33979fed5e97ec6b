// The largest of many numbers, such as scores, and how large a further one has to be to belong to
// them.

export class TopScores {
  /** A heap: each number is at most those below it. */
  readonly #heap: Float64Array
  #size = 0

  /** `count`: how many are kept, above 0. */
  constructor(count: number) {
    this.#heap = new Float64Array(count)
  }

  /** The smallest of the scores that are kept; 0 until there are as many as wanted. */
  get least(): number {
    return this.#size < this.#heap.length ? 0 : this.#heap[0]!
  }

  /** Adds a score, which is not negative. */
  add(score: number): void {
    const heap = this.#heap
    if (this.#size < heap.length) {
      heap[this.#size++] = score
      if (this.#size === heap.length) heap.sort()
    } else if (score > heap[0]!) this.#replaceLeast(score)
  }

  #replaceLeast(score: number): void {
    const heap = this.#heap
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && heap[child + 1]! < heap[child]!) child++
      if (heap[child]! >= score) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = score
  }
}

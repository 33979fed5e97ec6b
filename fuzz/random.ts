// A seeded random generator: the small fast counting generator of Chris Doty-Humphrey (PractRand,
// "sfc32"). The same seed gives the same numbers on every machine.

export class Random {
  #a = 0
  #b: number
  #c: number
  #counter = 1

  constructor(seed: number) {
    this.#b = Math.floor(seed / 4294967296) | 0
    this.#c = seed | 0
    for (let i = 0; i < 15; i++) this.u32()
  }

  u32(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    return sum >>> 0
  }

  /** Returns a whole number in [0, end). */
  below(end: number): number {
    return Math.floor((this.u32() / 4294967296) * end)
  }

  /** Returns true once in `n` times on average. */
  oneIn(n: number): boolean {
    return this.below(n) === 0
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }
}

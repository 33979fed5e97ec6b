// Makes V8 use less of the processors while the server runs.
//
// 1. Its optimizing compiler: in the first seconds of load it uses as much of the processors as the
//    searches themselves. With less inlining and without peeled loops it compiles each function for
//    less time, and optimized code is as fast as before.
// 2. Its collections of short-lived objects: each thread runs its own alone. With helpers it waits
//    until they have ended, too, and a helper whose processor was given to another thread holds up
//    the whole search.
//
// Reasons are in V8-OPTIONS.md. These are flags of V8 that apply to the whole process and are read
// whenever a function is compiled or such a collection begins. Compiled forms of programs and of
// Node's own modules are valid only under the flags of the start, so those are set again while a
// thread loads its program (`suspend`), and while a compiled form is loaded or created
// (`scripts/build/launch.cjs`, which lists the same flags).
import { setFlag } from './tuning.ts'

/** The flags while V8 is lean. */
export const LEAN_FLAGS = [
  '--max-inlined-bytecode-size-cumulative=200',
  '--no-turbo-loop-peeling',
  '--no-parallel-scavenge',
]
/** The same flags as V8 sets them. */
export const USUAL_FLAGS = [
  '--max-inlined-bytecode-size-cumulative=920',
  '--turbo-loop-peeling',
  '--parallel-scavenge',
]

export class LeanCompilation {
  readonly #setFlag: (flag: string) => void
  #isWanted = false
  #suspensions = 0
  #isLean = false

  constructor(set: (flag: string) => void = setFlag) {
    this.#setFlag = set
  }

  begin(): void {
    this.#isWanted = true
    this.#apply()
  }

  /** Sets the usual flags until the returned function is called, which may happen repeatedly. */
  suspend(): () => void {
    let isOver = false
    this.#suspensions++
    this.#apply()
    return () => {
      if (isOver) return
      isOver = true
      this.#suspensions--
      this.#apply()
    }
  }

  #apply(): void {
    const isLean = this.#isWanted && this.#suspensions === 0
    if (isLean === this.#isLean) return
    this.#isLean = isLean
    for (const flag of isLean ? LEAN_FLAGS : USUAL_FLAGS) this.#setFlag(flag)
  }
}

/** Of this process: for its main thread. */
export const leanCompilation = new LeanCompilation()

// What crosses between the driver and a worker: the job, its report, and a small shared memory
// through which the driver sees which input is being run, so that one that never ends can be told
// and kept.
import { createHash } from 'node:crypto'

export type Job = {
  readonly target: string
  readonly seed: number
  readonly seconds: number
  /** Further inputs to begin with: corpus files and what was found before. */
  readonly inputs: readonly Uint8Array[]
  /** Leave the seeds out. */
  readonly alone: boolean
  readonly inputMsMax: number
  /** The run ends before its time when so many faults are found. */
  readonly findingsMax: number
  /** Report a smallest set of inputs that reaches the same code. */
  readonly keep: boolean
  readonly shared: SharedArrayBuffer
}

/** `death`: the input ended the whole worker, as running out of heap does. */
export type FindingKind = 'error' | 'hang' | 'memory' | 'death'

export type Finding = {
  readonly kind: FindingKind
  readonly message: string
  readonly input: Uint8Array
}

export type Report = {
  readonly executions: number
  /** Inputs that reached new code. */
  readonly pool: number
  /** Characters of source that ran. */
  readonly covered: number
  /** Seeds that the target does not accept, though they are meant to be valid. */
  readonly refusedSeeds: number
  readonly findings: readonly Finding[]
  readonly kept: readonly Uint8Array[]
}

/** Names an input: in file names, and where inputs are compared. */
export const digest = (input: Uint8Array): string =>
  createHash('sha256').update(input).digest('hex').slice(0, 12)

const HEADER_BYTES = 8
const SEQUENCE = 0
const LENGTH = 1
const IDLE = -1

export const sharedBytes = (inputBytesMax: number): number =>
  HEADER_BYTES + Math.ceil(inputBytesMax / 4) * 4

/** The worker's side: says what is run now. */
export class Beacon {
  readonly #numbers: Int32Array
  readonly #bytes: Uint8Array
  #sequence = 0

  constructor(shared: SharedArrayBuffer) {
    this.#numbers = new Int32Array(shared, 0, 2)
    this.#bytes = new Uint8Array(shared, HEADER_BYTES)
    this.leave()
  }

  enter(input: Uint8Array): void {
    this.#bytes.set(input.subarray(0, this.#bytes.length))
    this.#numbers[LENGTH] = Math.min(input.length, this.#bytes.length)
    this.#sequence = (this.#sequence + 1) & 0x3fffffff
    Atomics.store(this.#numbers, SEQUENCE, this.#sequence)
  }

  leave(): void {
    Atomics.store(this.#numbers, SEQUENCE, IDLE)
  }
}

/** The input that is being run, or was last. */
export function inputAt(shared: SharedArrayBuffer): Uint8Array {
  const length = new Int32Array(shared, 0, 2)[LENGTH]
  return new Uint8Array(shared, HEADER_BYTES, length).slice()
}

/** The driver's side: calls back once when an input has been running for `inputMsMax`. */
export function watch(
  shared: SharedArrayBuffer,
  inputMsMax: number,
  onHang: () => void,
): { readonly stop: () => void } {
  const numbers = new Int32Array(shared, 0, 2)
  let last = IDLE
  let since = performance.now()
  const timer = setInterval(
    () => {
      const sequence = Atomics.load(numbers, SEQUENCE)
      const now = performance.now()
      if (sequence === IDLE || sequence !== last) {
        last = sequence
        since = now
      } else if (now - since > inputMsMax) {
        clearInterval(timer)
        onHang()
      }
    },
    Math.max(10, inputMsMax / 20),
  )
  return { stop: () => clearInterval(timer) }
}

// The messages between the driver and a worker: the job, its report, and a small shared memory with
// the input that is being run, so the driver can identify and store an input that never ends.
import { createHash } from 'node:crypto'

export type Job = {
  readonly target: string
  readonly seed: number
  readonly seconds: number
  /** Further inputs to start with: corpus files and earlier findings. */
  readonly inputs: readonly Uint8Array[]
  /** Omits the seeds. */
  readonly alone: boolean
  readonly inputMsMax: number
  /** The run ends early when it has this many findings. */
  readonly findingsMax: number
  /** Reports a smallest set of inputs that reaches the same code. */
  readonly keep: boolean
  readonly shared: SharedArrayBuffer
}

/** `death`: the input ended the whole worker, for example by running out of heap. */
export type FindingKind = 'error' | 'hang' | 'memory' | 'death'

export type Finding = {
  readonly kind: FindingKind
  readonly message: string
  readonly input: Uint8Array
}

export type Report = {
  readonly executions: number
  /** Number of inputs that reached new code. */
  readonly pool: number
  /** Number of characters of source that ran. */
  readonly covered: number
  /** Number of seeds that the target refuses although they should be valid. */
  readonly refusedSeeds: number
  readonly findings: readonly Finding[]
  readonly kept: readonly Uint8Array[]
}

/** Returns the digest of an input, used in file names and to compare inputs. */
export const digest = (input: Uint8Array): string =>
  createHash('sha256').update(input).digest('hex').slice(0, 12)

const HEADER_BYTES = 8
const SEQUENCE = 0
const LENGTH = 1
const IDLE = -1

export const sharedBytes = (inputBytesMax: number): number =>
  HEADER_BYTES + Math.ceil(inputBytesMax / 4) * 4

/** The worker's side of the shared memory: writes the input that is being run. */
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

/** Returns the input that is being run or was run last. */
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

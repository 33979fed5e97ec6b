// Converts an incoming body to a stored one: JSON documents one after another. Uses no files and no
// clock; memory holds one document in addition to the chunk.
import type { BodyFormat } from '../../model/index.ts'
import type { BodySink, Intake, IntakeResult } from './contract.ts'
import { CsvIntake } from './csv-intake.ts'
import { JsonIntake } from './json.ts'

/** Creates an intake. Bytes passed to `sink` before a fault must be discarded. */
export function createIntake(format: BodyFormat, sink: BodySink): Intake {
  if (format.kind === 'csv') return new CsvIntake(format.delimiter, sink)
  return new WithoutMark(new JsonIntake(format.kind, sink))
}

const BYTE_ORDER_MARK = Uint8Array.of(0xef, 0xbb, 0xbf)

/** Drops a byte order mark at the beginning; bytes that only begin like one are passed on. */
class WithoutMark implements Intake {
  readonly #intake: Intake
  /** Bytes of the mark so far; null once the text has begun. */
  #seen: number | null = 0

  constructor(intake: Intake) {
    this.#intake = intake
  }

  push(chunk: Uint8Array): void {
    let at = 0
    while (this.#seen !== null && at < chunk.length) {
      if (this.#seen < BYTE_ORDER_MARK.length && chunk[at] === BYTE_ORDER_MARK[this.#seen]) {
        this.#seen++
        at++
      } else this.#begin()
    }
    if (at < chunk.length) this.#intake.push(chunk.subarray(at))
  }

  finish(): IntakeResult {
    if (this.#seen !== null) this.#begin()
    return this.#intake.finish()
  }

  #begin(): void {
    const seen = this.#seen!
    this.#seen = null
    if (seen < BYTE_ORDER_MARK.length) this.#intake.push(BYTE_ORDER_MARK.subarray(0, seen))
  }
}

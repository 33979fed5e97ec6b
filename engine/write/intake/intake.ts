// Converts an incoming body to a stored one: JSON documents one after another. Uses no files and no
// clock; memory holds one document in addition to the chunk.
import type { BodyFormat } from '../../model/index.ts'
import type { BodySink, Intake } from './contract.ts'
import { CsvIntake } from './csv-intake.ts'
import { JsonIntake } from './json.ts'

/** Creates an intake. Bytes passed to `sink` before a fault must be discarded. */
export function createIntake(format: BodyFormat, sink: BodySink): Intake {
  if (format.kind === 'csv') return new CsvIntake(format.delimiter, sink)
  return new JsonIntake(format.kind, sink)
}

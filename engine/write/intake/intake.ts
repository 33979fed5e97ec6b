// From a body as it arrives to the body as it is stored: JSON documents one after another. No
// files, no clock; memory holds one document beyond the chunk.
import type { BodyFormat } from '../../model/index.ts'
import type { BodySink, Intake } from './contract.ts'
import { CsvIntake } from './csv-intake.ts'
import { JsonIntake } from './json.ts'

/** What leaves through `sink` before a fault is worthless and to be thrown away. */
export function createIntake(format: BodyFormat, sink: BodySink): Intake {
  if (format.kind === 'csv') return new CsvIntake(format.delimiter, sink)
  return new JsonIntake(format.kind, sink)
}

// Values of records on their way in. Records are written by us, but read after years and by other
// builds: everything is checked.
import { refuse } from '../../../format/errors.ts'
import { checkedValue, type Schema } from '../../../format/schema/index.ts'
import { type EnqueuedView, jsonOf, textOf } from '../../../format/tasks/index.ts'

const SECTION = 'task content'

/** The JSON of a record that must have some. @throws CorruptionError */
export const contentJson = (view: EnqueuedView): unknown =>
  jsonOf(view.content ?? badRecord('content', 'none'))

export const optionalText = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : textOf(bytes)

/** The JSON of a record as what the schema says. @throws CorruptionError */
export const contentAs = <T>(schema: Schema<T>, view: EnqueuedView): T =>
  checkedValue(schema, contentJson(view), SECTION)

/** @throws CorruptionError */
export function badRecord(expected: string | number, got: unknown): never {
  return refuse(SECTION, 0, 'bad_value', expected, typeof got === 'number' ? got : typeof got)
}

/** The bit of a flag that is set, or 0. */
export const flagIf = (set: boolean, bit: number): number => (set ? bit : 0)

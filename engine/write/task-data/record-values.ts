// Validation of values from records. Records are written by this program, but possibly years ago or
// by another build, so everything is checked.
import { refuse } from '../../../format/errors.ts'
import { checkedValue, type Schema } from '../../../format/schema/index.ts'
import { type EnqueuedView, jsonOf } from '../../../format/tasks/index.ts'

const SECTION = 'task content'

/** Returns the JSON content of a record that must have one. @throws CorruptionError */
export const contentJson = (view: EnqueuedView): unknown =>
  jsonOf(view.content ?? badRecord('content', 'none'))

/** Returns the JSON content of a record, checked by a schema. @throws CorruptionError */
export const contentAs = <T>(schema: Schema<T>, view: EnqueuedView): T =>
  checkedValue(schema, contentJson(view), SECTION)

/** @throws CorruptionError */
export function badRecord(expected: string | number, got: unknown): never {
  return refuse(SECTION, 0, 'bad_value', expected, typeof got === 'number' ? got : typeof got)
}

/** Returns the bit of a flag if it is set, else 0. */
export const flagIf = (set: boolean, bit: number): number => (set ? bit : 0)

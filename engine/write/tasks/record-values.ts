// Values of records on their way in. Records are written by us, but read after years and by other
// builds: everything is checked.
import { refuse } from '../../../format/errors.ts'
import { type EnqueuedView, jsonOf, textOf } from '../../../format/tasks/index.ts'
import type { TaskDetails } from './types.ts'

const SECTION = 'task content'

/** The JSON of a record that must have some. @throws CorruptionError */
export const contentJson = (view: EnqueuedView): unknown =>
  jsonOf(view.content ?? badRecord('content', 'none'))

export const optionalText = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : textOf(bytes)

export function recordObject(value: unknown): TaskDetails {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    badRecord('an object', value)
  }
  return value as TaskDetails
}
export const recordArray = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : badRecord('an array', value)
export const recordString = (value: unknown): string =>
  typeof value === 'string' ? value : badRecord('a string', value)
export const recordStringOrNull = (value: unknown): string | null =>
  value === null ? null : recordString(value)
export const recordBoolean = (value: unknown): boolean =>
  typeof value === 'boolean' ? value : badRecord('a boolean', value)

/** @throws CorruptionError */
export function badRecord(expected: string | number, got: unknown): never {
  return refuse(SECTION, 0, 'bad_value', expected, typeof got === 'number' ? got : typeof got)
}

/** The bit of a flag that is set, or 0. */
export const flagIf = (set: boolean, bit: number): number => (set ? bit : 0)

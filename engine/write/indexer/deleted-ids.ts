// The ids of a deletion, sent as JSON and parsed only where they are needed: there may be hundreds
// of thousands.
import { refuse } from '../../../format/errors.ts'
import { jsonOf } from '../../../format/tasks/index.ts'

/**
 * Parses the ids. `count`: their number according to the record of the task. @throws
 * CorruptionError
 */
export function readDeletedIds(json: Uint8Array, count: number): readonly string[] {
  const ids = jsonOf(json)
  if (!Array.isArray(ids)) return refused('an array', typeof ids)
  for (const id of ids) if (typeof id !== 'string') refused('a string', typeof id)
  if (ids.length !== count) refused(`${count} ids`, ids.length)
  return ids as readonly string[]
}

const refused = (expected: string, found: string | number): never =>
  refuse('task content', 0, 'bad_value', expected, found)

// The ids of a deletion as they travel: JSON, which is read where they are needed and nowhere
// before. Reading 300,000 of them takes 100 ms.
import { refuse } from '../../../format/errors.ts'
import { jsonOf } from '../../../format/tasks/index.ts'

/** `count`: how many there are, as the record of the task says. @throws CorruptionError */
export function readDeletedIds(json: Uint8Array, count: number): readonly string[] {
  const ids = jsonOf(json)
  if (!Array.isArray(ids)) return refused('an array', typeof ids)
  for (const id of ids) if (typeof id !== 'string') refused('a string', typeof id)
  if (ids.length !== count) refused(`${count} ids`, ids.length)
  return ids as readonly string[]
}

const refused = (expected: string, found: string | number): never =>
  refuse('task content', 0, 'bad_value', expected, found)

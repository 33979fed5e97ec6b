// The functions that every script finds. Each takes its arguments, what it is called on first, and
// answers undefined where it takes no such values.
import { ARRAY_FUNCTIONS } from './library-arrays.ts'
import { FUNCTION_FUNCTIONS } from './library-functions.ts'
import { MAP_FUNCTIONS } from './library-maps.ts'
import { NUMBER_FUNCTIONS } from './library-numbers.ts'
import { STRING_FUNCTIONS } from './library-strings.ts'
import type { Native, Natives } from './machine.ts'

const TABLES: readonly Natives[] = [
  NUMBER_FUNCTIONS,
  STRING_FUNCTIONS,
  ARRAY_FUNCTIONS,
  MAP_FUNCTIONS,
  FUNCTION_FUNCTIONS,
]

/** Functions of one name in several tables are tried one after the other. */
export const NATIVES: ReadonlyMap<string, Native> = joined(TABLES)

function joined(tables: readonly Natives[]): Map<string, Native> {
  const all = new Map<string, Native>()
  for (const table of tables) {
    for (const [name, native] of Object.entries(table)) {
      const before = all.get(name)
      all.set(name, before === undefined ? native : either(before, native))
    }
  }
  return all
}

/** `()` is an answer, too: only undefined asks the next. */
function either(first: Native, second: Native): Native {
  return (args, call) => {
    const answer = first(args, call)
    return answer === undefined ? second(args, call) : answer
  }
}

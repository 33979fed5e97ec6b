// The library: functions available to every script. Each gets its arguments, the receiver first,
// and returns undefined if it does not accept them.
import { ARRAY_FUNCTIONS } from './library-arrays.ts'
import { FUNCTION_FUNCTIONS } from './library-functions.ts'
import { MAP_FUNCTIONS } from './library-maps.ts'
import { NUMBER_FUNCTIONS } from './library-numbers.ts'
import { STRING_FUNCTIONS } from './library-strings.ts'
import type { Native, Natives } from './run/index.ts'

const TABLES: readonly Natives[] = [
  NUMBER_FUNCTIONS,
  STRING_FUNCTIONS,
  ARRAY_FUNCTIONS,
  MAP_FUNCTIONS,
  FUNCTION_FUNCTIONS,
]

/** All functions by name. Functions with the same name in several tables are tried in order. */
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

/** Tries two functions in order. Only undefined selects the second: `()` is a valid result. */
function either(first: Native, second: Native): Native {
  return (args, call) => {
    const answer = first(args, call)
    return answer === undefined ? second(args, call) : answer
  }
}

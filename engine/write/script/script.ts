// A script, ready to run as often as there are documents.
import { ScriptFault } from './faults.ts'
import { NATIVES } from './library.ts'
import { parseScript } from './parse.ts'
import { Run } from './run.ts'
import type { Cell, Value } from './values.ts'

export type CompiledScript = {
  /**
   * Runs it with variables by name; what they hold afterwards is in `variables`, too. `onPause` is
   * called every few thousand steps and throws to end the run. @throws ScriptFault
   */
  run(variables: readonly Cell[], onPause: () => void): Value
}

/** @throws ScriptSyntaxError */
export function compileScript(text: string): CompiledScript {
  const { body, functions } = parseScript(text)
  return {
    run(variables, onPause) {
      const run = new Run({ functions, natives: NATIVES, variables, onPause })
      try {
        return run.script(body)
      } catch (error) {
        // The limit fits threads of ours; others may have less of a stack. V8 tells it by this
        // message alone.
        if (!(error instanceof RangeError) || !error.message.includes('call stack')) throw error
        throw new ScriptFault('ErrorStackOverflow', 'Stack overflow', null)
      }
    },
  }
}

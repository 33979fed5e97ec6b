// A compiled script, which can run once for each document.
import { type Cell, parseScript, ScriptFault, type Value } from './language/index.ts'
import { NATIVES } from './library.ts'
import { Run } from './run/index.ts'

export type CompiledScript = {
  /**
   * Runs the script with named variables; `variables` holds their values afterwards. `onPause` is
   * called every few thousand steps and throws to end the run. @throws ScriptFault
   */
  run(variables: readonly Cell[], onPause: () => void): Value
}

/** Compiles a script. @throws ScriptSyntaxError */
export function compileScript(text: string): CompiledScript {
  const { body, functions } = parseScript(text)
  return {
    run(variables, onPause) {
      const run = new Run({ functions, natives: NATIVES, variables, onPause })
      try {
        return run.script(body)
      } catch (error) {
        // The depth limit fits our own threads; other threads may have less stack. V8 identifies
        // this error only by its message.
        if (!(error instanceof RangeError) || !error.message.includes('call stack')) throw error
        throw new ScriptFault('ErrorStackOverflow', 'Stack overflow', null)
      }
    },
  }
}

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
        // `Meter` limits the sizes of values before they are built, so that only V8's stack can end
        // here: the depth limit fits our own threads, and other threads may have less.
        if (!(error instanceof RangeError)) throw error
        throw new ScriptFault('ErrorStackOverflow', 'Stack overflow', null)
      }
    },
  }
}

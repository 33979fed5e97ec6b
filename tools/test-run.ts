// A run of `svc-tools` in this process, with what it wrote. For tests.
import { runTools } from './run-tools.ts'
import type { Terminal } from './terminal/index.ts'

export type ToolsRun = { readonly code: number; readonly out: string; readonly err: string }

/** `isWatched`: true to show progress, as on a screen. */
export async function runForTest(words: readonly string[], isWatched = false): Promise<ToolsRun> {
  const written = { out: '', err: '' }
  const terminal: Terminal = {
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
    isWatched,
    columns: 100,
    now: () => 0,
  }
  const code = await runTools(words, terminal)
  return { code, ...written }
}

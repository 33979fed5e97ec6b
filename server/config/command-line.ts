// Reads the command line. Plain lines are read by `plain-line.ts`; others (help, abbreviations,
// mistakes) by yargs, which takes longer to load than the rest of the start (`yargs-line.ts`).
import { readPlainly } from './plain-line.ts'
import { type CommandLine, readWithYargs } from './yargs-line.ts'

/** @throws LaunchError */
export async function readCommandLine(words: readonly string[]): Promise<CommandLine> {
  const options = readPlainly(words)
  return options === null ? readWithYargs(words) : { kind: 'run', options }
}

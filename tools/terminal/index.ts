// Output of commands: text for people, JSON for programs, progress bars.
export { ToolFailure, toolFailureOf } from './failure.ts'
export { printable } from './printable.ts'
export { writePrivateFile } from './private-file.ts'
export { openProgress, type Progress } from './progress.ts'
export { PROCESS_TERMINAL, safeTerminal, type Terminal } from './terminal.ts'
export {
  bytesText,
  countOf,
  countText,
  microsText,
  shareText,
  shorten,
  table,
} from './text.ts'
export { type Parsed, type Parser, parser, type YargsOption } from './yargs.ts'

// Output of commands: text for people, JSON for programs, progress bars.

export { printable } from './printable.ts'
export { writePrivateFile } from './private-file.ts'
export { openProgress, type Progress } from './progress.ts'
export { PROCESS_TERMINAL, safeTerminal, type Terminal } from './terminal.ts'
export {
  bytesText,
  countOf,
  countText,
  microsText,
  oneLine,
  shareText,
  shorten,
  table,
} from './text.ts'
export { ToolError, toolErrorOf } from './tool-error.ts'
export { type Parsed, type Parser, parser, type YargsOption } from './yargs.ts'

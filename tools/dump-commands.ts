// `svc-tools dump`: reads dumps without a server and without a database.
import { asIndexUid } from '../format/ids.ts'
import {
  answer,
  type CommandContext,
  FORCE,
  INDEX,
  OUTPUT,
  SETTINGS,
  textOf,
} from './command-parts.ts'
import type { Parsed, Parser, YargsOption } from './terminal/index.ts'
import { openProgress, type Terminal } from './terminal/index.ts'

const SCRATCH: YargsOption = {
  describe:
    'A folder with space for the unpacked dump; default: the temporary folder of the system',
  type: 'string',
  requiresArg: true,
}

export const dumpCommands = (parser: Parser, context: CommandContext): Parser =>
  parser
    .command(
      'inspect <file>',
      'The content of a dump: version, indexes, tasks, keys',
      inspectOptions,
      (parsed) => runInspect(context, parsed),
    )
    .command(
      'verify <file>',
      'Checks that a dump can be imported; shows the first fault',
      verifyOptions,
      (parsed) => runVerify(context, parsed),
    )
    .command(
      'extract <file> <index>',
      'Writes the documents and settings of one index to files',
      extractOptions,
      (parsed) => runExtract(context, parsed),
    )
    .usage(
      '$0 dump <command>\n\n' +
        'Reads a dump of any version. The dump is unpacked into a temporary folder, which is removed\n' +
        'afterwards. Other files are written only if you name them.',
    )
    .demandCommand(1, 'say what to do with the dump')

const inspectOptions = (parser: Parser): Parser =>
  parser
    .usage(
      '$0 dump inspect FILE\n\n' +
        'Counts the content of a dump. The output masks secrets, but the dump has them in clear\n' +
        'text: protect it like a password.',
    )
    .positional('file', { describe: 'The dump', type: 'string' })
    .option('scratch', SCRATCH)
    .example('$0 dump inspect dumps/20260102-030405678.dump', 'before it is imported')
    .example("$0 dump inspect x.dump --json | jq '.indexes[].documents'", 'for programs')

async function runInspect(context: CommandContext, parsed: Parsed): Promise<void> {
  const { inspectDump, inspectText } = await import('./dump/index.ts')
  const result = await inspectDump(String(parsed['file']), opening(context.terminal, parsed))
  answer(context, parsed, { result, text: inspectText, problems: 0 })
}

const verifyOptions = (parser: Parser): Parser =>
  parser
    .usage(
      '$0 dump verify FILE\n\n' +
        'Reads a whole dump, then imports it into a temporary folder, as a server would do it.\n' +
        'No vectors are computed. Exit code 1: the dump has a fault; the first fault is shown, with\n' +
        'its place in the dump.',
    )
    .positional('file', { describe: 'The dump', type: 'string' })
    .option('quick', {
      describe: 'Only read the dump: faults that only an import notices are not found',
      type: 'boolean',
      default: false,
    })
    .option('scratch', SCRATCH)
    .example('$0 dump verify x.dump && scp x.dump elsewhere:', 'only a sound dump')

async function runVerify(context: CommandContext, parsed: Parsed): Promise<void> {
  const { verifyDump, verdictText } = await import('./dump/index.ts')
  const result = await verifyDump(String(parsed['file']), {
    ...opening(context.terminal, parsed),
    version: await context.release(),
    isQuick: parsed['quick'] === true,
  })
  answer(context, parsed, { result, text: verdictText, problems: result.isSound ? 0 : 1 })
}

const extractOptions = (parser: Parser): Parser =>
  parser
    .usage(
      '$0 dump extract FILE INDEX [--output FILE] [--settings FILE]\n\n' +
        'Writes the documents of one index, one per line, as stored in the dump. Files are not\n' +
        'overwritten without --force. Keys in settings are masked.',
    )
    .positional('file', { describe: 'The dump', type: 'string' })
    .positional('index', INDEX)
    .option('output', OUTPUT)
    .option('settings', SETTINGS)
    .option('scratch', SCRATCH)
    .option('force', FORCE)
    .example('$0 dump extract x.dump movies > movies.ndjson', 'one document per line')
    .example(
      '$0 dump extract x.dump movies -o m.ndjson --settings s.json',
      'documents and settings',
    )

async function runExtract(context: CommandContext, parsed: Parsed): Promise<void> {
  const { extractIndex, extractText } = await import('./dump/index.ts')
  const { terminal } = context
  const output = textOf(parsed, 'output')
  const decoder = new TextDecoder()
  const result = await extractIndex(String(parsed['file']), {
    // A progress bar would be mixed with the documents on the terminal.
    ...opening(output === null ? { ...terminal, isWatched: false } : terminal, parsed),
    index: asIndexUid(String(parsed['index'])),
    output,
    settings: textOf(parsed, 'settings'),
    force: parsed['force'] === true,
    write: (bytes) => terminal.out(decoder.decode(bytes, { stream: true })),
  })
  if (output === null) return
  answer(context, parsed, { result, text: extractText, problems: 0 })
}

const opening = (terminal: Terminal, parsed: Parsed) => ({
  scratch: textOf(parsed, 'scratch'),
  openProgress: (bytes: number) => openProgress(terminal, bytes),
})

// `svc-tools dump`: reads dumps without a server and without a database.
import { answer, type CommandContext, textOf } from './command-parts.ts'
import type { Parsed, Parser, YargsOption } from './terminal/index.ts'
import { openProgress, type Terminal } from './terminal/index.ts'

const SCRATCH: YargsOption = {
  describe: 'A folder with room for the dump unpacked; none: that of the system',
  type: 'string',
  requiresArg: true,
}

export const dumpCommands = (parser: Parser, context: CommandContext): Parser =>
  parser
    .command(
      'inspect <file>',
      'What it holds: version, indexes, tasks, keys',
      inspectOptions,
      (parsed) => runInspect(context, parsed),
    )
    .command('verify <file>', 'Could it be imported? The first fault', verifyOptions, (parsed) =>
      runVerify(context, parsed),
    )
    .command(
      'extract <file> <index>',
      'The documents and settings of one index, into files',
      extractOptions,
      (parsed) => runExtract(context, parsed),
    )
    .usage(
      '$0 dump <command>\n\n' +
        'Looks into a dump of any version. It is unpacked into a folder of its own, which is removed\n' +
        'again; nothing else is written unless a file is named.',
    )
    .demandCommand(1, 'say what to do with the dump')

const inspectOptions = (parser: Parser): Parser =>
  parser
    .usage(
      '$0 dump inspect FILE\n\n' +
        'Counts what a dump holds. Secrets are masked: a dump has them in clear, so keep it as you\n' +
        'would keep a password.',
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
        'Reads all of a dump as an import would: the archive, every document, setting, task and key.\n' +
        'Whether documents have their primary key is for the import to find. Exit code 1: it has a\n' +
        'fault; the first one is told, with its place.',
    )
    .positional('file', { describe: 'The dump', type: 'string' })
    .option('scratch', SCRATCH)
    .example('$0 dump verify x.dump && scp x.dump elsewhere:', 'only what is sound')

async function runVerify(context: CommandContext, parsed: Parsed): Promise<void> {
  const { verifyDump, verdictText } = await import('./dump/index.ts')
  const result = await verifyDump(String(parsed['file']), opening(context.terminal, parsed))
  answer(context, parsed, { result, text: verdictText, problems: result.isSound ? 0 : 1 })
}

const extractOptions = (parser: Parser): Parser =>
  parser
    .usage(
      '$0 dump extract FILE INDEX [--output FILE] [--settings FILE]\n\n' +
        'Writes the documents of one index, one a line, as they stand in the dump. Files are not\n' +
        'written over without --force. Keys in settings are masked.',
    )
    .positional('file', { describe: 'The dump', type: 'string' })
    .positional('index', { describe: 'The uid of an index', type: 'string' })
    .option('output', {
      describe: 'A file for the documents; none: standard output',
      type: 'string',
      alias: 'o',
      requiresArg: true,
    })
    .option('settings', {
      describe: 'A file for the settings, as PATCH …/settings takes them',
      type: 'string',
      requiresArg: true,
    })
    .option('scratch', SCRATCH)
    .option('force', { describe: 'Write over files', type: 'boolean', default: false })
    .example('$0 dump extract x.dump movies > movies.ndjson', 'a document a line')
    .example('$0 dump extract x.dump movies -o m.ndjson --settings s.json', 'both')

async function runExtract(context: CommandContext, parsed: Parsed): Promise<void> {
  const { extractIndex, extractText } = await import('./dump/index.ts')
  const { terminal } = context
  const output = textOf(parsed, 'output')
  const decoder = new TextDecoder()
  const result = await extractIndex(String(parsed['file']), {
    // A progress bar would be mixed with the documents on the terminal.
    ...opening(output === null ? { ...terminal, isWatched: false } : terminal, parsed),
    index: String(parsed['index']),
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

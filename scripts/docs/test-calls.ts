// Checks with the programs' own parsers that the programs accept the command lines on pages.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readCommandLine, readConfig } from '../../server/config/index.ts'
import type { CommandContext } from '../../tools/command-parts.ts'
import { declare } from '../../tools/declarations.ts'
import { type Parser, parser } from '../../tools/terminal/index.ts'
import type { Call } from './test-shell.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const NPM_COMMANDS = ['ci', 'install', 'pack', 'test']
const { scripts: SCRIPTS } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>
}

/** Returns what is wrong with a call, or null if it is accepted. */
export async function problemOfCall(call: Call): Promise<string | null> {
  const problem = await problemOf(call)
  return problem === null ? null : `${call.program} ${call.words.join(' ')}: ${problem}`
}

function problemOf({ program, words, variables }: Call): Promise<string | null> | string | null {
  const [first = '', ...rest] = words
  switch (program) {
    case 'svc-tools':
      return problemOfTools(words)
    case 'npm':
      if (first === 'run') return SCRIPTS[rest[0] ?? ''] === undefined ? 'no such script' : null
      return NPM_COMMANDS.includes(first) ? null : 'no such command'
    case 'npx':
      if (first === '--package')
        return problemOf({ program: rest[1]!, words: rest.slice(2), variables })
      return problemOf({ program: first, words: rest, variables })
    case 'node':
      if (first === 'dist/server/main.js') return problemOfServer(rest, variables)
      return existsSync(join(ROOT, first)) ? null : 'no such file'
    case 'svc-server':
    case 'svc-search':
      return problemOfServer(words, variables)
    default:
      return 'an unknown program'
  }
}

async function problemOfServer(
  words: readonly string[],
  variables: Call['variables'],
): Promise<string | null> {
  try {
    const line = await readCommandLine(words)
    const given = line.kind === 'run' ? line.options : new Map()
    return (await readConfig(given, variables)).warnings[0] ?? null
  } catch (error) {
    return String(error)
  }
}

/** Returns what is wrong with a configuration file, or null if it is accepted. */
export async function problemOfConfigFile(path: string): Promise<string | null> {
  try {
    return (await readConfig(new Map([['configFilePath', path]]), {})).warnings[0] ?? null
  } catch (error) {
    return String(error)
  }
}

const context: CommandContext = {
  terminal: {
    out: () => undefined,
    err: () => undefined,
    isWatched: false,
    columns: 100,
    now: () => 0,
  },
  release: () => Promise.resolve('1.57.0'),
  exitCode: 0,
}

/** The problem of the current line, or null; lines are parsed one after another. */
let toolsProblem: string | null = null
let reading: Promise<unknown> = Promise.resolve()
/** The parser, cached because its declaration is slow. */
let toolsParser: Parser | null = null

function declaredTools(): Parser {
  return declare(withoutRuns(parser()), context, '1.57.0')
    .parserConfiguration({ 'parse-positional-numbers': false, 'duplicate-arguments-array': false })
    .locale('en')
    .strict()
    .demandCommand(1, 'no command')
    .exitProcess(false)
    .showHelpOnFail(false)
    .fail((message, error) => {
      toolsProblem ??= message ?? error?.message ?? 'it cannot be read'
    })
}

function problemOfTools(words: readonly string[]): Promise<string | null> {
  const read = reading.then(async () => {
    toolsProblem = null
    toolsParser ??= declaredTools()
    await toolsParser.parseAsync(words, {}, () => undefined)
    return toolsProblem
  })
  reading = read
  return read
}

/** Returns the parser with commands that do nothing. */
function withoutRuns(real: Parser): Parser {
  const wrapped: Parser = new Proxy(real, {
    get: (target, name) => {
      const member = Reflect.get(target, name) as unknown
      if (typeof member !== 'function') return member
      return (...given: readonly unknown[]) => {
        const done = member.apply(target, name === 'command' ? idle(given) : given) as unknown
        return done === target ? wrapped : done
      }
    },
  })
  return wrapped
}

function idle([words, describe, build, run]: readonly unknown[]): readonly unknown[] {
  const declareInside = build as (inner: Parser) => Parser
  const inside = (inner: Parser): Parser => declareInside(withoutRuns(inner))
  return run === undefined
    ? [words, describe, inside]
    : [words, describe, inside, () => Promise.resolve()]
}

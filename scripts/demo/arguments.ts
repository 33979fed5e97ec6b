// The options of `npm run demo`.
import { parseArgs } from 'node:util'
import { DemoError } from './client.ts'

export type DemoArguments = {
  readonly help: boolean
  readonly port: number
  readonly db: string | null
  readonly data: string | null
  readonly exit: boolean
}

export const DEMO_HELP = `npm run demo -- [options]

Starts a server, indexes documents, shows searches with their times, and stays up until Ctrl-C.

  --data FILE  Your own documents instead of the documentation of the Web, JavaScript and Node.js:
               NDJSON, JSON or CSV, also compressed (.gz)
  --port N     Port to listen on (default: any free one)
  --db FOLDER  Where the database is kept (default: a temporary folder, removed at the end)
  --exit       End after the searches
  --help       This page`

/** @throws DemoError with the name of the wrong option */
export function readArguments(args: readonly string[]): DemoArguments {
  const { values } = parsed(args)
  const port = Number(values.port ?? 0)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new DemoError(`--port is a number from 0 to 65535, not ${values.port}.`)
  }
  const { help = false, exit = false, db = null, data = null } = values
  return { help, exit, port, db, data }
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h' },
        port: { type: 'string' },
        db: { type: 'string' },
        data: { type: 'string' },
        exit: { type: 'boolean' },
      },
    })
  } catch (error) {
    // The parser reports an unknown option as a TypeError with a complete sentence.
    if (error instanceof TypeError) throw new DemoError(`${error.message}\n\n${DEMO_HELP}`)
    throw error
  }
}

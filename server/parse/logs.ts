// Requests about the log: which events it shows, and in which form.
import { ApiError } from '../errors/index.ts'
import {
  checked,
  finishedBody,
  finishedQuery,
  flag,
  invalid,
  member,
  object,
  oneOf,
  parameter,
  type QueryReader,
  query,
  rawFlag,
  rawOneOf,
  type Schema,
  text,
  type WholeBody,
} from './schema/index.ts'

const LEVELS: ReadonlySet<string> = new Set(['off', 'error', 'warn', 'info', 'debug', 'trace'])
const MODES = ['human', 'json', 'profile'] as const

export type LogMode = (typeof MODES)[number]
export type LogStreamRequest = {
  readonly target: string
  readonly mode: LogMode
  readonly profileMemory: boolean
}

/** Levels, parts of the server, or parts with levels, separated by commas. */
function targetOf(spelling: string): string {
  if (spelling === '') {
    throw invalid(
      'Empty string is not a valid target. If you want to get no logs use `OFF`. ' +
        'Usage: `info`, `svc=info`, or you can write multiple filters in one target: ' +
        '`svc::engine=info,svc::http=trace`',
    )
  }
  for (const directive of spelling.split(',')) checkDirective(directive.trim())
  return spelling
}

const target: Schema<string> = checked(text, targetOf)

function checkDirective(directive: string): void {
  const [, level, ...more] = directive.split('=')
  if (more.length > 0) {
    const problem = "too many '=' in filter directive, expected 0 or 1"
    throw invalid(`invalid filter directive: ${problem}`)
  }
  if (level === undefined || LEVELS.has(level.toLowerCase()) || /^[0-5]$/.test(level)) return
  throw invalid(
    'error parsing level filter: expected one of "off", "error", "warn", "info", "debug", ' +
      '"trace", or a number 0-5',
  )
}

const stderr: Schema<{ readonly target: string }> = object<{ readonly target: string }>({
  target: member(target, null, 'info'),
})

const stream: Schema<LogStreamRequest> = object<LogStreamRequest>({
  target: member(target, null, 'info'),
  mode: member<LogMode>(oneOf(MODES), null, 'human'),
  profileMemory: member(flag, null, false),
})

/** @throws ApiError */
export const readLogTarget: WholeBody<string> = finishedBody(stderr, ({ target }) => target)

function checkedStream(request: LogStreamRequest): LogStreamRequest {
  const { mode, profileMemory } = request
  if (!profileMemory || mode === 'profile') return request
  const name = mode === 'human' ? 'Human' : 'Json'
  // The code belongs to another setting; clients expect it here.
  throw new ApiError(
    'invalid_settings_typo_tolerance',
    'Invalid value: `profile_memory` can only be used while profiling code and is not ' +
      `compatible with the ${name} mode.`,
  )
}

/** @throws ApiError */
export const readLogStream: WholeBody<LogStreamRequest> = finishedBody(stream, checkedStream)

const rawTarget = parameter(targetOf, 'bad_request', 'info')

const targetQuery = query<{ readonly target: string }>({ target: rawTarget })
const streamQuery = query<LogStreamRequest>({
  target: rawTarget,
  mode: parameter<LogMode>(rawOneOf(MODES), 'bad_request', 'human'),
  profileMemory: parameter(rawFlag, 'bad_request', false),
})

/** @throws ApiError */
export const readLogTargetQuery: QueryReader<string> = finishedQuery(
  targetQuery,
  ({ target }) => target,
)

/** @throws ApiError */
export const readLogStreamQuery: QueryReader<LogStreamRequest> = finishedQuery(
  streamQuery,
  checkedStream,
)

// What the server says about itself: one line an event, on stderr, for people or as JSON. The clock
// and the way out are handed in.

import { LEVELS, type LogLevel } from './levels.ts'
import { LogTargets } from './targets.ts'

export type LogMode = 'human' | 'json'

/** Facts beside the message, shown in their order. */
export type LogFields = {
  readonly [name: string]: string | number | boolean | null | undefined
}

export type LogOptions = {
  readonly level: LogLevel
  readonly mode: LogMode
  /** Takes a line with its newline. */
  readonly write: (line: string) => void
  /** Milliseconds since 1970, with a fraction. */
  readonly now: () => number
}

export class Log {
  readonly #options: LogOptions
  readonly #target: string
  readonly #targets: LogTargets
  readonly #shown: number

  constructor(options: LogOptions, target = 'svc', targets = new LogTargets()) {
    this.#options = options
    this.#target = target
    this.#targets = targets
    this.#shown = LEVELS.indexOf(options.level)
  }

  /** From now on shows what `targets` says, for all parts, in place of the level of the launch. */
  setTargets(targets: string): void {
    this.#targets.set(targets)
  }

  /** The same log, speaking for a part of the server. */
  for(target: string): Log {
    return new Log(this.#options, target, this.#targets)
  }

  shows(level: Exclude<LogLevel, 'OFF'>): boolean {
    return LEVELS.indexOf(level) <= this.#targets.shown(this.#target, this.#shown)
  }

  error(message: string, fields: LogFields = {}): void {
    this.#log('ERROR', message, fields)
  }

  warn(message: string, fields: LogFields = {}): void {
    this.#log('WARN', message, fields)
  }

  info(message: string, fields: LogFields = {}): void {
    this.#log('INFO', message, fields)
  }

  debug(message: string, fields: LogFields = {}): void {
    this.#log('DEBUG', message, fields)
  }

  trace(message: string, fields: LogFields = {}): void {
    this.#log('TRACE', message, fields)
  }

  #log(level: Exclude<LogLevel, 'OFF'>, message: string, fields: LogFields): void {
    if (!this.shows(level)) return
    const { mode, now, write } = this.#options
    const timestamp = timestampOf(now())
    const target = this.#target
    if (mode === 'human') write(humanLine(timestamp, level, target, message, fields))
    else write(`${JSON.stringify({ timestamp, level, fields: { message, ...fields }, target })}\n`)
  }
}

/** RFC 3339 with microseconds. */
function timestampOf(now: number): string {
  const millis = Math.floor(now)
  const micros = Math.floor((now - millis) * 1000)
  const whole = new Date(millis).toISOString()
  return `${whole.slice(0, -1)}${String(micros).padStart(3, '0')}Z`
}

function humanLine(
  timestamp: string,
  level: string,
  target: string,
  message: string,
  fields: LogFields,
): string {
  let line = `${timestamp} ${level.padStart(5)} ${target}: ${oneLine(message)}`
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) line += ` ${name}=${shown(value)}`
  }
  return `${line}\n`
}

/** What comes from clients must not look like a line of ours, nor move the cursor of a terminal. */
const oneLine = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (control) => {
    if (control === '\n') return '\\n'
    return `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`
  })

const shown = (value: string | number | boolean | null): string => {
  if (typeof value !== 'string') return String(value)
  return /^[\w.:/-]+$/.test(value) ? value : JSON.stringify(oneLine(value))
}

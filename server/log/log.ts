// The log: one line per event, on stderr and for a listener over HTTP. The clock and the output are
// passed in.
import {
  durationText,
  type LogEvent,
  type LogFields,
  type LogMode,
  type LogSpan,
  lineOf,
} from './event.ts'
import { type EventLevel, LEVELS, type LogLevel } from './levels.ts'
import type { LogStream } from './stream.ts'
import { LogTargets } from './targets.ts'

export type LogOptions = {
  readonly level: LogLevel
  readonly mode: LogMode
  /** Writes a line with its newline; `isUrgent` if the process may end right after it. */
  readonly write: (line: string, isUrgent: boolean) => void
  /** Milliseconds since 1970, with a fraction. */
  readonly now: () => number
  /** True if lines for people have colours. */
  readonly colours?: boolean
}

/** Shared by the parts of one log. */
type Shared = {
  readonly options: LogOptions
  readonly targets: LogTargets
  stream: LogStream | null
}

export class Log {
  readonly #shared: Shared
  readonly #target: string
  readonly #shown: number

  constructor(options: LogOptions)
  constructor(shared: Shared, target: string)
  constructor(given: LogOptions | Shared, target = 'svc') {
    const isShared = 'targets' in given
    this.#shared = isShared ? given : { options: given, targets: new LogTargets(), stream: null }
    this.#target = target
    this.#shown = LEVELS.indexOf(this.#shared.options.level)
  }

  /** Sets the levels of all parts from now on, in place of the level of the launch. */
  setTargets(targets: string): void {
    this.#shared.targets.set(targets)
  }

  /** The listener besides stderr, or null. */
  get stream(): LogStream | null {
    return this.#shared.stream
  }

  set stream(stream: LogStream | null) {
    this.#shared.stream = stream
  }

  /** Returns the same log for a part of the server. */
  for(target: string): Log {
    return new Log(this.#shared, target)
  }

  /** Returns true if an event of this level is shown anywhere. */
  shows(level: EventLevel): boolean {
    return this.#isShown(level) || (this.stream?.shows(this.#target, level) ?? false)
  }

  error(message: string, fields: LogFields = NONE): void {
    this.#log('ERROR', message, fields)
  }

  warn(message: string, fields: LogFields = NONE): void {
    this.#log('WARN', message, fields)
  }

  info(message: string, fields: LogFields = NONE): void {
    this.#log('INFO', message, fields)
  }

  debug(message: string, fields: LogFields = NONE): void {
    this.#log('DEBUG', message, fields)
  }

  trace(message: string, fields: LogFields = NONE): void {
    this.#log('TRACE', message, fields)
  }

  /** Logs the end of a span with its busy and idle time. */
  closed(span: LogSpan, busyMs: number, idleMs: number): void {
    const times = { 'time.busy': durationText(busyMs), 'time.idle': durationText(idleMs) }
    this.#log('INFO', 'close', times, span, busyMs + idleMs)
  }

  #isShown(level: EventLevel): boolean {
    return LEVELS.indexOf(level) <= this.#shared.targets.shown(this.#target, this.#shown)
  }

  #log(
    level: EventLevel,
    message: string,
    fields: LogFields,
    span: LogSpan | null = null,
    durationMs: number | null = null,
  ): void {
    const { options, stream } = this.#shared
    const target = this.#target
    const isShown = this.#isShown(level)
    const isStreamed = stream?.shows(target, level) ?? false
    if (!isShown && !isStreamed) return
    const event: LogEvent = { at: options.now(), level, target, message, fields, span, durationMs }
    if (isShown) {
      options.write(lineOf(event, options.mode, options.colours === true), level === 'ERROR')
    }
    if (isStreamed) stream?.event(event)
  }
}

const NONE: LogFields = {}

// An event of the log, and the two forms of its line: text for people, JSON for programs.
import type { EventLevel } from './levels.ts'

/** Facts beside the message, in this order; undefined ones are left out. */
export type LogFields = {
  readonly [name: string]: string | number | boolean | null | undefined
}

/** The subject of the event, with its own facts: `HTTP request{method=GET …}`. */
export type LogSpan = { readonly name: string; readonly fields: LogFields }

export type LogEvent = {
  /** Milliseconds since 1970, with a fraction. */
  readonly at: number
  readonly level: EventLevel
  /** The part of the server that logs the event. */
  readonly target: string
  readonly message: string
  readonly fields: LogFields
  readonly span: LogSpan | null
  /** Duration of the span with waiting included, or null if no span ends with the event. */
  readonly durationMs: number | null
}

export type LogMode = 'human' | 'json'

/** Returns the line with its newline. `colours`: for a terminal. */
export function lineOf(event: LogEvent, mode: LogMode, colours: boolean): string {
  return mode === 'json' ? jsonLine(event) : humanLine(event, colours)
}

function jsonLine(event: LogEvent): string {
  const { at, level, target, message, fields, span, durationMs } = event
  const about = span === null ? null : { name: span.name, ...span.fields }
  return `${JSON.stringify({
    timestamp: timestampOf(at),
    level,
    fields: { message, ...(durationMs === null ? {} : durationOf(durationMs)), ...fields },
    target,
    ...(about === null ? {} : { span: about, spans: [about] }),
  })}\n`
}

/** Rounds to microseconds. A number, because `time.busy` and `time.idle` are texts for people. */
const durationOf = (ms: number): { readonly duration_ms: number } => ({
  duration_ms: Math.round(ms * 1000) / 1000,
})

function humanLine(
  { at, level, target, message, fields, span }: LogEvent,
  colours: boolean,
): string {
  const paint = colours ? painted : plain
  let line = `${paint(timestampOf(at), DIM)} ${paint(level.padStart(5), COLOURS[level])} `
  if (span !== null) line += `${paint(span.name, BOLD)}{${fieldsText(span.fields)}}: `
  line += `${paint(`${target}:`, DIM)} ${oneLine(message)}`
  const rest = fieldsText(fields)
  return rest === '' ? `${line}\n` : `${line} ${rest}\n`
}

function fieldsText(fields: LogFields): string {
  let text = ''
  for (const name in fields) {
    const value = fields[name]
    if (value === undefined) continue
    text += `${text === '' ? '' : ' '}${name}=${shown(value)}`
  }
  return text
}

const BOLD = 1
const DIM = 2
const COLOURS: { readonly [level in EventLevel]: number } = {
  ERROR: 31,
  WARN: 33,
  INFO: 32,
  DEBUG: 34,
  TRACE: 35,
}

const plain = (text: string): string => text
const painted = (text: string, colour: number): string => `\u001b[${colour}m${text}\u001b[0m`

/** RFC 3339 with microseconds. */
function timestampOf(now: number): string {
  const millis = Math.floor(now)
  const micros = Math.floor((now - millis) * 1000)
  return `${new Date(millis).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`
}

/**
 * Escapes control characters: text from clients must neither look like a line of ours nor move the
 * cursor of a terminal.
 */
const oneLine = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (control) => {
    if (control === '\n') return '\\n'
    return `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`
  })

const shown = (value: string | number | boolean | null): string => {
  if (typeof value !== 'string') return String(value)
  return /^[\w./%&+,;*@~µ-]*$/.test(value) ? value : JSON.stringify(oneLine(value))
}

/** `1.17ms`, `127µs`, `2.50s`: three significant digits. */
export function durationText(ms: number): string {
  if (ms >= 1000) return `${digits(ms / 1000)}s`
  if (ms >= 1) return `${digits(ms)}ms`
  return `${digits(ms * 1000)}µs`
}

const digits = (value: number): string => {
  if (value >= 100) return value.toFixed(0)
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

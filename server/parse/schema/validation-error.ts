// The fault of a value: its problem, its path and its message. This is the only place that turns a
// failed check into the catalogue's code and message. A reader throws a ValidationError; each
// enclosing list or object adds its step while the error passes, so that paths cost nothing as long
// as there is no fault. The outermost reader converts it to an ApiError. The messages are those of
// API clients' tests: each kind of problem has one sentence for JSON bodies and one for query
// parameters.
import { quotedNames } from '../../../format/errors.ts'
import { ApiError, type ErrorCode } from '../../errors/index.ts'
import { cut, type Json, KINDS, type KindName, kindOf, quotedText } from './json-value.ts'
import { MESSAGE_CHARACTERS_MAX } from './limits.ts'
import { hint } from './suggest.ts'

export type Problem =
  | { readonly kind: 'type'; readonly accepted: readonly KindName[]; readonly found: Json }
  | { readonly kind: 'missing'; readonly field: string }
  | { readonly kind: 'unknown field'; readonly field: string; readonly accepted: readonly string[] }
  | { readonly kind: 'unknown value'; readonly value: string; readonly accepted: readonly string[] }
  | { readonly kind: 'immutable'; readonly field: string; readonly accepted: readonly string[] }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'not a string'; readonly raw: string }
  /** A finished sentence, without a path. */
  | { readonly kind: 'sentence'; readonly text: string }

/** Thrown, but not an `Error`: most are reported to a client, and none needs a stack. */
export class ValidationError {
  /** Steps from the innermost outwards: member names and positions. */
  readonly steps: (string | number)[] = []
  constructor(
    readonly problem: Problem,
    /** The code of the innermost member that has one. */
    public code: ErrorCode | null = null,
  ) {}
}

/**
 * Adds `step` to a failure that leaves it and, if the failure has none yet, the code. Rethrow the
 * result.
 */
export function outOf(failure: unknown, step: string | number, code: ErrorCode | null): unknown {
  if (failure instanceof ValidationError) {
    failure.steps.push(step)
    failure.code ??= code
  }
  return failure
}

/** Returns the error for a fault of a JSON body; `code` is used if no member set one. */
export function bodyError(fault: ValidationError, code: ErrorCode): ApiError {
  return new ApiError(fault.code ?? code, cut(bodyText(fault), MESSAGE_CHARACTERS_MAX))
}

/** Returns the error for a fault of a query parameter. */
export function queryError(fault: ValidationError): ApiError {
  const message = cut(queryText(fault), MESSAGE_CHARACTERS_MAX)
  return new ApiError(fault.code ?? 'bad_request', message)
}

const locationOf = (fault: ValidationError): string => {
  let location = ''
  for (const step of fault.steps) {
    location = (typeof step === 'number' ? `[${step}]` : `.${cut(step)}`) + location
  }
  return location
}

const bodyText = (fault: ValidationError): string => {
  const { problem } = fault
  const location = locationOf(fault)
  const at = location === '' ? '' : ` at \`${location}\``
  const inside = location === '' ? '' : ` inside \`${location}\``
  switch (problem.kind) {
    case 'type': {
      const found = foundText(problem.found)
      return `Invalid value type${at}: expected ${kindList(problem.accepted)}, but found ${found}`
    }
    case 'missing':
      return `Missing field \`${problem.field}\`${inside}`
    case 'unknown field': {
      const field = `\`${cut(problem.field)}\`${inside}`
      return `Unknown field ${field}: ${choice(problem.field, problem.accepted)}`
    }
    case 'unknown value': {
      const value = `\`${cut(problem.value)}\`${at}`
      return `Unknown value ${value}: ${choice(problem.value, problem.accepted)}`
    }
    case 'immutable':
      return `Immutable field \`${problem.field}\`: expected one of ${quotedNames(problem.accepted)}`
    case 'invalid':
      return `Invalid value${at}: ${problem.reason}`
    case 'not a string':
      return `Invalid value type${at}: ${notString(problem.raw)}`
    case 'sentence':
      return problem.text
    default:
      return problem satisfies never
  }
}

const queryText = (fault: ValidationError): string => {
  const { problem } = fault
  const parameter = `parameter \`${locationOf(fault).slice(1)}\``
  switch (problem.kind) {
    case 'missing':
      return `Missing parameter \`${problem.field}\``
    case 'unknown field':
      return `Unknown parameter \`${cut(problem.field)}\`: ${choice(problem.field, problem.accepted)}`
    case 'unknown value': {
      const value = `\`${cut(problem.value)}\` for ${parameter}`
      return `Unknown value ${value}: ${choice(problem.value, problem.accepted)}`
    }
    case 'invalid':
      return `Invalid value in ${parameter}: ${problem.reason}`
    case 'not a string':
      return `Invalid value type for ${parameter}: ${notString(problem.raw)}`
    case 'type':
    case 'immutable':
    case 'sentence':
      return bodyText(fault)
    default:
      return problem satisfies never
  }
}

const notString = (raw: string): string => `expected a string, but found a string: \`${cut(raw)}\``

const choice = (received: string, accepted: readonly string[]): string =>
  `${hint(received, accepted)}expected one of ${quotedNames(accepted)}`

const foundText = (value: Json): string =>
  value === null ? 'null' : `${kindOf(value)}: \`${quotedText(value)}\``

/** Formats types as a phrase: in order, integers merged, joined by commas and `or`. */
export function kindList(kinds: readonly KindName[]): string {
  const has = (kind: KindName): boolean => kinds.includes(kind)
  const words: string[] = []
  for (const kind of KINDS) {
    if (!has(kind)) continue
    const integer = kind === 'a positive integer' || kind === 'a negative integer'
    if (integer && has('a number')) continue
    if (integer && has('a positive integer') && has('a negative integer')) {
      if (kind === 'a positive integer') words.push('an integer')
    } else words.push(kind)
  }
  if (words.length <= 2) return words.join(' or ')
  return `${words.slice(0, -1).join(', ')}, or ${words[words.length - 1]}`
}

// What can be wrong with a script: before it runs, and while it does. The texts are known to
// clients.

/** Both from 1; `column` counts characters. */
export type Position = { readonly line: number; readonly column: number }

const placeText = (at: Position | null): string =>
  at === null ? '' : ` (line ${at.line}, position ${at.column})`

/** The text is no script. */
export class ScriptSyntaxError extends Error {
  override readonly name = 'ScriptSyntaxError'
  constructor(reason: string, at: Position) {
    super(`${reason}${placeText(at)}`)
  }
}

/** The kinds of failure that a script which catches one is told. */
export type FaultKind =
  | 'ErrorVariableNotFound'
  | 'ErrorFunctionNotFound'
  | 'ErrorMismatchDataType'
  | 'ErrorArithmetic'
  | 'ErrorArrayBounds'
  | 'ErrorStringBounds'
  | 'ErrorDotExpr'
  | 'ErrorFor'
  | 'ErrorAssignmentToConstant'
  | 'ErrorParsing'
  | 'ErrorRuntime'
  | 'ErrorTooManyOperations'
  | 'ErrorTooManyVariables'
  | 'ErrorDataTooLarge'
  | 'ErrorStackOverflow'
  | 'ErrorTerminated'
  | 'ErrorUnboundThis'

const FINAL: ReadonlySet<FaultKind> = new Set([
  'ErrorTooManyOperations',
  'ErrorTooManyVariables',
  'ErrorDataTooLarge',
  'ErrorStackOverflow',
  'ErrorTerminated',
])

/** A script failed while it ran. */
export class ScriptFault extends Error {
  override readonly name = 'ScriptFault'
  readonly kind: FaultKind
  /** Without its place. */
  readonly text: string
  readonly at: Position | null
  /** What was thrown; undefined for a failure that is none of the script's own. */
  readonly thrown: unknown
  #calls = ''

  constructor(kind: FaultKind, text: string, at: Position | null, thrown?: unknown) {
    const short = text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX)}…` : text
    super(short)
    this.kind = kind
    this.text = short
    this.at = at
    this.thrown = thrown
    this.message = `${short}${placeText(at)}`
  }

  /** Limits are no business of the script that meets them. */
  get isFinal(): boolean {
    return FINAL.has(this.kind)
  }

  /** Notes a call that the failure left, `function 'f'` or null for a closure. */
  leave(name: string | null, at: Position | null): void {
    if (this.#calls.length > TRACE_LENGTH_MAX) return
    const what = name === null ? 'in closure call' : `in call to function '${name}'`
    const line = `\n${what}${placeText(at)}`
    this.#calls += line
    this.message += line
  }
}

/** What a script says of itself may be long, and goes into the log of tasks. */
const TEXT_LENGTH_MAX = 2000

/** A deep recursion fails in each of its calls. */
const TRACE_LENGTH_MAX = 1000

export const functionNotFound = (
  name: string,
  signature: string,
  at: Position | null,
): ScriptFault =>
  new ScriptFault('ErrorFunctionNotFound', `Function not found: ${name} (${signature})`, at)

export const mismatch = (found: string, expected: string, at: Position | null): ScriptFault =>
  new ScriptFault(
    'ErrorMismatchDataType',
    `Data type incorrect: ${found} (expecting ${expected})`,
    at,
  )

export const arithmetic = (text: string): ScriptFault =>
  new ScriptFault('ErrorArithmetic', text, null)

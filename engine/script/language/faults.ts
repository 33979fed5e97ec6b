// Faults of scripts, at compilation and at run time. Clients know the texts.

/** Both count from 1; `column` counts characters. */
export type Position = { readonly line: number; readonly column: number }

const placeText = (at: Position | null): string =>
  at === null ? '' : ` (line ${at.line}, position ${at.column})`

/** The text is not a valid script. */
export class ScriptSyntaxError extends Error {
  override readonly name = 'ScriptSyntaxError'
  constructor(reason: string, at: Position) {
    super(`${reason}${placeText(at)}`)
  }
}

/** Kinds of faults, as a `catch` clause receives them. */
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

/** A fault while a script runs. */
export class ScriptFault extends Error {
  override readonly name = 'ScriptFault'
  readonly kind: FaultKind
  /** Message without the position. */
  readonly text: string
  readonly at: Position | null
  /** The thrown value; undefined if the fault was not raised by `throw`. */
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

  /** Faults of limits cannot be caught by the script. */
  get isFinal(): boolean {
    return FINAL.has(this.kind)
  }

  /** Adds a call that the fault passed through: the function's name, or null for a closure. */
  leave(name: string | null, at: Position | null): void {
    if (this.#calls.length > TRACE_LENGTH_MAX) return
    const where = name === null ? 'in closure call' : `in call to function '${name}'`
    const line = `\n${where}${placeText(at)}`
    this.#calls += line
    this.message += line
  }
}

/** A script's own messages may be long, and are stored in the log of tasks. */
const TEXT_LENGTH_MAX = 2000

/** A deep recursion adds a line for each of its calls. */
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

// The state of the parser: the current token, the declared variables, and the nesting depth.
import { type Position, ScriptSyntaxError } from './faults.ts'
import { Lexer, type Token } from './lexer.ts'
import { FUNCTIONS_MAX, NESTING_MAX, SCRIPT_LENGTH_MAX, VARIABLES_MAX } from './limits.ts'
import { type FunctionDefinition, functionKey, type Node } from './tree.ts'

type Declared = { readonly name: string; readonly isConstant: boolean }

/** A function or closure being parsed; `captures`: null if it captures no variables. */
type Frame = {
  readonly declared: Declared[]
  readonly captures: Map<string, Position> | null
  readonly hasThis: boolean
  loops: number
}

/** The two halves of the parser call each other through this interface. */
export type Grammar = {
  /** Parses statements up to a `}`, which is not consumed. */
  readonly statements: (parsing: Parsing) => Node[]
  /** Parses one statement without its terminator. */
  readonly statement: (parsing: Parsing) => Node
  readonly blockExpression: (parsing: Parsing) => Node
}

export class Parsing {
  readonly grammar: Grammar
  readonly functions = new Map<string, FunctionDefinition>()
  readonly #lexer: Lexer
  #token: Token
  #depth = 0
  #blocks = 0
  #frames: Frame[] = [{ declared: [], captures: null, hasThis: false, loops: 0 }]

  constructor(text: string, grammar: Grammar) {
    if (text.length > SCRIPT_LENGTH_MAX) {
      const reason = `The function is longer than ${SCRIPT_LENGTH_MAX} characters`
      throw new ScriptSyntaxError(reason, { line: 1, column: 1 })
    }
    this.grammar = grammar
    this.#lexer = new Lexer(text)
    this.#token = this.#lexer.take()
  }

  get token(): Token {
    return this.#token
  }

  /** Moves to the next token. Returns the one that was current. */
  advance(): Token {
    const token = this.#token
    this.#token = this.#lexer.take()
    return token
  }

  /** Reads the template text after the current `}`; it becomes the current token. */
  advanceTemplate(at: Position): Token {
    this.#token = this.#lexer.takeTemplate(at)
    return this.#token
  }

  get isAtEnd(): boolean {
    return this.#token.kind === 'end'
  }

  isSymbol(text: string): boolean {
    return this.#token.kind === 'symbol' && this.#token.text === text
  }

  isKeyword(text: string): boolean {
    return this.#token.kind === 'keyword' && this.#token.text === text
  }

  /** Consumes the symbol if it is current. */
  accept(text: string): boolean {
    if (!this.isSymbol(text)) return false
    this.advance()
    return true
  }

  acceptKeyword(text: string): boolean {
    if (!this.isKeyword(text)) return false
    this.advance()
    return true
  }

  expect(symbol: string, purpose: string): void {
    if (!this.accept(symbol)) throw this.fault(`Expecting '${symbol}' ${purpose}`)
  }

  fault(reason: string, at = this.#token.at): ScriptSyntaxError {
    return new ScriptSyntaxError(reason, at)
  }

  /** Returns the fault of a token that cannot begin anything. */
  unexpected(): ScriptSyntaxError {
    const { kind, text } = this.#token
    if (kind === 'end') return this.fault('Script is incomplete')
    if (kind === 'reserved') return this.fault(`'${text}' is a reserved keyword`)
    return this.fault(`Unexpected '${text}'`)
  }

  /** Parses a construct that may contain itself. */
  nested<T>(read: () => T): T {
    if (++this.#depth > NESTING_MAX) throw this.fault('Expression exceeds maximum complexity')
    try {
      return read()
    } finally {
      this.#depth--
    }
  }

  get #frame(): Frame {
    return this.#frames.at(-1)!
  }

  /** Parses the body of a function or closure with its parameters. */
  inFrame<T>(parameters: readonly string[], captures: Frame['captures'], read: () => T): T {
    const declared = parameters.map((name) => ({ name, isConstant: false }))
    this.#frames.push({ declared, captures, hasThis: true, loops: 0 })
    try {
      return read()
    } finally {
      this.#frames.pop()
    }
  }

  /** Parses a construct whose variables end with it. */
  inScope<T>(read: () => T): T {
    const { declared } = this.#frame
    const count = declared.length
    try {
      return read()
    } finally {
      declared.length = count
    }
  }

  /** Parses the inside of a block: a scope in which functions cannot be defined. */
  inBlock<T>(read: () => T): T {
    this.#blocks++
    try {
      return this.inScope(read)
    } finally {
      this.#blocks--
    }
  }

  get isInBlock(): boolean {
    return this.#blocks > 0
  }

  inLoop<T>(read: () => T): T {
    this.#frame.loops++
    try {
      return read()
    } finally {
      this.#frame.loops--
    }
  }

  get isInLoop(): boolean {
    return this.#frame.loops > 0
  }

  get hasThis(): boolean {
    return this.#frame.hasThis
  }

  get isInFunction(): boolean {
    return this.#frames.length > 1
  }

  declare(name: string, isConstant: boolean): void {
    const { declared } = this.#frame
    if (declared.length === VARIABLES_MAX) throw this.fault('Too many variables defined')
    declared.push({ name, isConstant })
  }

  /** Returns whether the name is known to be a constant. */
  isConstant(name: string): boolean {
    return this.#frame.declared.findLast((one) => one.name === name)?.isConstant ?? false
  }

  /** Notes the use of a variable: enclosing closures that do not declare it capture it. */
  refer(name: string, at: Position): void {
    for (let f = this.#frames.length - 1; f >= 0; f--) {
      const { declared, captures } = this.#frames[f]!
      if (captures === null || declared.some((one) => one.name === name)) return
      if (!captures.has(name)) captures.set(name, at)
    }
  }

  /** Adds a function definition. @throws ScriptSyntaxError */
  define(definition: FunctionDefinition, at: Position): void {
    const { name, parameters } = definition
    const key = functionKey(name, parameters.length)
    if (this.functions.has(key)) {
      const count = parameters.length
      const parameterText =
        count === 0 ? 'no parameters' : `${count} parameter${count === 1 ? '' : 's'}`
      throw this.fault(`Function ${name} with ${parameterText} already exists`, at)
    }
    if (this.functions.size === FUNCTIONS_MAX) {
      throw this.fault('Number of functions defined exceeds maximum limit', at)
    }
    this.functions.set(key, definition)
  }
}

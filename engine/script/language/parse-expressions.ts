// Parses expressions: operators by precedence, and their operands.

import type { Position } from './faults.ts'
import type { Parsing } from './parsing.ts'
import type { Block, Link, Node } from './tree.ts'
import { CALLED, GETTERS, RESERVED_SYMBOLS } from './words.table.ts'

/** Precedence of binary operators; greater binds more strongly. */
const PRECEDENCE: ReadonlyMap<string, number> = new Map([
  ...(['||', '|', '^'] as const).map((o) => [o, 30] as const),
  ...(['&&', '&'] as const).map((o) => [o, 60] as const),
  ...(['==', '!='] as const).map((o) => [o, 90] as const),
  ...(['in', '!in'] as const).map((o) => [o, 110] as const),
  ...(['>', '>=', '<', '<='] as const).map((o) => [o, 130] as const),
  ['??', 135],
  ...(['..', '..='] as const).map((o) => [o, 140] as const),
  ...(['+', '-'] as const).map((o) => [o, 150] as const),
  ...(['*', '/', '%'] as const).map((o) => [o, 180] as const),
  ['**', 190],
  ...(['<<', '>>'] as const).map((o) => [o, 210] as const),
])
/** Precedence above `|`, which separates the alternatives of a case. */
export const ABOVE_OR = 31

const I64_MIN_DIGITS = '9223372036854775808'

export function parseExpression(parsing: Parsing, weakest = 0): Node {
  return parsing.nested(() => {
    let left = parseUnary(parsing)
    for (;;) {
      const operator = operatorOf(parsing)
      const binding = operator === null ? undefined : PRECEDENCE.get(operator)
      if (operator === null || binding === undefined || binding < weakest) return left
      const { at } = parsing.advance()
      if (operator === '..' || operator === '..=') {
        const end = endsRange(parsing) ? null : parseExpression(parsing, binding + 1)
        left = { kind: 'range', start: left, end, isInclusive: operator === '..=', at }
        continue
      }
      const right = parseExpression(parsing, operator === '**' ? binding : binding + 1)
      left = simplified(operator, left, right, at)
    }
  })
}

/**
 * Returns the binary operator at the current token, or null. @throws ScriptSyntaxError for a
 * reserved symbol
 */
function operatorOf(parsing: Parsing): string | null {
  const { kind, text } = parsing.token
  if (kind === 'keyword') return text === 'in' ? text : null
  if (kind !== 'symbol') return null
  if (RESERVED_SYMBOLS.has(text)) throw parsing.fault(`Unknown operator: '${text}'`)
  return text
}

const endsRange = ({ token: { kind, text } }: Parsing): boolean =>
  kind === 'symbol' && (RANGE_ENDS as readonly string[]).includes(text)
const RANGE_ENDS = [']', ')', '}', ',', ';', '=>'] as const

/** Builds a binary node; conditions with a constant operand are simplified. */
function simplified(operator: string, left: Node, right: Node, at: Position): Node {
  if (operator === '&&' || operator === '||') {
    const deciding = operator === '||'
    if (left.kind === 'literal' && typeof left.value === 'boolean') {
      return left.value === deciding ? left : right
    }
    if (right.kind === 'literal' && right.value === !deciding) return left
  }
  return { kind: 'binary', operator, left, right, at }
}

function parseUnary(parsing: Parsing): Node {
  const { at } = parsing.token
  for (const operator of ['-', '+', '!']) {
    if (!parsing.isSymbol(operator)) continue
    parsing.advance()
    return parsing.nested(() => {
      const { kind, text } = parsing.token
      const operand = parseUnary(parsing)
      if (operator !== '!' && operand.kind === 'literal') {
        const { value } = operand
        if (operator === '+' && isNumeric(value)) return operand
        if (kind === 'literal' && text === I64_MIN_DIGITS) {
          return { kind: 'literal', value: -(2n ** 63n), at }
        }
        if (isNumeric(value)) return { kind: 'literal', value: -value, at }
      }
      return { kind: 'unary', operator, operand, at }
    })
  }
  return parseChain(parsing, parsePrimary(parsing))
}

const isNumeric = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint'

function parseChain(parsing: Parsing, base: Node): Node {
  const links: Link[] = []
  let first: Position | null = null
  for (;;) {
    const { at } = parsing.token
    const isProperty = parsing.isSymbol('.') || parsing.isSymbol('?.')
    if (!isProperty && !parsing.isSymbol('[') && !parsing.isSymbol('?[')) break
    const isOptional = parsing.advance().text.startsWith('?')
    first ??= at
    links.push(isProperty ? parseMember(parsing, isOptional) : parseIndex(parsing, isOptional))
  }
  return first === null ? base : { kind: 'chain', base, links, at: first }
}

function parseIndex(parsing: Parsing, isOptional: boolean): Link {
  const index = parseExpression(parsing)
  parsing.expect(']', 'for a matching [ in this index expression')
  return { kind: 'index', index, at: index.at, isOptional }
}

function parseMember(parsing: Parsing, isOptional: boolean): Link {
  const { kind, text: name, at } = parsing.token
  // `range.end`: a reserved word, and the name of a member.
  const isReserved = kind === 'reserved'
  if (isReserved && !GETTERS.has(name)) throw parsing.fault(`'${name}' is a reserved keyword`)
  if (kind !== 'name' && !isReserved) throw parsing.fault('Expecting name of a property')
  parsing.advance()
  if (!parsing.isSymbol('(')) return { kind: 'property', name, at, isOptional }
  return { kind: 'method', name, args: parseArguments(parsing, name), at, isOptional }
}

function parseArguments(parsing: Parsing, name: string): Node[] {
  parsing.advance()
  const args: Node[] = []
  while (!parsing.accept(')')) {
    if (args.length > 0) {
      if (!parsing.isSymbol(',')) throw parsing.fault(argumentsFault(parsing, name))
      parsing.advance()
      if (parsing.accept(')')) break
    }
    if (parsing.isAtEnd) throw parsing.fault(argumentsFault(parsing, name))
    args.push(parseExpression(parsing))
  }
  return args
}

const argumentsFault = ({ token }: Parsing, name: string): string =>
  token.kind === 'end'
    ? `Expecting ')' to close the arguments list of this function call '${name}'`
    : `Expecting ',' to separate the arguments to function call '${name}'`

function parsePrimary(parsing: Parsing): Node {
  const { kind, text, value, at } = parsing.token
  switch (kind) {
    case 'literal':
      parsing.advance()
      return { kind: 'literal', value, at }
    case 'template':
      return parseTemplate(parsing)
    case 'name':
      return parseName(parsing)
    case 'keyword':
      return parseKeyword(parsing)
    case 'symbol':
      if (RESERVED_SYMBOLS.has(text)) throw parsing.fault(`'${text}' is a reserved symbol`)
      return parseBracketed(parsing)
    default:
      throw parsing.unexpected()
  }
}

function parseName(parsing: Parsing): Node {
  const { text: name, at } = parsing.advance()
  if (parsing.isSymbol('(')) {
    return { kind: 'call', name, args: parseArguments(parsing, name), at }
  }
  if (CALLED.has(name)) throw parsing.fault(`'${name}' is a reserved keyword`, at)
  parsing.refer(name, at)
  return { kind: 'name', name, at }
}

function parseKeyword(parsing: Parsing): Node {
  const { text, at } = parsing.token
  switch (text) {
    case 'true':
    case 'false':
      parsing.advance()
      return { kind: 'literal', value: text === 'true', at }
    case 'this':
      if (!parsing.hasThis) throw parsing.fault("'this' can only be used in functions")
      parsing.advance()
      return { kind: 'this', at }
    case 'if':
    case 'switch':
    case 'while':
    case 'loop':
    case 'do':
    case 'for':
      return parsing.grammar.blockExpression(parsing)
    default:
      throw parsing.unexpected()
  }
}

function parseBracketed(parsing: Parsing): Node {
  const { text, at } = parsing.token
  switch (text) {
    case '(': {
      parsing.advance()
      if (parsing.accept(')')) return { kind: 'literal', value: null, at }
      const inner = parseExpression(parsing)
      parsing.expect(')', 'for a matching ( in this expression')
      return inner
    }
    case '[':
      return parseArray(parsing)
    case '#{':
      return parseMap(parsing)
    case '{':
      return parsing.grammar.blockExpression(parsing)
    case '|':
    case '||':
      return parseClosure(parsing)
    case '..':
    case '..=': {
      parsing.advance()
      const end = endsRange(parsing) ? null : parseExpression(parsing, PRECEDENCE.get('..')! + 1)
      return { kind: 'range', start: null, end, isInclusive: text === '..=', at }
    }
    default:
      throw parsing.unexpected()
  }
}

function parseArray(parsing: Parsing): Node {
  const { at } = parsing.advance()
  const items: Node[] = []
  while (!parsing.accept(']')) {
    if (parsing.isAtEnd) throw parsing.fault("Expecting ']' to end this array literal")
    items.push(parseExpression(parsing))
    if (parsing.isSymbol(']')) continue
    if (parsing.isAtEnd) throw parsing.fault("Expecting ']' to end this array literal")
    parsing.expect(',', 'to separate the items of this array literal')
  }
  return { kind: 'array', items, at }
}

function parseMap(parsing: Parsing): Node {
  const { at } = parsing.advance()
  const members: (readonly [string, Node])[] = []
  const names = new Set<string>()
  const isEnd = (): boolean => parsing.isAtEnd
  while (!parsing.accept('}')) {
    if (isEnd()) throw parsing.fault("Expecting '}' to end this object map literal")
    const { kind, text, value } = parsing.token
    if (kind === 'reserved') throw parsing.unexpected()
    const name = kind === 'name' ? text : kind === 'literal' ? value : null
    if (typeof name !== 'string') throw parsing.fault('Expecting name of a property')
    if (names.has(name)) throw parsing.fault(`Duplicated property for object map literal: ${name}`)
    names.add(name)
    parsing.advance()
    parsing.expect(':', `to follow the property '${name}' in this object map literal`)
    members.push([name, parseExpression(parsing)])
    if (parsing.isSymbol('}')) continue
    if (isEnd()) throw parsing.fault("Expecting '}' to end this object map literal")
    parsing.expect(',', 'to separate the items of this object map literal')
  }
  return { kind: 'map', members, at }
}

function parseTemplate(parsing: Parsing): Node {
  const { at } = parsing.token
  const parts: (string | Block)[] = []
  for (;;) {
    const { text, isOpen } = parsing.token
    if (text !== '') parts.push(text)
    parsing.advance()
    if (!isOpen) break
    parts.push(parseInterpolation(parsing, at))
  }
  const [only] = parts
  if (parts.length === 0) return { kind: 'literal', value: '', at }
  if (parts.length === 1 && typeof only === 'string') return { kind: 'literal', value: only, at }
  return { kind: 'template', parts, at }
}

/** Parses the script between `${` and `}`; the template text after it becomes the current token. */
function parseInterpolation(parsing: Parsing, at: Position): Block {
  const inner = parsing.token.at
  const statements = parsing.inScope(() => parsing.grammar.statements(parsing))
  if (!parsing.isSymbol('}')) throw parsing.unexpected()
  parsing.advanceTemplate(at)
  return { kind: 'block', statements, at: inner }
}

function parseClosure(parsing: Parsing): Node {
  const { at, text } = parsing.advance()
  const parameters = text === '||' ? [] : parseParameters(parsing)
  const captures = new Map<string, Position>()
  const body = parsing.inFrame(parameters, captures, () => parsing.grammar.statement(parsing))
  for (const [name, where] of captures) parsing.refer(name, where)
  const name = `anon$${at.line.toString(16).padStart(8, '0')}${at.column.toString(16).padStart(8, '0')}`
  return {
    kind: 'closure',
    definition: { name, parameters, body, isClosure: true },
    captures: [...captures].map(([captured, where]) => ({ name: captured, at: where })),
    at,
  }
}

function parseParameters(parsing: Parsing): string[] {
  const parameters: string[] = []
  while (!parsing.accept('|')) {
    const { kind, text } = parsing.token
    if (kind !== 'name') {
      throw parsing.fault(
        "Expecting '|' to close the parameters list of anonymous function or closure",
      )
    }
    if (parameters.includes(text)) {
      throw parsing.fault(`Duplicated parameter ${text} for anonymous function or closure`)
    }
    parameters.push(text)
    parsing.advance()
    if (!parsing.isSymbol('|')) {
      parsing.expect(',', 'to separate the parameters of anonymous function or closure')
    }
  }
  return parameters
}

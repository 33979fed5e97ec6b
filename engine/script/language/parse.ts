// Parses the text of a script into its tree: statements here, expressions in
// `parse-expressions.ts`. Clients know the texts of faults and their positions.

import type { Position } from './faults.ts'
import { ABOVE_OR, parseExpression } from './parse-expressions.ts'
import { type Grammar, Parsing } from './parsing.ts'
import {
  type Block,
  type Branch,
  type Node,
  type Script,
  type SwitchCase,
  startOf,
} from './tree.ts'
import { ASSIGNMENTS, RESERVED_SYMBOLS, STATEMENTS } from './words.table.ts'

const GRAMMAR: Grammar = {
  statements: parseStatements,
  statement: parseStatement,
  blockExpression: parseBlockExpression,
}

/** Parses a whole script. @throws ScriptSyntaxError */
export function parseScript(text: string): Script {
  const parsing = new Parsing(text, GRAMMAR)
  const { at } = parsing.token
  const statements = parseStatements(parsing)
  if (parsing.token.kind !== 'end') throw parsing.unexpected()
  return { body: { kind: 'block', statements, at }, functions: parsing.functions }
}

/** Statements that end with a `}` and need no `;`. */
const SELF_TERMINATED: ReadonlySet<Node['kind']> = new Set([
  'block',
  'if',
  'switch',
  'while',
  'for',
  'try',
  'nothing',
])

function parseStatements(parsing: Parsing): Node[] {
  const statements: Node[] = []
  for (;;) {
    while (parsing.accept(';'));
    if (parsing.isAtEnd || parsing.isSymbol('}')) return statements
    const statement = parseStatement(parsing)
    statements.push(statement)
    if (parsing.isAtEnd || parsing.isSymbol('}') || parsing.isSymbol(';')) continue
    const needsNothing =
      SELF_TERMINATED.has(statement.kind) && !(statement.kind === 'while' && statement.runsFirst)
    if (needsNothing) continue
    const { kind, text } = parsing.token
    if (kind === 'symbol' && RESERVED_SYMBOLS.has(text)) {
      throw parsing.fault(`Unknown operator: '${text}'`)
    }
    throw parsing.fault("Expecting ';' to terminate this statement")
  }
}

function parseStatement(parsing: Parsing): Node {
  const { kind, text, at } = parsing.token
  if (kind !== 'keyword') return parseAssignment(parsing)
  switch (text) {
    case 'let':
    case 'const':
      return parseDeclaration(parsing)
    case 'fn':
    case 'private':
      return parseFunction(parsing)
    case 'break':
    case 'continue':
      return parseLeaving(parsing)
    case 'return':
      parsing.advance()
      return { kind: 'return', value: parseOptional(parsing), at }
    case 'throw':
      parsing.advance()
      return { kind: 'throw', value: parseOptional(parsing), at }
    case 'try':
      return parseTry(parsing)
    default:
      return parseAssignment(parsing)
  }
}

/** Parses the value after `return`, `throw` and `break`, if there is one. */
function parseOptional(parsing: Parsing): Node | null {
  const { kind, text } = parsing.token
  if (kind === 'end' || parsing.isSymbol(';') || parsing.isSymbol('}')) return null
  if (kind === 'keyword' && STATEMENTS.has(text)) return null
  return parseExpression(parsing)
}

function parseAssignment(parsing: Parsing): Node {
  const target = parseExpression(parsing)
  const { kind, text, at } = parsing.token
  if (kind !== 'symbol') return target
  if (!ASSIGNMENTS.has(text)) return target
  checkTarget(parsing, target)
  parsing.advance()
  const value = parseExpression(parsing)
  return { kind: 'assign', target, operator: text.slice(0, -1), value, at }
}

function checkTarget(parsing: Parsing, target: Node): void {
  switch (target.kind) {
    case 'this':
      return
    case 'literal':
      throw parsing.fault('Cannot assign to a constant value', target.at)
    case 'name':
      if (!parsing.isConstant(target.name)) return
      throw parsing.fault(`Cannot assign to constant ${target.name}`, target.at)
    case 'chain': {
      const last = target.links.at(-1)!
      if (last.kind !== 'method') return
      throw parsing.fault('Expression cannot be assigned to', last.at)
    }
    default:
      throw parsing.fault('Expression cannot be assigned to', startOf(target))
  }
}

function parseDeclaration(parsing: Parsing): Node {
  const { text: word } = parsing.advance()
  const { at } = parsing.token
  const name = parseVariable(parsing)
  const isConstant = word === 'const'
  const value = parsing.accept('=') ? parseExpression(parsing) : null
  parsing.declare(name, isConstant)
  return { kind: 'let', name, value, isConstant, at }
}

function parseVariable(parsing: Parsing): string {
  const { kind, text } = parsing.token
  if (kind === 'reserved') throw parsing.unexpected()
  if (kind !== 'name') throw parsing.fault('Expecting name of a variable')
  parsing.advance()
  return text
}

function parseFunction(parsing: Parsing): Node {
  const { at } = parsing.token
  if (parsing.acceptKeyword('private') && !parsing.isKeyword('fn')) throw parsing.unexpected()
  if (parsing.isInFunction || parsing.isInBlock) {
    throw parsing.fault(
      'Function definitions must be at global level and cannot be inside a block or another function',
      at,
    )
  }
  parsing.advance()
  const { kind, text: name } = parsing.token
  if (kind === 'reserved') throw parsing.unexpected()
  if (kind !== 'name') throw parsing.fault('Expecting function name in function declaration')
  parsing.advance()
  if (!parsing.isSymbol('(')) throw parsing.fault(`Expecting parameters for function '${name}'`)
  const parameters = parseParameters(parsing, name)
  if (!parsing.isSymbol('{')) {
    throw parsing.fault(`Expecting body statement block for function '${name}'`)
  }
  const body = parsing.inFrame(parameters, null, () => parseBlock(parsing))
  parsing.define({ name, parameters, body, isClosure: false }, at)
  return { kind: 'nothing', at }
}

function parseParameters(parsing: Parsing, name: string): string[] {
  parsing.advance()
  const parameters: string[] = []
  while (!parsing.accept(')')) {
    const { kind, text } = parsing.token
    if (kind !== 'name') {
      throw parsing.fault(`Expecting ')' to close the parameters list of function '${name}'`)
    }
    if (parameters.includes(text)) {
      throw parsing.fault(`Duplicated parameter ${text} for function ${name}`)
    }
    parameters.push(text)
    parsing.advance()
    if (!parsing.isSymbol(')')) {
      parsing.expect(',', `to separate the parameters of function '${name}'`)
    }
  }
  return parameters
}

function parseLeaving(parsing: Parsing): Node {
  const { text, at } = parsing.token
  if (!parsing.isInLoop) {
    throw parsing.fault('Break statement should only be used inside a loop')
  }
  parsing.advance()
  if (text === 'continue') return { kind: 'continue', at }
  return { kind: 'break', value: parseOptional(parsing), at }
}

function parseTry(parsing: Parsing): Node {
  const { at } = parsing.advance()
  const body = parseBlock(parsing)
  if (!parsing.acceptKeyword('catch')) {
    throw parsing.fault("Expecting 'catch' for the 'try' statement")
  }
  return parsing.inScope(() => {
    let name: string | null = null
    if (parsing.accept('(')) {
      name = parseVariable(parsing)
      parsing.declare(name, false)
      parsing.expect(')', 'to enclose the catch variable')
    }
    return { kind: 'try', body, name, handler: parseBlock(parsing), at }
  })
}

function parseBlock(parsing: Parsing): Block {
  const { at } = parsing.token
  parsing.expect('{', 'to start a statement block')
  return parsing.nested(() => {
    const statements = parsing.inBlock(() => parseStatements(parsing))
    parsing.expect('}', 'to terminate this block')
    return { kind: 'block', statements, at }
  })
}

function parseBlockExpression(parsing: Parsing): Node {
  const { kind, text, at } = parsing.token
  if (kind === 'symbol') return parseBlock(parsing)
  switch (text) {
    case 'if':
      return parseIf(parsing)
    case 'switch':
      return parseSwitch(parsing)
    case 'for':
      return parseFor(parsing)
    case 'do':
      return parseDo(parsing)
    default: {
      parsing.advance()
      const condition = text === 'while' ? parseCondition(parsing) : null
      const body = parsing.inLoop(() => parseBlock(parsing))
      return { kind: 'while', condition, isUntil: false, runsFirst: false, body, at }
    }
  }
}

function parseCondition(parsing: Parsing): Node {
  if (parsing.isSymbol('{')) throw parsing.fault('Expecting a boolean expression')
  const condition = parseExpression(parsing)
  const kind = constantKind(condition)
  if (kind !== null && kind !== 'a boolean') {
    throw parsing.fault(`Expecting a boolean expression, not ${kind}`, condition.at)
  }
  return condition
}

/** Returns the kind of a constant for messages, or null if the node is not constant. */
function constantKind(node: Node): string | null {
  if (node.kind === 'array') return 'an array'
  if (node.kind === 'map') return 'an object map'
  if (node.kind !== 'literal') return null
  const { value } = node
  if (value === null) return '()'
  switch (typeof value) {
    case 'boolean':
      return 'a boolean'
    case 'bigint':
      return 'a number'
    case 'number':
      return 'a floating-point number'
    case 'string':
      return 'a string'
    default:
      return 'a character'
  }
}

function parseIf(parsing: Parsing): Node {
  const { at } = parsing.advance()
  const branches: Branch[] = [{ condition: parseCondition(parsing), body: parseBlock(parsing) }]
  while (parsing.acceptKeyword('else')) {
    const condition = parsing.acceptKeyword('if') ? parseCondition(parsing) : null
    branches.push({ condition, body: parseBlock(parsing) })
    if (condition === null) break
  }
  return { kind: 'if', branches, at }
}

function parseDo(parsing: Parsing): Node {
  const { at } = parsing.advance()
  const body = parsing.inLoop(() => parseBlock(parsing))
  const isUntil = parsing.acceptKeyword('until')
  if (!isUntil && !parsing.acceptKeyword('while')) {
    throw parsing.fault("Expecting 'while' for the do statement")
  }
  return { kind: 'while', condition: parseCondition(parsing), isUntil, runsFirst: true, body, at }
}

function parseFor(parsing: Parsing): Node {
  const { at } = parsing.advance()
  let counter: string | null = null
  let name: string
  if (parsing.accept('(')) {
    name = parseVariable(parsing)
    parsing.expect(',', 'after the iteration variable name')
    const counterAt = parsing.token.at
    counter = parseVariable(parsing)
    if (counter === name) throw parsing.fault(`Duplicated variable name: ${name}`, counterAt)
    parsing.expect(')', 'to close the iteration variables')
  } else {
    name = parseVariable(parsing)
  }
  if (!parsing.acceptKeyword('in'))
    throw parsing.fault("Expecting 'in' after the iteration variable")
  if (parsing.isSymbol('{')) throw parsing.fault('Expecting a boolean expression')
  const values = parseExpression(parsing)
  const kind = values.kind === 'array' || isText(values) ? null : constantKind(values)
  if (kind !== null) throw parsing.fault(`Expecting an iterable value, not ${kind}`, values.at)
  return parsing.inScope(() => {
    parsing.declare(name, false)
    if (counter !== null) parsing.declare(counter, false)
    const body = parsing.inLoop(() => parseBlock(parsing))
    return { kind: 'for', name, counter, values, body, at }
  })
}

const isText = (node: Node): boolean => node.kind === 'literal' && typeof node.value === 'string'

function parseSwitch(parsing: Parsing): Node {
  const { at } = parsing.advance()
  const subject = parseExpression(parsing)
  parsing.expect('{', 'to start a switch block')
  const cases: SwitchCase[] = []
  let fallback: Position | null = null
  while (!parsing.accept('}')) {
    if (parsing.isAtEnd) throw parsing.fault("Expecting '}' to end this switch block")
    if (fallback !== null) throw parsing.fault('Default switch case must be the last', fallback)
    const caseAt = parsing.token.at
    const one = parseCase(parsing)
    if (one.values.length === 0) fallback = caseAt
    cases.push(one)
    if (parsing.isSymbol('}') || parsing.accept(',')) continue
    if (one.body.kind === 'block') continue
    throw parsing.fault("Expecting ',' to separate the items in this switch block")
  }
  return { kind: 'switch', subject, cases, at }
}

function parseCase(parsing: Parsing): SwitchCase {
  const values: Node[] = []
  const { kind, text } = parsing.token
  if (kind === 'name' && text === '_') {
    parsing.advance()
    if (parsing.isKeyword('if')) throw parsing.fault('Default switch case cannot have condition')
  } else {
    do {
      const value = parseExpression(parsing, ABOVE_OR)
      if (!isConstant(value)) throw parsing.fault('Expecting a literal value', startOf(value))
      values.push(value)
    } while (parsing.accept('|'))
  }
  const guard = parsing.acceptKeyword('if') ? parseCondition(parsing) : null
  parsing.expect('=>', 'in this switch case')
  return { values, guard, body: parseStatement(parsing) }
}

function isConstant(node: Node): boolean {
  switch (node.kind) {
    case 'literal':
      return true
    case 'array':
      return node.items.every(isConstant)
    case 'map':
      return node.members.every(([, value]) => isConstant(value))
    case 'range':
      return (
        (node.start === null || isConstant(node.start)) &&
        (node.end === null || isConstant(node.end))
      )
    default:
      return false
  }
}

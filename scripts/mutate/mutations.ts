// Small faults that a test should notice: one changed operator, literal, condition or call at a
// time, found in the syntax tree of a source.
import { parseSync } from 'oxc-parser'

/** Replaces the text from `start` to `end` of a source. */
export type Mutation = {
  readonly kind: string
  readonly start: number
  readonly end: number
  readonly text: string
}

type Node = { readonly type: string; readonly start: number; readonly end: number } & {
  readonly [member: string]: unknown
}

/** Operator → the fault that is most like it. */
const OPERATORS: { readonly [operator: string]: string } = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+=': '-=',
  '-=': '+=',
  '++': '--',
  '--': '++',
}

/** An assertion is not a decision. */
const isAssertion = (source: string, { type, start, end }: Node): boolean =>
  type === 'ExpressionStatement' && /^(?:assert\w*|expect)\b/.test(source.slice(start, end))

/** Statements whose only effect is a call. */
const isRemovable = (source: string, { start, end }: Node): boolean =>
  !/^(?:super|throw)\b/.test(source.slice(start, end))

/** Returns every fault that can be put into a source, in the order of their places. */
export function mutationsOf(file: string, source: string): readonly Mutation[] {
  const found: Mutation[] = []
  const add = (kind: string, start: number, end: number, text: string): void => {
    found.push({ kind, start, end, text })
  }
  const visit = (node: Node): void => {
    if (isAssertion(source, node)) return
    mutate(source, node, add)
    for (const [member, value] of Object.entries(node)) {
      // Types and texts decide nothing.
      if (/^(?:type\w+|returnType|superTypeArguments|source|attributes)$/.test(member)) continue
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child)
    }
  }
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  visit(program as unknown as Node)
  return found.sort((a, b) => a.start - b.start || a.end - b.end)
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

/** Returns whether an operand is, or ends with, a text as it is written. */
function isText(node: Node | undefined): boolean {
  if (node?.type === 'BinaryExpression') return isText(node['right'] as Node)
  return (
    node?.type === 'TemplateLiteral' ||
    (node?.type === 'Literal' && typeof node['value'] === 'string')
  )
}

type Add = (kind: string, start: number, end: number, text: string) => void

function mutate(source: string, node: Node, add: Add): void {
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression':
    case 'UpdateExpression':
      mutateOperator(source, node, add)
      return
    case 'UnaryExpression':
      if (node['operator'] === '!') add('negation', node.start, node.start + 1, '')
      return
    case 'IfStatement':
    case 'ConditionalExpression': {
      const test = node['test'] as Node
      add('condition', test.start, test.end, 'false')
      return
    }
    case 'Literal':
      if (typeof node['value'] === 'boolean') {
        add('boolean', node.start, node.end, String(!node['value']))
      }
      return
    case 'ExpressionStatement': {
      const { type } = node['expression'] as Node
      const isCall = type === 'CallExpression' || type === 'AwaitExpression'
      if (isCall && isRemovable(source, node)) add('call', node.start, node.end, ';')
    }
  }
}

function mutateOperator(source: string, node: Node, add: Add): void {
  const operator = String(node['operator'])
  const text = OPERATORS[operator]
  if (text === undefined) return
  const { left, right } = node as { readonly left?: Node; readonly right?: Node }
  // A text of several lines.
  if (operator === '+' && (isText(left) || isText(right))) return
  if (operator === '??') {
    // `&&` and `??` cannot stand side by side without parentheses.
    const inner = [left!, right!].map(({ start, end }) => `(${source.slice(start, end)})`)
    add('operator', node.start, node.end, `(${inner.join(' && ')})`)
    return
  }
  const [from, to] =
    left !== undefined && right !== undefined ? [left.end, right.start] : [node.start, node.end]
  // Comments between the operands do not hold operators in this code base.
  const at = source.indexOf(operator, from)
  if (at >= 0 && at < to) add('operator', at, at + operator.length, text)
}

/** Returns the source with a statement in front of the body of each loop. */
export function withLoopChecks(file: string, source: string, statement: string): string {
  const inserted: { readonly at: number; readonly text: string }[] = []
  const visit = (node: Node): void => {
    const { body } = node as { readonly body?: unknown }
    if (/^(?:For|While|DoWhile)/.test(node.type) && isNode(body)) {
      inserted.push({ at: body.start, text: `{ ${statement} ` }, { at: body.end, text: ' }' })
    }
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child)
    }
  }
  visit(parseSync(file, source).program as unknown as Node)
  let from = 0
  let checked = ''
  for (const { at, text } of inserted.sort((a, b) => a.at - b.at)) {
    checked += source.slice(from, at) + text
    from = at
  }
  return checked + source.slice(from)
}

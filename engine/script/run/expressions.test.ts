// Random expressions, compared with a naive evaluator: operators, precedence, types, faults.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type FaultKind, ScriptFault } from '../language/faults.ts'
import type { Value } from '../language/values.ts'
import { compileScript } from '../script.ts'

type Scalar = null | boolean | bigint | number | string
type Tree =
  | { readonly kind: 'literal'; readonly value: Scalar }
  | { readonly kind: 'unary'; readonly operator: '-' | '!'; readonly operand: Tree }
  | {
      readonly kind: 'binary'
      readonly operator: string
      readonly left: Tree
      readonly right: Tree
    }

const LEVELS = [['||', '|', '^'], ['&&', '&'], ['==', '!='], ['<', '<=', '>', '>='], ['??']]
const ARITHMETIC = [['+', '-'], ['*', '/', '%'], ['**'], ['<<', '>>']]
const LEVEL = new Map([...LEVELS, ...ARITHMETIC].flatMap((all, i) => all.map((o) => [o, i])))

/** A fault as the naive evaluator raises it. */
class Refused extends Error {
  readonly fault: FaultKind
  constructor(fault: FaultKind) {
    super(fault)
    this.fault = fault
  }
}

const I64_MIN = -(2n ** 63n)
const I64_MAX = 2n ** 63n - 1n

function fitting(value: bigint): bigint {
  if (value < I64_MIN || value > I64_MAX) throw new Refused('ErrorArithmetic')
  return value
}

function powerOf(base: bigint, exponent: bigint): bigint {
  if (exponent < 0n) throw new Refused('ErrorArithmetic')
  if (base === -1n || base === 0n || base === 1n) {
    if (exponent === 0n) return 1n
    return exponent % 2n === 0n ? base * base : base
  }
  let result = 1n
  for (let i = 0n; i < exponent; i++) result = fitting(result * base)
  return result
}

function shiftedBy(value: bigint, bits: bigint): bigint {
  let result = value
  for (let i = 0n; i < bits && i < 64n; i++) result = BigInt.asIntN(64, result * 2n)
  // Halves, rounded down.
  for (let i = 0n; i > bits && i > -64n; i--) result = (result - (((result % 2n) + 2n) % 2n)) / 2n
  return result
}

const isNumber = (value: Scalar): value is bigint | number =>
  typeof value === 'bigint' || typeof value === 'number'

const rankOf = (value: Scalar): string => (isNumber(value) ? 'number' : typeof value)

function compared(operator: string, a: Scalar, b: Scalar): boolean {
  if (operator === '==' || operator === '!=') {
    const isFloat = isNumber(a) && isNumber(b) && (typeof a === 'number' || typeof b === 'number')
    const isEqual = isFloat ? Math.abs(Number(a) - Number(b)) <= Number.EPSILON : a === b
    return isEqual === (operator === '==')
  }
  if (rankOf(a) !== rankOf(b)) return false
  const [x, y] = [a ?? 0, b ?? 0]
  if (operator === '<') return x < y
  if (operator === '<=') return x <= y
  return operator === '>' ? x > y : x >= y
}

function onIntegers(operator: string, a: bigint, b: bigint): bigint {
  if ((operator === '/' || operator === '%') && b === 0n) throw new Refused('ErrorArithmetic')
  const compute: { readonly [operator: string]: () => bigint } = {
    '+': () => fitting(a + b),
    '-': () => fitting(a - b),
    '*': () => fitting(a * b),
    '/': () => fitting(a / b),
    '%': () => a - (a / b) * b,
    '**': () => powerOf(a, b),
    '<<': () => shiftedBy(a, b),
    '>>': () => shiftedBy(a, -b),
    '&': () => a & b,
    '|': () => a | b,
    '^': () => a ^ b,
  }
  return compute[operator]!()
}

function onFloats(operator: string, a: number, b: number): number {
  if (operator === '+') return a + b
  if (operator === '-') return a - b
  if (operator === '*') return a * b
  if (operator === '/') return a / b
  if (operator === '%') return a % b
  if (operator === '**') return a ** b
  throw new Refused('ErrorFunctionNotFound')
}

function displayed(value: Scalar): string {
  if (value === null) return ''
  if (typeof value !== 'number') return String(value)
  if (!Number.isFinite(value)) return String(value).replace('Infinity', 'inf')
  const text = Object.is(value, -0) ? '-0' : String(value)
  return /^-?\d+$/.test(text) && Math.abs(value) < 1e16 ? `${text}.0` : text
}

/** A constant operand decides at compilation, and the other one is not checked. */
function condition({ left, right }: Extract<Tree, { kind: 'binary' }>, deciding: boolean): Scalar {
  const truth = (tree: Tree): boolean => {
    const value = naive(tree)
    if (typeof value !== 'boolean') throw new Refused('ErrorMismatchDataType')
    return value
  }
  if (left.kind === 'literal') return left.value === deciding ? deciding : naive(right)
  if (right.kind === 'literal' && right.value === !deciding) return naive(left)
  return truth(left) === deciding ? deciding : truth(right)
}

function naive(tree: Tree): Scalar {
  if (tree.kind === 'literal') return tree.value
  if (tree.kind === 'unary') {
    const value = naive(tree.operand)
    if (tree.operator === '!' && typeof value === 'boolean') return !value
    if (tree.operator === '-' && typeof value === 'bigint') return fitting(-value)
    if (tree.operator === '-' && typeof value === 'number') return -value
    throw new Refused('ErrorFunctionNotFound')
  }
  const { operator } = tree
  if (operator === '&&' || operator === '||') return condition(tree, operator === '||')
  const a = naive(tree.left)
  if (operator === '??') return a ?? naive(tree.right)
  const b = naive(tree.right)
  if (/^[=!<>]=?$/.test(operator) || operator === '==') return compared(operator, a, b)
  if (typeof a === 'bigint' && typeof b === 'bigint') return onIntegers(operator, a, b)
  if (isNumber(a) && isNumber(b)) return onFloats(operator, Number(a), Number(b))
  if (typeof a === 'boolean' && typeof b === 'boolean' && '&|^'.includes(operator)) {
    return operator === '&' ? a && b : operator === '|' ? a || b : a !== b
  }
  if (operator === '+' && (typeof a === 'string' || typeof b === 'string')) {
    return displayed(a) + displayed(b)
  }
  if (operator === '-' && typeof a === 'string' && typeof b === 'string') {
    return b === '' ? a : a.split(b).join('')
  }
  throw new Refused('ErrorFunctionNotFound')
}

function literalText(value: Scalar): string {
  if (value === null) return '()'
  if (typeof value === 'number') return Number.isInteger(value) ? `${value}.0` : String(value)
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

/** The text of a tree with no more parentheses than it needs. */
function textOf(tree: Tree): string {
  if (tree.kind === 'literal') return literalText(tree.value)
  const inside = (part: Tree, isOpen: boolean): string =>
    isOpen ? `(${textOf(part)})` : textOf(part)
  if (tree.kind === 'unary') {
    return `${tree.operator} ${inside(tree.operand, tree.operand.kind === 'binary')}`
  }
  const { operator, left, right } = tree
  const level = LEVEL.get(operator)!
  const levelOf = (part: Tree): number =>
    part.kind === 'binary' ? LEVEL.get(part.operator)! : Number.POSITIVE_INFINITY
  const isFromRight = operator === '**'
  const first = inside(left, levelOf(left) < level || (isFromRight && levelOf(left) === level))
  const second = inside(right, levelOf(right) < level || (!isFromRight && levelOf(right) === level))
  return `${first} ${operator} ${second}`
}

type Type = 'integer' | 'float' | 'boolean' | 'string' | 'unit'

const literals: { readonly [type in Type]: fc.Arbitrary<Scalar> } = {
  integer: fc.oneof(fc.bigInt(0n, 70n), fc.bigInt(0n, I64_MAX), fc.constant(I64_MAX)),
  float: fc.oneof(
    fc.integer({ min: 0, max: 100 }).map((n) => n / 4),
    fc.constant(0),
  ),
  boolean: fc.boolean(),
  string: fc.constantFrom('', 'a', 'b', 'ab', 'aab'),
  unit: fc.constant(null),
}

const binary = (operator: string, left: Tree, right: Tree): Tree => ({
  kind: 'binary',
  operator,
  left,
  right,
})

const arbitraries = new Map<string, fc.Arbitrary<Tree>>()

/** Trees of a type; one operand in twelve is of any type, so that most trees have a value. */
function treesOf(type: Type, depth: number): fc.Arbitrary<Tree> {
  const key = `${type} ${depth}`
  const arbitrary = arbitraries.get(key) ?? newTreesOf(type, depth)
  arbitraries.set(key, arbitrary)
  return arbitrary
}

function newTreesOf(type: Type, depth: number): fc.Arbitrary<Tree> {
  const leaf = literals[type].map((value): Tree => ({ kind: 'literal', value }))
  if (depth === 0 || type === 'unit') return leaf
  const types: readonly Type[] = ['integer', 'float', 'boolean', 'string', 'unit']
  const anyTree = fc.oneof(...types.map((other) => treesOf(other, depth - 1)))
  const part = (wanted: Type): fc.Arbitrary<Tree> =>
    fc.oneof(
      { weight: 11, arbitrary: treesOf(wanted, depth - 1) },
      { weight: 1, arbitrary: anyTree },
    )
  const two = (operators: readonly string[], operand: Type): fc.Arbitrary<Tree> =>
    fc
      .tuple(fc.constantFrom(...operators), part(operand), part(operand))
      .map(([operator, left, right]) => binary(operator, left, right))
  const unary = (operator: '-' | '!'): fc.Arbitrary<Tree> =>
    part(type).map((operand): Tree => ({ kind: 'unary', operator, operand }))
  const orUnit = fc
    .tuple(treesOf('unit', 0), treesOf(type, depth - 1))
    .map(([unit, right]) => binary('??', unit, right))
  switch (type) {
    case 'integer':
      return fc.oneof(leaf, unary('-'), two(ARITHMETIC.flat(), type), two(['&', '|', '^'], type))
    case 'float':
      return fc.oneof(leaf, unary('-'), two(['+', '-', '*', '/', '%'], type), orUnit)
    case 'string':
      return fc.oneof(leaf, two(['+', '-'], type), orUnit)
    default: {
      const conditions = fc
        .tuple(fc.constantFrom('&&', '||'), treesOf(type, depth - 1), treesOf(type, depth - 1))
        .map(([operator, left, right]) => binary(operator, left, right))
      const comparisons = fc.oneof(
        ...types.map((operand) => two([...LEVELS[2]!, ...LEVELS[3]!], operand)),
      )
      return fc.oneof(leaf, unary('!'), conditions, comparisons, two(['&', '|', '^'], type))
    }
  }
}

/** Returns `kind text` of a value, or the kind of its fault. */
function shown(evaluate: () => Value): string {
  try {
    const value = evaluate()
    if (Object.is(value, -0)) return 'number -0'
    return `${typeof value} ${value}`
  } catch (error) {
    if (error instanceof Refused) return error.fault
    if (error instanceof ScriptFault) return error.kind
    throw error
  }
}

it('an expression has the value, or the fault, that a naive evaluator finds', () => {
  const types: readonly Type[] = ['integer', 'float', 'boolean', 'string']
  const seen = { values: 0, faults: 0 }
  fc.assert(
    fc.property(fc.oneof(...types.map((type) => treesOf(type, 4))), (tree) => {
      const text = textOf(tree)
      const expected = shown(() => naive(tree))
      seen[expected.startsWith('Error') ? 'faults' : 'values']++
      expect([text, shown(() => compileScript(text).run([], () => undefined))]).toEqual([
        text,
        expected,
      ])
    }),
    { numRuns: 400 },
  )
  expect(Math.min(seen.values, seen.faults)).toBeGreaterThan(20)
})

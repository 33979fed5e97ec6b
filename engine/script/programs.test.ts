// Random programs, compared with a naive interpreter: loops, jumps, scopes, faults; and that a run
// ends within its budget.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ScriptFault } from './language/faults.ts'
import { STEPS_PAUSE } from './language/limits.ts'
import { compileScript } from './script.ts'

const NAMES = ['a', 'b', 'c'] as const
type Name = (typeof NAMES)[number]
type State = { [name in Name]: bigint }

type Operand = Name | number
type Condition = readonly [left: Operand, operator: '<' | '==', right: Operand]
type Statement =
  | { readonly kind: 'assign'; readonly to: Name; readonly operator: string; readonly by: Operand }
  | { readonly kind: 'shadow'; readonly name: Name; readonly body: readonly Statement[] }
  | {
      readonly kind: 'if' | 'while'
      readonly condition: Condition
      readonly body: readonly Statement[]
    }
  | { readonly kind: 'for'; readonly count: number; readonly body: readonly Statement[] }
  | { readonly kind: 'try'; readonly body: readonly Statement[]; readonly caught: Name }
  | { readonly kind: 'break' | 'continue' | 'return' | 'throw' }

/** How a statement ended; null: normally. */
type Ending = 'break' | 'continue' | 'return' | null

/** An exception of the naive interpreter. */
class Stop extends Error {
  readonly reason: 'thrown' | 'overflow' | 'endless'
  constructor(reason: Stop['reason']) {
    super(reason)
    this.reason = reason
  }
}

/** Iterations after which the naive interpreter gives up: more than the budget allows. */
const ITERATIONS_MAX = 2 * STEPS_PAUSE
const I64_END = 2n ** 63n

class Naive {
  state: State = { a: 1n, b: 2n, c: 3n }
  iterations = 0

  run(statements: readonly Statement[]): Ending {
    for (const statement of statements) {
      const ending = this.#statement(statement)
      if (ending !== null) return ending
    }
    return null
  }

  #statement(statement: Statement): Ending {
    switch (statement.kind) {
      case 'assign':
        this.#assign(statement.to, statement.operator, this.#value(statement.by))
        return null
      case 'shadow': {
        const outer = this.state[statement.name]
        this.state[statement.name] = 0n
        try {
          return this.run(statement.body)
        } finally {
          this.state[statement.name] = outer
        }
      }
      case 'if':
        return this.#holds(statement.condition) ? this.run(statement.body) : null
      case 'while':
        return this.#loop(() => this.#holds(statement.condition), statement.body)
      case 'for': {
        let left = statement.count
        return this.#loop(() => left-- > 0, statement.body)
      }
      case 'try':
        return this.#try(statement.body, statement.caught)
      case 'throw':
        throw new Stop('thrown')
      default:
        return statement.kind
    }
  }

  #loop(goesOn: () => boolean, body: readonly Statement[]): Ending {
    while (goesOn()) {
      if (++this.iterations > ITERATIONS_MAX) throw new Stop('endless')
      const ending = this.run(body)
      if (ending === 'break') return null
      if (ending === 'return') return ending
    }
    return null
  }

  #try(body: readonly Statement[], caught: Name): Ending {
    try {
      return this.run(body)
    } catch (error) {
      if (!(error instanceof Stop) || error.reason === 'endless') throw error
      this.state[caught] = 7n
      return null
    }
  }

  #assign(to: Name, operator: string, by: bigint): void {
    const before = this.state[to]
    const value = operator === '' ? by : operator === '+' ? before + by : before * by
    if (value >= I64_END || value < -I64_END) throw new Stop('overflow')
    this.state[to] = value
  }

  #value(operand: Operand): bigint {
    return typeof operand === 'number' ? BigInt(operand) : this.state[operand]
  }

  #holds([left, operator, right]: Condition): boolean {
    const [a, b] = [this.#value(left), this.#value(right)]
    return operator === '<' ? a < b : a === b
  }
}

const blockText = (body: readonly Statement[]): string => `{ ${body.map(textOf).join(' ')} }`

function textOf(statement: Statement): string {
  switch (statement.kind) {
    case 'assign':
      return `${statement.to} ${statement.operator}= ${statement.by};`
    case 'shadow':
      return `{ let ${statement.name} = 0; ${blockText(statement.body)} }`
    case 'if':
    case 'while':
      return `${statement.kind} ${statement.condition.join(' ')} ${blockText(statement.body)}`
    case 'for':
      return `for i in 0..${statement.count} ${blockText(statement.body)}`
    case 'try':
      return `try ${blockText(statement.body)} catch { ${statement.caught} = 7; }`
    default:
      return `${statement.kind};`
  }
}

const name = fc.constantFrom(...NAMES)
const operand: fc.Arbitrary<Operand> = fc.oneof(name, fc.nat(40))
const condition: fc.Arbitrary<Condition> = fc.tuple(operand, fc.constantFrom('<', '=='), operand)
const assignment: fc.Arbitrary<Statement> = fc.record({
  kind: fc.constant('assign'),
  to: name,
  operator: fc.constantFrom('', '+', '+', '*'),
  by: operand,
})

/** Bodies of statements; `break` and `continue` occur only inside of loops. */
function bodies(depth: number, isInLoop: boolean): fc.Arbitrary<readonly Statement[]> {
  const jump = fc
    .constantFrom(...(isInLoop ? (['break', 'continue', 'throw'] as const) : ['throw' as const]))
    .map((kind): Statement => ({ kind }))
  const simple = fc.oneof({ weight: 9, arbitrary: assignment }, { weight: 1, arbitrary: jump })
  if (depth === 0) return fc.array(simple, { minLength: 1, maxLength: 3 })
  const same = bodies(depth - 1, isInLoop)
  const looped = bodies(depth - 1, true)
  const compound = fc.oneof(
    fc.record({ kind: fc.constant('shadow' as const), name, body: same }),
    fc.record({ kind: fc.constant('if' as const), condition, body: same }),
    fc.record({ kind: fc.constant('while' as const), condition, body: looped }),
    fc.record({ kind: fc.constant('for' as const), count: fc.nat(6), body: looped }),
    fc.record({ kind: fc.constant('try' as const), body: same, caught: name }),
  )
  const last = fc.constantFrom<Statement>({ kind: 'return' })
  return fc
    .tuple(
      fc.array(fc.oneof(simple, compound, compound), { minLength: 1, maxLength: 4 }),
      fc.option(last, { freq: 8 }),
    )
    .map(([all, end]) => (end === null ? all : [...all, end]))
}

/** Returns the final variables, or the reason why the naive interpreter stopped. */
function expectedOf(program: readonly Statement[]): { ending: string; iterations: number } {
  const interpreter = new Naive()
  try {
    interpreter.run(program)
    const { a, b, c } = interpreter.state
    return { ending: `${a} ${b} ${c}`, iterations: interpreter.iterations }
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    return { ending: error.reason, iterations: interpreter.iterations }
  }
}

/** Runs a program for at most two pauses. */
function actualOf(text: string): { ending: string; pauses: number } {
  const cells = NAMES.map((cell, i) => ({ name: cell, value: BigInt(i + 1), isConstant: false }))
  let pauses = 0
  try {
    compileScript(text).run(cells, () => {
      if (++pauses === 2) throw new ScriptFault('ErrorTerminated', 'budget', null)
    })
    return { ending: cells.map(({ value }) => value).join(' '), pauses }
  } catch (error) {
    if (!(error instanceof ScriptFault)) throw error
    const endings: { readonly [kind: string]: string } = {
      ErrorRuntime: 'thrown',
      ErrorArithmetic: 'overflow',
      ErrorTerminated: 'endless',
    }
    return { ending: endings[error.kind] ?? error.message, pauses }
  }
}

it('a program ends like in a naive interpreter, or when its budget is used up', () => {
  const seen = new Map<string, number>()
  fc.assert(
    fc.property(bodies(3, false), (program) => {
      const text = program.map(textOf).join('\n')
      const { ending, iterations } = expectedOf(program)
      const actual = actualOf(text)
      expect(actual.pauses).toBeLessThanOrEqual(2)
      // A loop that ends late may exceed the budget; one with few iterations must not.
      const mayExceed = iterations > STEPS_PAUSE / 100
      const isEarly = actual.ending === 'endless' && mayExceed
      expect([text, isEarly ? ending : actual.ending]).toEqual([text, ending])
      seen.set(actual.ending, (seen.get(actual.ending) ?? 0) + 1)
    }),
    { numRuns: 200 },
  )
  for (const ending of ['thrown', 'endless']) expect(seen.has(ending), ending).toBe(true)
  expect(seen.size).toBeGreaterThan(30)
})

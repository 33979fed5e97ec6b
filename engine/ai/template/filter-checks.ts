// Checks of filters that the library lacks: the number of arguments, and that arithmetic is applied
// to numbers. A template with a mistake is refused instead of interpreted.
import type { Template as Parsed } from 'liquidjs'
import { TemplateFault } from './fault.ts'
import { FILTERS } from './filters.table.ts'

/** A filter of a parsed value; named arguments are pairs. */
type UsedFilter = { readonly name: string; readonly args: readonly unknown[] }

/** Checks the filters of templates and of all blocks in them. @throws TemplateFault parsing */
export function checkFilterArguments(templates: readonly Parsed[]): void {
  for (const template of templates) {
    for (const argument of template.arguments?.() ?? []) {
      for (const filter of filtersOf(argument)) checkCount(filter)
    }
    // Without templates in other files the first step yields all children.
    const inside = template.children?.(false, true).next().value
    if (Array.isArray(inside)) checkFilterArguments(inside as Parsed[])
  }
}

/**
 * Returns the filters of a value; other arguments are tokens, or `true` for a word like `reversed`.
 */
function filtersOf(argument: unknown): readonly UsedFilter[] {
  if (typeof argument !== 'object' || argument === null || !('filters' in argument)) return []
  return argument.filters as readonly UsedFilter[]
}

function checkCount({ name, args }: UsedFilter): void {
  const filter = FILTERS[name]
  if (filter === undefined) return
  const { argumentsMin, argumentsMax } = filter
  const count = args.filter((argument) => !Array.isArray(argument)).length
  if (count < argumentsMin) throw wrongCount(name, `least ${argumentsMin}`, argumentsMin)
  if (count > argumentsMax) throw wrongCount(name, `most ${argumentsMax}`, argumentsMax)
}

const wrongCount = (name: string, bound: string, count: number): TemplateFault =>
  new TemplateFault(
    'parsing',
    `Invalid number of arguments\n  with:\n    cause=expected at ${bound} positional ` +
      `argument${count === 1 ? '' : 's'}\nfrom: Filter parsing error\n  with:\n    filter=${name} \n`,
  )

type Filter = (this: unknown, ...values: unknown[]) => unknown

/** Wraps a filter of the library so that it refuses values that are not numbers. */
export const arithmetic = (name: string, filter: Filter): Filter =>
  function (this: unknown, value: unknown, ...operands: unknown[]): unknown {
    if (!isNumber(value)) throw notANumber(name, value, 'Invalid input')
    const wrong = operands.findIndex((operand) => !isNumber(operand))
    if (wrong >= 0) throw notANumber(name, operands[wrong], 'Invalid argument')
    return filter.call(this, value, ...operands)
  }

/** Numbers, and texts that are numbers. */
const isNumber = (value: unknown): boolean =>
  typeof value === 'number' ||
  (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)))

const notANumber = (name: string, value: unknown, kind: string): TemplateFault =>
  new TemplateFault(
    'rendering',
    `${kind}\n  with:\n    cause=Number expected\nfrom: Filter error\n  with:\n` +
      `    filter=${name} : \n    input=${String(value)}\n`,
  )

/** Integers stay integers, rounded down. @throws TemplateFault rendering for a divisor of 0 */
export function dividedBy(value: unknown, by: unknown): number {
  const [number, divisor] = [Number(value), Number(by)]
  if (divisor === 0) throw zero('divided_by', "Can't divide by zero", value, by)
  const isWhole = Number.isInteger(number) && Number.isInteger(divisor)
  return isWhole ? Math.floor(number / divisor) : number / divisor
}

/** @throws TemplateFault rendering for a divisor of 0 */
export function modulo(value: unknown, by: unknown): number {
  const [number, divisor] = [Number(value), Number(by)]
  if (divisor === 0) throw zero('modulo', "Can't divide by zero", value, by)
  return ((number % divisor) + divisor) % divisor
}

const zero = (name: string, cause: string, value: unknown, by: unknown): TemplateFault =>
  new TemplateFault(
    'rendering',
    `Invalid argument\n  with:\n    argument=operand\n    cause=${cause}\n` +
      `from: Filter error\n  with:\n    filter=${name} : ${by}\n    input=${value}\n`,
  )

// Measures JSON from a client before it is sent to a thread; stops at the limit.
import { DEPTH_MAX } from '../../../format/json/index.ts'
import { TemplateFault } from './fault.ts'
import {
  INPUT_LENGTH_MAX,
  INPUT_VALUES_MAX,
  SOURCE_VALUES_MAX,
  TEXTS_LENGTH_MAX,
} from './limits.ts'

type Ceilings = { readonly subject: string; readonly valuesMax: number; readonly lengthMax: number }

const SOURCE: Ceilings = {
  subject: 'a template',
  valuesMax: SOURCE_VALUES_MAX,
  lengthMax: TEXTS_LENGTH_MAX,
}
const INPUT: Ceilings = {
  subject: 'an inline input',
  valuesMax: INPUT_VALUES_MAX,
  lengthMax: INPUT_LENGTH_MAX,
}

/** Returns the size in characters. @throws TemplateFault parsing */
export const sizeOfSource = (source: unknown): number => sizeOf(source, SOURCE, 'parsing')
/** Returns the size in characters. @throws TemplateFault rendering */
export const sizeOfInput = (input: unknown): number => sizeOf(input, INPUT, 'rendering')

function sizeOf(
  json: unknown,
  { subject, valuesMax, lengthMax }: Ceilings,
  kind: TemplateFault['kind'],
): number {
  const fail = (words: string): never => {
    throw new TemplateFault(kind, `${subject} has at most ${words}\n`)
  }
  let values = 0
  let length = 0
  const walk = (value: unknown, depth: number): void => {
    if (++values > valuesMax) fail(`${valuesMax} values`)
    const isNested = typeof value === 'object' && value !== null
    if (isNested && depth === DEPTH_MAX) fail(`${DEPTH_MAX} levels`)
    if (typeof value === 'string') length += value.length
    else if (Array.isArray(value)) for (const part of value) walk(part, depth + 1)
    else if (isNested) {
      for (const name in value) {
        length += name.length
        walk((value as { readonly [name: string]: unknown })[name], depth + 1)
      }
    }
    if (length > lengthMax) fail(`${lengthMax} characters`)
  }
  walk(json, 0)
  return length
}

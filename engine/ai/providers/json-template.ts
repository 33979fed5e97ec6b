// The templates of a provider's requests and answers: JSON with a placeholder for the text or the
// vector. An array of two or more items whose second item is `{{..}}` repeats its first item.
// Templates are validated when they are set (`engine/settings/embedders/templates.ts`).
import { editDistance } from '../../../format/fst/index.ts'
import { EmbeddingFailure } from './failure.ts'
import { TYPO_MAX } from './limits.ts'

const REPEAT = '{{..}}'

type Step = string | number
type Path = readonly Step[]

/** The location of the placeholder: in one place, or in each item of an array. */
export type JsonTemplate = {
  readonly source: unknown
  /** Path to the placeholder, or to the array that repeats. */
  readonly path: Path
  /** Path from an item of that array to the placeholder, or null if nothing repeats. */
  readonly inner: Path | null
}

/** Finds the placeholder, which must exist. */
export function compileTemplate(source: unknown, placeholder: string): JsonTemplate {
  const place = find(source, placeholder, [])
  if (place === null) throw new RangeError(`no ${placeholder} in a template that was checked`)
  return { source, ...place }
}

type Place = { readonly path: Path; readonly inner: Path | null }

function find(value: unknown, placeholder: string, path: Path): Place | null {
  if (value === placeholder) return { path, inner: null }
  if (Array.isArray(value)) {
    if (value[1] === REPEAT) {
      const inner = find(value[0], placeholder, [])
      return inner === null ? null : { path, inner: inner.path }
    }
    for (const [i, part] of value.entries()) {
      const place = find(part, placeholder, [...path, i])
      if (place !== null) return place
    }
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  for (const [name, part] of Object.entries(value)) {
    const place = find(part, placeholder, [...path, name])
    if (place !== null) return place
  }
  return null
}

/** Returns the template filled with the inputs: a single one, unless the template repeats. */
export function fillTemplate(
  { source, path, inner }: JsonTemplate,
  inputs: readonly unknown[],
): unknown {
  if (inner === null) return replaced(source, path, () => inputs[0])
  return replaced(source, path, (array) => {
    const [item, , ...others] = array as readonly unknown[]
    return [...inputs.map((input) => replaced(item, inner, () => input)), ...others]
  })
}

/** Returns a copy with another value at the path; values off the path are shared. */
function replaced(value: unknown, path: Path, make: (value: unknown) => unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return make(value)
  if (Array.isArray(value)) {
    return value.map((part, i) => (i === step ? replaced(part, rest, make) : part))
  }
  return Object.fromEntries(
    Object.entries(value as object).map(([name, part]) => {
      return [name, name === step ? replaced(part, rest, make) : part]
    }),
  )
}

const ONE = 'a single "{{embedding}}"'
const ARRAY = 'the array of "{{embedding}}"s'

/** Reads the vectors of an answer. @throws EmbeddingFailure */
export function readVectors({ path, inner }: JsonTemplate, answer: unknown): Float32Array[] {
  if (inner === null) {
    const walk = new Walk(ONE)
    return [walk.vector(walk.follow(answer, path))]
  }
  const walk = new Walk(ARRAY)
  const array = walk.follow(answer, path)
  if (!Array.isArray(array)) throw walk.notAnArray(array, 1)
  return array.map((item, i) => {
    const inside = new Walk(`item #${i} from ${ARRAY}`)
    return inside.vector(inside.follow(item, inner))
  })
}

/** Follows a path through an answer and tracks the current location for messages. */
class Walk {
  readonly #task: string
  #path = 'response'
  #name = 'response'

  constructor(task: string) {
    this.#task = task
  }

  follow(answer: unknown, path: Path): unknown {
    let value = answer
    for (const step of path) {
      value = typeof step === 'number' ? this.#item(value, step) : this.#member(value, step)
    }
    return value
  }

  #member(value: unknown, key: string): unknown {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw this.#fault(
        `configuration expects \`${this.#name}\` to be an object with key \`${key}\` ` +
          `but server sent ${described(value)}`,
      )
    }
    if (!Object.hasOwn(value, key)) {
      const near = Object.keys(value).find((name) => isNear(name, key))
      const hint =
        near === undefined
          ? ''
          : `\n  - Hint: \`${this.#name}\` has key \`${near}\`, did you mean ` +
            `\`${this.#path}.${near}\` in embedder configuration?`
      throw this.#fault(`configuration expects key "${key}", which is missing in response${hint}`)
    }
    this.#path += `.${key}`
    this.#name = key
    return (value as { readonly [name: string]: unknown })[key]
  }

  #item(value: unknown, index: number): unknown {
    if (!Array.isArray(value)) throw this.notAnArray(value, index + 1)
    if (index >= value.length) {
      throw this.#fault(`configuration expects item #${index}, which is missing in response`)
    }
    this.#path += `[${index}]`
    this.#name += `[${index}]`
    return value[index]
  }

  notAnArray(value: unknown, itemsMin: number): EmbeddingFailure {
    return this.#fault(
      `configuration expects \`${this.#name}\` to be an array with at least ${itemsMin} ` +
        `item(s) but server sent ${described(value)}`,
    )
  }

  /** @throws EmbeddingFailure unless the value is an array of finite numbers */
  vector(value: unknown): Float32Array {
    if (!Array.isArray(value)) throw this.#notNumbers(value, 'a sequence')
    const vector = new Float32Array(value.length)
    for (const [i, number] of value.entries()) {
      if (typeof number !== 'number') throw this.#notNumbers(number, 'f32')
      vector[i] = number
      // `1e999`, or beyond the range of 32-bit floats.
      if (!Number.isFinite(vector[i])) throw this.#notNumbers(number, 'a finite f32')
    }
    return vector
  }

  #notNumbers(value: unknown, expected: string): EmbeddingFailure {
    return this.#fault(
      `expected \`${this.#name}\` to be an array of numbers, but failed to parse server ` +
        `response:\n  - invalid type: ${typeNamed(value)}, expected ${expected}`,
    )
  }

  #fault(text: string): EmbeddingFailure {
    const place = `in \`${this.#path}\`, while extracting ${this.#task}`
    return new EmbeddingFailure(
      `runtime error: error extracting embeddings from the response:\n  - ${place}, ${text}`,
    )
  }
}

/** Names much longer than the expected one are not compared. */
const isNear = (name: string, wanted: string): boolean =>
  Math.abs(name.length - wanted.length) <= TYPO_MAX && editDistance(name, wanted) <= TYPO_MAX

function described(value: unknown): string {
  if (Array.isArray(value)) return `an array of size ${value.length}`
  if (typeof value === 'object' && value !== null) {
    return `an object with ${Object.keys(value).length} field(s)`
  }
  return JSON.stringify(value)
}

function typeNamed(value: unknown): string {
  if (Array.isArray(value)) return 'sequence'
  switch (typeof value) {
    case 'string':
      return `string ${JSON.stringify(value)}`
    case 'number':
      return Number.isInteger(value) ? `integer \`${value}\`` : `floating point \`${value}\``
    case 'boolean':
      return `boolean \`${value}\``
    default:
      return value === null ? 'null' : 'map'
  }
}

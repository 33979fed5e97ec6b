// Faults of the vectors of a document. Clients know these messages.
import { isInteger, kindText } from '../../../format/json/index.ts'
import { DIMENSIONS_MAX } from '../../../format/vectors/index.ts'
import { EngineFault } from '../../model/index.ts'
import { editDistance } from '../../read/filter-syntax/index.ts'

/** The document and embedder that a fault is about. */
export type VectorsPlace = { readonly id: Uint8Array; readonly name: string }

const SHAPES = 'an array of floats, an array of arrays of floats, or an object with'
const HINT_EDITS_MAX = 2

/** 1-based, relative to the value. */
const columnOf = (from: number, at: number): string => `at line 1 column ${at - from}`

const pathOf = ({ name }: VectorsPlace): string => `._vectors.${name}`

const bad = (id: Uint8Array, sentence: string): EngineFault =>
  new EngineFault(
    'invalid_vectors_type',
    `Bad embedder configuration in the document with id: \`${Buffer.from(id).toString()}\`. ` +
      sentence,
  )

export const vectorsFault = {
  noObject(id: Uint8Array, bytes: Uint8Array, from: number, to: number): EngineFault {
    const words = `invalid type: ${kindText(bytes, from, to)}, expected a map`
    return bad(id, `Could not parse \`._vectors\`: ${words} ${columnOf(from, to)}`)
  },

  notVectors(place: VectorsPlace, bytes: Uint8Array, from: number, to: number): EngineFault {
    const sentence =
      `Expected \`${pathOf(place)}\` to be ${SHAPES} at least the field \`regenerate\`, ` +
      `but got the ${plainKind(bytes, from, to)}`
    return bad(place.id, sentence)
  },

  noRegenerate(place: VectorsPlace): EngineFault {
    const path = pathOf(place)
    const note = `\n  - note: \`${path}\` must be ${SHAPES} field \`regenerate\``
    return bad(place.id, `Missing field \`${path}.regenerate\`${note}`)
  },

  badRegenerate(
    place: VectorsPlace,
    bytes: Uint8Array,
    from: number,
    start: number,
    end: number,
  ): EngineFault {
    const kind = kindText(bytes, start, end)
    const words = `invalid type: ${kind}, expected a boolean ${columnOf(from, end)}`
    return bad(place.id, `Could not parse \`${pathOf(place)}.regenerate\`: ${words}`)
  },

  /** `value`: offset of the member's value. */
  unknownMember(place: VectorsPlace, bytes: Uint8Array, from: number, value: number): EngineFault {
    const colon = bytes.lastIndexOf(0x3a, value) + 1
    const words = `trailing characters ${columnOf(from, colon)}`
    return bad(place.id, `Could not parse \`${pathOf(place)}\`: ${words}`)
  },

  wrongType(
    place: VectorsPlace,
    path: string,
    wanted: string,
    bytes: Uint8Array,
    from: number,
    to: number,
  ): EngineFault {
    const where = `${pathOf(place)}${path}`
    const found = foundKind(bytes, from, to)
    return bad(
      place.id,
      `Invalid value type at \`${where}\`: expected ${wanted}, but found ${found}`,
    )
  },

  outOfRange(place: VectorsPlace, path: string): EngineFault {
    const where = `${pathOf(place)}${path}`
    return bad(
      place.id,
      `The number at \`${where}\` is beyond the range of 32-bit floats (±3.4e38)`,
    )
  },

  dimensions(place: VectorsPlace, row: number, found: number, wanted: number): EngineFault {
    const id = Buffer.from(place.id).toString()
    const most = wanted > DIMENSIONS_MAX ? `at most ${DIMENSIONS_MAX}` : wanted
    return new EngineFault(
      'invalid_vector_dimensions',
      `Invalid vector dimensions in document with id \`${id}\` in \`${pathOf(place)}\`.` +
        `\n  - note: embedding #${row} has dimensions ${found}` +
        `\n  - note: embedder \`${place.name}\` requires ${most}`,
    )
  },
}

const textOf = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.subarray(from, to)).toString()

/** Returns a value with its type: `string `abc``, `integer `5``. */
function plainKind(bytes: Uint8Array, from: number, to: number): string {
  const text = textOf(bytes, from, to)
  if (bytes[from] === 0x22) return `string \`${JSON.parse(text)}\``
  if (bytes[from] === 0x74 || bytes[from] === 0x66) return `boolean \`${text}\``
  return `${isInteger(bytes, from, to) ? 'integer' : 'float'} \`${text}\``
}

/** Returns a value with its type: `a string: `"a"``, `null`. */
function foundKind(bytes: Uint8Array, from: number, to: number): string {
  const text = textOf(bytes, from, to)
  switch (bytes[from]) {
    case 0x6e:
      return 'null'
    case 0x22:
      return `a string: \`${text}\``
    case 0x5b:
      return `an array: \`${text}\``
    case 0x7b:
      return `an object: \`${text}\``
    case 0x74:
    case 0x66:
      return `a boolean: \`${text}\``
    default:
  }
  if (!isInteger(bytes, from, to)) return `a number: \`${text}\``
  return `a ${text.startsWith('-') ? 'negative' : 'positive'} integer: \`${text}\``
}

/** Counts names in documents that resemble expected ones. */
export class NameHints {
  readonly #counts = new Map<string, number>()

  /** Counts names. `fields`: top-level names; `embedders`: names under `_vectors`. */
  count(fields: Iterable<string>, embedders: readonly string[]): void {
    for (const field of fields) {
      if (field === '_vectors' || editDistance(field, '_vectors') > HINT_EDITS_MAX) continue
      this.#count(field)
    }
    for (const name of embedders) this.#count(`_vectors.${name}`)
  }

  /** Returns hints for an embedder, one per line; '' if no name is similar. */
  textFor(embedder: string): string {
    const lines: string[] = []
    for (const [name, documents] of this.#counts) {
      const wanted = name.startsWith('_vectors.') ? `_vectors.${embedder}` : '_vectors'
      if (editDistance(name, wanted) > HINT_EDITS_MAX) continue
      lines.push(
        `\n- Hint: try replacing \`${name}\` by \`${wanted}\` in ${documents} document(s).`,
      )
    }
    return lines.join('')
  }

  #count(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }
}

/**
 * Returns the fault of a document without required vectors. @param others number of further such
 * documents
 */
export function noVectorsFault(
  embedder: string,
  id: string,
  others: number,
  hints: string,
): EngineFault {
  const more = others === 0 ? '' : ` and at least ${others} other document(s)`
  const hint =
    hints === '' ? `\n- Hint: opt-out for a document with \`_vectors.${embedder}: null\`` : hints
  return new EngineFault(
    'vector_embedding_error',
    `While embedding documents for embedder \`${embedder}\`: ` +
      `no vectors provided for document \`${id}\`${more}` +
      `\n- Note: \`${embedder}\` has \`source: userProvided\`, so documents must provide ` +
      `embeddings as an array in \`_vectors.${embedder}\`.${hint}`,
  )
}

// Query strings: decoding, and parameters as typed values. Parameters are read in the order of the
// URL, every one is checked, the first fault is reported, and the last value of a repeated
// parameter counts.
import { exactDecoder } from '../../../format/bytes/index.ts'
import * as json from '../../../format/schema/index.ts'
import { ApiError, type ErrorCode } from '../../errors/index.ts'
import { PARAMETERS_MAX, QUERY_ELEMENTS_MAX } from './limits.ts'
import { type JsonSchema, schemaOf, withSchema } from './reader-schemas.ts'
import { ratioReason, tooLarge } from './schemas.ts'
import { outOf, queryError, ValidationError } from './validation-error.ts'

/** Reads the decoded value of a parameter. @throws ValidationError */
export type ParameterReader<T> = (raw: string) => T

export type Parameter<T> = {
  readonly read: ParameterReader<T>
  readonly code: ErrorCode
  /** Value of an absent parameter. */
  readonly absent: T
}

export const parameter = <T>(
  read: ParameterReader<T>,
  code: ErrorCode,
  absent: T,
): Parameter<T> => ({
  read,
  code,
  absent,
})

export type ParametersOf<T> = { readonly [K in keyof T]-?: Parameter<T[K]> }

/** A parameter in descriptions of the API. */
export type DescribedParameter = {
  readonly name: string
  /** With the default, if absence does not mean null. */
  readonly schema: JsonSchema
  readonly code: ErrorCode
}

/** Reads a query string without its `?` to typed values. @throws ApiError */
export interface QueryReader<T> {
  (query: string): T
  /** In the order in which messages list them. */
  readonly parameters: () => readonly DescribedParameter[]
}

/**
 * Returns the reader for these parameters, in the order in which messages list them. Messages do
 * not offer `unlisted` ones, nor those of `aside`, which are in the result only if they were sent.
 */
export function query<T extends object>(
  parameters: ParametersOf<T>,
  unlisted?: readonly string[],
): QueryReader<T>
export function query<T extends object, A extends object>(
  parameters: ParametersOf<T>,
  unlisted: readonly string[],
  aside: ParametersOf<A>,
): QueryReader<T & Partial<A>>
export function query<T extends object>(
  parameters: ParametersOf<T>,
  unlisted: readonly string[] = [],
  aside: { readonly [name: string]: Parameter<unknown> } = {},
): QueryReader<T> {
  const listed = Object.entries(parameters) as [string, Parameter<unknown>][]
  const byName = new Map([...listed, ...Object.entries(aside)])
  const names = listed.map(([name]) => name).filter((name) => !unlisted.includes(name))
  const defaults: { [name: string]: unknown } = {}
  for (const [name, { absent }] of listed) defaults[name] = absent
  let lists: ReadonlySet<string> | null = null
  const read = (text: string): T => {
    // A shorter text cannot contain too many elements.
    const mayBeLong = text.length > QUERY_ELEMENTS_MAX
    if (mayBeLong) lists ??= listsOf(byName)
    let elements = 0
    const out = { ...defaults }
    for (const [name, raw] of pairsOf(text)) {
      const known = byName.get(name)
      try {
        if (known === undefined) {
          throw new ValidationError({ kind: 'unknown field', field: name, accepted: names })
        }
        if (mayBeLong && lists!.has(name)) elements = withElementsOf(raw, elements)
        out[name] = known.read(raw)
      } catch (error) {
        const failure = known === undefined ? error : outOf(error, name, known.code)
        throw failure instanceof ValidationError ? queryError(failure) : failure
      }
    }
    return out as T
  }
  return Object.assign(read, { parameters: () => schemasOf(byName) })
}

/** The same parameters; `finish` checks or changes the values, and may read the text. */
export const finishedQuery = <T, R>(
  reader: QueryReader<T>,
  finish: (found: T, text: string) => R,
): QueryReader<R> =>
  Object.assign((text: string) => finish(reader(text), text), { parameters: reader.parameters })

/** Returns the names of the parameters that are lists. */
const listsOf = (parameters: ReadonlyMap<string, Parameter<unknown>>): ReadonlySet<string> =>
  new Set(
    schemasOf(parameters)
      .filter(({ schema }) => schema['type'] === 'array')
      .map(({ name }) => name),
  )

/**
 * Returns the number of elements so far, including those of one more list. @throws ApiError if
 * there are too many
 */
function withElementsOf(raw: string, before: number): number {
  let elements = before + 1
  for (let at = raw.indexOf(','); at >= 0; at = raw.indexOf(',', at + 1)) elements++
  if (elements <= QUERY_ELEMENTS_MAX) return elements
  const message = `Too many elements in the lists of a query string (limit: ${QUERY_ELEMENTS_MAX})`
  throw new ApiError('bad_request', message)
}

const schemasOf = (parameters: ReadonlyMap<string, Parameter<unknown>>): DescribedParameter[] =>
  [...parameters].map(([name, { read, code, absent }]) => {
    const schema = schemaOf(read)
    return { name, schema: absent === null ? schema : { ...schema, default: absent }, code }
  })

/**
 * Returns names and values in order, one by one, so that nothing after a faulty parameter is
 * decoded. Empty segments are skipped; a name without `=` has the empty value. @throws ApiError if
 * there are too many
 */
export function* pairsOf(query: string): Generator<[name: string, value: string], void, undefined> {
  let count = 0
  for (let from = 0; from < query.length; ) {
    const ampersand = query.indexOf('&', from)
    const end = ampersand < 0 ? query.length : ampersand
    const segment = query.slice(from, end)
    from = end + 1
    if (segment === '') continue
    if (++count > PARAMETERS_MAX) {
      throw new ApiError('bad_request', `Too many parameters (limit: ${PARAMETERS_MAX})`)
    }
    const equals = segment.indexOf('=')
    if (equals < 0) yield [decodeComponent(segment), '']
    else
      yield [decodeComponent(segment.slice(0, equals)), decodeComponent(segment.slice(equals + 1))]
  }
}

/** `+` means a blank; invalid escapes stay unchanged; bytes that are not UTF-8 become U+FFFD. */
function decodeComponent(raw: string): string {
  const spaced = raw.includes('+') ? raw.replaceAll('+', ' ') : raw
  return decodePercent(spaced)
}

/** Decodes percent escapes only, as in paths. */
export function decodePercent(raw: string): string {
  if (!raw.includes('%')) return raw
  try {
    return decodeURIComponent(raw)
  } catch (error) {
    // An invalid escape, or bytes that are not UTF-8.
    if (!(error instanceof URIError)) throw error
    return decodeLeniently(raw)
  }
}

const ESCAPES = /(?:%[0-9a-fA-F]{2})+/g

/** Adjacent escapes are decoded together, because a character may span several. */
const decodeLeniently = (raw: string): string =>
  raw.replace(ESCAPES, (escapes) => {
    const bytes = new Uint8Array(escapes.length / 3)
    for (let i = 0; i < bytes.length; i++) {
      bytes[i] = Number.parseInt(escapes.slice(3 * i + 1, 3 * i + 3), 16)
    }
    return exactDecoder.decode(bytes)
  })

const invalid = (reason: string): ValidationError =>
  new ValidationError({ kind: 'invalid', reason })

export const rawText: ParameterReader<string> = withSchema(
  (raw) => raw,
  () => json.text,
)

export const rawFlag: ParameterReader<boolean> = withSchema(
  (raw) => {
    if (raw === 'true') return true
    if (raw === 'false') return false
    throw invalid(`could not parse \`${raw}\` as a boolean, expected either \`true\` or \`false\``)
  },
  () => json.flag,
)

const DIGITS = /^\+?\d+$/
const U64_MAX = 18446744073709551615n
const SAFE_DIGITS = 15
const U64_DIGITS = 20
const U32_MAX = 4294967295

/**
 * Reads a decimal unsigned 64-bit integer, with an optional `+`, or returns null. Beyond 2^53 it is
 * rounded.
 */
const decimalOf = (raw: string): number | null => {
  if (!DIGITS.test(raw)) return null
  if (raw.length <= SAFE_DIGITS) return Number(raw)
  const digits = raw.replace(/^\+?0*/, '')
  if (digits.length > U64_DIGITS) return null
  return BigInt(digits) <= U64_MAX ? Number(digits) : null
}

export const rawCount: ParameterReader<number> = withSchema(
  (raw) => {
    const found = decimalOf(raw)
    if (found === null) throw invalid(`could not parse \`${raw}\` as a positive integer`)
    return found
  },
  () => json.count,
)

/** A count with an upper bound. */
export const rawCountUpTo = (max: number): ParameterReader<number> =>
  withSchema(
    (raw) => {
      const found = rawCount(raw)
      if (found <= max) return found
      throw tooLarge(found, max)
    },
    () => json.countBetween(0, max),
  )

/** Reads an unsigned 32-bit integer, or returns null. */
export const u32Of = (raw: string): number | null => {
  const found = decimalOf(raw)
  return found === null || found > U32_MAX ? null : found
}

export const rawU32: ParameterReader<number> = withSchema(
  (raw) => {
    const found = u32Of(raw)
    if (found === null) throw invalid(`could not parse \`${raw}\` as a positive integer`)
    return found
  },
  () => json.countBetween(0, U32_MAX),
)

const FLOAT = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf|infinity|nan)$/i

/**
 * Reads a float in the syntax of programming languages, `inf` and `NaN` included, or returns null.
 */
export const floatOf = (raw: string): number | null => {
  if (!FLOAT.test(raw)) return null
  const lower = raw.toLowerCase()
  if (lower.endsWith('nan')) return Number.NaN
  if (lower.includes('inf')) {
    return lower.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  }
  return Number(raw)
}

/** Reads a float from 0 to 1; other values all have the same message. */
export const rawRatio = (name: string): ParameterReader<number> =>
  withSchema(
    (raw) => {
      const found = floatOf(raw)
      if (found !== null && found >= 0 && found <= 1) return found
      throw invalid(ratioReason(name))
    },
    () => json.ratio,
  )

export const rawOneOf = <W extends string>(words: readonly W[]): ParameterReader<W> =>
  withSchema(
    (raw) => {
      if ((words as readonly string[]).includes(raw)) return raw as W
      throw new ValidationError({ kind: 'unknown value', value: raw, accepted: words })
    },
    () => json.oneOf(words),
  )

/** Returns the non-empty pieces between commas. */
export const pieces = (raw: string): string[] => raw.split(',').filter((piece) => piece !== '')

export const rawTexts: ParameterReader<readonly string[]> = withSchema(pieces, () => json.texts)

/** Reads a comma list; if there are several elements, faults give their position. */
export const rawList = <T>(read: ParameterReader<T>): ParameterReader<readonly T[]> =>
  withSchema(
    (raw) => {
      const parts = pieces(raw)
      let i = 0
      try {
        return parts.map((part, index) => {
          i = index
          return read(part)
        })
      } catch (error) {
        throw parts.length > 1 ? outOf(error, i, null) : error
      }
    },
    () => ({ type: 'array', items: schemaOf(read) }),
  )

// Validators for parts of a JSON body. A kind takes a value and returns it typed, or throws a
// Misfit. Kinds are put together once, at load; reading a body allocates nothing but its result.
import { compareText } from '../../format/bytes/index.ts'
import type { ErrorCode } from '../errors/index.ts'
import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type KindName,
  membersOf,
  plain,
  WholeFloat,
} from './json-value.ts'
import { FILTER_CHARACTERS_MAX, FILTER_VALUES_MAX } from './limits.ts'
import { Misfit, outOf } from './misfit.ts'
import { orNull, type Shape, shaped, shapeOf } from './shape.ts'

/** @throws Misfit */
export type Kind<T> = (value: Json) => T

const typeMisfit = (found: Json, ...accepted: KindName[]): Misfit =>
  new Misfit({ kind: 'type', accepted, found })

/** Refuses a value of the right type; `reason` ends the sentence. */
export const invalid = (reason: string): Misfit => new Misfit({ kind: 'invalid', reason })

/** A kind with its place in a description of the API. */
const kindOf = <T>(shape: () => Shape, kind: Kind<T>): Kind<T> => shaped(kind, shape)

const COUNT = { type: 'integer', minimum: 0 } as const

export const text: Kind<string> = kindOf(
  () => ({ type: 'string' }),
  (value) => {
    if (typeof value === 'string') return value
    throw typeMisfit(value, 'a string')
  },
)

export const flag: Kind<boolean> = kindOf(
  () => ({ type: 'boolean' }),
  (value) => {
    if (typeof value === 'boolean') return value
    throw typeMisfit(value, 'a boolean')
  },
)

/** An integer of 64 bits without sign; beyond 2^53 it is rounded. */
export const count: Kind<number> = kindOf(
  () => COUNT,
  (value) => {
    if (typeof value === 'number' && value >= 0 && Number.isInteger(value)) return value
    if (typeof value === 'bigint' && value >= 0n) return Number(value)
    throw typeMisfit(value, 'a positive integer')
  },
)

/** A count with an upper bound. */
export const countUpTo = (max: number): Kind<number> =>
  kindOf(
    () => ({ ...COUNT, maximum: max }),
    (value) => {
      const found = count(value)
      if (found <= max) return found
      throw invalid(
        `value: \`${found}\` is too large to be deserialized, ` +
          `maximum value authorized is \`${max}\``,
      )
    },
  )

/** A count that is not zero. */
export const positiveCount: Kind<number> = kindOf(
  () => ({ ...COUNT, minimum: 1 }),
  (value) => {
    const found = count(value)
    if (found > 0) return found
    throw invalid(
      'a non-zero integer value lower than `18446744073709551615` was expected, but found a zero',
    )
  },
)

export const float: Kind<number> = kindOf(
  () => ({ type: 'number' }),
  (value) => {
    if (typeof value === 'number') return value
    if (typeof value === 'bigint') return Number(value)
    if (value instanceof WholeFloat) return value.value
    throw typeMisfit(value, 'a positive integer', 'a negative integer', 'a number')
  },
)

/** A float from 0 to 1. `name` is how the message calls it. */
export const ratio = (name: string): Kind<number> =>
  kindOf(
    () => RATIO,
    (value) => {
      const found = float(value)
      if (found >= 0 && found <= 1) return found
      throw invalid(ratioReason(name))
    },
  )

export const RATIO = { type: 'number', minimum: 0, maximum: 1 } as const

export const ratioReason = (name: string): string =>
  `the value of \`${name}\` is invalid, expected a float between \`0.0\` and \`1.0\`.`

/** Any JSON at all, as ordinary data. */
export const anything: Kind<unknown> = plain

/**
 * A filter for a search, which any JSON may be: as ordinary data, and a large one as the bytes of
 * its JSON text. A request goes to a search thread, and bytes are copied in no time.
 */
export const searchFilter: Kind<unknown> = (value) => {
  const filter = plain(value)
  const isLarge =
    typeof filter === 'string' ? filter.length > FILTER_CHARACTERS_MAX : hasManyValues(filter)
  return isLarge ? utf8.encode(JSON.stringify(filter)) : filter
}

const utf8 = new TextEncoder()

const hasManyValues = (filter: unknown): boolean => {
  let left = FILTER_VALUES_MAX
  const count = (value: unknown): void => {
    left--
    if (left < 0 || typeof value !== 'object' || value === null) return
    for (const inner of Object.values(value)) count(inner)
  }
  count(filter)
  return left < 0
}

/** Any JSON at all, as it was written. */
export const exactly: Kind<Json> = (value) => value

/** One of a few words. */
export const oneOf = <W extends string>(words: readonly W[]): Kind<W> =>
  kindOf(
    () => ({ type: 'string', enum: words }),
    (value) => {
      const found = text(value)
      if ((words as readonly string[]).includes(found)) return found as W
      throw new Misfit({ kind: 'unknown value', value: found, accepted: words })
    },
  )

export const nullable = <T>(kind: Kind<T>): Kind<T | null> =>
  kindOf(
    () => orNull(shapeOf(kind)),
    (value) => (value === null ? null : kind(value)),
  )

export const list = <T>(kind: Kind<T>): Kind<readonly T[]> =>
  kindOf(
    () => ({ type: 'array', items: shapeOf(kind) }),
    (value) => {
      if (!isJsonArray(value)) throw typeMisfit(value, 'an array')
      // Without a length given ahead: V8 copies arrays that may have holes to a thread as objects,
      // ten times slower.
      const elements: T[] = []
      let i = 0
      try {
        for (; i < value.length; i++) elements.push(kind(value[i]!))
      } catch (error) {
        throw outOf(error, i, null)
      }
      return elements
    },
  )

/** A list of at most `max` elements, refused before any of them is read. */
export const listUpTo = <T>(max: number, what: string, kind: Kind<T>): Kind<readonly T[]> => {
  const whole = list(kind)
  return kindOf(
    () => ({ ...shapeOf(whole), maxItems: max }),
    (value) => {
      if (!isJsonArray(value) || value.length <= max) return whole(value)
      throw invalid(`at most \`${max}\` ${what} are accepted, but found \`${value.length}\``)
    },
  )
}

export const texts: Kind<readonly string[]> = list(text)

/** A list whose order and repeats do not matter: distinct, in byte order. */
export const textSet: Kind<readonly string[]> = kindOf(
  () => shapeOf(texts),
  (value) => [...new Set(texts(value))].sort(compareText),
)

/** An object with any names, in byte order of the names. */
export const mapOf = <T>(kind: Kind<T>): Kind<{ readonly [name: string]: T }> =>
  kindOf(
    () => ({ type: 'object', additionalProperties: shapeOf(kind) }),
    (value) => {
      if (!isJsonObject(value)) throw typeMisfit(value, 'an object')
      const entries: [string, T][] = []
      let at = ''
      try {
        for (const name of membersOf(value)) {
          at = name
          entries.push([name, kind(value[name]!)])
        }
      } catch (error) {
        throw outOf(error, at, null)
      }
      entries.sort(([a], [b]) => compareText(a, b))
      return Object.fromEntries(entries)
    },
  )

/** A kind whose result passes a further check, which may change it. @throws Misfit from `check` */
export const checked = <A, B>(kind: Kind<A>, check: (found: A) => B): Kind<B> =>
  kindOf(
    () => shapeOf(kind),
    (value) => check(kind(value)),
  )

/** A member: what it holds, the code of faults in it, and what stands for it when it is absent. */
export type Member<T> = {
  readonly kind: Kind<T>
  /** null: faults in it take the code of the object around it. */
  readonly code: ErrorCode | null
  readonly absent: { readonly value: T } | { readonly missing: ErrorCode | null }
}

export const member = <T>(kind: Kind<T>, code: ErrorCode | null, value: T): Member<T> => ({
  kind,
  code,
  absent: { value },
})

/**
 * A member that must be there; `missing` is the code when it is not (null: that of the object
 * around it).
 */
export const required = <T>(
  kind: Kind<T>,
  code: ErrorCode | null,
  missing: ErrorCode | null = null,
): Member<T> => ({ kind, code, absent: { missing } })

export type MembersOf<T> = { readonly [K in keyof T]-?: Member<T[K]> }

export type ObjectOptions = {
  /** Members that are not known are passed over. */
  readonly ignoreUnknown?: boolean
  /** Known members that may not be written, with their codes. */
  readonly immutable?: { readonly [name: string]: ErrorCode }
  /** Known members that messages do not offer. */
  readonly unlisted?: readonly string[]
}

type Spec = {
  readonly byName: ReadonlyMap<string, Member<unknown>>
  readonly names: readonly string[]
  readonly ignoreUnknown: boolean
  readonly immutable: { readonly [name: string]: ErrorCode }
  readonly unlisted: readonly string[]
}

const specOf = (members: object, options: ObjectOptions): Spec => ({
  byName: new Map(Object.entries(members) as [string, Member<unknown>][]),
  names: Object.keys(members),
  ignoreUnknown: options.ignoreUnknown ?? false,
  immutable: options.immutable ?? {},
  unlisted: options.unlisted ?? [],
})

/**
 * Reads the members that are there into `out`, in the order in which they were sent: the first
 * fault counts.
 */
const readMembers = (spec: Spec, value: Json, out: { [name: string]: unknown }): void => {
  if (!isJsonObject(value)) throw typeMisfit(value, 'an object')
  for (const name of membersOf(value)) {
    const known = spec.byName.get(name)
    if (known === undefined) {
      if (spec.ignoreUnknown) continue
      throw unknownMember(spec, name)
    }
    try {
      out[name] = known.kind(value[name]!)
    } catch (error) {
      throw outOf(error, name, known.code)
    }
  }
}

const unknownMember = (spec: Spec, name: string): Misfit => {
  const accepted = spec.names.filter((known) => !spec.unlisted.includes(known))
  const immutable = Object.hasOwn(spec.immutable, name) ? spec.immutable[name] : undefined
  if (immutable !== undefined) {
    return new Misfit({ kind: 'immutable', field: name, accepted }, immutable)
  }
  return new Misfit({ kind: 'unknown field', field: name, accepted })
}

/**
 * An object with every member in place, in the declared order: what was sent, or what stands for
 * it.
 */
export function object<T extends object>(
  members: MembersOf<T>,
  options: ObjectOptions = {},
): Kind<T> {
  const spec = specOf(members, options)
  const defaults: { [name: string]: unknown } = {}
  const mustBeThere: [string, ErrorCode | null][] = []
  for (const [name, { absent }] of spec.byName) {
    defaults[name] = 'value' in absent ? absent.value : undefined
    if ('missing' in absent) mustBeThere.push([name, absent.missing])
  }
  const required = mustBeThere.map(([name]) => name)
  return kindOf(
    () => shapeOfSpec(spec, required),
    (value) => {
      const out = { ...defaults }
      readMembers(spec, value, out)
      for (const [name, code] of mustBeThere) {
        if (out[name] === undefined) throw new Misfit({ kind: 'missing', field: name }, code)
      }
      return out as T
    },
  )
}

type Parts<T> = { readonly [K in keyof T]-?: Kind<Exclude<T[K], undefined>> }

/**
 * An object of which any part may be left out: the result has the members that were sent, in the
 * declared order. `codes` names the code of each member's faults; null: that of the object around
 * it.
 */
export function partial<T extends object>(
  parts: Parts<T>,
  codes: { readonly [K in keyof T]: ErrorCode } | null = null,
  options: ObjectOptions = {},
): Kind<T> {
  const members = Object.entries(parts).map(([name, kind]) => {
    const code = codes === null ? null : codes[name as keyof T]
    return [name, { kind, code, absent: { missing: null } }] as const
  })
  const spec = specOf(Object.fromEntries(members), options)
  return kindOf(
    () => shapeOfSpec(spec, []),
    (value) => {
      const given: { [name: string]: unknown } = {}
      readMembers(spec, value, given)
      const out: { [name: string]: unknown } = {}
      for (const name of spec.names) if (given[name] !== undefined) out[name] = given[name]
      return out as T
    },
  )
}

function shapeOfSpec({ byName, ignoreUnknown }: Spec, required: readonly string[]): Shape {
  const properties = [...byName].map(([name, { kind }]) => [name, shapeOf(kind)])
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    ...(ignoreUnknown ? {} : { additionalProperties: false }),
  }
}

export type { Json, JsonObject }

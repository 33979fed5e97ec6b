// Schemas of objects in a JSON body: their members, the codes of faults in them, and the defaults
// of absent ones.
import * as json from '../../../format/schema/index.ts'
import type { ErrorCode } from '../../errors/index.ts'
import { isJsonObject, type Json, membersOf } from './json-value.ts'
import { type Read, readable, readerOf, type Schema, typeError } from './schemas.ts'
import { outOf, ValidationError } from './validation-error.ts'

/** A member: its schema, the code of faults in it, and its default. */
export type Member<T> = {
  readonly schema: Schema<T>
  /** null: faults have the code of the enclosing object. */
  readonly code: ErrorCode | null
  readonly absent: { readonly value: T } | { readonly missing: ErrorCode | null }
}

export const member = <T>(schema: Schema<T>, code: ErrorCode | null, value: T): Member<T> => ({
  schema,
  code,
  absent: { value },
})

/**
 * A required member; `missing` is the code if it is absent (null: that of the enclosing object).
 */
export const required = <T>(
  schema: Schema<T>,
  code: ErrorCode | null,
  missing: ErrorCode | null = null,
): Member<T> => ({ schema, code, absent: { missing } })

export type MembersOf<T> = { readonly [K in keyof T]-?: Member<T[K]> }

export type ObjectOptions = {
  /** True if unknown members are ignored. */
  readonly ignoreUnknown?: boolean
  /** Known members that may not be written, with their codes. */
  readonly immutable?: { readonly [name: string]: ErrorCode }
  /** Known members that messages do not list. */
  readonly unlisted?: readonly string[]
}

/** Members that messages do not list, and that are in the result only if they were sent. */
export type Aside<A> = ObjectOptions & { readonly aside: MembersOf<A> }

/** Names and members, in the declared order. */
type Members = readonly (readonly [name: string, member: Member<unknown>])[]

type Spec = {
  readonly byName: ReadonlyMap<
    string,
    Pick<Member<unknown>, 'code'> & { readonly read: Read<unknown> }
  >
  readonly names: readonly string[]
  readonly ignoreUnknown: boolean
  readonly immutable: { readonly [name: string]: ErrorCode }
  readonly unlisted: readonly string[]
}

const specOf = (members: Members, options: ObjectOptions): Spec => ({
  byName: new Map(
    members.map(([name, { schema, code }]) => [name, { read: readerOf(schema), code }]),
  ),
  names: members.map(([name]) => name),
  ignoreUnknown: options.ignoreUnknown ?? false,
  immutable: options.immutable ?? {},
  unlisted: options.unlisted ?? [],
})

/**
 * Reads the present members into `out` in the order of the body, so that the first fault is
 * reported.
 */
const readMembers = (spec: Spec, value: Json, out: { [name: string]: unknown }): void => {
  if (!isJsonObject(value)) throw typeError(value, 'an object')
  for (const name of membersOf(value)) {
    const known = spec.byName.get(name)
    if (known === undefined) {
      if (spec.ignoreUnknown) continue
      throw unknownMember(spec, name)
    }
    try {
      out[name] = known.read(value[name]!)
    } catch (error) {
      throw outOf(error, name, known.code)
    }
  }
}

const unknownMember = (spec: Spec, name: string): ValidationError => {
  const accepted = spec.names.filter((known) => !spec.unlisted.includes(known))
  const immutable = Object.hasOwn(spec.immutable, name) ? spec.immutable[name] : undefined
  if (immutable !== undefined) {
    return new ValidationError({ kind: 'immutable', field: name, accepted }, immutable)
  }
  return new ValidationError({ kind: 'unknown field', field: name, accepted })
}

/** An object with all members in the declared order: the sent value, or the default. */
export function object<T extends object>(members: MembersOf<T>, options?: ObjectOptions): Schema<T>
export function object<T extends object, A extends object>(
  members: MembersOf<T>,
  options: Aside<A>,
): Schema<T & Partial<A>>
export function object<T extends object>(
  members: MembersOf<T>,
  options: ObjectOptions & Partial<Aside<object>> = {},
): Schema<T> {
  const all = Object.entries(members) as [string, Member<unknown>][]
  const aside = Object.entries(options.aside ?? {}) as [string, Member<unknown>][]
  const unlisted = [...(options.unlisted ?? []), ...aside.map(([name]) => name)]
  const spec = specOf([...all, ...aside], { ...options, unlisted })
  const defaults: { [name: string]: unknown } = {}
  const mustBeThere: [string, ErrorCode | null][] = []
  for (const [name, { absent }] of all) {
    defaults[name] = 'value' in absent ? absent.value : undefined
    if ('missing' in absent) mustBeThere.push([name, absent.missing])
  }
  const required = mustBeThere.map(([name]) => name)
  return readable(describedObject([...all, ...aside], required, options), (value) => {
    const out = { ...defaults }
    readMembers(spec, value, out)
    for (const [name, code] of mustBeThere) {
      if (out[name] === undefined) throw new ValidationError({ kind: 'missing', field: name }, code)
    }
    return out as T
  })
}

type Parts<T> = { readonly [K in keyof T]-?: Schema<Exclude<T[K], undefined>> }

/**
 * An object with optional members, apart from those of `options.required`: the result has the sent
 * ones, in the declared order. `codes` has the code of each member's faults; null: that of the
 * enclosing object.
 */
export function partial<T extends object>(
  parts: Parts<T>,
  codes: { readonly [K in keyof T]: ErrorCode } | null = null,
  options: ObjectOptions & { readonly required?: readonly (keyof T & string)[] } = {},
): Schema<T> {
  const needed = options.required ?? []
  const members = (Object.entries(parts) as [string, Schema<unknown>][]).map(([name, schema]) => {
    const code = codes === null ? null : codes[name as keyof T]
    return [name, required(schema, code)] as const
  })
  const spec = specOf(members, options)
  return readable(describedObject(members, needed, options), (value) => {
    const present: { [name: string]: unknown } = {}
    readMembers(spec, value, present)
    const missing = needed.find((name) => present[name] === undefined)
    if (missing !== undefined) throw new ValidationError({ kind: 'missing', field: missing })
    const out: { [name: string]: unknown } = {}
    for (const name of spec.names) if (present[name] !== undefined) out[name] = present[name]
    return out as T
  })
}

/** Adds the default and the code to a schema; null stands for an absent value, not for a default. */
const describedMember = ({ schema, code, absent }: Member<unknown>): json.Schema<unknown> => ({
  ...schema,
  ...('value' in absent && absent.value !== null ? { default: absent.value } : {}),
  ...(code === null ? {} : { 'x-error-code': code }),
})

function describedObject(
  members: Members,
  required: readonly string[],
  { ignoreUnknown = false }: ObjectOptions,
): json.Schema<object> {
  const schemas = Object.fromEntries(
    members.map(([name, member]) => [name, describedMember(member)] as const),
  )
  const described = json.objectOf(schemas, required)
  return ignoreUnknown ? json.open(described) : described
}

// Words about a JSON schema, for the reference: its type, its bounds, its values.

export type Schema = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: { readonly [name: string]: Schema }
  readonly additionalProperties?: boolean | Schema
  readonly required?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly default?: unknown
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly 'x-error-code'?: string
  readonly 'x-since'?: string
}

/** More values than this are not all listed. */
const VALUES_SHOWN = 12

const NAMES: { readonly [type: string]: string } = {
  string: 'text',
  boolean: '`true` or `false`',
  integer: 'whole number',
}

/** Returns the type in words, without null, which most members accept. */
export function typeWords(schema: Schema): string {
  const { anyOf, enum: values, type } = schema
  if (anyOf !== undefined) {
    const words = anyOf.filter((one) => one.type !== 'null').map(typeWords)
    return [...new Set(words)].join(', or ')
  }
  if (values !== undefined) return valueWords(values.filter((value) => value !== null))
  const types = typeof type === 'string' ? [type] : (type ?? [])
  const words = types.filter((one) => one !== 'null').map((one) => wordsOf(one, schema))
  return words.length === 0 ? 'any JSON' : words.join(', or ')
}

const wordsOf = (type: string, schema: Schema): string => {
  if (type === 'array') return listWords(schema)
  if (type === 'object') return objectWords(schema)
  const name = NAMES[type] ?? type
  return type === 'integer' || type === 'number' ? `${name}${boundWords(schema)}` : name
}

const valueWords = (values: readonly unknown[]): string => {
  const shown = values.slice(0, VALUES_SHOWN).map((value) => `\`${value}\``)
  const more = values.length - shown.length
  if (more > 0) return `${shown.join(', ')} and ${more} more`
  return shown.length === 1 ? shown[0]! : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`
}

const listWords = ({ items, maxItems }: Schema): string => {
  const of = items === undefined ? '' : ` of ${inBrackets(typeWords(items))}`
  return `list${maxItems === undefined ? '' : `, at most ${grouped(maxItems)},`}${of}`
}

const objectWords = ({ additionalProperties: more }: Schema): string =>
  typeof more === 'object' ? `object of names, each with ${inBrackets(typeWords(more))}` : 'object'

/** Words with a comma, as part of other words. */
const inBrackets = (words: string): string => (words.includes(', ') ? `(${words})` : words)

const boundWords = ({ minimum, maximum }: Schema): string => {
  if (maximum !== undefined) return `, ${grouped(minimum ?? 0)} to ${grouped(maximum)}`
  return minimum === undefined || minimum === 0 ? '' : ` from ${grouped(minimum)}`
}

const grouped = (value: number): string => value.toLocaleString('en')

export type InnerMember = { readonly path: string; readonly schema: Schema }

/** Returns the members of objects inside, those of lists, maps and choices included, each once. */
export function innerMembers(schema: Schema, before = ''): readonly InnerMember[] {
  const found = new Map<string, Schema>()
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    const path = before === '' ? name : `${before}.${name}`
    found.set(path, inner)
    for (const deeper of innerMembers(inner, path)) found.set(deeper.path, deeper.schema)
  }
  const { items, additionalProperties: more } = schema
  const insides = [items, typeof more === 'object' ? more : undefined, ...(schema.anyOf ?? [])]
  for (const inside of insides) {
    for (const { path, schema: own } of inside === undefined ? [] : innerMembers(inside, before)) {
      if (!found.has(path)) found.set(path, own)
    }
  }
  return [...found].map(([path, own]) => ({ path, schema: own }))
}

// Describes a JSON schema: the type of a value, the members of an object, an example of a body.
import type { JsonSchema } from '../parts/index.ts'

const VALUES_SHOWN = 8
const DEPTH_MAX = 3

/** Returns the name of the schema that `$ref` refers to, or null if the schema is inline. */
export const referenceOf = ({ $ref }: JsonSchema): string | null =>
  $ref === undefined ? null : $ref.slice($ref.lastIndexOf('/') + 1)

/** Returns the type in words: `string or null`, `array of integer`, `one of last, all`. */
export function typeText(schema: JsonSchema): string {
  const name = referenceOf(schema)
  if (name !== null) return name
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeText))].join(' or ')
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['any value'])
  const texts = types.map((type) => (type === 'array' ? arrayText(schema) : type))
  return `${texts.join(' or ')}${valuesText(schema)}${boundsText(schema)}`
}

function arrayText({ items }: JsonSchema): string {
  return items === undefined ? 'array' : `array of ${typeText(items)}`
}

function valuesText({ enum: values }: JsonSchema): string {
  if (values === undefined) return ''
  const shown = values.slice(0, VALUES_SHOWN).map(String).join(', ')
  const rest = values.length - VALUES_SHOWN
  return `: ${shown}${rest > 0 ? ` and ${rest} more` : ''}`
}

function boundsText({ minimum, maximum }: JsonSchema): string {
  if (minimum === undefined && maximum === undefined) return ''
  // The largest 32-bit integer is a technical limit; readers need not see it.
  if (maximum === undefined || maximum >= 2 ** 32 - 1) {
    return minimum === 0 || minimum === undefined ? '' : `, at least ${minimum}`
  }
  return minimum === undefined ? `, at most ${maximum}` : `, ${minimum} to ${maximum}`
}

export type Member = {
  /** The name, after the names of the enclosing objects: `faceting.maxValuesPerFacet`. */
  readonly name: string
  readonly schema: JsonSchema
  readonly isRequired: boolean
}

/** Returns the members of an object, including the members of nested objects. */
export function membersOf(schema: JsonSchema, prefix = '', depth = 0): readonly Member[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const row = {
      name: prefix + name,
      schema: member,
      isRequired: schema.required?.includes(name) === true,
    }
    return [row, ...(depth < DEPTH_MAX ? membersOf(member, `${row.name}.`, depth + 1) : [])]
  })
}

/** Returns a short example body: the required members, or the most common member. */
export function exampleOf(path: string, type: string, schema: JsonSchema): string {
  if (type === 'application/x-ndjson') return '{"id": 1, "title": "A quiet harbour"}\n'
  if (type === 'text/csv') return 'id,title\n1,A quiet harbour\n'
  if (path.endsWith('/documents')) return '[\n  { "id": 1, "title": "A quiet harbour" }\n]'
  if (path.endsWith('search')) return searchExample(path)
  return JSON.stringify(emptyOf(schema), null, 2)
}

function searchExample(path: string): string {
  if (path === '/multi-search') return '{\n  "queries": [{ "indexUid": "", "q": "" }]\n}'
  return path.endsWith('/facet-search')
    ? '{\n  "facetName": "",\n  "facetQuery": ""\n}'
    : '{\n  "q": "",\n  "limit": 5\n}'
}

/** Returns a value of the schema that has only the required members. */
function emptyOf(schema: JsonSchema): unknown {
  if (schema.enum !== undefined) return schema.enum[0]
  const [type] = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['object'])
  if (type === 'string') return ''
  if (type === 'integer' || type === 'number') return schema.minimum ?? 0
  if (type === 'boolean') return false
  if (type === 'array') return schema.items === undefined ? [] : [emptyOf(schema.items)]
  const names = schema.required ?? []
  return Object.fromEntries(names.map((name) => [name, emptyOf(schema.properties?.[name] ?? {})]))
}

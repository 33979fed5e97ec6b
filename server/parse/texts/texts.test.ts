// Each member of a search or a setting has a text, its parser accepts the examples, and each inner
// member occurs in one of them.
import { describe, expect, test } from 'vitest'
import { checkPatch, SETTING_NAMES } from '../../../engine/index.ts'
import {
  readFacetSearch,
  readMultiSearch,
  readSearch,
  readSetting,
  readSimilar,
  readSuggest,
  settingSchema,
} from '../index.ts'
import { type JsonSchema, schemaOf } from '../schema/index.ts'
import {
  FACET_SEARCH_TEXTS,
  FEDERATION_TEXTS,
  LISTED_SEARCH_TEXTS,
  longText,
  type MemberTexts,
  MIN_TASK_TEXTS,
  SEARCH_TEXTS,
  SETTING_TEXTS,
  SIMILAR_TEXTS,
  SUGGEST_TEXTS,
  type Text,
  type Texts,
} from './index.ts'

type Members = { readonly [name: string]: JsonSchema }
type Visit = (name: string, text: Text | undefined, values: readonly unknown[]) => void

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Visits each member of a schema with its text and with its values in `values`. */
function visitMembers(
  schema: JsonSchema,
  texts: Texts,
  values: readonly unknown[],
  visit: Visit,
): void {
  const { properties = {}, items, additionalProperties: more, anyOf = [] } = schema
  for (const [name, inner] of Object.entries(properties as Members)) {
    const own = values.filter(isObject).flatMap((value) => (name in value ? [value[name]] : []))
    const text = texts[name]
    visit(name, text, own)
    visitMembers(inner, longText(text ?? '').members ?? {}, own, visit)
  }
  for (const option of anyOf as readonly JsonSchema[]) visitMembers(option, texts, values, visit)
  if (items !== undefined) {
    visitMembers(items as JsonSchema, texts, values.filter(Array.isArray).flat(), visit)
  }
  if (isObject(more)) {
    visitMembers(more, texts, values.filter(isObject).flatMap(Object.values), visit)
  }
}

/** Returns what is missing: texts, or occurrences in examples. Members may share a text. */
function missingIn(schema: JsonSchema, texts: Texts, examples: readonly unknown[]): string[] {
  const missing = new Set<string>()
  const shown = new Set<Text>()
  const all = new Map<Text, string>()
  visitMembers(schema, texts, examples, (name, text, values) => {
    if (text === undefined || longText(text).about === '') missing.add(`${name}: no text`)
    else all.set(text, name)
    if (text !== undefined && values.length > 0) shown.add(text)
  })
  for (const [text, name] of all) if (!shown.has(text)) missing.add(`${name}: in no example`)
  return [...missing]
}

const utf8 = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
const membersOf = (schema: JsonSchema): Members => schema['properties'] as Members
const multi = membersOf(schemaOf(readMultiSearch))

type Request = {
  readonly schema: JsonSchema
  readonly texts: MemberTexts
  /** Reads a request with these members. */
  readonly read: (sent: object) => unknown
}

const SEARCHES: { readonly [name: string]: Request } = {
  'a search': {
    schema: schemaOf(readSearch),
    texts: { ...SEARCH_TEXTS, ...MIN_TASK_TEXTS },
    read: (sent) => readSearch(utf8(sent)),
  },
  'a facet search': {
    schema: schemaOf(readFacetSearch),
    texts: { ...SEARCH_TEXTS, ...MIN_TASK_TEXTS, ...FACET_SEARCH_TEXTS },
    read: (sent) => readFacetSearch(utf8({ facetName: 'a', ...sent })),
  },
  'a search of a list': {
    schema: multi['queries']!['items'] as JsonSchema,
    texts: { ...SEARCH_TEXTS, ...MIN_TASK_TEXTS, ...LISTED_SEARCH_TEXTS },
    read: (sent) => readMultiSearch(utf8({ queries: [{ indexUid: 'a', ...sent }] })),
  },
  'a federation': {
    schema: multi['federation']!,
    texts: FEDERATION_TEXTS,
    read: (sent) => readMultiSearch(utf8({ queries: [], federation: sent })),
  },
  'similar documents': {
    schema: schemaOf(readSimilar),
    texts: { ...SIMILAR_TEXTS, ...MIN_TASK_TEXTS },
    read: (sent) => readSimilar(utf8({ id: 1, embedder: 'e', ...sent }), true),
  },
  suggestions: {
    schema: schemaOf(readSuggest),
    texts: { ...SUGGEST_TEXTS, ...MIN_TASK_TEXTS },
    read: (sent) => readSuggest(utf8(sent)),
  },
}

describe.each(Object.entries(SEARCHES))('the texts about %s', (_name, { schema, texts, read }) => {
  test.each(Object.keys(membersOf(schema)))('%s', (name) => {
    const text = texts[name]
    expect(text?.about).toMatch(/^\S.*\.$/)
    for (const example of text!.examples) expect(() => read({ [name]: example })).not.toThrow()
    const { members = {}, examples } = text!
    expect(missingIn(membersOf(schema)[name]!, members, examples)).toEqual([])
  })
})

describe('the texts about settings', () => {
  test.each(SETTING_NAMES)('%s', (name) => {
    const { about, examples, members = {} } = SETTING_TEXTS[name]
    expect(about).toMatch(/^\S.*\.$/)
    for (const example of examples) {
      expect(() => checkPatch(readSetting(name, utf8(example)))).not.toThrow()
    }
    expect(missingIn(settingSchema(name), members, examples)).toEqual([])
  })
})

test('a missing text and a missing example are noticed', () => {
  const inner = { type: 'object', properties: { b: {}, c: {} } }
  const schema = { type: 'object', properties: { a: { type: 'array', items: inner } } }
  const texts: Texts = { a: { about: 'A.', members: { b: 'B.' } } }
  expect(missingIn(schema, texts, [{ a: [] }])).toEqual(['c: no text', 'b: in no example'])
  expect(missingIn(schema, texts, [{ a: [{ b: 1 }] }])).toEqual(['c: no text'])
  expect(missingIn(schema, {}, [])).toEqual(['a: no text', 'b: no text', 'c: no text'])
})

test('the limit of words is said where people look for it', () => {
  expect(SEARCH_TEXTS.q.about).toContain('first 10 words')
})

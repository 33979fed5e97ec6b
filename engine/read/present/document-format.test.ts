// The shape of shown documents: selected fields, formatted fields and positions of matches in
// nested objects and arrays, compared with walks over parsed JSON.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { RecordFields } from '../../../format/documents/index.ts'
import { JsonBuffer, jsonKey } from '../../../format/json/index.ts'
import type { Document, Json } from '../query-graph/test-support.ts'
import { Matcher } from './matcher.ts'
import { Selection } from './selection.ts'
import { type ModelOptions, TextModel } from './test-model.ts'
import { type Positions, SmallIndex } from './test-support.ts'

const NAMES = ['a', 'b', 'é', 'x"y', '1']
const anyScalar = fc.constantFrom<Json>('sun', 'a sun flower', 'moon', 12, -0.5, 1e21, true, null)
const { value: anyValue } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    anyScalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}))
const anyDocument: fc.Arbitrary<Document> = fc.dictionary(fc.constantFrom(...NAMES), anyValue, {
  minKeys: 1,
  maxKeys: 4,
  noNullPrototype: true,
})
/** Names in documents and names that do not exist. */
const anyName = fc
  .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 })
  .map((path) => path.join('.'))
const anyNames = fc.uniqueArray(anyName, { maxLength: 4 })

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isIn = (inner: string, outer: string): boolean =>
  inner === outer || inner.startsWith(`${outer}.`)

/** How much of a name is shown: everything, only nested names, or nothing. */
function shown(name: string, chosen: readonly string[]): 'whole' | 'partly' | 'nothing' {
  if (chosen.some((one) => isIn(name, one))) return 'whole'
  return chosen.some((one) => isIn(one, name)) ? 'partly' : 'nothing'
}

/** Replaces the members of an object; leaves out those for which `visit` returns undefined. */
function walk(
  members: { readonly [key: string]: Json },
  prefix: string,
  visit: (value: Json, path: string) => Json | undefined,
): Document {
  const entries = Object.entries(members).flatMap(([key, value]) => {
    const result = visit(value, prefix + key)
    return result === undefined ? [] : [[key, result] as const]
  })
  return Object.fromEntries(entries)
}

it('a selection keeps chosen members, and elements of arrays', () => {
  const select = (value: Json, path: string, names: readonly string[]): Json | undefined => {
    const part = shown(path, names)
    if (part === 'nothing') return undefined
    if (part === 'whole') return value
    if (Array.isArray(value)) return value.map((one) => selectElement(one, path, names))
    if (!isObject(value)) return value
    const members = walk(value, `${path}.`, (inner, name) => select(inner, name, names))
    return Object.keys(members).length === 0 ? undefined : members
  }
  // Elements of arrays stay, even objects without members.
  const selectElement = (value: Json, path: string, names: readonly string[]): Json => {
    const selected = select(value, path, names)
    return selected === undefined ? {} : selected
  }
  fc.assert(
    fc.property(anyDocument, anyNames, fc.constantFrom(...NAMES), (document, names, without) => {
      const index = new SmallIndex([document])
      const { fields } = index.text.search
      const selection = new Selection(names, fields)
      const record = new RecordFields()
      record.read(index.records[0]!)
      const out = new JsonBuffer(16)
      const field = fields.indexOf(without)
      const count = selection.write(record, index.records[0]!, fields.map(jsonKey), field, out)
      const selected: unknown = JSON.parse(`{${Buffer.from(out.view()).toString()}}`)
      const expected = walk(document, '', (value, name) =>
        name === without ? undefined : select(value, name, names),
      )
      expect(selected).toEqual(expected)
      expect(count).toBe(Object.keys(expected).length)
      for (const name of names) expect(selection.has(name)).toBe(true)
    }),
    { numRuns: 100 },
  )
})

type Request = {
  readonly highlighted: readonly string[]
  readonly crops: readonly (readonly [name: string, words: number])[]
  readonly displayed: readonly string[] | null
  readonly retrieved: readonly string[]
}

/** The format of texts under a name: that of every requested name on the way to it or below it. */
function formatOf(name: string, fields: readonly string[], request: Request) {
  const { highlighted, crops } = request
  const related = requested(fields, request).filter((one) => isIn(one, name) || isIn(name, one))
  const cropOf = (field: string): number | undefined => {
    const last = crops.findLastIndex(([one]) => one === field)
    const all = crops.findLastIndex(([one]) => one === '*')
    return crops[Math.max(last, all)]?.[1]
  }
  const cropWords = related.map(cropOf).find((words) => words !== undefined) ?? 0
  const highlight = related.some((one) => highlighted.includes('*') || highlighted.includes(one))
  return { highlight, cropWords }
}

/** The displayed fields that the request wants to be formatted. */
const requested = (fields: readonly string[], request: Request): readonly string[] =>
  fields.filter((field) => {
    const names = [...request.highlighted, ...request.crops.map(([name]) => name)]
    const isDisplayed = request.displayed === null || request.displayed.includes(field)
    return isDisplayed && (names.includes('*') || names.includes(field))
  })

const TAGS = { pre: '[', post: ']', marker: '…' }
const anyRequest: fc.Arbitrary<Request> = fc.record({
  highlighted: fc.uniqueArray(fc.oneof(anyName, fc.constant('*')), { maxLength: 2 }),
  crops: fc.array(fc.tuple(fc.oneof(anyName, fc.constant('*')), fc.nat(3)), { maxLength: 2 }),
  displayed: fc.option(anyNames),
  retrieved: anyNames,
})

/** Formats a document and finds its matches. */
function formatDocument(document: Document, request: Request) {
  const index = new SmallIndex([document])
  const { fields, analyzer } = index.text.search
  const graph = index.graph('sun 12 ', true)
  const model = new TextModel(analyzer, graph)
  const { highlighted, crops, displayed } = request
  const retrieved = request.retrieved.filter((name) => displayed?.includes(name) ?? true)
  const options = {
    attributesToHighlight: highlighted,
    attributesToCrop: crops.map(([name, words]) => `${name}:${words}`),
    cropMarker: TAGS.marker,
    highlightPreTag: TAGS.pre,
    highlightPostTag: TAGS.post,
  }
  const hitFields = { displayed: displayed === null ? null : new Set(displayed), retrieved }
  const [hit] = index.format(Matcher.of(graph), options, hitFields)
  return { hit: hit!, model, fields, retrieved }
}

const textOf = (value: string | number): string =>
  typeof value === 'number' ? JSON.stringify(value) : value

function formatValue(
  value: Json,
  path: string,
  chosen: readonly string[],
  formatText: (text: string, path: string) => string,
): Json | undefined {
  const part = shown(path, chosen)
  if (part === 'nothing') return undefined
  if (Array.isArray(value)) {
    const elements = value.flatMap((one: Json) => {
      const element = formatValue(one, path, chosen, formatText)
      return element === undefined ? [] : [element]
    })
    return part === 'partly' && elements.length === 0 ? undefined : elements
  }
  if (isObject(value)) {
    const members = walk(value, `${path}.`, (inner, name) =>
      formatValue(inner, name, chosen, formatText),
    )
    const isEmpty = Object.keys(members).length === 0
    return isEmpty && (part === 'partly' || Object.keys(value).length > 0) ? undefined : members
  }
  if (part === 'partly') return undefined
  if (typeof value === 'boolean' || value === null) return value
  return formatText(textOf(value as string | number), path)
}

it('formatted documents keep their shape, with texts formatted by their names', () => {
  fc.assert(
    fc.property(anyDocument, anyRequest, (document, request) => {
      const { hit, model, fields, retrieved } = formatDocument(document, request)
      const formats = requested(fields, request)
      const formatText = (text: string, path: string): string => {
        const { highlight, cropWords } = formatOf(path, fields, request)
        const options: ModelOptions = { ...TAGS, highlight, cropWords }
        return model.format(text, options)
      }
      const expected = walk(document, '', (value, name) =>
        formatValue(value, name, [...retrieved, ...formats], formatText),
      )
      const isShown = formats.length > 0 && Object.keys(expected).length > 0
      expect(hit.formatted).toEqual(isShown ? expected : null)
    }),
    { numRuns: 100 },
  )
})

it('positions are those of the last text with matches of each name, with array positions', () => {
  fc.assert(
    fc.property(anyDocument, anyRequest, (document, request) => {
      const { hit, model } = formatDocument(document, request)
      const { displayed } = request
      const found: { [name: string]: Positions[string] } = {}
      const visit = (value: Json, path: string, indices: readonly number[]): void => {
        const part = displayed === null ? 'whole' : shown(path, displayed)
        if (part === 'nothing') return
        if (Array.isArray(value)) {
          value.forEach((one: Json, i) => {
            visit(one, path, [...indices, i])
          })
        } else if (isObject(value)) {
          for (const [key, inner] of Object.entries(value)) visit(inner, `${path}.${key}`, indices)
        } else if (part === 'whole' && value !== null && typeof value !== 'boolean') {
          const text = textOf(value as string | number)
          const matches = model.matches(text).map(({ from, to }) => ({
            start: Buffer.byteLength(text.slice(0, from)),
            length: Buffer.byteLength(text.slice(from, to)),
            ...(indices.length > 0 ? { indices } : {}),
          }))
          if (matches.length > 0) found[path] = matches
        }
      }
      for (const [name, value] of Object.entries(document)) visit(value, name, [])
      expect(hit.positions).toEqual(found)
      const names = Object.keys(hit.positions)
      const bytes = (name: string): Buffer => Buffer.from(name)
      const ordered = names.toSorted((a, b) => Buffer.compare(bytes(a), bytes(b)))
      const isNumeric = (name: string): boolean => /^\d+$/.test(name)
      expect(names.filter((name) => !isNumeric(name))).toEqual(
        ordered.filter((name) => !isNumeric(name)),
      )
    }),
    { numRuns: 100 },
  )
})

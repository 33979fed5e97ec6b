// Any document and any query: hits are formatted as JSON whose texts, without the highlight tags,
// are those of the document or, if cropped, parts of them; match positions are inside their texts.
//
// Input: a byte that selects options, the query up to the first newline, the document as JSON, or
// else as a text.
import type { FormatRequest } from '../engine/read/present/format-options.ts'
import { type Positions, SmallIndex } from '../engine/read/present/test-support.ts'
import type { Document, Json } from '../engine/read/query-graph/test-support.ts'
import type { SettingsPatch } from '../engine/settings/index.ts'
import { assert } from '../format/errors.ts'
import type { FuzzTarget } from './target.ts'

const PRE = '⟦'
const POST = '⟧'
const MARKER = '⋯'
const MARKS = /[⟦⟧⋯]/u
/** Received documents have at most 127 nested brackets; this test adds one around them. */
const DEPTH_MAX = 100

const SETTINGS: readonly SettingsPatch[] = [
  {},
  { stopWords: ['the', 'a'], synonyms: { fox: ['red dog', 'vulpes'] } },
  { searchableAttributes: ['t', 'n.m'], separatorTokens: ['x'], nonSeparatorTokens: ['-'] },
  { dictionary: ['a.b', '東京'], prefixSearch: 'disabled' },
]
const SEEDS: readonly (readonly [string, string])[] = [
  ['quick fox', '{"t":"The quick, brown fox. Jumps! over the lazy dog","n":{"m":["fox",12]}}'],
  ['"red fox" 12', '{"t":["red fox","a red-fox"],"n":{"m":12.5,"o":[{"m":"fox 12"}]},"b":true}'],
  ['creme brul', 'Crème brûlée ﬁne 20°C …—’ Ω ΣΑΣ москва́ Й creme brulé'],
  ['東京 北', '{"t":"我们在北京大学 東京に行く","e":"","z":null,"y":[],"x":{}}'],
  ['vulps the', 'the vulpes, a fox; the red dog and vulpses'],
  ['a', 'a a a a a a a a a a a a a a a a a a b'],
]

const utf8 = new TextEncoder()

export const target: FuzzTarget = {
  name: 'present',
  seeds: () =>
    SEEDS.map(([query, document], i) =>
      Uint8Array.of(i * 37, ...utf8.encode(`${query}\n${document}`)),
    ),
  run,
  allows: () => false,
  inputBytesMax: 1024,
}

function run(input: Uint8Array): void {
  const choice = input[0] ?? 0
  const text = new TextDecoder().decode(input.subarray(1))
  const newline = text.indexOf('\n')
  const document = documentOf(text.slice(newline + 1))
  if (document === null) return
  const index = new SmallIndex([document], SETTINGS[choice & 3]!)
  const matcher = index.matcher(text.slice(0, Math.max(0, newline)), (choice & 4) !== 0)
  const request: Partial<FormatRequest> = {
    attributesToHighlight: ['*'],
    highlightPreTag: PRE,
    highlightPostTag: POST,
    cropMarker: MARKER,
    cropLength: 1 + (choice >> 5),
  }
  const [whole] = index.format(matcher, request)
  check(document, whole!.formatted ?? {}, isMarked)
  checkPositions(document, whole!.positions)
  const [cropped] = index.format(matcher, { ...request, attributesToCrop: ['*'] })
  check(document, cropped!.formatted ?? {}, isPart)
}

/** Returns the document of a text, or null if the server would have refused it. */
function documentOf(text: string): Document | null {
  const value = jsonOf(text)
  const document = isObject(value) ? (value as Document) : { t: value }
  const json = JSON.stringify(document)
  // Received documents with half surrogates are refused.
  if (/\\ud[89a-f]/.test(json) || MARKS.test(json)) return null
  return depthOf(document) > DEPTH_MAX ? null : document
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

const isObject = (value: Json | undefined): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const depthOf = (value: Json): number =>
  typeof value === 'object' && value !== null
    ? 1 + Object.values(value).reduce<number>((max, one) => Math.max(max, depthOf(one)), 0)
    : 0

type Compare = (text: string, shown: string) => boolean

const unmarked = (shown: string): string => shown.replaceAll(PRE, '').replaceAll(POST, '')
const isMarked: Compare = (text, shown) => unmarked(shown) === text
const isPart: Compare = (text, shown) => text.includes(unmarked(shown).replaceAll(MARKER, ''))

/** Checks a value: numbers are shown as texts, all other values keep their form. */
function check(value: Json, shown: Json | undefined, compare: Compare): void {
  if (typeof value === 'string' || typeof value === 'number') {
    assert(typeof shown === 'string', 'texts and numbers are shown as texts')
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    assert(compare(text, shown), 'what is shown comes from the document')
    assert(shown.split(PRE).length === shown.split(POST).length, 'every mark is closed')
    return
  }
  if (typeof value !== 'object' || value === null) {
    assert(shown === value, 'other values are shown as they are')
    return
  }
  assert(typeof shown === 'object' && shown !== null, 'arrays and objects keep their form')
  assert(Array.isArray(value) === Array.isArray(shown), 'arrays stay arrays')
  const members = Object.entries(value)
  assert(members.length === Object.keys(shown).length, 'no member is left out')
  for (const [key, one] of members) check(one, (shown as Document)[key], compare)
}

function checkPositions(document: Document, positions: Positions): void {
  for (const [name, matches] of Object.entries(positions)) {
    assert(matches.length > 0, 'a name with positions has some')
    const value = Object.hasOwn(document, name) ? document[name] : undefined
    if (typeof value !== 'string') continue
    const bytes = utf8.encode(value)
    for (const { start, length, indices } of matches) {
      // A query word of only control characters is empty, and so is its match.
      assert(start >= 0 && length >= 0, 'a match begins and ends')
      assert(start + length <= bytes.length, 'a match lies in its text')
      assert(indices === undefined || isNested(document, name), 'only arrays have places')
      isWhole(bytes.subarray(start, start + length))
    }
  }
}

/** Returns true if a name also refers to a value inside another member. */
const isNested = (document: Document, name: string): boolean =>
  Object.keys(document).some((key) => name.startsWith(`${key}.`))

/** Throws if a match begins or ends inside a character. */
const isWhole = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { fatal: true }).decode(bytes)

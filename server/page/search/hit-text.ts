// Selects the parts of a document that a list shows: a heading, a text and a few short facts. The
// roles of fields are guessed from their names and lengths, because the schema of the documents is
// not known.
import { type Hit, MARK_BEGINS, MARK_ENDS, markedPieces, placeIn } from '../parts/index.ts'

type Fact = { readonly name: string; readonly text: string }
export type HitText = {
  readonly heading: Fact | null
  readonly text: Fact | null
  readonly facts: readonly Fact[]
}

const HEADINGS = ['title', 'name', 'headline', 'label', 'subject', 'question', 'heading']
const LONG_CHARACTERS = 40
const FACTS_MAX = 6
const DEPTH_MAX = 4
/** Members that the search adds to a document. */
const ADDED = new Set([
  '_formatted',
  '_rankingScore',
  '_rankingScoreDetails',
  '_matchesPosition',
  '_federation',
])

type Places = ReadonlySet<string>
const NOWHERE: Places = new Set()

/** `matching`: places of objects in lists that meet a condition; others of their list are counted. */
export function hitText(hit: Hit, primaryKey: string | null, matching: Places = NOWHERE): HitText {
  const formatted = (hit['_formatted'] ?? hit) as Hit
  const facts = fieldsOf(hit)
    .map(([name]) => ({ name, text: textOf(formatted[name], matching, name) }))
    .filter(({ text }) => text !== '')
  const heading = headingOf(facts, hit, primaryKey)
  const others = facts.filter((fact) => fact !== heading)
  // A long address is not a text to read.
  const isText = ({ text }: Fact): boolean =>
    plainLength(text) >= LONG_CHARACTERS && !/^https?:\/\/\S+$/i.test(text)
  const text = others.filter(isText).sort((a, b) => b.text.length - a.text.length)[0] ?? null
  const short = others.filter((fact) => fact !== text && fact.name !== primaryKey)
  // Fields with matched words come before the others.
  const isMarked = (fact: Fact): boolean => markedPieces(fact.text).length > 1
  const ordered = [...short.filter(isMarked), ...short.filter((fact) => !isMarked(fact))]
  return { heading, text, facts: ordered.slice(0, FACTS_MAX) }
}

/** Returns the members of the hit that belong to the document. */
export const fieldsOf = (hit: Hit): readonly (readonly [string, unknown])[] =>
  Object.entries(hit).filter(([name]) => !ADDED.has(name))

function headingOf(facts: readonly Fact[], hit: Hit, primaryKey: string | null): Fact | null {
  const isWord = ({ name }: Fact): boolean => typeof hit[name] === 'string'
  const named = HEADINGS.map((name) =>
    facts.find((fact) => fact.name.toLowerCase() === name && isWord(fact)),
  ).find((fact) => fact !== undefined)
  return (
    named ??
    facts.find((fact) => isWord(fact) && fact.name !== primaryKey) ??
    facts.find(({ name }) => name === primaryKey) ??
    facts[0] ??
    null
  )
}

const plainLength = (text: string): number =>
  markedPieces(text).reduce((sum, piece) => sum + piece.length, 0)

/** Returns a value as one line of text. */
export function textOf(value: unknown, matching: Places = NOWHERE, place = '', depth = 0): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'object') return String(value)
  if (depth >= DEPTH_MAX) return '…'
  if (Array.isArray(value)) {
    const places = value.map((_, i) => placeIn(place, i))
    const texts = value.map((element, i) => textOf(element, matching, places[i]!, depth + 1))
    const matched = texts.filter((_, i) => matching.has(places[i]!))
    if (matched.length === 0) return texts.filter((text) => text !== '').join(', ')
    const others = value.length - matched.length
    const rest = others === 0 ? [] : [`${others} ${others === 1 ? 'other' : 'others'}`]
    return [...matched.map(markedWhole), ...rest].join(', ')
  }
  return Object.entries(value)
    .map(
      ([name, member]) => `${name}: ${textOf(member, matching, placeIn(place, name), depth + 1)}`,
    )
    .join(' · ')
}

/** Marks do not nest: those of words inside are left out. */
const markedWhole = (text: string): string => MARK_BEGINS + markedPieces(text).join('') + MARK_ENDS

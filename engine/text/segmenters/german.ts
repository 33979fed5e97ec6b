// Splits German compounds into their words, so that Hauptbahnhof is found under Bahnhof. A word is
// split if the parts of a list and the letters that join them cover it completely; other words stay
// whole, because a wrong split hides a word. Joining letters stay with the part before them.
//
// Searches run while a word is typed. A word that begins with parts and continues like the
// beginning of one is therefore split as well (Haupt|bahn|ho), so that its beginnings are found
// like the whole.
import { GERMAN_MODIFIERS, GERMAN_NOUNS, GERMAN_STREETS } from './german-parts.table.ts'
import { wordList } from './word-list.ts'
import { NO_NODE, WordTrie } from './word-trie.ts'

/** The roles of a form, stored as the count of its node: bits. */
const BEFORE_OTHERS = 1
const LAST = 2

const WORD_UNITS_MIN = 6
const WORD_UNITS_MAX = 80
/** The cost of a part and of a beginning of a part: few parts are better than many. */
const PART = 2
const BEGINNING = 3
const NONE = 255

/** Letters between a noun and the next part, and after a noun that is last. */
const JOINTS = ['', 's', 'es', 'n', 'en', 'ens', 'e', 'er']
const ENDINGS = ['', 's', 'es', 'n', 'en', 'e', 'er', 'ern', 'in', 'nen', 'innen']
/** The same for nouns whose plural changes the vowel. */
const PLURAL_JOINTS = ['', 'e', 'er']
const PLURAL_ENDINGS = ['', 'e', 'en', 'n', 'er', 'ern']

/**
 * Matches text that looks like the beginning of a part and mostly is an ending (Bank|ier,
 * arbeit|et), or could be one: a vowel and few letters more, one consonant, consonants and an e.
 */
const ENDING = new RegExp(
  '^(?:[aeiouäöü].{0,2}|[dlmnrst]|[^aeiouäöü]{1,3}(?:e[lmnrs]?|ie|in|innen)|[cls]h|sch|st' +
    '|(?:bar|haft|heit|ig|isch|keit|lein|lich|ling|los|lung|nis|sam|schaft|ste|tum)' +
    '(?:e[mnrs]?|ere)?)$',
)

export class GermanParts {
  readonly #forms: WordTrie
  /** For the current word: the least cost from each position to its end, and the next cut. */
  readonly #least = new Uint8Array(WORD_UNITS_MAX + 1)
  readonly #next = new Uint8Array(WORD_UNITS_MAX + 1)

  /** Each list is a text of words separated by blanks. */
  constructor(nouns: string, modifiers: string, streets: string) {
    const forms = new Map<string, number>()
    for (const street of wordsOf(streets)) addNoun(forms, street)
    for (const form of forms.keys()) forms.set(form, BEFORE_OTHERS)
    for (const noun of wordsOf(nouns)) addNoun(forms, noun)
    for (const modifier of wordsOf(modifiers)) add(forms, modifier, BEFORE_OTHERS)
    this.#forms = new WordTrie(wordList(forms))
  }

  /** Appends the ends of the parts of text[from, to), as a `Segmenter` does. */
  cut(text: string, from: number, to: number, ends: number[]): void {
    const units = to - from
    if (units < WORD_UNITS_MIN || units > WORD_UNITS_MAX || !this.#findWay(text, from, to)) {
      ends.push(to)
      return
    }
    for (let i = 0; i < units; ) {
      i = this.#next[i]!
      ends.push(from + i)
    }
  }

  /** Fills `#next`; among equally many parts the longer first part wins. */
  #findWay(text: string, from: number, to: number): boolean {
    const forms = this.#forms
    const least = this.#least
    const units = to - from
    const typed = this.#reach(text, from, to) < to
    for (let i = units - 1; i >= 0; i--) {
      let best = NONE
      let node = 0
      for (let end = i; end < units; ) {
        node = forms.step(node, lower(text.charCodeAt(from + end)))
        if (node === NO_NODE) break
        end++
        const form = forms.counts[node]!
        let price = NONE
        if (end === units) {
          if ((form & LAST) !== 0) price = PART
          else if (form === 0 && i > 0 && typed && !isEnding(text, from + i, to)) price = BEGINNING
        } else if ((form & BEFORE_OTHERS) !== 0 && least[end] !== NONE) price = PART + least[end]!
        if (price === NONE || price > best) continue
        best = price
        this.#next[i] = end
      }
      least[i] = best
    }
    return least[0] !== NONE
  }

  /** Returns how far a form, or the beginning of one, reaches from the beginning of a word. */
  #reach(text: string, from: number, to: number): number {
    let node = 0
    for (let i = from; i < to; i++) {
      node = this.#forms.step(node, lower(text.charCodeAt(i)))
      if (node === NO_NODE) return i
    }
    return to
  }
}

let known: GermanParts | null = null

/** Returns the parts of the built-in list; created on first use. */
export function germanParts(): GermanParts {
  known ??= new GermanParts(GERMAN_NOUNS, GERMAN_MODIFIERS, GERMAN_STREETS)
  return known
}

const wordsOf = (list: string): string[] => list.split(/\s+/).filter((word) => word !== '')

function addNoun(forms: Map<string, number>, noun: string): void {
  for (const joint of JOINTS) add(forms, noun + joint, BEFORE_OTHERS)
  for (const ending of ENDINGS) add(forms, noun + ending, LAST)
  const plural = withUmlaut(noun)
  if (plural !== null) {
    for (const joint of PLURAL_JOINTS) add(forms, plural + joint, BEFORE_OTHERS)
    for (const ending of PLURAL_ENDINGS) add(forms, plural + ending, LAST)
  }
  if (noun.length > 4 && noun.endsWith('e')) {
    add(forms, noun.slice(0, -1), BEFORE_OTHERS)
    add(forms, `${noun.slice(0, -1)}s`, BEFORE_OTHERS)
  }
  if (noun.endsWith('nis')) {
    for (const ending of ['se', 'sen', 'ses']) add(forms, noun + ending, BEFORE_OTHERS | LAST)
  }
  if (noun.length > 4 && /[^a](?:um|a)$/.test(noun)) {
    add(forms, `${noun.replace(/(?:um|a)$/, '')}en`, BEFORE_OTHERS | LAST)
  }
}

function add(forms: Map<string, number>, form: string, uses: number): void {
  forms.set(form, (forms.get(form) ?? 0) | uses)
  const swiss = form.replaceAll('ß', 'ss')
  if (swiss !== form) forms.set(swiss, (forms.get(swiss) ?? 0) | uses)
}

/** Returns the noun with its last a, o, u, au changed: Haus, Häus(er). */
function withUmlaut(noun: string): string | null {
  const at = noun.search(/(?:au|[aou])[^aouäöüy]*$/)
  if (at < 0) return null
  return noun.slice(0, at) + { a: 'ä', o: 'ö', u: 'ü' }[noun[at]!]! + noun.slice(at + 1)
}

/**
 * Lower case of the letters of German; it is wrong for the signs between Ö and Ü, which never
 * occur.
 */
const lower = (unit: number): number =>
  (unit >= 0x41 && unit <= 0x5a) || (unit >= 0xc0 && unit <= 0xde) ? unit | 0x20 : unit

const isEnding = (text: string, from: number, to: number): boolean =>
  to - from < 10 && ENDING.test(text.slice(from, to).toLowerCase())

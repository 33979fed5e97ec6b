// Cutting German compounds into the words they are made of, so that Hauptbahnhof is found under
// Bahnhof. A word is cut where it can be laid out wholly with the parts of a list and the letters
// that join them; what cannot stays whole, since a wrong cut hides a word. Joining letters stay
// with the part before them.
//
// Words are searched while they are typed: where a word begins with parts and goes on like one, it
// is cut as well (Haupt|bahn|ho), so that its beginnings are found as the whole is.
import { GERMAN_MODIFIERS, GERMAN_NOUNS, GERMAN_STREETS } from './german-parts.table.ts'
import { wordList } from './word-list.ts'
import { NO_NODE, WordTrie } from './word-trie.ts'

/** What a form can be, as the count of its node: bits. */
const BEFORE_OTHERS = 1
const LAST = 2

const WORD_UNITS_MIN = 6
const WORD_UNITS_MAX = 80
/** The price of a part and of a beginning of a part: few parts are better than many. */
const PART = 2
const BEGINNING = 3
const NONE = 255

/** Letters between a noun and what follows, and after a noun that is last. */
const JOINTS = ['', 's', 'es', 'n', 'en', 'ens', 'e', 'er']
const ENDINGS = ['', 's', 'es', 'n', 'en', 'e', 'er', 'ern', 'in', 'nen', 'innen']
/** The same where the plural changes the vowel. */
const PLURAL_JOINTS = ['', 'e', 'er']
const PLURAL_ENDINGS = ['', 'e', 'en', 'n', 'er', 'ern']

/**
 * What looks like the beginning of a part and mostly is an ending (Bank|ier, arbeit|et), or could
 * be one: a vowel and little more, one consonant, consonants and an e.
 */
const ENDING = new RegExp(
  '^(?:[aeiouäöü].{0,2}|[dlmnrst]|[^aeiouäöü]{1,3}(?:e[lmnrs]?|ie|in|innen)|[cls]h|sch|st' +
    '|(?:bar|haft|heit|ig|isch|keit|lein|lich|ling|los|lung|nis|sam|schaft|ste|tum)' +
    '(?:e[mnrs]?|ere)?)$',
)

export class GermanParts {
  readonly #forms: WordTrie
  /** Of the word at hand: the least price from each place to its end, and the next cut. */
  readonly #least = new Uint8Array(WORD_UNITS_MAX + 1)
  readonly #next = new Uint8Array(WORD_UNITS_MAX + 1)

  /** The words of each list with blanks between. */
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

  /** Fills `#next`; of ways with equally many parts the one whose first part is longer. */
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

  /** How far a form, or the beginning of one, goes from the beginning of a word. */
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

/** The parts of the list at hand; made on first use. */
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

/** The noun with its last a, o, u, au changed: Haus, Häus(er). */
function withUmlaut(noun: string): string | null {
  const at = noun.search(/(?:au|[aou])[^aouäöüy]*$/)
  if (at < 0) return null
  return noun.slice(0, at) + { a: 'ä', o: 'ö', u: 'ü' }[noun[at]!]! + noun.slice(at + 1)
}

/** Lower case of the letters that German has; the signs between Ö and Ü matter to nobody. */
const lower = (unit: number): number =>
  (unit >= 0x41 && unit <= 0x5a) || (unit >= 0xc0 && unit <= 0xde) ? unit | 0x20 : unit

const isEnding = (text: string, from: number, to: number): boolean =>
  to - from < 10 && ENDING.test(text.slice(from, to).toLowerCase())

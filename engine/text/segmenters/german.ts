// The parts of German compounds. How words are split: ./compounds.ts
import { addForm, BEFORE_OTHERS, CompoundParts, type Forms, LAST, wordsOf } from './compounds.ts'
import { GERMAN_MODIFIERS, GERMAN_NOUNS, GERMAN_STREETS } from './german-parts.table.ts'

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

export class GermanParts extends CompoundParts {
  /** Each list is a text of words separated by blanks. */
  constructor(nouns: string, modifiers: string, streets: string) {
    super(formsOf(nouns, modifiers, streets), ENDING)
  }
}

let known: GermanParts | null = null

/** Returns the parts of the built-in list; created on first use. */
export function germanParts(): GermanParts {
  known ??= new GermanParts(GERMAN_NOUNS, GERMAN_MODIFIERS, GERMAN_STREETS)
  return known
}

function formsOf(nouns: string, modifiers: string, streets: string): Forms {
  const forms: Forms = new Map()
  for (const street of wordsOf(streets)) addNoun(forms, street)
  for (const form of forms.keys()) forms.set(form, BEFORE_OTHERS)
  for (const noun of wordsOf(nouns)) addNoun(forms, noun)
  for (const modifier of wordsOf(modifiers)) add(forms, modifier, BEFORE_OTHERS)
  return forms
}

function addNoun(forms: Forms, noun: string): void {
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

function add(forms: Forms, form: string, uses: number): void {
  addForm(forms, form, uses)
  const swiss = form.replaceAll('ß', 'ss')
  if (swiss !== form) addForm(forms, swiss, uses)
}

/** Returns the noun with its last a, o, u, au changed: Haus, Häus(er). */
function withUmlaut(noun: string): string | null {
  const at = noun.search(/(?:au|[aou])[^aouäöüy]*$/)
  if (at < 0) return null
  return noun.slice(0, at) + { a: 'ä', o: 'ö', u: 'ü' }[noun[at]!]! + noun.slice(at + 1)
}

// The parts of Danish, Swedish and Norwegian compounds, whose nouns take their article as an ending.
// How words are split: ./compounds.ts
import { addForm, BEFORE_OTHERS, CompoundParts, type Forms, LAST, wordsOf } from './compounds.ts'
import { DANISH_MODIFIERS, DANISH_NOUNS } from './danish-parts.table.ts'
import { NORWEGIAN_MODIFIERS, NORWEGIAN_NOUNS } from './norwegian-parts.table.ts'
import { SWEDISH_MODIFIERS, SWEDISH_NOUNS } from './swedish-parts.table.ts'

const VOWELS = 'aeiouyåäöæø'

/** The endings of a language: between a noun and the next part, and after a noun that is last. */
type Endings = {
  readonly joints: readonly string[]
  readonly endings: readonly string[]
  /** Letters instead of the a of a noun before the next part: kyrko|gård, gatu|kök, skol|bok. */
  readonly bare: readonly string[]
}

const DANISH: Endings = {
  joints: ['', 's', 'e', 'er'],
  endings: [
    '',
    'en',
    'et',
    'n',
    't',
    'e',
    'r',
    'er',
    'ene',
    'erne',
    'ne',
    'rne',
    's',
    'ens',
    'ets',
  ],
  bare: [],
}
const SWEDISH: Endings = {
  joints: ['', 's'],
  endings: [
    ...['', 'en', 'et', 'n', 't', 'ar', 'er', 'or', 'r', 'arna', 'erna', 'orna', 'na', 'a'],
    ...['s', 'ens', 'ets', 'ns'],
  ],
  bare: ['', 'o', 'u', 'e'],
}
const NORWEGIAN: Endings = {
  joints: ['', 's', 'e'],
  endings: ['', 'en', 'et', 'a', 'n', 't', 'e', 'r', 'er', 'ene', 'ne', 's', 'ens', 'ets'],
  bare: [],
}

/** Like that of German: a vowel and few letters more, one consonant, consonants and an e. */
const ENDING = new RegExp(
  `^(?:[${VOWELS}].{0,2}|[dgjklmnrstv]|[^${VOWELS}]{1,3}(?:[ae][nrst]?|ene|erne|arna|ing|isk|ig)|st` +
    '|(?:bar|else|fuld|full|hed|heden|heder|het|heten|heter|lig|ligt|lige|liga|lös|løs|ning|ningen|sam|skab|skap|som))$',
)

/** Each returns the parts of the built-in list. */
export const danishParts = (): CompoundParts => partsOf(DANISH_NOUNS, DANISH_MODIFIERS, DANISH)
export const swedishParts = (): CompoundParts => partsOf(SWEDISH_NOUNS, SWEDISH_MODIFIERS, SWEDISH)
export const norwegianParts = (): CompoundParts =>
  partsOf(NORWEGIAN_NOUNS, NORWEGIAN_MODIFIERS, NORWEGIAN)

function partsOf(nouns: string, modifiers: string, language: Endings): CompoundParts {
  const { joints, endings } = language
  const forms: Forms = new Map()
  for (const noun of wordsOf(nouns)) {
    for (const joint of joints) addForm(forms, noun + joint, BEFORE_OTHERS)
    for (const ending of endings) addForm(forms, noun + ending, LAST)
    if (/...[ae]$/.test(noun)) addBare(forms, noun, language)
    const double = doubled(noun)
    if (double === null) continue
    for (const ending of endings) if (/^[ae]/.test(ending)) addForm(forms, double + ending, LAST)
    addForm(forms, `${double}e`, BEFORE_OTHERS)
  }
  for (const modifier of wordsOf(modifiers)) addForm(forms, modifier, BEFORE_OTHERS)
  return new CompoundParts(forms, ENDING)
}

/** A noun in -a or -e loses it before other endings: gator, kyrkor, pojkar. */
function addBare(forms: Forms, noun: string, { bare, endings }: Endings): void {
  const stem = noun.slice(0, -1)
  if (noun.endsWith('a')) for (const joint of bare) addForm(forms, stem + joint, BEFORE_OTHERS)
  for (const ending of endings) if (/^[aeo]/.test(ending)) addForm(forms, stem + ending, LAST)
}

/** Returns a short noun with its consonant doubled, as before endings: bus(s)en, rom(m)et. */
function doubled(noun: string): string | null {
  const found = new RegExp(`^[^${VOWELS}]*[${VOWELS}]([bdfgklmnprst])$`).exec(noun)
  return found === null ? null : noun + found[1]
}

// The parts of Dutch compounds. How words are split: ./compounds.ts
import { addForm, BEFORE_OTHERS, CompoundParts, type Forms, LAST, wordsOf } from './compounds.ts'
import { DUTCH_MODIFIERS, DUTCH_NOUNS } from './dutch-parts.table.ts'

/** Letters between a noun and the next part, and after a noun that is last. */
const JOINTS = ['', 's', 'e', 'n', 'en', 'er']
const ENDINGS = ['', 's', 'e', 'n', 'en', 'je', 'jes', 'tje', 'tjes', 'pje', 'pjes']

/** Like that of German: a vowel and few letters more, one consonant, consonants and an e. */
const ENDING = new RegExp(
  '^(?:[aeiou].{0,2}|[dlmnrst]|[^aeiou]{1,3}(?:e[nrs]?|ing|ingen|ie|isch)|st|ch' +
    '|(?:achtig|baar|heid|heden|je|jes|lijk|lijke|ling|loos|loze|schap|sel|ster|tje|zaam)(?:e|en|s)?)$',
)

/** Returns the parts of the built-in list. */
export const dutchParts = (): CompoundParts =>
  new CompoundParts(formsOf(DUTCH_NOUNS, DUTCH_MODIFIERS), ENDING)

function formsOf(nouns: string, modifiers: string): Forms {
  const forms: Forms = new Map()
  for (const noun of wordsOf(nouns)) {
    for (const joint of JOINTS) addForm(forms, noun + joint, BEFORE_OTHERS)
    for (const ending of ENDINGS) addForm(forms, noun + ending, LAST)
    for (const plural of pluralsOf(noun)) addForm(forms, plural, BEFORE_OTHERS | LAST)
    const short = SHORT.exec(noun)
    if (short !== null) addForm(forms, `${noun}${short[1]}e`, BEFORE_OTHERS)
  }
  for (const modifier of wordsOf(modifiers)) addForm(forms, modifier, BEFORE_OTHERS)
  return forms
}

/** A short noun, whose last consonant is doubled before a vowel. */
const SHORT = /^[^aeiou]*[aeiou]([bdfgklmnprst])$/

/** Returns plurals whose spelling changes before -en: bomen, ballen, huizen, brieven. */
function pluralsOf(noun: string): readonly string[] {
  const long = /^(.*?)([aeou])\2([^aeiou])$/.exec(noun)
  const short = SHORT.exec(noun)
  const stems = [noun]
  if (long !== null) stems.push(`${long[1]}${long[2]}${long[3]}`)
  if (short !== null) stems.push(noun + short[1])
  const voiced = stems.map((stem) => stem.replace(/f$/, 'v').replace(/s$/, 'z'))
  return [...stems.slice(1), ...voiced].filter((stem) => stem !== noun).map((stem) => `${stem}en`)
}

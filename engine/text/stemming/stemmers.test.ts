// The stemmers of all languages, with words of Snowball's own vocabularies.
import { expect, test } from 'vitest'
import { STEMMER_NAMES, stemmerNamed } from './index.ts'

test.each([
  ['english', 'consistently', 'consist'],
  ['english', 'collection', 'collect'],
  ['english', 'generously', 'generous'],
  ['english', 'skies', 'sky'],
  ['german', 'aufeinanderfolgende', 'aufeinanderfolg'],
  ['french', 'majestueusement', 'majestu'],
  ['spanish', 'torneos', 'torne'],
  ['italian', 'pronunciarono', 'pronunc'],
  ['portuguese', 'quilométricas', 'quilométr'],
  ['dutch', 'opgingen', 'opging'],
  ['swedish', 'jaktkarlarne', 'jaktkarl'],
  ['norwegian', 'havnedistriktene', 'havnedistrikt'],
  ['danish', 'underste', 'underst'],
  ['russian', 'важность', 'важност'],
  ['finnish', 'edeltäjistään', 'edeltäj'],
])('%s: the stem of %s is %s', (name, word, stem) => {
  expect(stemmerNamed(name)(word)).toBe(stem)
})

test.each([...STEMMER_NAMES])('%s has a stemmer', (_, name) => {
  expect(stemmerNamed(name)('a')).toBe('a')
})

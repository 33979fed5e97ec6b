// Settings for clients, other servers and files: which are left out, and where secrets are masked.
import { expect, test } from 'vitest'
import { FEATURES, type Feature, type Features } from '../model/index.ts'
import {
  applyPatch,
  defaultSettings,
  exportSettings,
  type IndexSettings,
  joinDetails,
  portableSettings,
  renderSetting,
  SETTING_NAMES,
  settingsShown,
  transferSettings,
} from './index.ts'

const LEFT_OUT = ['infixSearch', 'expiresAtAttribute', 'attributeWeights', 'similarity', 'boosts']
const without = (names: readonly string[]) => SETTING_NAMES.filter((name) => !names.includes(name))

const set = applyPatch(defaultSettings(), {
  embedders: {
    e: { source: 'openAi', apiKey: 'a secret of many letters', documentTemplate: '{{doc.t}}' },
  },
  chat: { description: 'books' },
  foreignKeys: [{ foreignIndexUid: 'b' as never, fieldName: 'a' }],
  expiresAtAttribute: 'until',
}).settings

test.each<[string, (settings: IndexSettings) => object, readonly string[]]>([
  ['a dump', transferSettings, LEFT_OUT],
  ['an export', exportSettings, [...LEFT_OUT, 'foreignKeys', 'embedders', 'chat']],
  ['a file', portableSettings, [...LEFT_OUT, 'foreignKeys', 'embedders', 'chat']],
])('%s has every setting, except for some that have their default', (_, form, leftOut) => {
  expect(Object.keys(form(defaultSettings()))).toEqual(without(leftOut))
  const unset = LEFT_OUT.filter((name) => name !== 'expiresAtAttribute')
  expect(Object.keys(form(set))).toEqual(without(unset))
})

test('secrets are in clear in dumps and exports, and masked in files and answers', () => {
  const keyOf = (embedders: unknown) =>
    (embedders as { readonly e: { readonly apiKey: string } }).e.apiKey
  const forms = [
    transferSettings(set)['embedders'],
    exportSettings(set)['embedders'],
    portableSettings(set)['embedders'],
    renderSetting(set, 'embedders'),
  ]
  const clear = 'a secret of many letters'
  expect(forms.map(keyOf)).toEqual([clear, clear, 'a sXXXXX...', 'a sXXXXX...'])
})

test('answers leave out settings whose feature is off', () => {
  const all = Object.fromEntries(SETTING_NAMES.map((name) => [name, renderSetting(set, name)]))
  const unset = LEFT_OUT.filter((name) => name !== 'expiresAtAttribute')
  const shown = (on: readonly Feature[]) => {
    const features = Object.fromEntries(FEATURES.map((name) => [name, on.includes(name)]))
    return settingsShown(all, features as Features)
  }
  const names = without([...unset, 'foreignKeys', 'chat'])
  expect(shown([])).toEqual(Object.fromEntries(names.map((name) => [name, all[name]])))
  expect(Object.keys(shown([]))).toEqual(names)
  expect(Object.keys(shown(['chatCompletions']))).toEqual(without([...unset, 'foreignKeys']))
  expect(Object.keys(shown(['chatCompletions', 'foreignKeys']))).toEqual(without(unset))
})

test('a batch shows every embedder that its tasks change, and of other settings the last', () => {
  expect(joinDetails('stopWords', ['a'], ['b'])).toEqual(['b'])
  expect(joinDetails('faceting', { maxValuesPerFacet: 1 }, null)).toBeNull()
  expect(joinDetails('embedders', { a: 1, b: 1 }, { b: 2, c: 2 })).toEqual({ a: 1, b: 2, c: 2 })
  expect(joinDetails('embedders', { a: 1 }, null)).toBeNull()
  expect(joinDetails('embedders', null, { a: 1 })).toEqual({ a: 1 })
})

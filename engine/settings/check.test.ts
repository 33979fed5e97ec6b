// Checks of a change that need no stored settings: features that are off, and wrong values.
import { describe, expect, test } from 'vitest'
import { EngineFault, FEATURES, type Feature, type Features } from '../model/index.ts'
import { checkPatch, checkPatchFeatures, type SettingsPatch } from './index.ts'

const featuresWith = (on: readonly Feature[]): Features =>
  Object.fromEntries(FEATURES.map((name) => [name, on.includes(name)])) as Features

const refusal = (work: () => void): readonly [code: string, message: string] | null => {
  try {
    work()
    return null
  } catch (error) {
    if (!(error instanceof EngineFault)) throw error
    return [error.code, error.message]
  }
}

const PAGE = 'https://github.com/svc-search/svc-search/blob/main/docs/experimental-features.md#'
const needs = (action: string, words: string, anchor: string): string =>
  `${action} requires enabling the \`${words}\` experimental feature. See ${PAGE}${anchor}`
const CHAT = needs('setting `chat` in the index settings', 'chat completions', 'chat-completions')
const COMPOSITE = needs(
  'using `"composite"` as source',
  'composite embedders',
  'composite-embedders',
)

describe('the features that a change needs', () => {
  const composite: SettingsPatch = { embedders: { e: { source: 'composite' } } }
  test.each<[string, SettingsPatch, readonly Feature[], string | null]>([
    ['none', { stopWords: ['a'] }, [], null],
    ['none for a reset', { chat: null, embedders: null, foreignKeys: null }, [], null],
    ['that of a setting', { chat: {} }, ['foreignKeys'], CHAT],
    ['that of a setting', { chat: {} }, ['chatCompletions'], null],
    ['that of a value', composite, ['chatCompletions'], COMPOSITE],
    ['that of a value', composite, ['compositeEmbedders'], null],
    ['those of settings first', { ...composite, chat: {} }, [], CHAT],
    ['all', { ...composite, chat: {} }, ['chatCompletions'], COMPOSITE],
    [
      'in the order of settings',
      { chat: {}, foreignKeys: [] },
      [],
      needs('setting `foreignKeys` in the index settings', 'foreign_keys', 'foreign-keys'),
    ],
  ])('%s: %j with %j', (_, patch, on, message) => {
    expect(refusal(() => checkPatchFeatures(patch, featuresWith(on)))).toEqual(
      message === null ? null : ['feature_not_enabled', message],
    )
  })
})

test.each<[SettingsPatch, string | null]>([
  [{ stopWords: ['a'], rankingRules: null, typoTolerance: {} }, null],
  [{ typoTolerance: { disableOnWords: null } }, null],
  [{ rankingRules: ['attribute', 'wordPosition'] }, 'invalid_settings_ranking_rules'],
  [
    { embedders: { e: { dimensions: 0 } }, rankingRules: ['attribute', 'attributeRank'] },
    'invalid_settings_ranking_rules',
  ],
  [{ embedders: { e: { dimensions: 0 } }, rankingRules: ['words'] }, 'invalid_settings_embedders'],
])('the first wrong value is refused: %j', (patch, code) => {
  expect(refusal(() => checkPatch(patch))?.[0] ?? null).toBe(code)
})

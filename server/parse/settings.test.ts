// Changes of settings from their bodies to the settings that are read back: the stories of
// changes.ndjson have the task details or the failure of each change, and the answer of each read.

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { FEATURES, type Features } from '../../engine/model/index.ts'
import {
  applyPatch,
  checkPatch,
  checkPatchFeatures,
  decodeSettings,
  defaultSettings,
  detailsOf,
  encodeSettings,
  type IndexSettings,
  renderSetting,
  resetPatch,
  SETTING_NAMES,
  type SettingName,
  type SettingsPatch,
  settingsShown,
} from '../../engine/settings/index.ts'
import { toApiError } from '../errors/index.ts'
import { readSetting, readSettings, SETTING_ROUTES } from './index.ts'

type Refusal = { readonly code: string; readonly message: string }
type Step =
  | { readonly story: string }
  | { readonly features: { readonly [feature: string]: boolean } }
  | { readonly index: string; readonly read: string | null; readonly value: unknown }
  | {
      readonly index: string
      readonly method: string
      readonly setting: string | null
      readonly body: string
      readonly details: unknown
      readonly error: Refusal | null
    }
  | {
      readonly index: string
      readonly method: string
      readonly setting: string | null
      readonly body: string
      readonly refused: Refusal
    }

const TEMPLATE = JSON.stringify(defaultSettings().chat.documentTemplate).slice(1, -1)
const stories = new Map<string, Step[]>()
let story: Step[] = []
const file = new URL('./changes.ndjson', import.meta.url)
for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
  const step = JSON.parse(line.replaceAll('{{template}}', () => TEMPLATE)) as Step
  if ('story' in step) stories.set(step.story, (story = []))
  else story.push(step)
}

const nameOf = (path: string): SettingName =>
  SETTING_NAMES.find((name) => SETTING_ROUTES[name].path === path)!

const patchOf = (step: { method: string; setting: string | null; body: string }): SettingsPatch => {
  if (step.method === 'DELETE') {
    return step.setting === null ? resetPatch() : { [nameOf(step.setting)]: null }
  }
  const body = new TextEncoder().encode(step.body)
  return step.setting === null ? readSettings(body) : readSetting(nameOf(step.setting), body)
}

describe('stories', () => {
  test.each([...stories.keys()])('%s', (name) => {
    let features = Object.fromEntries(FEATURES.map((feature) => [feature, false])) as Features
    const indexes = new Map<string, IndexSettings>()
    for (const step of stories.get(name)!) {
      if ('story' in step) continue
      if ('features' in step) features = { ...features, ...step.features }
      else if ('read' in step) {
        const settings = indexes.get(step.index) ?? defaultSettings()
        const shown =
          step.read === null
            ? settingsShown(
                Object.fromEntries(SETTING_NAMES.map((one) => [one, renderSetting(settings, one)])),
                features,
              )
            : renderSetting(settings, nameOf(step.read))
        expect(shown).toEqual(step.value)
      } else if ('refused' in step) {
        const patch = patchOf(step)
        const refused = refusalOf(() => {
          checkPatchFeatures(patch, features)
          checkPatch(patch)
        })
        expect(refused).toEqual(step.refused)
      } else {
        const patch = patchOf(step)
        checkPatchFeatures(patch, features)
        checkPatch(patch)
        // As text, because the order of members counts.
        expect(JSON.stringify(detailsOf(patch))).toBe(JSON.stringify(step.details))
        const before = indexes.get(step.index) ?? defaultSettings()
        if (step.error === null) {
          const { settings, changed } = applyPatch(before, patch)
          indexes.set(step.index, settings)
          expect(decodeSettings(encodeSettings(settings))).toEqual(settings)
          expect(changed.size > 0).toBe(encodeSettings(before) !== encodeSettings(settings))
        } else expect(failureOf(step.index, before, patch)).toEqual(step.error)
      }
    }
  })
})

/** Returns the refusal without its link, or null if the value is accepted. */
const refusalOf = (run: () => unknown): Refusal | null => {
  try {
    run()
    return null
  } catch (error) {
    const { code, message } = toApiError(error)
    return { code, message: message.replace(/ See https.*/s, '') }
  }
}

const failureOf = (index: string, before: IndexSettings, patch: SettingsPatch): Refusal | null => {
  const refusal = refusalOf(() => applyPatch(before, patch))
  return refusal && { ...refusal, message: `Index \`${index}\`: ${refusal.message}` }
}

test('every setting has a separate route', () => {
  const paths = SETTING_NAMES.map((name) => SETTING_ROUTES[name].path)
  expect(new Set(paths).size).toBe(SETTING_NAMES.length)
  for (const path of paths) expect(path).toMatch(/^[a-z]+(-[a-z]+)*$/)
  expect(SETTING_ROUTES.searchCutoffMs).toEqual({
    path: 'search-cutoff-ms',
    verb: 'PUT',
    code: 'invalid_settings_search_cutoff_ms',
  })
  expect(SETTING_ROUTES.typoTolerance.verb).toBe('PATCH')
})

test('a change has the sent values: sets sorted, rules completed, in the declared order', () => {
  const body =
    '{"stopWords":["b","a","b"],"filterableAttributes":[{"attributePatterns":["x*"]}],' +
    '"typoTolerance":{"disableOnWords":["Z","A"],"enabled":false}}'
  expect(JSON.stringify(readSettings(new TextEncoder().encode(body)))).toBe(
    '{"filterableAttributes":[{"attributePatterns":["x*"],"features":{"facetSearch":false,' +
      '"filter":{"equality":true,"comparison":false}}}],"stopWords":["a","b"],' +
      '"typoTolerance":{"enabled":false,"disableOnWords":["A","Z"]}}',
  )
})

test('attributes of one rank are a list of names that is not empty', () => {
  const patchOf = (value: unknown) =>
    readSetting('searchableAttributes', new TextEncoder().encode(JSON.stringify(value)))
  expect(patchOf(['a', ['b', 'c']])).toEqual({ searchableAttributes: ['a', ['b', 'c']] })
  const code = 'invalid_settings_searchable_attributes'
  for (const [value, words] of [
    [['a', []], '`[1]`: a list of attributes of one rank should not be empty'],
    [['a', 3], '`[1]`: expected a string, but found a positive integer'],
    [[['a', ['b']]], '`[0][1]`: expected a string, but found an array'],
  ] as const) {
    const message = expect.stringContaining(words)
    expect(() => patchOf(value)).toThrow(expect.objectContaining({ code, message }))
  }
})

test('names that are special in JavaScript are ordinary names', () => {
  const body =
    '{"synonyms":{"__proto__":["a"],"10":["b"],"9":["c"]},"embedders":{"constructor":null}}'
  const patch = readSettings(new TextEncoder().encode(body))
  const { settings } = applyPatch(defaultSettings(), patch)
  expect(Object.entries(settings.synonyms)).toContainEqual(['__proto__', ['a']])
  expect(decodeSettings(encodeSettings(settings))).toEqual(settings)
  expect(Object.keys(settings.synonyms).length).toBe(3)
})

// Settings as the manifest stores them: any text is settings with exactly one text, or is refused
// with a typed error. Decoded settings can be shown, and a patch built from them changes nothing.

import {
  decodeSettings,
  defaultSettings,
  encodeSettings,
  renderSetting,
  SETTING_NAMES,
} from '../engine/settings/index.ts'
import { layersAffected } from '../engine/store/layers/index.ts'
import { assert, CorruptionError } from '../format/errors.ts'
import type { FuzzTarget } from './target.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

export const target: FuzzTarget = {
  name: 'settings',
  seeds: () => [
    bytesOf('{}'),
    bytesOf(encodeSettings(defaultSettings())),
    bytesOf(
      encodeSettings({
        ...defaultSettings(),
        searchableAttributes: ['title', 'a.*'],
        synonyms: { a: ['b c'] },
        stopWords: ['the'],
        distinctAttribute: 'sku',
        searchCutoffMs: 100,
      }),
    ),
  ],
  run,
  allows: (error) => error instanceof CorruptionError,
  inputBytesMax: 8192,
  words: [...SETTING_NAMES, 'null', 'true', '["*"]', '{"attributePatterns":["a"]}'],
}

function run(input: Uint8Array): void {
  const settings = decodeSettings(new TextDecoder().decode(input))
  const text = encodeSettings(settings)
  const again = decodeSettings(text)
  assert(encodeSettings(again) === text, 'settings have one text')
  for (const name of SETTING_NAMES) JSON.stringify(renderSetting(settings, name))
  const affected = layersAffected(settings, again, ['title', 'a.b', '_geo'])
  assert(affected.length === 0, 'the same settings ask for no work')
}

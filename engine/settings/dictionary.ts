// Texts that are one word each, whatever separators are in them.
import { replaceSet } from './patches.ts'
import { setting } from './setting.ts'
import { isTexts } from './stored-checks.ts'

export const dictionary = setting<readonly string[]>()({
  code: 'invalid_settings_dictionary',
  advice: 'send an array of words.',
  change: 'whole',
  default: [],
  isStored: isTexts,
  merge: replaceSet,
  handles: { layer: 'text' },
})

// Texts that separate words although they usually would not.
import { replaceSet } from './patches.ts'
import { setting } from './setting.ts'
import { isTexts } from './stored-checks.ts'

export const separatorTokens = setting<readonly string[]>()({
  code: 'invalid_settings_separator_tokens',
  advice: 'send an array of strings.',
  change: 'whole',
  default: [],
  isStored: isTexts,
  merge: replaceSet,
  handles: { layer: 'text' },
})

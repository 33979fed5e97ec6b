// Texts that separate words although they would not by default, and texts that do not although they
// would.
import { texts } from '../../../format/schema/index.ts'
import { refuseLongWords, replaceSet, setting } from '../schema/index.ts'

export const separatorTokens = setting<readonly string[]>()({
  code: 'invalid_settings_separator_tokens',
  advice: 'send an array of strings.',
  change: 'whole',
  default: [],
  stored: texts,
  check: refuseLongWords('invalid_settings_separator_tokens'),
  merge: replaceSet,
  handles: { layer: 'text' },
})

export const nonSeparatorTokens = setting<readonly string[]>()({
  code: 'invalid_settings_non_separator_tokens',
  advice: 'send an array of strings.',
  change: 'whole',
  default: [],
  stored: texts,
  check: refuseLongWords('invalid_settings_non_separator_tokens'),
  merge: replaceSet,
  handles: { layer: 'text' },
})

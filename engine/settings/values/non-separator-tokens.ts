// Texts that do not separate words although they would by default.
import { texts } from '../../../format/schema/index.ts'
import { replaceSet, setting } from '../schema/index.ts'
import { refuseLongWords } from './words.ts'

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

// Texts that count as one word each: separators inside them do not split them.
import { texts } from '../../../format/schema/index.ts'
import { refuseLongWords, replaceSet, setting } from '../schema/index.ts'

export const dictionary = setting<readonly string[]>()({
  code: 'invalid_settings_dictionary',
  advice: 'send an array of words.',
  change: 'whole',
  default: [],
  stored: texts,
  check: refuseLongWords('invalid_settings_dictionary'),
  merge: replaceSet,
  handles: { layer: 'text' },
})

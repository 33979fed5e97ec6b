// Which script and class does a character have, and which bytes in UTF-8?
export {
  ARMENIAN,
  astralSeparators,
  CJ,
  character,
  characters,
  HARD,
  isHiragana,
  isIgnorable,
  isKatakana,
  isWhitespace,
  LATIN,
  MARK,
  OTHER,
  SCRIPT_MASK,
  SCRIPTS,
  type Script,
  SEPARATOR,
  scriptId,
  trimWhitespace,
} from './characters.ts'
export { emojiEnd, isEmoji } from './emoji.ts'
export { parseRanges } from './ranges.ts'
export { SEPARATOR_RANGES, SEPARATOR_SEQUENCES } from './separators.table.ts'
export {
  leadBytes,
  pointAt,
  pointBytes,
  readText,
  textBytes,
  textPoints,
  wellFormed,
  writeText,
} from './utf8.ts'
